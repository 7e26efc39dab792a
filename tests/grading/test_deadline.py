"""The time limit of a test on a busy machine: waiting for a processor costs no student points."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nextword.boundary.deadline import MOST, Deadline, Waits, close_all, open_waits
from nextword.results import Verdict
from tests.grading.conftest import REFERENCE, TinyCourse

needs_linux = pytest.mark.skipif(
    not open_waits(os.getpid()), reason="this system does not count what is waited for a processor"
)
RIGHT = "return sum(numbers) / len(numbers)"
BURN = (
    "import time\n    end = time.process_time() + {}\n    while time.process_time() < end: pass\n"
)


class Told(Waits):
    """Says what it is told to say."""

    def __init__(self) -> None:
        super().__init__(())
        self.wait = self.beside = 0.0

    def waited(self) -> float:
        return self.wait

    def computed_beside(self) -> float:
        return self.beside


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still at its only item; nothing is waited in this process."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr("nextword.boundary.deadline._own_waits", lambda pid: Told())
    return now


def test_what_was_waited_is_added(clock: list[float]) -> None:
    waits = Told()
    waits.wait = 5.0  # in an earlier test
    deadline = Deadline(10, waits)
    assert deadline.left() == 10
    clock[0] += 11
    assert deadline.left() == -1
    waits.wait += 4
    assert deadline.left() == 3
    clock[0] += 3
    assert deadline.left() == 0


def test_what_is_added_is_bounded(clock: list[float]) -> None:
    waits = Told()
    deadline = Deadline(10, waits)
    clock[0] += 10 * MOST - 1
    waits.wait = 1000
    assert deadline.left() == 1
    clock[0] += 1
    assert deadline.left() == 0


def test_a_submissions_own_threads_give_it_no_time(clock: list[float]) -> None:
    waits = Told()
    deadline = Deadline(10, waits)
    clock[0] += 10
    waits.wait, waits.beside = 9, 9
    assert deadline.left() == 0
    waits.wait, waits.beside = 9, 30
    assert deadline.left() == 0


def test_nothing_is_known_where_the_system_does_not_tell() -> None:
    assert open_waits(-1) == []
    waits = Waits([])
    assert (waits.waited(), waits.computed_beside()) == (0.0, 0.0)


@needs_linux
def test_a_process_that_is_gone_has_waited_what_it_had() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    waits = Waits(open_waits(child.pid))
    before = waits.waited()
    child.communicate(b"\n")
    assert waits.waited() >= before
    assert waits.computed_beside() == 0.0
    waits.close()
    assert waits.waited() >= before


@needs_linux
def test_threads_are_seen() -> None:
    opened = open_waits(os.getpid())
    waits = Waits(opened)
    before, others = waits.computed_beside(), 0.0

    def compute() -> None:
        nonlocal others
        while time.thread_time() < 0.3:
            hashlib.pbkdf2_hmac("sha256", b"x", b"x", 20_000)  # without Python's own lock
        others = time.thread_time()

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    assert waits.computed_beside() - before == pytest.approx(others, abs=0.1)
    close_all(opened)


@pytest.fixture
def crowded() -> Iterator[None]:
    """One processor for this test and what it starts, with two endless loops on it."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
        os.sched_setaffinity(0, allowed)


@needs_linux
@pytest.mark.slow
def test_a_crowded_machine_costs_no_points_and_gives_no_time(
    tiny: TinyCourse, crowded: None
) -> None:
    results = tiny.grade(
        {
            # in a test with a limit of 1 s: 0.6 s of computing, which take 1.8 s here
            "honest": REFERENCE.replace(RIGHT, f"{BURN.format(0.3)}    {RIGHT}"),
            "slow": REFERENCE.replace(RIGHT, f"{BURN.format(1.5)}    {RIGHT}"),
            "sleeper": REFERENCE.replace(RIGHT, f"import time; time.sleep(1.5); {RIGHT}"),
        }
    )
    assert results["honest"].score == 10
    for student in ("slow", "sleeper"):
        first = results[student].tasks[0].tests[0]
        assert first.verdict is Verdict.TIMEOUT
        assert first.message.startswith("took longer than 1 s")
        assert first.seconds < MOST + 1
    assert results["sleeper"].tasks[0].tests[0].seconds < 1.5


