"""How many seconds of processor a submission of each chapter takes, and hours for a large course.

A class is made of each chapter: of ten, three are right, six are wrong answers of the chapter's
`answers`, and one is the empty stub; each has a line of code of its own, and no wrong answer is
there twice. What counts is `nextword grade --jobs 1` from its first result to its last (its
workers, sandboxes and pages; not its start), names of mistakes and pages included.
Usage: python benchmarks/each_chapter.py [--count N] [CHAPTER ...]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.grading_class import Course
from examiner.grading.run import Options, grade
from examiner.judge.mistakes import load_answers
from examiner.judge.modules import Reference
from examiner.results import SubmissionResult
from tests.course import CHAPTERS, COURSE

STUDENTS = 30_000
PROCESSORS = {"4 cores": 4, "32 cores": 32, "20 of 32": 640}


def text_of(course: Course, number: int, luck: random.Random) -> str:
    """Return the text of a submission."""
    kind, root = number % 10, course.project.root
    if kind == 9:
        return (root / "coursework" / f"{course.stem}.py").read_text("utf-8")
    if kind < 3:
        return course.reference
    answers = load_answers(course.project, course.stem)
    wrong = [each for each in answers if each.kind != "right"]
    ends = [each for each in wrong if "while True" not in str(each.bodies)]
    random.Random(2).shuffle(ends)  # in the same order each time: no answer is taken twice
    reference = Reference(course.project.module("solutions", course.stem))
    return reference.changed(ends[number].bodies)


class Meter:
    """Looks what all processes of a run have used when its first and when its last one ends."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def begin(self, total: int, known: int) -> None:
        """Ignore."""

    def finished(self, result: SubmissionResult) -> None:
        """Look."""
        here = psutil.Process()
        every = [here, *here.children(recursive=True)]
        used = 0.0
        for each in every:
            with contextlib.suppress(psutil.Error):  # it has just ended: now its parent tells it
                used += sum(each.cpu_times()[:4])
        self.seen.append(used)

    def tick(self) -> None:
        """Ignore."""

    @property
    def each(self) -> float:
        """The seconds for a submission."""
        return (self.seen[-1] - self.seen[0]) / (len(self.seen) - 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("chapters", nargs="*", default=[each.stem for each in CHAPTERS])
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":  # libraries read it when loaded: start again
        os.execve(
            sys.executable, [sys.executable, *sys.argv], {**os.environ, "OMP_NUM_THREADS": "1"}
        )
    print(f"{'chapter':20} s each   hours for {STUDENTS:,} on {', on '.join(PROCESSORS)}")
    for stem in given.chapters:
        course = Course(COURSE, COURSE.catalogue.chapter(stem), text_of)
        with tempfile.TemporaryDirectory(prefix="each-chapter-") as name:
            course.make_class(given.count, Path(name, "class"), distinct=True)
            meter = Meter()
            options = Options(out=Path(name, "out"), jobs=1, seed="benchmark")
            grade(COURSE, course.chapter, Path(name, "class"), options, meter)
        hours = [meter.each * STUDENTS / cores / 3600 for cores in PROCESSORS.values()]
        shown = "  ".join(f"{each:8.2f}" for each in hours)
        print(f"{stem:20} {meter.each:6.2f}   {shown}", flush=True)


if __name__ == "__main__":
    main()
