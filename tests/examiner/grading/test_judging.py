"""A class is graded alike whether tests are run or judged by what was said in them before."""

from collections.abc import Sequence
from typing import Any

import pytest

from examiner.grading.workers import BOTH, KEPT, RUN
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

pytestmark = pytest.mark.slow

CHANGES = {
    "right": ("", ""),
    "right_too": ('"""Tiny.', '"""Very tiny.'),
    "lower": ("    if not len(numbers):", "\n\n    if not len(numbers):"),
    "wrong": ("/ len(numbers)", "/ max(1, len(numbers) - 1)"),
    "wrong_too": ('"""Return the mean."""', "numbers = list(numbers)[1:]"),
    "unwritten": ("return sum(numbers)", "raise NotImplementedError('later')\n    return 0"),
    "raises": ("return sum(numbers)", "return numbers.total"),
    "raises_lower": ('"""Return the mean."""', "\n\n\n    return numbers.total"),
    "changes": ("return sum(numbers)", "numbers[0] = 3\n    return sum(numbers)"),
    "other_class": ("self.counts[word]", "self.counts[word] + 1"),
    "no_class": ("class Bag", "class Sack"),
    "ends": ("return self.counts[word]", "import os; os._exit(0)"),
    "prints": ("return sum(numbers)", "print('x' * 9999)\n    return sum(numbers)"),
    "state": ('"""Return the mean."""', "globals().__setitem__('LIMIT', LIMIT + 1)"),
    "set": ("sorted(self.counts)\n", "set(self.counts)\n"),
}


def graded(tiny: TinyCourse, names: Sequence[str], judging: str, **options: Any) -> dict[str, Any]:
    """Grade a class in which each is twice, so that all is kept in the end; return all results."""
    sources = {
        f"{name}-{copy}": REFERENCE.replace(*CHANGES[name]) + f"COPY = {copy}\n"
        for copy in (1, 2, 3)
        for name in names
    }
    out = tiny.project.root / judging
    folder = tiny.hand_in(sources, f"class-{judging}")
    outcome = tiny.run(folder, out=out, judging=judging, **options).to_json()
    return {each["student"]: each for each in outcome["submissions"]}


def test_kept_and_run_and_both_give_the_same(tiny: TinyCourse) -> None:
    run = graded(tiny, [*CHANGES], RUN)
    assert graded(tiny, [*CHANGES], KEPT) == run
    assert graded(tiny, [*CHANGES], BOTH) == run
    tests = [test for each in run.values() for task in each["tasks"] for test in task["tests"]]
    assert {test["verdict"] for test in tests} == {"passed", "failed", "missing", "crashed"}
