"""What a worker keeps between two jobs: a house for each of two courses, and no more."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")
from examiner.cluster import inside


class _House:
    """Stands where a process that grades would be."""

    def __init__(self, root: Path, environment: Any) -> None:
        self.root, self.closed = root, False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def cellar(monkeypatch: pytest.MonkeyPatch) -> inside._Cellar:
    def laid_out(self: inside._Cellar, digest: str) -> Any:
        return SimpleNamespace(root=Path(digest), environment=dict)

    monkeypatch.setattr(inside, "House", _House)
    monkeypatch.setattr(inside._Cellar, "_unpacked", laid_out)
    return inside._Cellar()


def turn(cellar: inside._Cellar, course: str) -> Any:
    house = cellar.lend(course)
    cellar.take_back(course, house)
    return house


def test_two_graders_who_take_turns_at_a_worker_start_a_house_each(
    cellar: inside._Cellar,
) -> None:
    """It ended the one's house for each job of the other's, which took seconds each time."""
    houses = [turn(cellar, course) for course in "ababab"]
    assert len(set(houses)) == 2
    assert not any(house.closed for house in houses)


def test_a_worker_does_not_keep_a_house_of_every_course(cellar: inside._Cellar) -> None:
    houses = [turn(cellar, course) for course in "abcd"]
    assert [house.closed for house in houses] == [True, True, False, False]
    cellar.clear("d")
    assert [house.closed for house in houses] == [True, True, False, True]
    assert turn(cellar, "c") is houses[2]


def test_threads_that_grade_one_course_get_a_house_each(cellar: inside._Cellar) -> None:
    both = [cellar.lend("a"), cellar.lend("a")]
    for house in both:
        cellar.take_back("a", house)
    assert {cellar.lend("a"), cellar.lend("a")} == set(both)
