"""Which hint a student gets next: of the first function that is not right yet, stage by stage."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

from examiner.catalogue import Task
from examiner.check.example_names import name_of
from examiner.files import write_whole
from examiner.results import TaskResult, Verdict

HINTS_FILE = "hints.json"
CODE = re.compile(r"^```\w*\n(.*?)^```(?:\n|\Z)", re.M | re.S)  # a block of code in a hint


def open_function(result: TaskResult) -> str:
    """Return the function of an unfinished task that a hint should be about.

    That is the first whose example is not written or wrong, else one that a failure names.
    """
    symbols = result.task.symbols
    by_name = {test.name: test.verdict for test in result.tests}
    for verdicts in ((Verdict.MISSING,), tuple(Verdict)):
        for symbol in symbols:
            if by_name.get(name_of(symbol), Verdict.PASSED) in set(verdicts) - {Verdict.PASSED}:
                return symbol
    said = " ".join(t.message for t in result.tests if t.verdict is not Verdict.PASSED)
    named = (each for each in symbols if re.search(rf"\b{_short(each)}\b", said))
    return next(named, symbols[0])


def _short(symbol: str) -> str:
    return symbol.rpartition(".")[2]


def for_function(hint: str, symbol: str, symbols: tuple[str, ...]) -> str:
    """Return the part of a hint that is about one function of its task, or all of it.

    A part begins with the function's name in backticks, at the beginning of a line or a sentence:
    that of a method with its class where two classes of a task share it. What stands before the
    first part is about the function that has none, or else about all. No part begins inside a
    block of code.

    >>> for_function("Go on. `pad`: add. `windows`: slide.", "windows", ("pad", "windows"))
    'Go on. `windows`: slide.'
    >>> for_function("Add. For `windows`, slide.", "pad", ("pad", "windows"))
    'Add.'
    """
    called = _names_in_hints(symbols)
    names = "|".join(map(re.escape, called.values()))
    begin = rf"(?:^|(?<=[.?!;,] )|(?<=, and ))(?:For )?`({names})`(?=:|,| is | returns )"
    prose = CODE.sub(lambda block: "\n" * len(block[0]), hint)  # as long as the hint
    found = list(re.finditer(begin, prose, re.M))
    if len(symbols) == 1 or not found:
        return hint
    ends = [*(each.start() for each in found[1:]), len(hint)]
    parts: dict[str, str] = {}
    for each, end in zip(found, ends, strict=True):
        text = hint[each.start() : end].rstrip().removesuffix(", and").rstrip(" ,")
        parts[each[1]] = _joined(parts.get(each[1], ""), text)
    head = hint[: found[0].start()].strip()
    own = parts.get(called[symbol])
    if own is None:
        return head or hint
    return _joined(head, own) if len(parts) == len(symbols) else own


def _joined(first: str, then: str) -> str:
    """Return two parts of a hint as one: a part with a block of code is a paragraph of its own."""
    between = "\n\n" if CODE.search(f"{first}\n{then}") else " "
    return f"{first}{between}{then}".strip()


def _names_in_hints(symbols: tuple[str, ...]) -> dict[str, str]:
    """Return what a hint calls each function: its last name, if no other has the same."""
    short = [_short(each) for each in symbols]
    return {each: _short(each) if short.count(_short(each)) == 1 else each for each in symbols}


def next_hints(path: Path, task: Task, symbol: str) -> list[str]:
    """Return the hints that the student may read now, one more each time, and count them."""
    key = f"{task.id} {symbol}" if len(task.symbols) > 1 else task.id
    try:
        shown = dict(json.loads(path.read_text("utf-8")))
        before = int(shown.get(key, 0))
    except (OSError, ValueError, TypeError):
        shown, before = {}, 0  # no hint was shown yet, or the file is damaged: start again
    stage = min(before + 1, len(task.hints))
    with contextlib.suppress(OSError):  # where nothing can be written, the same one is shown again
        write_whole(path, json.dumps({**shown, key: stage}, indent=1).encode(), mode=0o644)
    return [for_function(each, symbol, task.symbols) for each in task.hints[:stage]]
