"""The time limit of a test counts computing: a busy machine and a short sleep cost no points."""

import os
import subprocess
import sys
import time

import pytest

from examiner.boundary import deadline as deadlines
from examiner.boundary.deadline import (
    ASLEEP,
    BLIND,
    ENOUGH,
    MOST,
    PROCESSORS,
    SHORTEST,
    TIRED,
    Deadline,
    Rest,
)
from examiner.boundary.usage import Usage, open_files
from examiner.results import Verdict
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

needs_linux = pytest.mark.skipif(
    not open_files(os.getpid()), reason="this system does not count what is waited for a processor"
)
RIGHT = "return sum(numbers) / len(numbers)"
BURN = (
    "import time\n    end = time.process_time() + {}\n    while time.process_time() < end: pass\n"
)
THREADS = (
    "import hashlib, threading\n"
    "    def burn(): hashlib.pbkdf2_hmac('sha256', b'', b'', 1 << 25)\n"
    "    for _ in range(9): threading.Thread(target=burn, daemon=True).start()\n"
    "    import time; time.sleep(99)\n"
)


class World:
    """A clock, and a process at work, which stand still unless they are told to go on."""

    def __init__(self) -> None:
        self.now = self.computed = 100.0
        self.awake: float | None = 100.0
        self.ready = False
        self.looks = 0

    def used(self, *, closely: bool = True) -> Usage:
        self.looks += closely
        return Usage(self.computed, self.awake, self.ready)

    def close(self) -> None:
        pass

    def pass_by(self, seconds: float, computing: float = 0.0, waiting: float = 0.0) -> None:
        """Let time go by, in which the process computes, waits for a processor, or sleeps."""
        self.now += seconds
        self.computed += computing
        if self.awake is not None:
            self.awake += computing + waiting


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    monkeypatch.setattr(time, "monotonic", lambda: found.now)
    return found


def test_the_limit_counts_computing(world: World) -> None:
    deadline = Deadline(10, world)
    world.pass_by(9.9, computing=9.9)
    assert deadline.over() == pytest.approx(-0.1)
    world.pass_by(0.2, computing=0.2)
    assert deadline.over() == pytest.approx(0.1)
    assert deadline.why == (
        "took more than 10 s of computing time: an endless loop, or a much slower way than needed"
    )


def test_what_several_compute_is_added(world: World) -> None:
    deadline = Deadline(10, world, world)
    world.pass_by(5, computing=5)
    assert deadline.over() == 0


def test_what_is_waited_for_a_processor_costs_nothing(world: World) -> None:
    deadline = Deadline(10, world)
    world.pass_by(500, computing=9, waiting=491)
    assert deadline.over() == pytest.approx(-1)


def test_sleep_is_bounded_more_generously(world: World) -> None:
    deadline = Deadline(10, world)
    world.pass_by(400, waiting=400)
    world.pass_by(10 * ASLEEP - 1)
    assert deadline.left() > 0
    world.pass_by(1)
    assert deadline.left() <= 0
    assert deadline.why == (
        "waited for more than 30 s: it sleeps, or waits for what does not happen"
    )


def test_a_submission_that_has_slept_enough_may_sleep_little(world: World) -> None:
    rest = Rest()
    assert rest.of(10) == 10 * ASLEEP
    rest.left -= ENOUGH
    deadline = Deadline(10, world, asleep=rest.of(10))
    assert deadline.slept() == 0
    world.pass_by(10 * TIRED - 0.1, waiting=0.5)
    assert deadline.left() > 0
    assert deadline.slept() == pytest.approx(10 * TIRED - 0.6)
    world.pass_by(9, computing=9)  # computing has its own limit
    assert deadline.left() > 0
    world.pass_by(0.7)
    assert deadline.left() <= 0


