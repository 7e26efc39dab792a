"""A class meets no seed under which the reference fails; a test that always fails is said once."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from examiner.grading import admission, admitted, workers
from examiner.grading.outcome import Outcome
from examiner.grading.run import settle_ahead
from examiner.grading.terminal import fault_lines, show
from examiner.judge.bounds import Bounds
from examiner.judge.diagnosis import Diagnosis
from examiner.judge.marks import generator_for
from examiner.judge.runs import Terms
from examiner.judge.session import Session
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.results import AT_FAULT, Fault, Verdict
from examiner.sandbox.servers import CandidateServer
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

HALF = REFERENCE.replace("return sum(numbers) / len(numbers)", "return 0")
CLASS = {"ann": REFERENCE, "ben": HALF, "dan": REFERENCE}
SEEDS = [f"autumn {number}" for number in range(8)]

ONE_IN_THREE = '''

@pytest.mark.task("9.1", seconds=1)
def test_unlucky(tiny, rng):
    """Fails for one seed in three."""
    assert rng.integers(3)
    assert tiny.mean([1, 2]) == 1.5
'''
ALWAYS = '''

@pytest.mark.task("9.1", seconds=1)
def test_never_right(tiny, rng):
    """Nobody can pass it."""
    numbers = rng.integers(9, size=2)
    assert tiny.mean([1, 2]) == 1.25
'''
# it fails in the first process that runs it, as on a machine that was busy for a moment
ONCE = '''

@pytest.mark.task("9.1", seconds=1)
def test_once(tiny, rng):
    """Fails the first time."""
    from pathlib import Path

    mark = Path("{mark}")
    first = not mark.exists()
    mark.touch()
    assert not first
    assert tiny.mean([1, 2]) == 1.5
'''


def add(tiny: TinyCourse, tests: str) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    suite.write_text(suite.read_text("utf-8") + tests, "utf-8")


def forget(tiny: TinyCourse) -> None:
    kept(tiny).unlink(missing_ok=True)


def kept(tiny: TinyCourse) -> Path:
    return tiny.project.state("admitted-tiny.json")


def unlucky(seed: str, attempt: int = 0) -> bool:
    return not generator_for(seed, "test_unlucky", attempt).integers(3)


def verdict(outcome: Outcome, student: str, test: str) -> Verdict:
    result = next(each for each in outcome.results if each.student == student)
    return next(t.verdict for task in result.tasks for t in task.tests if t.name == test)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The tests that the reference is asked about: a list for each time."""
    found: list[list[str]] = []
    asking = admission.asking

    def listening(suite: Any, *others: Any) -> admission.Ask:
        ask = asking(suite, *others)

        def told(tests: Any, attempts: Any) -> Any:
            found.append([test.name for test in tests])
            return ask(tests, attempts)

        return told

    monkeypatch.setattr("examiner.grading.basis.asking", listening)
    return found


@pytest.mark.slow
def test_nobody_meets_a_seed_under_which_the_reference_fails(tiny: TinyCourse) -> None:
    add(tiny, ONE_IN_THREE)
    folder = tiny.hand_in(CLASS)
    assert any(map(unlucky, SEEDS))
    for seed in SEEDS:
        outcome = tiny.run(folder, seed=seed)
        assert outcome.all_judged
        assert not outcome.faults
        assert {each.student: each.score for each in outcome.results}["ann"] == 10
        assert verdict(outcome, "ben", "test_unlucky") is Verdict.FAILED
        (entry,) = list(json.loads(kept(tiny).read_text("utf-8")).values())[-1:]
        first = next(k for k in range(admission.ATTEMPTS) if not unlucky(seed, k))
        assert entry["attempts"]["test_unlucky"] == first
        assert entry["attempts"]["test_any_mean"] == 0


def test_the_first_draw_is_the_one_that_a_seed_always_gave() -> None:
    draws = [generator_for("s", "t", attempt).integers(1 << 60) for attempt in range(3)]
    assert draws[0] == generator_for("s", "t").integers(1 << 60)
    assert len(set(draws)) == 3


