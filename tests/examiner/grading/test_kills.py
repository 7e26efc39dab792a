"""Grading while workers, and whole runs, are killed at random moments."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from examiner.results import SubmissionResult
from tests.examiner.grading.conftest import REFERENCE, Quiet, TinyCourse

RIGHT = "return sum(numbers) / len(numbers)"
KINDS = {  # source and score
    "right": (REFERENCE, 10.0),
    "wrong": (REFERENCE.replace(RIGHT, "return 0"), 7.0),
    "leaves": (REFERENCE.replace(RIGHT, "import os; os._exit(0)"), 7.0),
    "broken": ("def mean(:", 0.0),
}


def hand_in(course: TinyCourse, count: int) -> tuple[Path, dict[str, float]]:
    names = [f"{number:04d}-{[*KINDS][number % len(KINDS)]}" for number in range(count)]
    folder = course.hand_in({name: KINDS[name[5:]][0] for name in names})
    return folder, {name: KINDS[name[5:]][1] for name in names}


PATIENCE = 120.0  # seconds without any result after which a run counts as stuck


class Killer(Quiet):
    """Watches a run and kills a worker after every few results, however fast they come.

    subtle: the kill comes from a thread, after a random part of the time that a few results take,
    so that it hits a worker anywhere. The run waits for a kill that is still due when the next one
    falls due, so that none is lost.
    """

    def __init__(self, fewest: int, most: int) -> None:
        super().__init__()
        self.fewest, self.most, self.kills = fewest, most, 0
        self._luck = random.Random(5)
        self._next = self._luck.randint(fewest, most)
        self._thread: threading.Thread | None = None
        self._began = self._last = time.monotonic()

    def begin(self, total: int, known: int) -> None:
        self._began = self._last = time.monotonic()

    def finished(self, result: SubmissionResult) -> None:
        super().finished(result)
        self._last = time.monotonic()
        if len(self.seen) >= self._next:
            self.join()
            pause = (self._last - self._began) / len(self.seen) * self._luck.uniform(0, 3)
            self._thread = threading.Thread(target=self._kill, args=(pause,), daemon=True)
            self._thread.start()
            self._next += self._luck.randint(self.fewest, self.most)

    def tick(self) -> None:
        assert time.monotonic() < self._last + PATIENCE, "the run is stuck"

    def join(self) -> None:
        """Wait for the kill that is due."""
        if self._thread:
            self._thread.join(PATIENCE)

    def _kill(self, pause: float) -> None:
        time.sleep(pause)
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        workers = [int(pid) for pid in children if _is_worker(pid)]
        if workers:  # none: the run is over
            os.kill(self._luck.choice(workers), signal.SIGKILL)
            self.kills += 1


def _is_worker(pid: str) -> bool:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return line == Path("/proc/self/cmdline").read_bytes()


def run_with_kills(course: TinyCourse, count: int, fewest: int, most: int) -> None:
    folder, expected = hand_in(course, count)
    killer = Killer(fewest, most)
    outcome = course.run(folder, killer, jobs=2)
    killer.join()
    assert {result.student: result.score for result in outcome.results} == expected
    assert sorted(killer.seen) == sorted(expected)
    assert outcome.all_judged
    assert killer.kills >= count // most - 1  # the last may fall due when all is done


@pytest.mark.slow
def test_a_class_survives_kills(tiny: TinyCourse) -> None:
    run_with_kills(tiny, 60, 2, 8)


@pytest.mark.thorough
def test_hundreds_of_submissions_survive_kills(tiny: TinyCourse) -> None:
    run_with_kills(tiny, 400, 4, 16)


SCRIPT = """
import os, random, signal, sys, threading, time
from pathlib import Path
from tests.examiner.grading.conftest import Quiet, TinyCourse

