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

from tests.grading.conftest import REFERENCE, Quiet, TinyCourse

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


class Killer(threading.Thread):
    """Kills one of this process's children every now and then."""

    def __init__(self, every: float) -> None:
        super().__init__(daemon=True)
        self.every, self.kills = every, 0
        self.over = threading.Event()

    def run(self) -> None:
        luck = random.Random(5)
        while not self.over.wait(luck.uniform(0.2, 1.8) * self.every):
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            workers = [int(pid) for pid in children if _is_worker(pid)]
            if workers:
                os.kill(luck.choice(workers), signal.SIGKILL)
                self.kills += 1


def _is_worker(pid: str) -> bool:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return line == Path("/proc/self/cmdline").read_bytes()


def run_with_kills(course: TinyCourse, count: int, every: float) -> int:
    folder, expected = hand_in(course, count)
    killer, watcher = Killer(every), Quiet()
    killer.start()
    try:
        outcome = course.run(folder, watcher, jobs=2)
    finally:
        killer.over.set()
        killer.join()
    assert {result.student: result.score for result in outcome.results} == expected
    assert sorted(watcher.seen) == sorted(expected)
    assert outcome.all_judged
    return killer.kills


def test_a_class_survives_kills(tiny: TinyCourse) -> None:
    assert run_with_kills(tiny, 40, 0.4) >= 2


@pytest.mark.slow
def test_a_thousand_submissions_survive_kills(tiny: TinyCourse) -> None:
    assert run_with_kills(tiny, 1000, 1.0) >= 20


SCRIPT = """
import sys
from pathlib import Path
from tests.grading.conftest import Quiet, TinyCourse

class Loud(Quiet):
    def finished(self, result):
        print(result.student, flush=True)

TinyCourse(Path(sys.argv[1])).run(Path(sys.argv[1]) / "class", Loud(), jobs=2)
"""


def test_a_run_that_is_killed_goes_on_where_it_was(tiny: TinyCourse) -> None:
    folder, expected = hand_in(tiny, 40)
    command = [sys.executable, "-c", SCRIPT, str(tiny.project.root)]
    luck, graded = random.Random(5), []
    for _ in range(3):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert run.stdout is not None
        for _ in range(luck.randrange(3, 9)):
            graded.append(run.stdout.readline().strip())
        time.sleep(luck.uniform(0, 0.1))
        run.kill()
        graded += run.stdout.read().split()
        run.wait()
    watcher = Quiet()
    outcome = tiny.run(folder, watcher, jobs=2)
    assert {result.student: result.score for result in outcome.results} == expected
    assert len(outcome.results) == 40
    assert len(graded) == len(set(graded)) >= 9
    assert not set(graded) & set(watcher.seen)  # nothing is graded twice
    unseen = set(expected) - set(graded) - set(watcher.seen)
    assert len(unseen) <= 3  # stored, and then the run was killed before it could say so
    assert not list((tiny.project.root / "grades").rglob("*.part"))