@pytest.mark.slow
def test_a_test_at_fault_is_said_once_and_costs_nobody_a_point(
    tiny: TinyCourse, asked: list[list[str]]
) -> None:
    add(tiny, ALWAYS)
    outcome = tiny.run(tiny.hand_in({**CLASS, "eve": "def mean(numbers): return 1.25"}))
    (fault,) = outcome.faults
    assert (fault.task, fault.test) == ("9.1", "test_never_right")
    assert fault.where.startswith("tests/tiny/suite/test_tiny.py:")
    assert fault.why == "the reference fails it with each of 5 draws of its inputs (failed)"
    alone = [names for names in asked if names == ["test_never_right"]]
    assert len(alone) == 2 * admission.ATTEMPTS - 1, "asked twice on each draw"
    ann, ben, dan = outcome.results[:3]
    for result in (ann, ben, dan):
        found = [test for task in result.tasks for test in task.tests]
        (test,) = [each for each in found if each.verdict is Verdict.NOT_JUDGED]
        assert (test.name, test.message) == ("test_never_right", AT_FAULT)
        assert result.provisional
    assert ann.score == dan.score == 10 - 4 / 5 * 1
    assert verdict(outcome, "eve", "test_never_right") is Verdict.PASSED, "nothing is taken away"
    assert outcome.to_json()["faults"] == [fault.to_json()]
    page = (tiny.project.root / "grades" / "class" / "report.html").read_text("utf-8")
    assert page.count("test_never_right") == 1
    wrong = {student for met in outcome.mistakes for student in met.students}
    assert wrong == {"ben", "eve"}, "who was not judged is not wrong"


@pytest.mark.slow
def test_what_is_at_fault_is_asked_about_again_and_nothing_else_is(
    tiny: TinyCourse, asked: list[list[str]]
) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    right = suite.read_text("utf-8")
    add(tiny, ALWAYS)
    folder = tiny.hand_in({"ann": REFERENCE})
    assert not tiny.run(folder).all_judged
    asked.clear()
    again = tiny.run(folder)
    assert set(map(tuple, asked)) == {("test_never_right",)}
    assert not again.all_judged
    suite.write_text(right, "utf-8")
    assert tiny.run(folder).all_judged


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_one_failed_run_of_the_reference_is_no_fault(
    tiny: TinyCourse, tmp_path: Path, jobs: int
) -> None:
    add(tiny, ONCE.format(mark=tmp_path / "mark"))
    outcome = tiny.run(tiny.hand_in(CLASS), jobs=jobs)
    assert outcome.all_judged
    assert not outcome.faults
    (entry,) = json.loads(kept(tiny).read_text("utf-8")).values()
    assert set(entry["attempts"].values()) == {0}, "the same inputs are asked about again"
    assert [each.score for each in outcome.results] == [10, 6.8, 10]


@pytest.mark.slow
def test_what_was_settled_costs_nothing_twice(tiny: TinyCourse, asked: list[list[str]]) -> None:
    folder = tiny.hand_in({"ann": REFERENCE})
    tiny.run(folder)
    assert len(asked) == 1
    tiny.run(folder, regrade=True)
    tiny.run(tiny.hand_in({"ben": HALF}, "second"))
    assert len(asked) == 1
    for change in ({"seed": "another"}, {"confined": False}):
        tiny.run(folder, **change)
    assert len(asked) == 3
    tiny.run(folder, regrade=True)
    assert len(asked) == 3, "several ways of grading are kept side by side"
    add(tiny, "\n")
    tiny.run(folder)
    assert len(asked) == 4


