"""Checks a file in the page as `nextword check` does, and runs lines of the reader's.

The worker's script (practice/worker.js) calls `check` and `run`. What is said goes to `tell`, line
by line, as the child process of `nextword check` writes it.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from nextword.practice.inside import clock, shapes, small_numpy

FRESH = "press Start again, and its empty functions come back"
MOST_PRINTED = 4000  # bytes that are kept of what the reader's code prints


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


def check(
    root: str, stem: str, task_id: str, text: str, before: str, tell: Callable[[str], object]
) -> str:
    """Run a task's visible tests on the text of a module; return what it printed.

    `before` is JSON of what an earlier worker has found, if one had to be ended: tests in `skip`
    are left out, and `wrong` names the tasks that call for an example.
    """
    from examiner.check.child import Teller, Work
    from examiner.check.job import job_of
    from examiner.check.printed import telling

    project = _project(root)
    chapter = next(each for each in project.catalogue.chapters if each.stem == stem)
    job = job_of(project, chapter, task_ids=[task_id])
    job = replace(job, fresh=FRESH, **json.loads(before))
    Path(job.module).write_text(text, "utf-8")
    printed: list[str] = []
    with _silent():
        Work(job, Teller(tell), telling(printed.append, MOST_PRINTED)).do()
    return "".join(printed)


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
    from examiner.check.printed import telling
    from examiner.judge.timelimit import TimeLimitError, time_limit

    printed, failure = list[str](), ""
    with contextlib.redirect_stdout(telling(printed.append, MOST_PRINTED)):
        try:
            with time_limit(seconds):
                _run(f"{stem}.py", text, lines)
        except TimeLimitError as error:
            failure = str(error)
        except BaseException as error:
            failure = _traceback(error, f"{stem}.py", text, lines)
    said = "".join(printed)
    between = "\n" if said and failure and not said.endswith("\n") else ""
    return json.dumps({"said": f"{said}{between}{failure}", "failed": bool(failure)})


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
