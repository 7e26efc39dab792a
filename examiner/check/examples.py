"""Runs the worked examples of docstrings on a student's module, as visible tests of their tasks.

The examples are those of the course, whatever became of the student's copy of the docstring.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from types import ModuleType
from typing import Any

from examiner.boundary import wire
from examiner.boundary.errors import WireError
from examiner.check.example_names import name_of
from examiner.check.known import DocstringExample
from examiner.judge.answers import same_answer
from examiner.judge.local import own_lines
from examiner.judge.showing import show
from examiner.judge.timelimit import TimeLimitError, time_limit
from examiner.judge.wording import Source, clean
from examiner.results import TestResult, Verdict, lacks

SECONDS = 5.0  # for the examples of a function
MOST = 10_000  # items of an iterator
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")
_NO_NEWS = re.compile(r", dtype=[\w.]+|\s+|(?<=\d)\.(?!\d)")


def blank(symbol: str) -> TestResult:
    """Return the result of a function's examples before they are run."""
    return TestResult(
        name=name_of(symbol),
        behaviour=f"The worked example in the docstring of {symbol} comes out.",
        verdict=Verdict.NOT_JUDGED,
        weight=0.0,
        visible=True,
    )


def run_examples(
    symbol: str,
    examples: Sequence[DocstringExample],
    module: ModuleType,
    source: Source,
    of_another: Callable[[Sequence[int]], str] = lambda lines: "",
    seconds: float = SECONDS,
) -> TestResult:
    """Run a function's examples on the module, for so many seconds at most.

    `of_another` says what is still to be written of another task, whose function ended in a stub at
    the last of these lines of the module; "" if it is a stub of the function's own task.
    """
    began = time.perf_counter()
    verdict, message = _run(examples, module, source, of_another, seconds)
    took = time.perf_counter() - began
    return replace(blank(symbol), verdict=verdict, message=clean(message), seconds=took)


def _run(
    examples: Sequence[DocstringExample],
    module: ModuleType,
    source: Source,
    of_another: Callable[[Sequence[int]], str],
    seconds: float,
) -> tuple[Verdict, str]:
    names = dict(vars(module))
    example = examples[0]
    try:
        with time_limit(seconds):
            for example in examples:
                got, printed = _value(example, names)
                if not _fits(got, printed, example.want):
                    shown = show(got) if got is not None else printed.strip() or "None"
                    text = f"{example.source.strip()}\n  got       {shown}"
                    return Verdict.FAILED, f"{text}\n  expected  {example.want.strip()}"
    except NotImplementedError as error:
        if said := of_another(own_lines(error, module.__file__ or "")):
            return Verdict.NOT_JUDGED, said
        return Verdict.MISSING, "not written yet"
    except TimeLimitError as error:
        return Verdict.TIMEOUT, str(error)
    except KeyboardInterrupt:
        raise
    except MemoryError:
        return Verdict.MEMORY, "ran out of memory"
    except BaseException as error:
        lines = own_lines(error, module.__file__ or "")
        if isinstance(error, NameError) and not lines:  # the example itself asks for it
            return Verdict.MISSING, lacks(source.name, error.name)
        where = source.quote(lines)
        text = f"{type(error).__name__}{where}\n{error}".strip()
        return Verdict.FAILED, f"{example.source.strip()}\n  {text}"
    return Verdict.PASSED, ""


def _value(example: DocstringExample, names: dict[str, Any]) -> tuple[Any, str]:
    """Return what an example shows at the prompt, and what it prints."""
    found: list[Any] = []
    before, sys.displayhook = sys.displayhook, found.append
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(example.source, "<example>", "single"), names)
    finally:
        sys.displayhook = before
    value = found[-1] if found else None
    if isinstance(value, Iterator):
        value = list(islice(value, MOST))
    return value, said.getvalue()


def _fits(got: Any, printed: str, want: str) -> bool:
    """Tell whether a value is what an example shows, in any form that a test would take."""
    if not want.strip() or (got is None and printed.split() == want.split()):
        return True
    with contextlib.suppress(ValueError, SyntaxError, WireError):
        if same_answer(wire.decode(wire.encode(got)), ast.literal_eval(want.strip())):
            return True
    return _same_text(repr(got), want)


def _same_text(got: str, want: str) -> bool:
    texts = [_NO_NEWS.sub("", each) for each in (got, want)]
    numbers = [[float(n) for n in _NUMBER.findall(each)] for each in texts]
    skeletons = [_NUMBER.sub("#", each) for each in texts]
    same = skeletons[0] == skeletons[1] and len(numbers[0]) == len(numbers[1])
    return same and all(
        abs(a - b) <= 1e-4 * max(1.0, abs(b)) for a, b in zip(*numbers, strict=True)
    )
