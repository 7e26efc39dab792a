"""All of a class are judged on the same inputs, whenever and wherever these were settled."""

import io
import json

import pytest
from rich.console import Console

from examiner.grading.terminal import Display
from tests.examiner.grading.conftest import Quiet, TinyCourse
from tests.examiner.grading.test_admission import (
    CLASS,
    ONE_IN_THREE,
    SEEDS,
    add,
    forget,
    kept,
    unlucky,
)


@pytest.mark.slow
def test_a_class_is_judged_on_the_same_draws(tiny: TinyCourse) -> None:
    add(tiny, ONE_IN_THREE)
    folder = tiny.hand_in(CLASS)
    seed = next(each for each in SEEDS if not unlucky(each) and not unlucky(each, 1))
    assert tiny.run(folder, seed=seed).graded == 3
    entries = json.loads(kept(tiny).read_text("utf-8"))
    for entry in entries.values():  # as if this machine had been too slow for the first draw
        entry["attempts"]["test_unlucky"] = 1
    kept(tiny).write_text(json.dumps(entries), "utf-8")
    shown, seen = Display(Console(file=io.StringIO())), Quiet()
    seen.begin, seen.finished = shown.begin, shown.finished  # type: ignore[method-assign]
    assert tiny.run(folder, seen, seed=seed).graded == 3
    (bar,) = shown._bar.tasks
    assert (bar.completed, bar.total) == (3, 3)
    assert tiny.run(folder, seed=seed).graded == 0
    forget(tiny)
    again = tiny.run(folder, seed=seed)  # settled while it runs, on the first draw
    assert again.graded == 3
    assert {each.student: each.score for each in again.results}["ann"] == 10
    forget(tiny)
    assert tiny.run(folder, seed=seed).graded == 0
