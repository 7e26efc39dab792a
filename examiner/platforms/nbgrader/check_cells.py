"""Judges the answers of a notebook outside of its kernel. Leaves out how they were fetched.

A check cell is plain nbgrader: asserts on the student's variables, and perhaps a last line whose
value is the points. Here the same text, which comes from the course and never from the student,
runs on copies of the answers that are plain data.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from examiner.judge.timelimit import TimeLimitError, time_limit

EMPTY = "was its cell left empty, or did it fail?"
SECONDS = 20.0  # a check compares a few numbers


@dataclass(frozen=True)
class CellScore:
    """Points for a cell and the words that go with them."""

    points: float | None  # None: the grader failed, and a person has to look
    message: str


def judge(
    source: str,
    worth: float,
    answers: Mapping[str, Any],
    faults: Mapping[str, str],
    stopped: str = "",
) -> CellScore:
    """Run a check cell's trusted source on plain answers.

    stopped: the error with which a cell above it ended, if one did.

    >>> judge("assert x == 3, 'x is not three'", 2, {"x": 3}, {})
    CellScore(points=2.0, message='')
    >>> judge("assert x == 3, 'x is not three'", 2, {"x": 4}, {})
    CellScore(points=0.0, message='x is not three')
    """
    if faults:
        lines = (_explain(name, why, stopped) for name, why in faults.items())
        return CellScore(0.0, "\n".join(lines))
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), time_limit(SECONDS):
            value = _run(source, dict(answers))
    except AssertionError as error:
        said = str(error) or "a test of this answer failed"
        return CellScore(0.0, _join(printed.getvalue(), said))
    except TimeLimitError:
        return CellScore(None, "the test of this answer took too long")
    except Exception as error:
        said = f"the answer has another form than was asked for ({type(error).__name__})"
        return CellScore(0.0, _join(printed.getvalue(), said))
    points = float(worth)
    if isinstance(value, bool | int | float):
        given = float(value) if math.isfinite(value) else 0.0
        points = min(max(given, 0.0), float(worth))
    return CellScore(points, printed.getvalue().strip())


def _run(source: str, names: dict[str, Any]) -> Any:
    """Execute a cell; return the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<check>", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "<check>", "eval"), names)


def is_unset(why: str) -> bool:
    """Tell whether a fault means that the notebook has not set the variable."""
    return why.startswith("NameError")


def _explain(name: str, why: str, stopped: str = "") -> str:
    if is_unset(why):
        cause = f"a cell above ended with {stopped}" if stopped else EMPTY
        return f"there is no {name}: {cause}"
    if why.startswith("the notebook"):
        return f"{name} could not be read: {why}"
    return f"{name} is not a number, text, list, dictionary or array ({why})"


def _join(*parts: str) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def missing(names: Sequence[str], why: str) -> dict[str, str]:
    """Return faults for variables that were never fetched."""
    return dict.fromkeys(names, f"the notebook stopped before: {why}")
