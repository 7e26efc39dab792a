"""A class run: what is kept between runs, the same grades in any way of running, the commands."""

import json
import multiprocessing
import os
import signal
import time
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from examiner.errors import UserError
from examiner.grading import workers
from examiner.grading.store import Store, write_atomically
from examiner.grading.workers import WorkerPool
from examiner.judge.suite import Suite
from examiner.results import SubmissionResult, Verdict
from tests.examiner.grading.conftest import REFERENCE, Quiet, TinyCourse

HALF = REFERENCE.replace("return sum(numbers) / len(numbers)", "return 0")
CLASS = {"ann": REFERENCE, "ben": HALF, "cleo": "syntax error", "dan": REFERENCE}


def plain(results: dict[str, SubmissionResult]) -> dict[str, object]:
    return {name: result.to_json() for name, result in results.items()}


@pytest.mark.slow
def test_grades_do_not_depend_on_jobs_order_or_rerun(tiny: TinyCourse) -> None:
    one = plain(tiny.grade(CLASS, jobs=1, regrade=True))
    assert one == plain(tiny.grade(CLASS, jobs=3, regrade=True))
    assert one == plain(tiny.grade(CLASS))
    other_order = dict(sorted(CLASS.items(), reverse=True))
    folder = tiny.hand_in({f"z{name}": source for name, source in other_order.items()}, "other")
    again = {r.student[1:]: r.score for r in tiny.run(folder).results}
    assert again == {name: result["score"] for name, result in one.items()}  # type: ignore[index]


@pytest.mark.slow
def test_only_what_changed_is_graded_again(tiny: TinyCourse) -> None:
    folder = tiny.hand_in(CLASS)
    assert tiny.run(folder).graded == 4
    assert tiny.run(folder).graded == 0
    tiny.hand_in({"ben": REFERENCE})
    watcher = Quiet()
    outcome = tiny.run(folder, watcher)
    assert watcher.seen == ["ben"]
    (change,) = outcome.changes
    assert (change.student, change.before, change.after) == ("ben", 7.0, 10.0)
    assert change.why == "another submission; tasks 9.1"
    assert tiny.run(folder, regrade=True).graded == 4
    assert tiny.run(folder, seed="another").graded == 4
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    suite.write_text(suite.read_text() + "\n# changed\n")
    assert tiny.run(folder).graded == 4


@pytest.mark.slow
def test_a_changed_test_shows_whose_score_changed(tiny: TinyCourse) -> None:
    folder = tiny.hand_in(CLASS)
    tiny.run(folder)
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    suite.write_text(
        suite.read_text().replace("tiny.mean([1, 2]) == 1.5", "tiny.mean([0, 0]) == 0")
    )
    (change,) = tiny.run(folder).changes
    assert (change.student, change.why) == ("ben", "other tests; tasks 9.1")


@pytest.mark.slow
def test_a_broken_result_file_is_graded_again(tiny: TinyCourse) -> None:
    folder = tiny.hand_in(CLASS)
    tiny.run(folder)
    kept = sorted((tiny.project.root / "grades" / "results").glob("*.json"))
    kept[0].write_text("{")
    kept[1].write_text(json.dumps({"key": "x", "result": {}}))
    assert tiny.run(folder).graded == 2


@pytest.mark.slow
def test_a_test_that_the_reference_fails_is_not_judged(tiny: TinyCourse) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    suite.write_text(suite.read_text().replace("== 1.5", "== 1.25"))
    outcome = tiny.run(tiny.hand_in({"ann": REFERENCE}))
    result = outcome.results[0]
    assert result.tasks[0].verdict is Verdict.NOT_JUDGED
    assert result.provisional
    assert not outcome.all_judged
    page = (tiny.project.root / "grades" / "ann.html").read_text("utf-8")
    assert "Provisional" in page
    assert tiny.run(tiny.project.root / "class").graded == 1  # it may be judged another time


def test_nobody_pays_where_the_reference_does_not_run_either(tiny: TinyCourse) -> None:
    refuses = "import os\nif os.environ.get('PYTHONSAFEPATH'): raise ImportError('hidden here')\n"
    reference = tiny.project.root / "solutions" / "tiny.py"
    reference.write_text(refuses + REFERENCE)  # candidates have that variable, the examiner not
    results = tiny.grade({"ann": refuses + REFERENCE, "ben": REFERENCE})
    assert {task.verdict for task in results["ann"].tasks} == {Verdict.NOT_JUDGED}
    assert results["ben"].score == results["ben"].max_score


