"""Runs tests again where Python gives sets another order: an answer that depends on it is wrong.

Only the tests of tasks that have to do with sets (judge/unordered.py), in a candidate of a second
server, whose strings have other hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from examiner.boundary.conversation import Asked
from examiner.judge.alike import alike
from examiner.judge.diagnosis import readable
from examiner.judge.session import Session
from examiner.judge.suite import SuiteTest
from examiner.results import TestResult, Verdict

FIRST, SECOND = 0, 1  # Python's hash seeds, and the numbers of the servers that have them
SAYS = (
    "the answer depends on the order of a set, which is another one in each run of Python: "
    "sort it, or keep the words in a list or a dict"
)
_COMPARED = (Verdict.PASSED, Verdict.FAILED)  # other verdicts may depend on how busy a machine is


def try_second_order(
    tests: Iterable[SuiteTest],
    found: dict[int, TestResult],
    session: Session,
    run: Callable[[SuiteTest, Session], TestResult],
    first: Mapping[int, Sequence[Asked]],
) -> set[int]:
    """Fail tests that pass in one order only; return the numbers of those that the second fails.

    Of the tests in `first`, which holds what was said in them, the answers must be the same, too.
    """
    failing = set[int]()
    for test in tests:
        before = found[test.number]
        if before.verdict not in _COMPARED:
            continue
        after = run(test, session)
        if session.talk.stopped:
            break
        others = test.number in first and not _same(first[test.number], session.talk.transcript)
        if after.verdict in _COMPARED and (after.verdict is not before.verdict or others):
            found[test.number] = replace(before, verdict=Verdict.FAILED, message=SAYS)
            if after.verdict is Verdict.FAILED or others:
                failing.add(test.number)
    return failing


def _same(one: Sequence[Asked], other: Sequence[Asked]) -> bool:
    return alike(list(readable(one)), list(readable(other)))
