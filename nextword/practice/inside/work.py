"""Checks a file in the page as `nextword check` does, and runs lines of the reader's.

The worker's script (practice/worker.js) calls `check` and `run`. What is said goes to `tell`, line
by line, as the child process of `nextword check` writes it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO, cast

from nextword.practice.inside import clock, shapes, small_numpy

MOST_PRINTED = 4000  # characters that are kept of what the reader's code prints


def begin(set_clock: clock.SetClock) -> None:
    """Put stand-ins in the place of libraries, once, before anything else is imported."""
    sys.modules["numpy"] = small_numpy
    sys.modules["numpy.random"] = small_numpy.random
    sys.modules["jaxtyping"] = shapes
    for name in _COLOURS:  # pytest imports it for its terminal, which nobody sees here
        sys.modules[name] = _Colours(name)
    clock.install(set_clock)


class _Colours(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


_COLOURS = (
    *("pygments", "pygments.formatters", "pygments.formatters.terminal", "pygments.lexer"),
    *("pygments.lexers", "pygments.lexers.diff", "pygments.lexers.python", "pygments.util"),
)


class Printed(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    def __init__(self) -> None:
        self.text, self.count = "", 0

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Keep a text, or what there is room for."""
        self.count += len(text)
        self.text += text[: max(0, MOST_PRINTED - len(self.text))]
        return len(text)

    @property
    def said(self) -> str:
        """What was kept, and how much was not."""
        more = self.count - len(self.text)
        return self.text + (f"\n… and {more:,} characters more" if more else "")


def check(
    root: str, stem: str, task_id: str, text: str, before: str, tell: Callable[[str], object]
) -> str:
    """Run a task's visible tests on the text of a module; return what it printed.

    `before` is JSON of what an earlier worker has found, if one had to be ended: tests in `skip`
    are left out, and `wrong` names the tasks that call for an example.
    """
    from examiner.check.child import Teller, Work
    from examiner.check.job import job_of

    project = _project(root)
    chapter = next(each for each in project.catalogue.chapters if each.stem == stem)
    job = replace(job_of(project, chapter, task_ids=[task_id]), **json.loads(before))
    Path(job.module).write_text(text, "utf-8")
    printed = Printed()
    with _silent():
        Work(job, Teller(tell), cast(TextIO, printed)).do()
    return printed.said


def _project(root: str) -> Any:
    from examiner.project import Project

    return Project(Path(root))


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        null = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        stack.enter_context(contextlib.redirect_stdout(null))
        stack.enter_context(contextlib.redirect_stderr(null))
        yield


# ------------------------------------------------------------------ lines of the reader's own
def run(stem: str, text: str, lines: str, seconds: float) -> str:
    """Run lines at the prompt of a module's text; return what they print and show, as JSON.

    The value of the last line is shown if it is one, as the prompt of Python does.
    """
    from examiner.judge.timelimit import TimeLimitError, time_limit

    printed = Printed()
    failed = False
    with contextlib.redirect_stdout(cast(TextIO, printed)):
        try:
            with time_limit(seconds):
                _run(f"{stem}.py", text, lines)
        except TimeLimitError as error:
            printed.write(str(error))
            failed = True
        except BaseException as error:
            printed.write(_traceback(error, f"{stem}.py", text, lines))
            failed = True
    return json.dumps({"said": printed.said, "failed": failed})


_LINES = "<your lines>"


def _run(name: str, text: str, lines: str) -> None:
    module = types.ModuleType(name.removesuffix(".py"))
    sys.modules[module.__name__] = module  # dataclasses look their module up
    exec(compile(text, name, "exec"), vars(module))
    *steps, last = ast.parse(lines, _LINES).body or [ast.Pass()]
    if not isinstance(last, ast.Expr):
        steps, last = [*steps, last], ast.Pass()
    names = vars(module) | {"np": small_numpy}
    exec(compile(ast.Module(steps, []), _LINES, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), _LINES, "eval"), names)
        if value is not None:
            print(repr(value))


def _traceback(error: BaseException, name: str, text: str, lines: str) -> str:
    """Return what Python says of an error, with the frames and lines of the reader's own code."""
    own = {name: text.splitlines(), _LINES: lines.splitlines()}
    rows = []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in own and frame.lineno:
            there = own[frame.filename][frame.lineno - 1 : frame.lineno]
            rows.append(f"{frame.filename}, line {frame.lineno}: {''.join(there).strip()}")
    return "\n".join([*rows[-6:], *traceback.format_exception_only(error)]).rstrip()