def test_a_broken_test_is_not_judged(tiny: TinyCourse) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    suite.write_text(
        suite.read_text().replace("    bag = tiny.Bag([", "    undefined\n    bag = tiny.Bag([")
    )
    result = tiny.grade({"ann": REFERENCE})["ann"]
    by_name = {test.name: test for task in result.tasks for test in task.tests}
    assert by_name["test_counts"].verdict is Verdict.NOT_JUDGED
    assert by_name["test_two_bags"].verdict is Verdict.PASSED


SHIPPED = """
from examiner.suite import ship


@ship
def doubled(x):
    return 2 * x


@ship
def mean_of_doubled(mean, numbers):
    return mean([doubled(x) for x in numbers])


@pytest.mark.task("9.1", seconds=1)
def test_one_number(tiny):
    assert mean_of_doubled(tiny.mean, [3]) == 6


@pytest.mark.task("9.1", seconds=1)
def test_two_numbers(tiny):
    assert mean_of_doubled(tiny.mean, [1, 2]) == 3
"""


def test_helpers_of_helpers_hide_no_misconception(tiny: TinyCourse) -> None:
    """They cross over once, with the first test: the transcripts of later ones lack them."""
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    head, *tests = suite.read_text().split("@pytest.mark.task(")
    rest = "".join(f"@pytest.mark.task({test}" for test in tests if test.startswith('"9.2"'))
    suite.write_text(head + SHIPPED + rest)
    wrong = REFERENCE.replace("/ len(numbers)", "/ max(1, len(numbers) - 1)")
    _, test = tiny.grade({"ben": wrong})["ben"].tasks[0].tests
    assert test.misconception == "You divided by one less: that is for variances."


def test_without_a_reference_tests_are_believed(tiny: TinyCourse) -> None:
    (tiny.project.root / "solutions" / "tiny.py").unlink()
    assert tiny.grade(CLASS)["ben"].tasks[0].verdict is Verdict.FAILED


def test_packages_are_graded_like_students(tiny: TinyCourse) -> None:
    outcome = tiny.run(tiny.hand_in({"ann": HALF}), packages=("solutions",))
    assert {r.student: r.score for r in outcome.results} == {"solutions": 10, "ann": 7}
    with pytest.raises(UserError, match="nothing"):
        tiny.run(None)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no such file"):
        tiny.run(None, packages=("nowhere",))  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_student_gets_two_pages(tiny: TinyCourse) -> None:
    tiny.grade(CLASS)
    out = tiny.project.root / "grades"
    assert {path.name for path in out.glob("*.html")} == {f"{name}.html" for name in CLASS}
    assert {path.name for path in out.glob("*.md")} == {f"{name}.md" for name in CLASS}


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    from examiner.grading.examiner import Examiner

    judge, marker = Examiner._test, tiny.project.root / "died"

    def die_once(self: Examiner, *args: object) -> object:
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Examiner, "_test", die_once)
    assert {name: r.score for name, r in tiny.grade(CLASS, jobs=2).items()} == {
        "ann": 10,
        "ben": 7,
        "cleo": 0,
        "dan": 10,
    }
    assert marker.exists()


@pytest.mark.slow
def test_a_test_in_which_every_worker_dies_is_left_out(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.grading.examiner import Examiner

    judge = Examiner._test

    def die(self: Examiner, test: object, *args: object) -> object:
        if getattr(test, "name", "") == "test_any_mean":
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, test, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Examiner, "_test", die)
    result = tiny.grade({"ann": REFERENCE})["ann"]
    assert [test.verdict.value for test in result.tasks[0].tests] == [
        "passed",
        "not_judged",
        "passed",
    ]
    assert result.tasks[1].verdict is Verdict.PASSED


# ------------------------------------------------------------------------------ writing


def test_a_full_disk_is_said_and_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    write_atomically(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_result_is_the_same_when_it_is_loaded(tiny: TinyCourse) -> None:
    (result,) = tiny.run(tiny.hand_in({"ben": HALF})).results
    loaded = Store(tiny.project.root / "grades" / "results", tiny.chapter).load("ben")
    assert loaded is not None
    assert loaded.result == result
    assert loaded.score == result.score == 7


@pytest.mark.slow
def test_a_test_that_hangs_in_the_examiner_is_ended_from_outside(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.grading import clock
    from examiner.grading.examiner import Examiner

    judge = Examiner._test

    def hang(self: Examiner, test: object, *args: object) -> object:
        if getattr(test, "name", "") == "test_any_mean" and "# hangs" in str(args):
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])  # as in C, where none comes
            time.sleep(60)
        return judge(self, test, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Examiner, "_test", hang)
    for name, value in (("STUCK_SECONDS", 0.2), ("GRACE", 0.3), ("MOST", 1.5)):
        monkeypatch.setattr(clock, name, value)
    (tiny.project.root / "solutions" / "tiny.py").unlink()  # it would hang in the test as well
    result = tiny.grade({"ann": REFERENCE + "# hangs\n"})["ann"]
    found = [test.verdict.value for task in result.tasks for test in task.tests]
    assert found == ["passed", "timeout", "passed", "passed", "passed", "passed"]