@needs_linux
def test_no_file_stays_open_where_the_system_tells_only_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_now, real = Path("/proc/self/fd"), os.open
    before = len(list(open_now.iterdir()))

    def half(path: str, flags: int) -> int:
        if path.endswith("/stat"):
            raise PermissionError
        return real(path, flags)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", half)
        assert open_waits(os.getpid()) == []
    assert len(list(open_now.iterdir())) == before


LOOP = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as nohup, `&` in a script and some CI have it
from nextword.catalogue import parse_chapter
from nextword.check.chapter import check_chapter
from nextword.project import Project
from tests.grading.conftest import CATALOGUE
project = Project(Path(sys.argv[1]))
result = check_chapter(project, parse_chapter(CATALOGUE))
print(*(task.verdict.value for task in result.tasks))
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
"""


@pytest.mark.slow
def test_a_check_stops_a_loop_where_interrupts_are_ignored(tiny: TinyCourse) -> None:
    endless = REFERENCE.replace(RIGHT, "\n    while True:\n        pass")
    (tiny.project.root / "coursework" / "tiny.py").write_text(endless, "utf-8")
    command = [sys.executable, "-c", LOOP, str(tiny.project.root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.stdout.split() == ["timeout", "passed"], done.stderr


WRONG = """
from nextword.judge.misconceptions import misconception

def declare(number):
    @misconception("9.1", replaces="mean", says="Too slow.")
    def slow(numbers):
        time.sleep(0.8)
        return number
    slow.__name__ = f"slow{number}"
    return slow

import time
slow3, slow4, slow5, slow6, slow7, slow8 = map(declare, range(3, 9))
"""


@pytest.mark.slow
def test_explaining_takes_nothing_off_the_time_of_the_test(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watcher gives each run of a misconception its own time: together they take longer."""
    monkeypatch.setattr("nextword.grading.workers.STUCK_SECONDS", 0.0)
    monkeypatch.setattr("nextword.grading.workers.GRACE", 0.0)
    (tiny.project.root / "tests" / "misconceptions" / "tiny.py").write_text(WRONG, "utf-8")
    result = tiny.grade({"wrong": REFERENCE.replace(RIGHT, "return 1")})["wrong"]
    assert [test.verdict for test in result.tasks[0].tests[:2]] == [Verdict.FAILED] * 2


@pytest.mark.slow
def test_a_grader_that_gets_stuck_in_its_own_code_blames_nobody(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("STUCK_SECONDS", 0.0), ("GRACE", 0.0), ("MOST", 1.5)):
        monkeypatch.setattr(f"nextword.grading.workers.{name}", value)
    block = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); "
    stuck = WRONG.replace("time.sleep(0.8)", f"{block}time.sleep(60)")
    (tiny.project.root / "tests" / "misconceptions" / "tiny.py").write_text(stuck, "utf-8")
    result = tiny.grade({"wrong": REFERENCE.replace(RIGHT, "return 1")})["wrong"]
    first = result.tasks[0].tests[0]
    assert first.verdict is Verdict.NOT_JUDGED
    assert "on the course's own code" in first.message


@pytest.mark.slow
def test_a_late_answer_is_not_taken_for_the_next_one(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    # on a busy machine the examiner's own alarm may ring first, while it waits for an answer
    monkeypatch.setattr("nextword.judge.bounds.GRACE", -0.05)
    late = REFERENCE.replace(RIGHT, f"import time; time.sleep(1.1); {RIGHT}")
    first, second = tiny.grade({"ann": late})["ann"].tasks
    assert {test.verdict for test in first.tests} <= {Verdict.TIMEOUT, Verdict.PASSED}
    assert first.tests[0].verdict is Verdict.TIMEOUT
    assert second.verdict is Verdict.PASSED
