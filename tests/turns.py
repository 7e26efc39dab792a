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
# seconds of processor that long files took in November 2026, by folder and name, and what others
# may take, or the tests of one value of an argument
SECONDS = {
    "chapters/01-language-models.ipynb": 20,
    "chapters/01-language-models-writing.ipynb": 87,
    "chapters/02-ngrams.ipynb": 15,
    "chapters/02-ngrams-smoothing.ipynb": 23,
    "chapters/02-ngrams-writing.ipynb": 187,
    "chapters/03-embeddings.ipynb": 36,
    "chapters/03-embeddings-learned.ipynb": 58,
    "chapters/03-embeddings-measured.ipynb": 135,
    "chapters/04-rnns.ipynb": 31,
    "chapters/04-rnns-gates.ipynb": 55,
    "chapters/04-rnns-training.ipynb": 50,
    "chapters/05-attention.ipynb": 26,
    "chapters/05-attention-heads.ipynb": 32,
    "chapters/05-attention-words.ipynb": 148,
    "chapters/06-transformers.ipynb": 37,
    "chapters/06-transformers-assembled.ipynb": 22,
    "chapters/06-transformers-in-use.ipynb": 68,
    "chapters/06-transformers-inside.ipynb": 30,
    "chapters/06-transformers-today.ipynb": 71,
    "chapters/07-after-training-rewards.ipynb": 24,
    "chapters/07-after-training-tuned.ipynb": 25,
    "chapters/data.ipynb": 27,
    "nbgrader/test_odd_class.py": 56,
    "nextword/test_nearest.py": 39,
    "nextword/test_transformer_training.py": 31,
}
USUAL = 10
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
    if ALL:
        return set()
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
    units = [unit for things in groups.values() for unit in things.items()]
    days = _days([_seconds(name) for name, _ in units])
    waits = (tests for day, (_, tests) in zip(days, units, strict=True) if day != turn % PARTS)
    return {test for tests in waits for test in tests}


def _seconds(name: str) -> int:
    """Return about how long a file takes, or the tests of one value of an argument."""
    path = Path(name)
    return SECONDS.get("/".join(path.parts[-2:]), USUAL)


def _days(seconds: Sequence[int]) -> list[int]:
    """Return a day for each of several things, so that the days take about the same time.

    The longest comes first, each goes to the day that has least so far (Graham's LPT rule, 1969).
    """
    days, full = [0] * len(seconds), [0] * PARTS
    for k in sorted(range(len(seconds)), key=lambda k: -seconds[k]):
        days[k] = full.index(min(full))
        full[days[k]] += seconds[k]
    return days
