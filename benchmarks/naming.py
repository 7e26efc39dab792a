"""What naming mistakes adds to the grading of a class, for each failing test.

Grades wrong answers to a chapter (tests/<chapter>/answers) as one class in one process of the
examiner, with the explanation of mistakes and without it, and divides the difference in time by the
tests that failed. What is done once for a class (each misconception's answers, as far as they are
needed) is in it, so a small class costs more for each test than a large one: try --answers 12 and
--answers 0.
Usage: python benchmarks/naming.py [CHAPTER ...] [--answers N] [--runs N]
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.grading_mistakes import graded
from examiner.catalogue import Chapter
from examiner.grading.examiner import Examiner
from examiner.judge.mistakes import Answer, load_answers
from examiner.project import find_project
from examiner.results import SubmissionResult, Verdict
from tests.course import CHAPTERS, COURSE

GOAL = 50.0  # ms


def failing(results: dict[str, SubmissionResult]) -> int:
    """Count the tests that answers failed, which are those that mistakes are sought for."""
    every = (test for each in results.values() for task in each.tasks for test in task.tests)
    return sum(test.verdict is Verdict.FAILED for test in every)


def seconds(chapter: Chapter, answers: list[Answer], *, named: bool) -> tuple[float, int]:
    """Grade the answers as a class; return the time it took, and how many tests failed."""
    silent = mock.patch.object(Examiner, "explain", return_value=())
    started = time.perf_counter()
    with contextlib.nullcontext() if named else silent:
        results = graded(chapter, answers, "naming", 1)
    return time.perf_counter() - started, failing(results)


def measure(chapter: Chapter, count: int, runs: int) -> None:
    loaded = load_answers(find_project(), chapter.stem)
    every = [each for each in loaded if each.kind != "right"]
    answers = every[:: max(1, len(every) // count)][:count] if count else every
    with_names, without, failed = [], [], 0
    for _ in range(runs):  # in turns: the machine may become slower
        without.append(seconds(chapter, answers, named=False)[0])
        took, failed = seconds(chapter, answers, named=True)
        with_names.append(took)
    added = 1000 * (min(with_names) - min(without)) / failed
    print(
        f"{chapter.stem}: {len(answers)} answers, {failed} failing tests, "
        f"{min(without):.1f} s without names, {min(with_names):.1f} s with them: "
        f"{added:.0f} ms for each failing test (goal {GOAL:.0f})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="all, if none is given")
    parser.add_argument("--answers", type=int, default=12, help="how many; 0 for every one")
    parser.add_argument("--runs", type=int, default=1, help="the fastest of so many counts")
    given = parser.parse_args()
    stems = given.chapters or [chapter.stem for chapter in CHAPTERS]
    for stem in stems:
        measure(COURSE.catalogue.chapter(stem), given.answers, given.runs)


if __name__ == "__main__":
    main()
