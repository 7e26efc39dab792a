"""Asks a submission once more, where Python gives sets another order.

Leaves out what follows from that (examiner.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from examiner.judge.session import Judged, Refusal, Session
from examiner.judge.suite import SuiteTest
from examiner.results import Verdict

MOST_REFUSED = 2  # imports that fail: then no more is tried
FULL_TIMEOUTS = 2  # tests that may use up their time
SHORTER = 5  # later ones get a fifth, here and in the first order
ANSWERS = (Verdict.PASSED, Verdict.FAILED)  # other verdicts may depend on how busy a machine is


class OtherOrder:
    """A submission's candidates in the other order, one after the other, as long as one lives."""

    def __init__(
        self,
        begin: Callable[[], Session | Refusal],
        run: Callable[[SuiteTest, Session, float], Judged],
    ) -> None:
        self._begin, self._run = begin, run
        self._session: Session | Refusal | None = None
        self._refused = 0  # imports that failed
        self._slow = 0

    def of(self, test: SuiteTest) -> Judged | None:
        """Return what becomes of a test: passed or failed; None where it is the grader's fault.

        Whoever gives no answer has failed. It may be the machine that ended them, so they are asked
        twice.
        """
        judged = self._once(test)
        if judged.verdict not in (*ANSWERS, Verdict.NOT_JUDGED):
            judged = self._once(test)
        if judged.verdict is Verdict.NOT_JUDGED:
            return None
        if judged.verdict in ANSWERS:
            return judged
        return replace(judged, result=replace(judged.result, verdict=Verdict.FAILED))

    def _once(self, test: SuiteTest) -> Judged:
        if not isinstance(self._session, Session) and self._refused < MOST_REFUSED:
            self._session = self._begin()
        if not isinstance(self._session, Session):
            assert self._session is not None
            self._refused += 1
            return Judged(self._session.of(test))
        seconds = test.mark.seconds / (SHORTER if self._slow >= FULL_TIMEOUTS else 1)
        judged = self._run(test, self._session, seconds)
        self._slow += judged.verdict is Verdict.TIMEOUT
        if self._session.ended or judged.verdict is Verdict.TIMEOUT:
            self._session = None
        return judged
