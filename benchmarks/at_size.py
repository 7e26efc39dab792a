"""A class of thirty thousand: how much memory, disk and time the process takes that collects it.

The works are those of the small course `tests/examiner/sorting` (two right, one unfinished, one
wrong, one that cannot be imported, each with a number of its own), in folders named as Moodle
names them, so that the zip for its upload is made, too. The whole of `nextword grade` is done:
find, read, store, write pages, agenda, JSON, lines of JSON, CSV, table. Then it is done again,
where nothing has changed.

Without --real, judging is left out: the five results, judged once, stand for those of all others.
So what is measured is the collecting process alone, which is one however many workers there are.

With --workers a cluster of so many on this machine judges each one. Then the seconds are those of
the collecting process and its courier, and those of the scheduler stand in a column of their own;
those of the workers are left out, since a cluster's workers are other machines.
Usage: python benchmarks/at_size.py [--count N ...] [--real] [--jobs N | --workers N]
"""

from __future__ import annotations

import argparse
import io
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1]))
from examiner.cluster import elsewhere
from examiner.grading.outcome import Outcome
from examiner.grading.run import Elsewhere, Options, grade
from examiner.grading.store import write_atomically
from examiner.grading.submissions import Submission
from examiner.grading.tables import grades_csv
from examiner.grading.terminal import show
from examiner.grading.workers import Finished
from examiner.project import Project
from examiner.results import SubmissionResult

COURSE = Path(__file__).parents[1] / "tests" / "examiner" / "sorting"
STEM = "sorting"


class Silent:
    """Watches a run and shows nothing."""

    def begin(self, total: int, known: int) -> None:
        """Ignore."""

    def finished(self, result: SubmissionResult) -> None:
        """Ignore."""

    def tick(self) -> None:
        """Ignore."""


@dataclass(frozen=True)
class Canned:
    """Gives each submission the result of the first of its kind, in the place of judging it."""

    results: Sequence[SubmissionResult]

    def judge(
        self,
        project: Project,
        course: Any,
        suite: Any,
        submissions: Sequence[Submission],
        order: Sequence[int],
        finished: Finished,
        tick: Callable[[], None],
        sharing: Callable[[int], int],
    ) -> None:
        """Read each submission and give it a result."""
        for number in order:
            submission = submissions[number]
            kind = int(submission.source.text.rsplit("NUMBER = ", 1)[1]) % len(self.results)
            finished(number, replace(self.results[kind], student=submission.student))
            tick()


def sources() -> list[str]:
    """Return the five works, of which a class is made."""
    own = [path.read_text("utf-8") for path in sorted((COURSE / "class").glob("*/*.py"))]
    reference = (COURSE / "solutions" / f"{STEM}.py").read_text("utf-8")
    return [*own, reference, "def insert(:\n"]


def hand_in(folder: Path, count: int) -> Path:
    """Write a class of so many."""
    texts = sources()
    for number in range(count):
        name = f"Ada Lovelace the {number}th_{number + 1}_assignsubmission_file_"
        (folder / name).mkdir(parents=True)
        text = f"{texts[number % len(texts)]}\nNUMBER = {number}\n"
        (folder / name / f"{STEM}.py").write_text(text, "utf-8")
    return folder


def used() -> float:
    """Return the seconds of processor of this process and of its ended children."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def peak_mb() -> float:
    """Return the most memory that this process has had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) / 1024


def collect(project: Project, folder: Path, options: Options) -> Outcome:
    """Do what `nextword grade` does with all its options."""
    chapter = project.catalogue.chapter(STEM)
    outcome = grade(project, chapter, folder, options, Silent())
    write_atomically(options.out / "all.json", outcome.json_pieces())
    write_atomically(options.out / "all.csv", grades_csv(outcome))
    show(Console(file=io.StringIO(), width=120), outcome)
    return outcome


def scheduling() -> float:
    """Return the seconds of processor that this process's schedulers have taken."""
    return sum(
        sum(child.cpu_times()[:2])
        for child in psutil.Process().children()
        if any(word.endswith("cluster.scheduler") for word in child.cmdline())
    )


@contextmanager
def judging(
    given: argparse.Namespace, results: Sequence[SubmissionResult]
) -> Iterator[Elsewhere | None]:
    """Give who judges in the place of this process, if somebody does."""
    if given.workers:
        with elsewhere.local(given.workers, print) as machines:
            yield machines
    else:
        yield None if given.real else Canned(results)


def measure(count: int, given: argparse.Namespace) -> None:
    """Grade a class twice, and print a row for each time."""
    with tempfile.TemporaryDirectory(prefix="at-size-") as name:
        root = Path(name)
        project = Project(COURSE)
        options = Options(
            out=root / "few", jobs=given.jobs, seed="s", json_lines=root / "few.jsonl"
        )
        few = collect(project, hand_in(root / "handed in few", len(sources())), options)
        folder, out = hand_in(root / "handed in", count), root / "grades"
        with judging(given, list(few.results)) as judges:
            options = replace(options, out=out, elsewhere=judges, json_lines=out / "all.jsonl")
            for which in ("first", "again"):
                began, clock, by_others = used(), time.monotonic(), scheduling()
                outcome = collect(project, folder, options)
                assert outcome.graded == (count if which == "first" else 0)
                times = f"{used() - began:14.1f}  {scheduling() - by_others:9.1f}"
                times += f"  {time.monotonic() - clock:14.1f}  {peak_mb():7.0f}"
                files = [path for path in out.rglob("*") if path.is_file()]
                size = f"{len(files):7}  {sum(path.stat().st_size for path in files) / 1e6:10.1f}"
                print(f"{count:11}  {which:6} {times}  {size}", flush=True)
        assert len((out / "all.jsonl").read_bytes().splitlines()) == count


def main() -> None:
    """Measure each size in a process of its own, and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, nargs="*", default=[3_000, 30_000])
    parser.add_argument("--real", action="store_true", help="judge each one")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0, help="judge each one on a cluster")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        measure(given.count[0], given)
        return
    head = "submissions  run     s of processor  scheduler  s on the clock  peak MB"
    print(f"{head}    files  MB on disk", flush=True)
    for count in given.count:
        words = ["--child", "--count", str(count), "--jobs", str(given.jobs)]
        words += ["--workers", str(given.workers), *(["--real"] if given.real else [])]
        command = [sys.executable, __file__, *words]
        subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    main()
