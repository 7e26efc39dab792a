"""Charges a mistake once: runs a failed test again with the reference's earlier parts lent.

Where a test of a task goes through functions of earlier tasks that failed their own tests, it is
tried again with the reference's version of these, which stays in the examiner. If it passes then,
in both orders of sets where it must, and needs the task's own functions, the points are given.
Leaves out how parts are lent (judge/lending.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from examiner.catalogue import Chapter, Task
from examiner.grading.candidates import FIRST, SECOND
from examiner.grading.tested import Found, Tested, same
from examiner.judge.lending import Lender
from examiner.judge.session import Judged, Refusal, Session
from examiner.judge.suite import Suite, SuiteTest
from examiner.results import Verdict

SHARE = 4  # a second try of a test that was too slow gets this part of its time
MOST_SLOW = 2  # second tries of a submission that may run out of time
MOST_ENDED = 10  # second tries of a submission that may end its process
Lending = Callable[[Sequence[str]], Lender | None]  # of parts of the reference
# whether a test needs the functions of its own task, where these parts are lent
Needs = Callable[[SuiteTest, Sequence[str], Sequence[str]], bool]
# a fresh candidate with the submission, in one of the two orders of sets
Open = Callable[[Lender, int], Session | Refusal]
RunTest = Callable[[SuiteTest, Session, float], Judged]
NO_FAULT_OF_ANY = (Verdict.PASSED, Verdict.NOT_JUDGED)
_SAID = (*NO_FAULT_OF_ANY, Verdict.FAILED, Verdict.MISSING)


@dataclass(frozen=True)
class Setting:
    """What is put in the place of parts of a submission in a second try."""

    lent: tuple[str, ...]  # parts of the reference
    order: int  # of sets


class Tries:
    """The candidate of one submission's second tries, and what they may still spend."""

    def __init__(self, lender: Lending, open_with: Open, run: RunTest, room: int) -> None:
        self.room = room  # bytes of what is said in them that may be kept
        self._lender, self._open, self._run = lender, open_with, run
        self._slow = 0  # tries that ran out of time
        self._ended = 0  # tries that ended the process
        self._setting: Setting | None = None  # of the session
        self._session: Session | Refusal | None = None

    def again(self, test: SuiteTest, before: Tested, setting: Setting) -> Judged | None:
        """Run a test in a setting; None where there is no time for it, or no such setting."""
        slow = before.verdict in (Verdict.TIMEOUT, Verdict.MEMORY)
        if (slow and self._slow >= MOST_SLOW) or self._ended >= MOST_ENDED:
            return None
        session = self._session_in(setting)
        if session is None:
            return None
        judged = self._run(test, session, test.mark.seconds / (SHARE if slow else 1))
        self._slow += judged.verdict is Verdict.TIMEOUT
        self._ended += session.ended
        if session.ended or judged.verdict is Verdict.TIMEOUT:
            self._setting = None  # its candidate may be gone: the next try gets another one
        return judged

    def _session_in(self, setting: Setting) -> Session | None:
        if self._setting != setting:
            lender = self._lender(setting.lent)
            if lender is None:
                return None
            self._session = self._open(lender, setting.order)
            self._setting = setting
        return self._session if isinstance(self._session, Session) else None


def charge_once(
    chapter: Chapter, suite: Suite, found: Found, tries: Tries, needs: Needs
) -> Iterator[tuple[int, Tested]]:
    """Yield what becomes of failures in second tries: some are another task's fault, and pass.

    Task by task: whether an earlier one is wrong by itself shows in what became of its own tests.
    """
    failed: list[Task] = []  # earlier tasks that are wrong by themselves
    for task in chapter.tasks:
        tests = [test for test in suite.tests if test.mark.id == task.id]
        tried: Found = {}
        if failed:
            lent = lent_parts(chapter, failed)
            tried = _right_but_for(failed, task, lent, tests, found, tries, needs)
            yield from tried.items()
        verdicts = {tried.get(test.number, found[test.number]).verdict for test in tests}
        if verdicts.difference(NO_FAULT_OF_ANY):
            failed.append(task)


def lent_parts(chapter: Chapter, failed: Sequence[Task]) -> tuple[str, ...]:
    """Return the names of these tasks' parts, but for a class with a part of another task."""
    others = [name for task in chapter.tasks if task not in failed for name in task.symbols]
    names = [name for task in failed for name in task.symbols]
    return tuple(
        name for name in names if not any(other.startswith(f"{name}.") for other in others)
    )


def _right_but_for(
    failed: Sequence[Task],
    task: Task,
    lent: tuple[str, ...],
    tests: Sequence[SuiteTest],
    found: Found,
    tries: Tries,
    needs: Needs,
) -> Found:
    """Return what second tries say of a task's failed tests, given right earlier parts.

    subtle: a test counts only if it needs functions of the task's own. One that does not, since a
    lent part does their work, says nothing about them: whoever fails an earlier task on purpose
    would get their points.
    """
    tried: dict[int, Tested] = {}
    passed: dict[int, Judged] = {}
    for test in tests:
        before = found[test.number]
        if before.verdict in NO_FAULT_OF_ANY:
            continue
        judged = tries.again(test, before, Setting(lent, before.order))
        if judged is None:
            continue
        if judged.verdict is Verdict.PASSED and judged.lent:
            passed[test.number] = judged
        elif judged.verdict is Verdict.FAILED and tries.room > 0:
            # it is wrong by itself: what it says now tells the mistake
            tries.room -= judged.kept
            tried[test.number] = replace(before, transcript=judged.transcript, kept=judged.kept)
    for test in tests:  # after all others: for another order of sets there is another candidate
        if test.number in passed and test.mark.orders == 2:
            before = found[test.number]
            other = SECOND if before.order == FIRST else FIRST
            again = tries.again(test, before, Setting(lent, other))
            if again is not None and again.verdict not in _SAID:  # perhaps the machine's doing
                again = tries.again(test, before, Setting(lent, other))
            if again is None or not _is_alike(test, passed[test.number], again):
                del passed[test.number]
    for test in tests:
        if test.number in passed and needs(test, task.symbols, lent):
            judged = passed[test.number]
            given = [each.id for each in failed if judged.lent.intersection(each.symbols)]
            text = f"right, given a right {' and '.join(given)}"
            tried[test.number] = Tested(replace(judged.result, message=text))
    return tried


def _is_alike(test: SuiteTest, passed: Judged, again: Judged) -> bool:
    """Tell whether a test that has passed in one order of sets ends so in the other, too.

    It does not where it fails, gives no answer, or has to repeat its answers and gives others.
    """
    if again.verdict is Verdict.PASSED and test.mark.repeats:
        return same(passed, again)
    return again.verdict in NO_FAULT_OF_ANY