@pytest.mark.slow
def test_results_are_a_function_of_the_seed(tiny: TinyCourse) -> None:
    add(tiny, ONE_IN_THREE + ALWAYS)
    folder = tiny.hand_in(CLASS)
    seed = next(each for each in SEEDS if unlucky(each))
    found = []
    for jobs, fresh in ((1, True), (1, False), (2, True), (3, False)):
        if fresh:
            forget(tiny)
        outcome = tiny.run(folder, seed=seed, jobs=jobs, regrade=True)
        found.append(outcome.to_json())
    assert all(each == found[0] for each in found)
    forget(tiny)
    assert tiny.run(folder, seed=seed).to_json() == found[0], "nor does it matter who is new"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda entries: "{",
        lambda entries: "[]",
        lambda entries: json.dumps(dict.fromkeys(entries, 1)),
        lambda entries: json.dumps({name: {"attempts": 1, "whole": True} for name in entries}),
        lambda entries: json.dumps(
            {name: {"attempts": {"test_any_mean": 99}, "whole": True} for name in entries}
        ),
        lambda entries: json.dumps(dict.fromkeys("abc", next(iter(entries.values())))),
    ],
)
def test_a_kept_file_that_is_broken_or_foreign_is_settled_again(
    tiny: TinyCourse, spoil: Callable[[dict[str, Any]], str]
) -> None:
    project, key = tiny.project, {"tests": "a", "seed": "b", "grader": "c"}
    admitted.save(project, "tiny", key, admission.Admission({"test_any_mean": 1}))
    assert admitted.load(project, "tiny", key) == ({"test_any_mean": 1}, True)
    assert admitted.load(project, "tiny", {**key, "seed": "c"}) == ({}, False)
    kept(tiny).write_text(spoil(json.loads(kept(tiny).read_text("utf-8"))), "utf-8")
    assert admitted.load(project, "tiny", key) == ({}, False)
    admitted.save(project, "tiny", key, admission.Admission({"test_any_mean": 2}))
    assert admitted.load(project, "tiny", key) == ({"test_any_mean": 2}, True)


def test_a_few_ways_of_grading_are_kept(tiny: TinyCourse) -> None:
    for number in range(admitted.MOST + 3):
        admitted.save(tiny.project, "tiny", {"seed": str(number)}, admission.Admission({}))
    assert len(json.loads(kept(tiny).read_text("utf-8"))) == admitted.MOST
    assert admitted.load(tiny.project, "tiny", {"seed": "10"}) == ({}, True)
    assert admitted.load(tiny.project, "tiny", {"seed": "0"}) == ({}, False)


def test_a_reference_that_cannot_be_imported_is_one_line(
    tiny: TinyCourse, asked: list[list[str]]
) -> None:
    broken = f"import nowhere\n{REFERENCE}"
    (tiny.project.root / "solutions" / "tiny.py").write_text(broken, "utf-8")
    outcome = tiny.run(tiny.hand_in({"ann": REFERENCE}))
    assert len(asked) == 2, "asked twice, and not about each test"
    assert len(outcome.faults) == 6
    (why,) = {fault.why for fault in outcome.faults}
    assert why.startswith("the reference cannot be graded here: tiny.py cannot be imported")
    assert outcome.results[0].score == 10


def test_the_reference_is_asked_ahead_of_any_submission(
    tiny: TinyCourse, asked: list[list[str]]
) -> None:
    from examiner.grading.run import Options
    from tests.examiner.grading.conftest import sandbox_works

    options = Options(tiny.project.root / "grades", 1, "s", sandbox_works())
    assert settle_ahead(tiny.project, tiny.chapter, options) == ()
    tiny.run(tiny.hand_in(CLASS))
    assert len(asked) == 1