class Mortal(Quiet):
    def begin(self, total, known):
        self.began = time.monotonic()

    def finished(self, result):
        print(result.student, flush=True)
        super().finished(result)
        if len(self.seen) == int(sys.argv[2]):
            pause = (time.monotonic() - self.began) / len(self.seen) * random.uniform(0, 3)
            threading.Timer(pause, os.kill, (os.getpid(), signal.SIGKILL)).start()

TinyCourse(Path(sys.argv[1])).run(Path(sys.argv[1]) / "class", Mortal(), jobs=2)
"""


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_where_it_was(tiny: TinyCourse) -> None:
    folder, expected = hand_in(tiny, 60)
    luck, graded = random.Random(5), []
    for _ in range(3):
        after = luck.randrange(3, 9)
        command = [sys.executable, "-c", SCRIPT, str(tiny.project.root), str(after)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        assert done.returncode == -signal.SIGKILL
        graded += done.stdout.split()
    watcher = Quiet()
    outcome = tiny.run(folder, watcher, jobs=2)
    assert {result.student: result.score for result in outcome.results} == expected
    assert len(outcome.results) == 60
    assert len(graded) == len(set(graded)) >= 9
    assert not set(graded) & set(watcher.seen)  # nothing is graded twice
    unseen = set(expected) - set(graded) - set(watcher.seen)
    assert len(unseen) <= 3  # stored, and then the run was killed before it could say so
    assert not list((tiny.project.root / "grades").rglob("*.part"))


WRONG = KINDS["wrong"][0]


class Killed(BaseException):
    """What ends a run in the middle."""


class Ending(Quiet):
    """Ends the run after one more submission."""

    def finished(self, result: SubmissionResult) -> None:
        raise Killed


@pytest.mark.slow
def test_what_a_killed_run_has_changed_is_told_by_the_next(tiny: TinyCourse) -> None:
    folder = tiny.hand_in({"ada": REFERENCE, "ben": WRONG, "cleo": WRONG})
    tiny.run(folder)
    tiny.hand_in({"ben": REFERENCE, "cleo": REFERENCE})
    for _ in range(2):  # each judges one of them
        with pytest.raises(Killed):
            tiny.run(folder, Ending())
    outcome = tiny.run(folder)
    assert outcome.graded == 0
    assert [(each.student, each.before, each.after) for each in outcome.changes] == [
        ("ben", 7.0, 10.0),
        ("cleo", 7.0, 10.0),
    ]
    assert {each.why for each in outcome.changes} == {"another submission; tasks 9.1"}
    assert tiny.run(folder).changes == ()  # it has been told


@pytest.mark.slow
def test_what_is_untold_of_others_stays_so_when_a_part_of_the_class_is_graded(
    tiny: TinyCourse,
) -> None:
    folder = tiny.hand_in({"ada": REFERENCE, "ben": WRONG, "cleo": WRONG})
    tiny.run(folder)
    tiny.hand_in({"ben": REFERENCE, "cleo": REFERENCE})
    for _ in range(2):
        with pytest.raises(Killed):
            tiny.run(folder, Ending())
    part = tiny.hand_in({"ben": REFERENCE}, folder="part")
    assert [each.student for each in tiny.run(part).changes] == ["ben"]
    assert [(e.student, e.before, e.after) for e in tiny.run(folder).changes] == [
        ("cleo", 7.0, 10.0)
    ]
    assert tiny.run(folder).changes == ()


@pytest.mark.slow
def test_a_score_is_told_against_the_one_that_was_told_last(tiny: TinyCourse) -> None:
    folder = tiny.hand_in({"ben": WRONG})
    tiny.run(folder)
    tiny.hand_in({"ben": REFERENCE})
    with pytest.raises(Killed):
        tiny.run(folder, Ending())
    untold = tiny.project.root / "grades" / "results" / ".untold.jsonl"
    untold.write_text(untold.read_text() + '\n{"student": "be')  # killed while it wrote
    tiny.hand_in({"ben": "x = 1"})
    (change,) = tiny.run(folder, seed="another").changes
    assert (change.before, change.after) == (7.0, 0.0)
    assert change.why.startswith("another submission and another seed; ")