@pytest.mark.slow
def test_a_submission_that_gets_workers_stuck_again_and_again_is_left(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.grading import clock, workers
    from examiner.grading.examiner import Examiner

    judge = Examiner._test

    def hang(self: Examiner, test: object, *args: object) -> object:
        if "# hangs" in str(args):
            time.sleep(60)
        return judge(self, test, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Examiner, "_test", hang)
    for name, value in (("STUCK_SECONDS", 0.2), ("GRACE", 0.3), ("MOST", 1.5)):
        monkeypatch.setattr(clock, name, value)
    monkeypatch.setattr(workers, "MAX_STUCK", 2)
    results = tiny.grade({"ann": REFERENCE + "# hangs\n", "ben": REFERENCE})
    found = [test.verdict for task in results["ann"].tasks for test in task.tests]
    assert found == [Verdict.TIMEOUT] * 6
    assert results["ben"].score == 10


@pytest.mark.slow
def test_a_submission_in_which_workers_die_everywhere_is_left(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.grading import workers
    from examiner.grading.examiner import Examiner

    judge = Examiner._test

    def die(self: Examiner, test: object, *args: object) -> object:
        if "# dies" in str(args):
            with (tiny.project.root / "deaths").open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, test, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Examiner, "_test", die)
    monkeypatch.setattr(workers, "MAX_ALL_DEATHS", 7)
    results = tiny.grade({"ann": REFERENCE + "# dies\n", "ben": REFERENCE})
    found = [test.verdict for task in results["ann"].tasks for test in task.tests]
    assert found == [Verdict.NOT_JUDGED] * 6
    assert results["ben"].score == 10
    assert len((tiny.project.root / "deaths").read_text()) == 7


@pytest.mark.slow
def test_a_slow_import_is_not_paid_for_every_test(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.grading import examiner

    monkeypatch.setattr(examiner, "MOST_IMPORT_SECONDS", 2.5)
    slow = "import time\ntime.sleep(1)\n"  # the second import is in time, the third is not
    leaves = REFERENCE.replace("return sum(numbers) / len(numbers)", "import os; os._exit(0)")
    results = tiny.grade({"ann": slow + leaves, "ben": slow + REFERENCE})
    assert results["ben"].score == 10
    found = [test for task in results["ann"].tasks for test in task.tests]
    # visible tests come first: one stops the module, one passes, one stops it again
    assert [test.verdict.value for test in found] == [
        "crashed", "crashed", "timeout", "passed", "timeout", "timeout",
    ]  # fmt: skip
    assert found[2].message.startswith("it is slow to import")
    assert results["ann"].notice.startswith("tiny.py cannot be imported again: it is slow")


def test_a_fault_of_the_grader_costs_one_test_and_no_points(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examiner.judge.diagnosis import Diagnosis

    def break_down(self: Diagnosis, test: object) -> bool:
        raise RuntimeError("broken")

    monkeypatch.setattr(Diagnosis, "test_is_right", break_down)
    result = tiny.grade({"ben": HALF})["ben"]
    first = result.tasks[0].tests[0]
    assert first.verdict is Verdict.NOT_JUDGED
    assert first.message == "a fault of the grader: RuntimeError: broken"
    assert result.tasks[1].verdict is Verdict.PASSED


def test_a_worker_that_answers_in_the_last_moment_is_not_stuck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its clock may still show the test in which it would have counted as stuck."""
    ours, theirs = multiprocessing.Pipe()
    pool: Any = WorkerPool(Suite(Path(), ()), SimpleNamespace(settling=False), [], [])
    monkeypatch.setattr(pool, "_replace", lambda *a, **k: pytest.fail("it was replaced"))
    pool._clocks = [SimpleNamespace(is_overdue=lambda computed: True)]
    pool._workers = [workers._Worker(SimpleNamespace(pid=0), ours, workers._Task(7))]
    theirs.send("the result")
    done: list[tuple[int, object]] = []
    assert pool._turn(deque(), lambda index, result: done.append((index, result))) == 1
    assert done == [(7, "the result")]