@pytest.mark.slow
def test_the_servers_that_settled_grade_the_class(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tiny.project.root / "started"

    def start(plan: Any) -> Any:
        started.touch()
        return CandidateServer(plan)

    monkeypatch.setattr(workers, "CandidateServer", start)
    assert tiny.run(tiny.hand_in(CLASS), jobs=2).all_judged
    assert not started.exists(), "a worker waited in vain for its server, and started another one"


@pytest.mark.slow
def test_a_worker_that_dies_with_the_reference_is_replaced(tiny: TinyCourse) -> None:
    dies = "\n    import os\n    os.kill(os.getpid(), 9)\n"
    add(tiny, ALWAYS.replace("    assert", dies + "    assert"))
    outcome = tiny.run(tiny.hand_in({"ben": HALF}))
    (fault,) = outcome.faults
    assert "the grader died in this test" in fault.why
    assert verdict(outcome, "ben", "test_any_mean") is Verdict.FAILED


# ------------------------------------------------------------------------------ diagnosis


def diagnosed(tiny: TinyCourse, test: str, ask: Callable[[Diagnosis, SuiteTest], None]) -> None:
    def work(suite: Suite) -> None:
        terms = Terms("s", bound=Bounds())
        (found,) = (each for each in suite.tests if each.name == test)
        ask(Diagnosis(suite, terms, "tiny", tiny.project.module("solutions", "tiny")), found)

    with_suite(tiny.project.suite("tiny"), tiny.project.root, work)


def test_the_diagnosis_asks_twice_before_a_test_is_at_fault(
    tiny: TinyCourse, tmp_path: Path
) -> None:
    add(tiny, ONCE.format(mark=tmp_path / "mark") + ALWAYS)
    diagnosed(tiny, "test_once", lambda diagnosis, test: expect(diagnosis, test, True))
    diagnosed(tiny, "test_never_right", lambda diagnosis, test: expect(diagnosis, test, False))


def expect(diagnosis: Diagnosis, test: SuiteTest, right: bool) -> None:
    assert diagnosis.test_is_right(test) is right
    assert diagnosis.test_is_right(test) is right


def test_the_diagnosis_keeps_no_failure_that_came_from_time(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tiny, ALWAYS)

    def ask(diagnosis: Diagnosis, test: SuiteTest) -> None:
        verdicts, run = iter([Verdict.TIMEOUT] * 2 + [Verdict.MEMORY] * 2), Session.run

        def busy(session: Session, test: SuiteTest, terms: Terms) -> Any:
            found = run(session, test, terms)
            result = replace(found.result, verdict=next(verdicts, found.verdict))
            return replace(found, result=result)

        monkeypatch.setattr(Session, "run", busy)
        assert diagnosis.test_is_right(test), "time says nothing of the test"
        assert diagnosis.test_is_right(test), "nor does memory"
        assert not diagnosis.test_is_right(test), "it is asked again, when there is time"

    diagnosed(tiny, "test_never_right", ask)


# ------------------------------------------------------------------------------ what is said


@pytest.mark.slow
def test_the_terminal_says_a_fault_once(tiny: TinyCourse) -> None:
    add(tiny, ALWAYS)
    outcome = tiny.run(tiny.hand_in(CLASS))
    screen = io.StringIO()
    show(Console(file=screen, width=120), outcome)
    said = [line for line in screen.getvalue().splitlines() if "NOT JUDGED" in line]
    assert len(said) == 1
    assert "for the whole class: 9.1 test_never_right (tests/tiny/suite/test_tiny.py:" in said[0]
    assert said[0].endswith("Nobody loses points by it.")


def test_a_fault_in_the_middle_of_the_class_is_said_once_too(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Diagnosis, "test_is_right", lambda self, test, **_: False)
    outcome = tiny.run(tiny.hand_in({"ben": HALF, "eve": HALF}))
    names = [fault.test for fault in outcome.faults]
    assert sorted(names) == sorted(set(names))
    assert "test_any_mean" in names


def test_tests_at_fault_for_the_same_reason_share_a_line() -> None:
    faults = [Fault("9.1", name, "here:1", why) for name, why in ("ax", "by", "cx")]
    assert fault_lines(faults) == [
        "9.1 a (here:1): x, and 1 more test for the same reason. Nobody loses points by it.",
        "9.1 b (here:1): y. Nobody loses points by it.",
    ]


@pytest.mark.slow
def test_the_command_exits_with_1_where_something_is_not_judged(
    demo_course: Path, nextword: Callable[..., Any]
) -> None:
    suite = demo_course / "tests" / "demo" / "suite" / "test_demo.py"
    never = ALWAYS.replace("tiny.mean", "demo.add").replace("tiny", "demo")
    suite.write_text(suite.read_text("utf-8") + never, "utf-8")
    command = ["grade", "demo", "--package", "solutions", "--sandbox", "none", "--json", "all.json"]
    graded = nextword(*command)
    assert graded.exit_code == 1
    (fault,) = json.loads((demo_course / "all.json").read_text("utf-8"))["faults"]
    assert fault["test"] == "test_never_right"
    assert graded.output.count("test_never_right") == 1
