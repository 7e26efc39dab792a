"""What takes long has its turn within as many runs as there are parts, and nothing is forgotten."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import turns
from tests.turns import NBGRADER, PARTS, waiting

HERE = Path(__file__)
ROOT = HERE.parents[1]


class Test:
    """What `waiting` asks of a test."""

    __test__ = False

    def __init__(self, path: Path, name: str, *marks: str, **values: Any) -> None:
        self.path, self.nodeid = path, f"{path}::{name}"
        self._marks = {mark.partition(" ")[0]: mark.partition(" ")[2] for mark in marks}
        if values:
            self.callspec = SimpleNamespace(params=values)

    def get_closest_marker(self, name: str) -> SimpleNamespace | None:
        found = self._marks.get(name)
        return None if found is None else SimpleNamespace(args=(found,))


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where this run tries all parts."""
    monkeypatch.setattr(turns, "ALL", False)


def tried(tests: list[Test], turn: int, *named: str) -> list[bool]:
    """For each test whether it is tried at this turn."""
    left = waiting(tests, named, turn)  # type: ignore[arg-type]
    return [test.nodeid not in left for test in tests]


def days(tests: list[Test], *named: str) -> list[int]:
    """For each test the number of turns out of PARTS in which it is tried."""
    each = [tried(tests, turn, *named) for turn in range(7, 7 + PARTS)]
    return [sum(today) for today in zip(*each, strict=True)]


def test_each_long_file_has_one_turn() -> None:
    many = range(PARTS + 2)
    files = [Test(Path(f"/c/test_{k}.py"), name, "slow") for k in many for name in "ab"]
    assert days(files) == [1] * 2 * len(many)
    today = tried(files, 3)
    assert today[::2] == today[1::2]


def test_so_has_each_page_and_each_test_of_nbgrader() -> None:
    pages = [Test(Path(f"/c/{k:02}.ipynb"), "Cell 0") for k in range(PARTS + 3)]
    assert days(pages) == [1] * len(pages)
    assert days([Test(NBGRADER / f"test_{k}.py", "a") for k in range(PARTS)]) == [1] * PARTS


def test_what_is_short_or_marked_is_always_tried() -> None:
    assert days([Test(HERE, "short")]) == [PARTS]
    assert days([Test(HERE, "attacks", "slow", "always")]) == [PARTS]


def test_values_of_an_argument_take_turns_with_all_their_tests() -> None:
    chapters = [f"chapter_{k}" for k in range(PARTS)]
    tests = [
        Test(HERE, f"{name}[{stem}]", "slow", "turns chapter", chapter=SimpleNamespace(stem=stem))
        for name in ("graded", "complete")
        for stem in chapters
    ]
    assert days(tests) == [1] * 2 * PARTS
    today = tried(tests, 0)
    assert today[:PARTS] == today[PARTS:]


def test_days_are_alike() -> None:
    chapters = [
        Test(Path(f"/c/test_{name}.py"), f"a[{stem}]", "slow", "turns chapter", chapter=stem)
        for name in "abc"
        for stem in range(7)
    ]
    files = [Test(Path(f"/c/test_{k}.py"), "a", "slow") for k in range(PARTS + 1)]
    tests = [*chapters, *files]
    assert days(tests) == [1] * len(tests)
    each = [sum(tried(tests, turn)) for turn in range(PARTS)]
    assert max(each) - min(each) <= 1


def test_the_longest_share_no_day_while_others_have_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SECONDS", {"c/long_0.ipynb": 90, "c/long_1.ipynb": 70})
    long = [Test(Path(f"/c/long_{k}.ipynb"), "Cell 0") for k in range(2)]
    short = [Test(Path(f"/c/test_{k}.py"), "a", "slow") for k in range(4 * PARTS)]
    tests = [*short, *long]
    assert days(tests) == [1] * len(tests)
    each = [tried(tests, turn) for turn in range(PARTS)]
    assert sorted(today[-2:] for today in each)[-2:] == [[False, True], [True, False]]
    assert all(sum(today) == 1 for today in each if any(today[-2:]))  # the others share the rest


def test_what_is_said_to_be_long_is_there() -> None:
    files = {
        "/".join(path.parts[-2:])
        for path in [*ROOT.glob("chapters/*"), *HERE.parent.rglob("test_*.py")]
    }
    assert set(turns.SECONDS) <= files


def test_who_names_a_file_gets_all_of_it() -> None:
    tests = [Test(Path(f"/c/test_{k}.py"), "a", "slow") for k in range(2 + PARTS)]
    found = days(tests, "/c/test_3.py::a", "/c/test_5.py", "/c")
    assert found == [1, 1, 1, PARTS, 1, PARTS, *[1] * (PARTS - 4)]


def test_where_all_have_their_turn_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "ALL", True)
    assert days([Test(Path(f"/c/test_{k}.py"), "a", "slow") for k in range(8)]) == [PARTS] * 8
