"""What a student reads of a visible test that fails: the call, its arguments, got and expected."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from examiner.boundary.conversation import Asked
from examiner.judge.alike import alike
from examiner.judge.showing import Call, calls, exact, show

SEVERAL = 6  # answers in a list that are told from each other, call by call


@dataclass(frozen=True)
class Compared:
    """The two sides of a comparison that did not hold."""

    sign: str  # "==", "<=", "in"
    left: Any
    right: Any

    def __str__(self) -> str:
        return f"{show(self.left)} {self.sign} {show(self.right)}"


def explain(compared: Compared | None, said: str, transcript: Sequence[Asked]) -> str:
    """Return the message: `said` is the assertion in words, where nothing was compared."""
    made = [call for call in calls(transcript) if not call.failed]
    last = made[-1].lines if made else ""
    if compared is None:
        return "\n".join(filter(None, (last, f"  {said}" if last else said)))
    if compared.sign != "==":
        told = f"the test expects: {compared}"
        return "\n".join(filter(None, (last, f"  {told}" if last else told)))
    found = _the_call(compared, made) or _one_of_several(compared, made)
    if found:
        call, got, expected = found
        return _block(call.lines, got, expected)
    return _block(last, compared.left, compared.right)


def _block(call: str, got: Any, expected: Any) -> str:
    head = [call] if call else []
    return "\n".join([*head, f"  got       {show(got)}", f"  expected  {show(expected)}"])


def _the_call(compared: Compared, made: list[Call]) -> tuple[Call, Any, Any] | None:
    """Return the last call whose answer is one side, with both sides."""
    for call in reversed(made):
        for got, expected in ((compared.left, compared.right), (compared.right, compared.left)):
            if alike(call.answer, exact(got)):
                return call, call.answer, expected
    return None


def _one_of_several(compared: Compared, made: list[Call]) -> tuple[Call, Any, Any] | None:
    """Return the call for the first item that differs, where a list of answers is compared."""
    got, expected = exact(compared.left), exact(compared.right)
    if isinstance(got, dict) and isinstance(expected, dict) and got.keys() == expected.keys():
        got, expected = list(got.values()), [expected[key] for key in got]
    sequences = isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple))
    if not sequences or len(got) != len(expected) or not 1 < len(got) <= SEVERAL:
        return None
    answers = made[-len(got) :]
    if not alike([call.answer for call in answers], list(got)):
        return None
    for call, one, other in zip(answers, got, expected, strict=True):
        if not alike(one, exact(other)):
            return call, one, other
    return None


def statement(trace: TracebackType | None, folder: Path) -> str:
    """Return what the innermost assertion in a file of the suite asks for, as it is written."""
    found = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if Path(file).is_relative_to(folder):
            found = _assertion(file, trace.tb_lineno) or found
        trace = trace.tb_next
    return found


def _assertion(file: str, line: int) -> str:
    for node in _assertions(file):
        if node.lineno <= line <= (node.end_lineno or 0):
            return ast.unparse(node.test)
    return ""


@cache
def _assertions(file: str) -> list[ast.Assert]:
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
