"""The suite of chapter 4: what each task's code must do."""

import math

import pytest

from nextword.suite import student_module

rnns = student_module("rnns")


@pytest.mark.task("4.1", weight=1, visible=True)
def test_shares_by_hand(rnns):
    """One and three are a quarter and three quarters of four."""
    assert list(rnns.shares([1, 3])) == pytest.approx([0.25, 0.75])


@pytest.mark.task("4.1", weight=1)
def test_shares_of_any_counts(rnns, rng):
    """The shares have the sum 1 and the proportions of the counts."""
    counts = rng.integers(1, 100, size=7).tolist()
    found = list(rnns.shares(counts))
    assert math.fsum(found) == pytest.approx(1)
    assert [share * sum(counts) for share in found] == pytest.approx(counts)
