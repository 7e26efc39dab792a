"""What finding the smallest examples adds to the grading of a class, for each failed task.

Grades wrong answers to a chapter (tests/<chapter>/answers) as one class in one process of the
examiner, with the explanation of mistakes and without it, and divides the difference in time by the
tasks that failed. What is done once for a class is in it, the answers of the reference and of
misconceptions: a small class costs more for each task than a large one. Try --answers 12 and
--answers 0. What a student's code alone takes, tells counterexamples.py.
Usage: python benchmarks/explaining.py [CHAPTER ...] [--answers N] [--runs N]
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

GOAL = 300.0  # ms


def failing(results: dict[str, SubmissionResult]) -> int:
    """Count the tasks that answers failed, which are those that examples are sought for."""
    every = (task for each in results.values() for task in each.tasks)
    return sum(task.verdict not in (Verdict.PASSED, Verdict.MISSING) for task in every)


def seconds(chapter: Chapter, answers: list[Answer], *, explained: bool) -> tuple[float, int]:
    """Grade the answers as a class; return the time it took, and how many tasks failed."""
    silent = mock.patch.object(Examiner, "explain", return_value=())
    started = time.perf_counter()
    with contextlib.nullcontext() if explained else silent:
        results = graded(chapter, answers, "explaining", 1)
    return time.perf_counter() - started, failing(results)


def measure(chapter: Chapter, count: int, runs: int) -> None:
    loaded = load_answers(find_project(), chapter.stem)
    every = [each for each in loaded if each.kind != "right"]
    answers = every[:: max(1, len(every) // count)][:count] if count else every
    with_examples, without, failed = [], [], 0
    for _ in range(runs):  # in turns: the machine may become slower
        without.append(seconds(chapter, answers, explained=False)[0])
        took, failed = seconds(chapter, answers, explained=True)
        with_examples.append(took)
    added = 1000 * (min(with_examples) - min(without)) / failed
    print(
        f"{chapter.stem}: {len(answers)} answers, {failed} failed tasks, "
        f"{min(without):.1f} s without examples, {min(with_examples):.1f} s with them: "
        f"{added:.0f} ms for each failed task (goal {GOAL:.0f})",
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
