"""Settles, before a class is graded, which draw of its inputs each test takes: one that the
reference passes.

The reference goes the way of a submission: the same workers, the same sandbox, the same limits.
What it fails is asked again, alone; if it fails again, the inputs are drawn anew from the seed, the
test's name and the number of the draw. Leaves out what is kept of it (kept.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from examiner.grading.submissions import Submission
from examiner.grading.workers import Course, WorkerPool
from examiner.judge.session import Refusal
from examiner.judge.suite import Suite, SuiteTest
from examiner.plural import count
from examiner.results import AT_FAULT, Fault, SubmissionResult, TestResult, Verdict
from examiner.sandbox.servers import CandidateServer

ATTEMPTS = 5  # draws of a test's inputs, until the test itself is at fault
ASKED = 2  # times that the reference is run on the same inputs: one failed run says nothing
LEFT_OUT = Refusal(Verdict.NOT_JUDGED, "left out")
_JUDGED = (Verdict.PASSED, Verdict.NOT_JUDGED)

# runs some tests on the reference; returns what became of each, and why it could not be imported
Ask = Callable[[Sequence[SuiteTest]], tuple[dict[int, TestResult], str]]


@dataclass(frozen=True)
class Admission:
    """Which draw of its inputs each test takes that the reference passes, and the other tests."""

    attempts: Mapping[str, int]
    faults: tuple[Fault, ...] = ()

    def spare(self, result: SubmissionResult) -> SubmissionResult:
        """Return a student's result, in which no test at fault is judged that did not pass."""
        faulty = {fault.test for fault in self.faults}

        def judged(test: TestResult) -> TestResult:
            if test.name not in faulty or test.verdict in _JUDGED:
                return test
            return replace(test, verdict=Verdict.NOT_JUDGED, message=AT_FAULT, misconception="")

        tasks = [replace(task, tests=tuple(map(judged, task.tests))) for task in result.tasks]
        return replace(result, tasks=tuple(tasks))


def settle(suite: Suite, ask: Ask, known: Mapping[str, int]) -> Admission:
    """Return which draw each test takes; those that are `known` are not asked about again.

    subtle: `ask` runs a test with the draw that `suite.attempts` says.
    """
    attempts = {test.name: known[test.name] for test in suite.tests if test.name in known}
    left = [test for test in suite.tests if test.name not in attempts]
    suite.attempts = {}
    found, notice = ask(left) if left else ({}, "")
    if notice:
        found, notice = ask(left)
    faults = []
    for test in left:
        result, attempt = found[test.number], 0
        if result.verdict is not Verdict.PASSED and not notice:
            result, attempt = _settle_one(suite, ask, test, result)
        if result.verdict is Verdict.PASSED:
            attempts[test.name] = attempt
        else:
            faults.append(_fault(test, result, notice))
    return Admission(attempts, tuple(faults))


def _settle_one(
    suite: Suite, ask: Ask, test: SuiteTest, first: TestResult
) -> tuple[TestResult, int]:
    """Ask about a test alone until the reference passes; return the last result and its draw."""
    last, asked = first, 1
    for attempt in range(ATTEMPTS if test.draws else 1):
        suite.attempts = {test.name: attempt}
        while asked < ASKED:
            found, _ = ask([test])
            last, asked = found[test.number], asked + 1
            if last.verdict is Verdict.PASSED:
                return last, attempt
        asked = 0
    return last, 0


def _fault(test: SuiteTest, result: TestResult, notice: str) -> Fault:
    file, line, _ = test.item.location
    said = f"{result.verdict.value}: {result.message}" if result.message else result.verdict.value
    times = (
        f"each of {count(ATTEMPTS, 'draw')} of its inputs" if test.draws else "its inputs, twice"
    )
    why = f"the reference fails it with {times} ({said})"
    if notice:
        why = f"the reference cannot be graded here: {notice}"
    return Fault(test.mark.id, test.name, f"{file}:{(line or 0) + 1}", " ".join(why.split()))


def asking(
    suite: Suite,
    course: Course,
    reference: Submission,
    servers: Sequence[CandidateServer],
    tick: Callable[[], None],
) -> Ask:
    """Return how the reference is asked: by workers, as a submission; tests are shared out."""

    def ask(tests: Sequence[SuiteTest]) -> tuple[dict[int, TestResult], str]:
        jobs = min(len(servers), len(tests))
        parts = [{test.number for test in tests[job::jobs]} for job in range(jobs)]
        skip = {
            job: {test.number: LEFT_OUT for test in suite.tests if test.number not in part}
            for job, part in enumerate(parts)
        }
        found: dict[int, TestResult] = {}
        notices: list[str] = []

        def finished(job: int, result: SubmissionResult) -> None:
            by_name = {test.name: test for task in result.tasks for test in task.tests}
            for number in parts[job]:
                found[number] = by_name[suite.tests[number].name]
            notices.append(result.notice)

        pool = WorkerPool(suite, replace(course, settling=True), [reference] * jobs, servers)
        pool.run(range(jobs), finished, tick, skip)
        return found, next(filter(None, notices), "")

    return ask
