"""The suite of the course on sorting."""

import pytest

from examiner.suite import student_module

sorting = student_module("sorting")


@pytest.mark.task("1.1", visible=True)
def test_an_item_gets_its_place(sorting):
    """An item goes behind the smaller ones."""
    assert sorting.insert([2, 4], 3) == [2, 3, 4]


@pytest.mark.task("1.1")
def test_any_item_gets_its_place(sorting, rng):
    """Any item gets its place in any sorted list."""
    items, item = sorted(rng.integers(9, size=6).tolist()), int(rng.integers(9))
    assert sorting.insert(items, item) == sorted([*items, item])


@pytest.mark.task("1.2", visible=True)
def test_two_lists_become_one(sorting):
    """Two sorted lists become one."""
    assert sorting.merge([1, 4], [2, 3]) == [1, 2, 3, 4]


@pytest.mark.task("1.2")
def test_any_two_lists_become_one(sorting, rng):
    """All items of two sorted lists are in the result, also those that are equal."""
    left, right = (sorted(rng.integers(5, size=8).tolist()) for _ in range(2))
    assert sorting.merge(left, right) == sorted(left + right)