@needs_linux
@pytest.mark.slow
def test_sleep_is_bounded_over_all_tests(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a submission sleeps for hours, a little less in each test than it may."""
    monkeypatch.setattr(deadlines, "ENOUGH", 1.0)
    (tiny.project.root / "tests" / "tiny" / "suite" / "small.py").unlink()
    sleeps = REFERENCE.replace(RIGHT, f"import time; time.sleep(0.9); {RIGHT}")
    sleeps = sleeps.replace("self.counts =", "import time; time.sleep(0.9); self.counts =")
    results = tiny.grade({"sleeps": sleeps, "wakes": REFERENCE})
    assert results["wakes"].score == 10
    verdicts = [test.verdict for task in results["sleeps"].tasks for test in task.tests]
    assert verdicts.count(Verdict.TIMEOUT) == 4  # in the first test of all it was not tired yet
    assert results["sleeps"].tasks[0].tests[0].verdict is Verdict.PASSED


def test_who_is_ready_to_run_is_not_asleep_yet(world: World) -> None:
    """Linux counts what was waited for a processor when the process gets one."""
    deadline = Deadline(10, world)
    world.ready = True
    world.pass_by(100)
    assert deadline.left() > 0
    world.ready = False
    world.pass_by(0.1, waiting=100)
    assert deadline.left() > 0


@pytest.mark.parametrize(("tells", "most"), [(True, MOST), (False, BLIND)])
def test_the_clock_bounds_everything(world: World, tells: bool, most: float) -> None:
    world.awake = 0.0 if tells else None
    deadline = Deadline(10, world)
    world.pass_by(10 * most - 1, waiting=10 * most)
    assert deadline.over() == pytest.approx(-1)
    world.pass_by(1)
    assert deadline.over() == 0
    assert deadline.why.startswith(f"took longer than {10 * most:g} s")


def test_where_sleep_is_not_told_computing_is_bounded_all_the_same(world: World) -> None:
    world.awake = None
    deadline = Deadline(10, world)
    world.pass_by(50, computing=10)
    assert deadline.over() == 0


def test_no_look_is_taken_before_the_time_can_be_up(world: World) -> None:
    deadline = Deadline(10, world)
    world.pass_by(10 / PROCESSORS - 0.01, computing=9.99)
    assert deadline.left() == pytest.approx(0.01)
    assert world.looks == 0
    world.pass_by(0.01, computing=0.01)
    assert deadline.left() <= 0
    assert deadline.left() <= 0  # and it stays up
    assert deadline.over() == pytest.approx(0.0)


def test_looks_are_few(world: World) -> None:
    deadline = Deadline(10, world)
    while (left := deadline.left()) > 0:
        assert left >= SHORTEST - 1e-9
        world.pass_by(left, computing=left)
    assert world.looks < 30 * PROCESSORS
    assert world.computed == pytest.approx(110, abs=SHORTEST)


def test_a_pause_does_not_count(world: World) -> None:
    deadline = Deadline(10, world)
    world.pass_by(9, computing=9)
    with deadline.paused():
        with deadline.paused():
            world.pass_by(3000, computing=500)
        assert deadline.left() > 0
    assert deadline.over() == pytest.approx(-1)
    world.pass_by(1, computing=1)
    assert deadline.left() <= 0


@needs_linux
@pytest.mark.slow
def test_a_crowded_machine_costs_no_points_and_gives_no_time(
    tiny: TinyCourse, crowded: None
) -> None:
    # nor are small examples looked for, which would take minutes here
    (tiny.project.root / "tests" / "tiny" / "suite" / "small.py").unlink()
    results = tiny.grade(
        {
            # in a test with a limit of 1 s: 0.6 s of computing, which take 1.8 s here
            "honest": REFERENCE.replace(RIGHT, f"{BURN.format(0.3)}    {RIGHT}"),
            "slow": REFERENCE.replace(RIGHT, f"{BURN.format(1.5)}    {RIGHT}"),
            "sleepy": REFERENCE.replace(RIGHT, f"import time; time.sleep(0.9); {RIGHT}"),
            "sleeper": REFERENCE.replace(RIGHT, f"import time; time.sleep(99); {RIGHT}"),
            "threads": REFERENCE.replace(RIGHT, f"{THREADS}    {RIGHT}"),
            "stopped": REFERENCE.replace(RIGHT, f"import os; os.kill(os.getpid(), 19); {RIGHT}"),
        }
    )
    assert results["honest"].score == results["sleepy"].score == 10
    said = {student: result.tasks[0].tests[0] for student, result in results.items()}
    for student, why in (
        ("slow", "took more than 1 s of computing time"),
        ("sleeper", "waited for more than 3 s: it sleeps"),
    ):
        assert said[student].verdict is Verdict.TIMEOUT
        assert said[student].message.startswith(why)
        assert said[student].seconds < 90  # a crowd makes it long; the sleeper would take 99
    assert said["threads"].verdict is Verdict.TIMEOUT
    assert said["stopped"].seconds < 90  # where a candidate can be stopped at all


LOOP = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as nohup, `&` in a script and some CI have it
from examiner.catalogue import parse_chapter
from examiner.check.chapter import check_chapter
from examiner.project import Project
from tests.examiner.grading.conftest import CATALOGUE
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


HEADS = [
    f"== 9.1 mean | slow{number}\n> Slow.\nslowly()\nreturn {number}\n" for number in range(3, 9)
]
WRONG = "== helpers\nimport time\ndef slowly():\n    time.sleep(0.8)\n" + "".join(HEADS)


@pytest.mark.slow
def test_explaining_takes_nothing_off_the_time_of_the_test(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watcher gives each run of a misconception its own time: together they take longer."""
    monkeypatch.setattr("examiner.grading.clock.STUCK_SECONDS", 0.0)
    monkeypatch.setattr("examiner.grading.clock.GRACE", 0.0)
    (tiny.project.root / "tests" / "tiny" / "mistakes" / "mean.txt").write_text(WRONG, "utf-8")
    result = tiny.grade({"wrong": REFERENCE.replace(RIGHT, "return 1")})["wrong"]
    assert [test.verdict for test in result.tasks[0].tests[:2]] == [Verdict.FAILED] * 2


@pytest.mark.slow
def test_a_grader_that_gets_stuck_while_it_explains_loses_the_explanation_alone(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("STUCK_SECONDS", 0.0), ("GRACE", 0.0), ("MOST", 1.5)):
        monkeypatch.setattr(f"examiner.grading.clock.{name}", value)
    monkeypatch.setattr("examiner.grading.examiner.EXPLAIN_SECONDS", 8.0)
    block = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); "
    stuck = WRONG.replace("time.sleep(0.8)", f"{block}time.sleep(60)")
    (tiny.project.root / "tests" / "tiny" / "mistakes" / "mean.txt").write_text(stuck, "utf-8")
    result = tiny.grade({"wrong": REFERENCE.replace(RIGHT, "return 1")})["wrong"]
    first = result.tasks[0].tests[0]
    assert first.verdict is Verdict.FAILED
    assert "expected  1.5" in first.message
    assert not first.misconception


@pytest.mark.slow
def test_a_late_answer_is_not_taken_for_the_next_one(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    # on a busy machine the examiner's own alarm may ring first, while it waits for an answer
    monkeypatch.setattr("examiner.judge.bounds.GRACE", -0.6)
    monkeypatch.setattr("examiner.counterexamples.examples.SECONDS", 1.0)
    late = REFERENCE.replace(RIGHT, f"import time; time.sleep(3.3); {RIGHT}")
    first, second = tiny.grade({"ann": late})["ann"].tasks
    assert {test.verdict for test in first.tests} <= {Verdict.TIMEOUT, Verdict.PASSED}
    assert first.tests[0].verdict is Verdict.TIMEOUT
    assert second.verdict is Verdict.PASSED
