"""Charges a mistake once: runs a failed test again with the reference's earlier parts lent.

Where a test of a task goes through functions of earlier tasks that failed their own tests, it is
tried again with the reference's version of these, which stays in the examiner. If it passes then,
and does not pass without the task's own functions, the points are given. Leaves out how parts are
lent (judge/lending.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from examiner.catalogue import Chapter, Task
from examiner.grading.orders import FIRST, SECOND
from examiner.judge.diagnosis import Diagnosis
from examiner.judge.lending import Lender
from examiner.judge.session import Refusal, Session
from examiner.judge.suite import Suite, SuiteTest
from examiner.results import TestResult, Verdict

SHARE = 4  # a second try of a test that was too slow gets this part of its time
MOST_SLOW = 2  # second tries of a submission that may run out of time
# a fresh candidate with the submission, in one of the two orders of sets
Open = Callable[[Lender, int], Session | Refusal]
Run = Callable[[SuiteTest, Session, float], TestResult]


class Retry:
    """Second tries of one submission's tests."""

    def __init__(
        self, chapter: Chapter, suite: Suite, diagnosis: Diagnosis, open_with: Open, run: Run
    ) -> None:
        self._chapter, self._suite, self._diagnosis = chapter, suite, diagnosis
        self._open, self._run = open_with, run
        self._session: Session | Refusal | None = None
        self._lender: Lender | None = None
        self._setting: tuple[object, ...] = ()  # what the session's module lends and lacks
        self._slow = 0

    def charge_once(self, found: dict[int, TestResult], second: Collection[int] = ()) -> None:
        """Turn failures into passes that are another task's fault, task by task.

        The tests in `second` have failed in the second order of sets only, and are tried in it.
        """
        failed: list[Task] = []  # earlier tasks that are wrong by themselves
        for task in self._chapter.tasks:
            tests = [test for test in self._suite.tests if test.mark.id == task.id]
            if failed:
                found |= self._right_but_for(failed, task, tests, found, second)
            verdicts = {found[test.number].verdict for test in tests}
            if verdicts - {Verdict.PASSED, Verdict.NOT_JUDGED}:
                failed.append(task)

    def _right_but_for(
        self,
        failed: Sequence[Task],
        task: Task,
        tests: Sequence[SuiteTest],
        found: dict[int, TestResult],
        second: Collection[int],
    ) -> dict[int, TestResult]:
        """Return the results of a task's tests that pass given right earlier parts.

        subtle: not without functions of the task's own. A test that passes all the same, since a
        lent part does their work, says nothing about them: whoever fails an earlier task on
        purpose would get their points.
        """
        passed: dict[int, TestResult] = {}
        for test in tests:
            before, order = found[test.number], SECOND if test.number in second else FIRST
            if _may_be_another_fault(before):
                result = self._again(test, before, failed, (), order)
                used = self._lender.used if self._lender else set()
                if result is not None and result.verdict is Verdict.PASSED and used:
                    given = [each.id for each in failed if used.intersection(each.symbols)]
                    text = f"right, given a right {' and '.join(given)}"
                    passed[test.number] = replace(result, message=text)
        for number in list(passed):
            order = SECOND if number in second else FIRST
            test = self._suite.tests[number]
            bare = self._again(test, found[number], failed, task.symbols, order)
            if bare is None or bare.verdict is Verdict.PASSED:
                del passed[number]
        return passed

    def _again(
        self,
        test: SuiteTest,
        before: TestResult,
        failed: Sequence[Task],
        blanks: Sequence[str],
        order: int,
    ) -> TestResult | None:
        """Run a test with the parts of these tasks lent, and some of the student's taken away."""
        slow = before.verdict in (Verdict.TIMEOUT, Verdict.MEMORY)
        if slow and self._slow >= MOST_SLOW:
            return None
        session = self._session_with(failed, blanks, order)
        if session is None:
            return None
        result = self._run(test, session, test.mark.seconds / (SHARE if slow else 1))
        self._slow += result.verdict is Verdict.TIMEOUT
        if session.talk.stopped or result.verdict is Verdict.TIMEOUT:
            self._session = None  # its candidate may be gone: the next try gets another one
            self._setting = ()
        return result

    def _session_with(
        self, failed: Sequence[Task], blanks: Sequence[str], order: int
    ) -> Session | None:
        """Return a session in which the parts of these tasks are lent."""
        setting = tuple(task.id for task in failed), tuple(blanks), order
        if self._setting != setting:
            lender = self._diagnosis.lender(self._lent(failed), blanks)
            if lender is None:
                return None
            self._lender, self._setting = lender, setting
            self._session = self._open(lender, order)
        return self._session if isinstance(self._session, Session) else None

    def _lent(self, failed: Sequence[Task]) -> list[str]:
        """Return the names of these tasks' parts, but for a class with a part of another task."""
        others = [
            name for task in self._chapter.tasks if task not in failed for name in task.symbols
        ]
        names = [name for task in failed for name in task.symbols]
        return [name for name in names if not any(other.startswith(f"{name}.") for other in others)]


def _may_be_another_fault(result: TestResult) -> bool:
    return result.verdict not in (Verdict.PASSED, Verdict.NOT_JUDGED)
