"""Whose turn it is today: what takes long is tried in parts, one in each run of `make test`.

The day says which, so that each has its turn within as many days. `TURN=all make test` and
`make test-thorough` try all of it. Whoever names a file, `pytest tests/book/test_….py`, gets all of
its tests; of the misconceptions, which are chosen before there are tests, those of the day.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar

import pytest

from tests.browser import THOROUGH

PARTS = 14  # a fortnight
# kept in the environment: workers, which inherit it, agree even where one starts after midnight
SAID = os.environ["TURN"] = os.environ.get("TURN") or str(date.today().toordinal())
if not (SAID == "all" or SAID.isdecimal()):
    raise pytest.UsageError(f"TURN is a number or all, not {SAID}")
ALL = THOROUGH or SAID == "all"
TURN = 0 if SAID == "all" else int(SAID)
NBGRADER = Path(__file__).parent / "examiner" / "nbgrader"
Thing = TypeVar("Thing")


def in_turn(things: Sequence[Thing], n: int, turn: int = TURN) -> Sequence[Thing]:
    """One of n things, beginning with the one whose turn it is; all of them where all have it."""
    return things if ALL else things[turn % max(1, min(n, len(things))) :: n]


def takes_turns(item: pytest.Item) -> bool:
    """Whether a test is not tried in each run: pages, nbgrader, and what is marked `slow`."""
    if item.get_closest_marker("always"):
        return False
    slow = item.get_closest_marker("slow") is not None
    return slow or item.path.suffix == ".ipynb" or NBGRADER in item.path.parents


def waiting(items: Sequence[pytest.Item], named: Sequence[str], turn: int = TURN) -> set[str]:
    """Ids of the tests whose turn it is not. named: files and tests that pytest was asked for.

    Whole files take turns, or the values of one argument of its tests, such as
    `pytest.mark.turns("chapter")`.
    """
    files = {Path(name.partition("::")[0]).absolute() for name in named}
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.path in files or not takes_turns(item):
            continue
        mark = item.get_closest_marker("turns")
        values = getattr(getattr(item, "callspec", None), "params", {})
        if mark and mark.args[0] in values:
            value = values[mark.args[0]]
            groups[str(item.path)][str(getattr(value, "stem", value))].append(item.nodeid)
        else:
            groups[f"files {item.path.suffix}"][str(item.path)].append(item.nodeid)
    # dealt out one after the other, so that no day has more of them, or more of one kind
    units = [tests for things in groups.values() for tests in things.values()]
    waits = (tests for k, tests in enumerate(units) if not ALL and (k - turn) % PARTS)
    return {test for tests in waits for test in tests}
