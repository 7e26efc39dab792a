"""Charges a mistake once: runs a failed test again with the reference's earlier parts lent.

Where a test of a task goes through functions of earlier tasks that failed their own tests, it is
tried again with the reference's version of these, which stays in the examiner. If it passes then,
the points are given. Leaves out how parts are lent (judge/lending.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from nextword.catalogue import Chapter, Task
from nextword.grading.orders import FIRST, SECOND
from nextword.judge.diagnosis import Diagnosis
from nextword.judge.lending import Lender
from nextword.judge.session import Refusal, Session
from nextword.judge.suite import Suite, SuiteTest
from nextword.results import TestResult, Verdict

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
        self._lent: list[Task] = []
        self._order = FIRST
        self._slow = 0

    def charge_once(self, found: dict[int, TestResult], second: Collection[int] = ()) -> None:
        """Turn failures into passes that are another task's fault, task by task.

        The tests in `second` have failed in the second order of sets only, and are tried in it.
        """
        failed: list[Task] = []  # earlier tasks that are wrong by themselves
        for task in self._chapter.tasks:
            tests = [test for test in self._suite.tests if test.mark.id == task.id]
            for test in tests if failed else []:
                if _may_be_another_fault(found[test.number]):
                    order = SECOND if test.number in second else FIRST
                    found[test.number] = self._again(test, found[test.number], failed, order)
            verdicts = {found[test.number].verdict for test in tests}
            if verdicts - {Verdict.PASSED, Verdict.NOT_JUDGED}:
                failed.append(task)

    def _again(
        self, test: SuiteTest, before: TestResult, failed: Sequence[Task], order: int
    ) -> TestResult:
        slow = before.verdict in (Verdict.TIMEOUT, Verdict.MEMORY)
        if slow and self._slow >= MOST_SLOW:
            return before
        session = self._session_with(failed, order)
        if session is None:
            return before
        seconds = test.mark.seconds / (SHARE if slow else 1)
        result = self._run(test, session, seconds)
        self._slow += result.verdict is Verdict.TIMEOUT
        if session.talk.stopped or result.verdict is Verdict.TIMEOUT:
            self._session = None  # its candidate may be gone: the next try gets another one
        used = self._lender.used if self._lender else set()
        if result.verdict is not Verdict.PASSED or not used:
            return before
        given = [task.id for task in failed if used.intersection(task.symbols)]
        return replace(result, message=f"right, given a right {' and '.join(given)}")

    def _session_with(self, failed: Sequence[Task], order: int) -> Session | None:
        """Return a session in which the parts of these tasks are lent."""
        if self._session is None or self._lent != list(failed) or self._order != order:
            lender = self._diagnosis.lender([name for task in failed for name in task.symbols])
            if lender is None:
                return None
            self._lender, self._lent, self._order = lender, list(failed), order
            self._session = self._open(lender, order)
        return self._session if isinstance(self._session, Session) else None


def _may_be_another_fault(result: TestResult) -> bool:
    return result.verdict not in (Verdict.PASSED, Verdict.NOT_JUDGED)
