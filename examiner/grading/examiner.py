"""Judges one submission. Its way is a line of steps, each from values to a value:

    read          what was handed in: can it be run, and which tests run in two orders of sets
    run           every test, the visible ones first
    second_order  those tests again, where Python gives sets another order
    second_try    what failed, with right earlier parts lent (retry.py)
    explain       the smallest examples of what still fails, and the mistakes behind them
    write         the result, task by task

A step says of each test what is otherwise than before, and leaves alone what was found. Leaves out
the processes that hold submissions (candidates.py), and classes of them (workers.py).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from platform import python_version_tuple
from types import MappingProxyType

from examiner.boundary.conversation import Asked
from examiner.candidate.confinement import mapped_memory
from examiner.catalogue import Chapter, Task
from examiner.counterexamples.examples import Examples
from examiner.grading.candidates import FIRST, IMPORT_SECONDS, SECOND, Candidates
from examiner.grading.clock import EXPLAINING, IMPORTING, READING
from examiner.grading.orders import ANSWERS, SHORTER, OtherOrder
from examiner.grading.retry import NO_FAULT_OF_ANY, Tries, charge_once, lent_parts
from examiner.grading.submissions import Submission
from examiner.grading.tested import Found, Tested, as_far_as_it_goes, room_left, same
from examiner.judge.diagnosis import Diagnosis
from examiner.judge.lending import Lender
from examiner.judge.reading import CLOCK, MEMORY, memory_bound
from examiner.judge.runs import Terms
from examiner.judge.session import Judged, Refusal, Session, describe
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.wording import OTHER_FORM, SEE, clean
from examiner.results import (
    AT_FAULT,
    SmallestExample,
    SubmissionResult,
    TestResult,
    Verdict,
    group_by_task,
)

MOST_IMPORT_SECONDS = 300.0  # over all: after each crash the module is imported again
EXPLAIN_SECONDS = 60.0  # to find the words for what failed; without them the points are the same
FULL_TIMEOUTS = 3  # tests of a submission that may use up their time, and one of each task
UNORDERED = (
    "the answer depends on the order of a set, which is another one in each run of Python: "
    "sort it, or keep the words in a list or a dict"
)

Skip = Mapping[int, Refusal]  # tests, and other work on a submission, that are left out


@dataclass(frozen=True)
class Explained:
    """The words for a failed task: its smallest examples, and its tests with what is said."""

    task_id: str
    examples: tuple[SmallestExample, ...]
    found: Found


@dataclass(frozen=True)
class Examiner:
    """What a worker judges submissions of one chapter with, one after the other."""

    chapter: Chapter
    suite: Suite
    terms: Terms
    diagnosis: Diagnosis
    examples: Examples | None  # None: there is no reference to compare with
    candidates: Candidates
    begins: Callable[[int, float], None]  # told which test begins, and its limit: someone watches

    def judge(self, submission: Submission, skip: Skip) -> SubmissionResult:
        """Return what a submission earns. Raises ServerError where it can have no candidate."""
        try:
            return self._judge(submission, skip)
        finally:
            self.candidates.hang_up()

    def _judge(self, submission: Submission, skip: Skip) -> SubmissionResult:
        whole = not skip.keys() - {EXPLAINING}  # else there is no second try of what was left out
        twice = self.read(submission, skip, whole=whole)
        if isinstance(twice, Refusal):
            refused = {test.number: Tested(twice.of(test)) for test in self.suite.tests}
            return self.write(submission, refused, twice.message)
        found, notice = self.run(submission, skip)
        if whole and not notice:
            found = {
                **found,
                **dict(as_far_as_it_goes(self.second_order(submission, twice, found))),
            }
            found = {**found, **dict(as_far_as_it_goes(self.second_try(submission, found)))}
        examples = dict[str, tuple[SmallestExample, ...]]()
        if EXPLAINING not in skip:
            for each in as_far_as_it_goes(self.explain(submission, found)):
                examples[each.task_id] = each.examples
                found = {**found, **each.found}
        return self.write(submission, found, notice, examples)

    # ------------------------------------------------------------------------- read

    def read(self, submission: Submission, skip: Skip, *, whole: bool) -> list[SuiteTest] | Refusal:
        """Return the tests that run in two orders of sets, or why the submission cannot be run.

        The server for the second order starts now.
        """
        self.begins(READING, CLOCK)  # from here on, whoever dies, dies of this submission
        if submission.problem:
            return Refusal(submission.verdict, submission.problem)
        if READING in skip:
            return skip[READING]
        tests = [test for test in self._visible_first() if whole and test.mark.orders == 2]
        if tests:
            self.candidates.prepare(SECOND)
        return tests

    # ------------------------------------------------------------------------- run

    def run(self, submission: Submission, skip: Skip) -> tuple[Found, str]:
        """Return what became of every test, and a notice where the rest could not be run.

        subtle: visible tests run first. Their messages may quote what the student's code says,
        and so must be over before that code has seen a hidden input.
        """
        found: dict[int, Tested] = {}
        session: Session | None = None
        importing, slow = 0.0, list[str]()  # seconds so far; tasks of tests that were too slow
        left = deque(self._visible_first())
        while left:
            test = left.popleft()
            if test.number in skip:
                found[test.number] = Tested(skip[test.number].of(test))
                continue
            if session is None:
                opened = self._open(submission, skip, importing)
                if isinstance(opened, Refusal):
                    again = " again" if found else ""
                    notice = f"{self.chapter.stem}.py cannot be imported{again}: {opened.message}"
                    if opened.verdict is Verdict.FAILED:  # a newer Python may know what this lacks
                        notice += f"\nIt was read by Python {'.'.join(python_version_tuple()[:2])}."
                    rest = {each.number: Tested(opened.of(each)) for each in (test, *left)}
                    return {**found, **rest}, notice
                session, importing = opened, importing + opened.import_seconds
            less = len(slow) >= FULL_TIMEOUTS or test.mark.id in slow
            seconds = test.mark.seconds / (SHORTER if less else 1)
            self.begins(test.number, seconds)
            tested = self._test(test, session, seconds, found)
            found[test.number] = tested
            if tested.verdict is Verdict.TIMEOUT:
                slow.append(test.mark.id)
            if session.ended or tested.verdict is Verdict.TIMEOUT:
                session = None
        return found, ""

    def _visible_first(self) -> list[SuiteTest]:
        return sorted(self.suite.tests, key=lambda test: not test.mark.visible)

    def _open(self, submission: Submission, skip: Skip, importing: float) -> Session | Refusal:
        """Import a submission whose earlier imports took so many seconds."""
        self.begins(IMPORTING, IMPORT_SECONDS)
        opened = skip.get(IMPORTING) or self.candidates.open(submission)
        if isinstance(opened, Session) and importing + opened.import_seconds > MOST_IMPORT_SECONDS:
            text = "it is slow to import, and every test that it stopped made it start anew"
            return Refusal(Verdict.TIMEOUT, text)
        return opened

    def _test(self, test: SuiteTest, session: Session, seconds: float, found: Found) -> Tested:
        """Run a test; keep what was said in it if it is needed and there is room."""
        try:
            judged = session.run(test, self.terms, seconds)
            result = self._if_right(test, judged)
        except Exception as fault:  # our own: no student may pay for it, no neighbour wait for it
            text = clean(f"a fault of the grader: {type(fault).__name__}: {fault}")
            return Tested(describe(test, Verdict.NOT_JUDGED, text, 0.0))
        if result.verdict is Verdict.PASSED and test.mark.repeats:
            return Tested(result, judged.transcript)
        if result.verdict is Verdict.FAILED and room_left(found) > 0:
            return Tested(result, judged.transcript, judged.kept)
        return Tested(result)

    def _if_right(self, test: SuiteTest, judged: Judged) -> TestResult:
        """Return a test's result, which is no failure where the reference fails, too."""
        result = judged.result
        if result.verdict is Verdict.PASSED:
            return result
        if result.verdict is Verdict.NOT_JUDGED:
            if not judged.answers or not self.diagnosis.test_is_right(test, without=False):
                return result
            result = replace(result, verdict=Verdict.FAILED, message=f"{OTHER_FORM}: {SEE}")
        if not self.diagnosis.test_is_right(test):
            return replace(result, verdict=Verdict.NOT_JUDGED, message=AT_FAULT)
        return result

    # ------------------------------------------------------------------------- second order

    def second_order(
        self, submission: Submission, tests: Sequence[SuiteTest], found: Found
    ) -> Iterator[tuple[int, Tested]]:
        """Fail what passes in one order of a set only, or repeats other answers in the second.

        The tests run in a candidate of another server, whose strings have other hashes.

        subtle: who ends the process here, takes too long or cannot be imported is asked again, in a
        fresh candidate, and then has failed: else that would be a way not to be asked at all.
        """
        again = OtherOrder(lambda: self.candidates.open(submission, order=SECOND), self._asked)
        for test in tests:
            before = found[test.number]
            if before.verdict not in ANSWERS:
                continue
            after = again.of(test)
            if after is None:
                continue
            repeats = test.mark.repeats and before.verdict is after.verdict is Verdict.PASSED
            others = repeats and not same(before, after)
            if after.verdict is not before.verdict or others:
                result = replace(before.result, verdict=Verdict.FAILED, message=UNORDERED)
                wrong = after.verdict is Verdict.FAILED or others
                yield test.number, Tested(result, order=SECOND if wrong else FIRST)

    def _asked(self, test: SuiteTest, session: Session, seconds: float) -> Judged:
        self.begins(test.number, seconds)
        return session.run(test, self.terms, seconds)

    # ------------------------------------------------------------------------- second try

    def second_try(self, submission: Submission, found: Found) -> Iterator[tuple[int, Tested]]:
        """Give points for what fails only through earlier tasks.

        subtle: after the whole first run. Nothing that the student's code says now reaches a
        message, whatever it has seen.
        """

        spent = 0.0  # seconds of imports

        def fresh(lender: Lender, order: int) -> Session | Refusal:
            nonlocal spent
            if spent > MOST_IMPORT_SECONDS / 2:
                return Refusal(Verdict.TIMEOUT, "its imports take too long")
            self.begins(IMPORTING, IMPORT_SECONDS)
            opened = self.candidates.open(submission, lender, order)
            spent += opened.import_seconds if isinstance(opened, Session) else IMPORT_SECONDS
            return opened

        tries = Tries(self.diagnosis.lender, fresh, self._asked, room_left(found))
        return charge_once(self.chapter, self.suite, found, tries, self.diagnosis.needs)

    # ------------------------------------------------------------------------- explain

    def explain(self, submission: Submission, found: Found) -> Iterator[Explained]:
        """Find the words for what failed, task by task; whatever the answers do to us, the points
        stand.

        subtle: each task's examples come from a fresh candidate, which has seen no hidden test. So
        what it gives can be shown.
        """
        failed: list[Task] = []  # earlier tasks, which are lent
        spent = 0.0  # seconds, by the student's code
        with memory_bound(MEMORY, mapped_memory()):
            for task in self.chapter.tasks:
                tests = [test for test in self.suite.tests if test.mark.id == task.id]
                results = [found[test.number].result for test in tests]
                if any(each.calls_for_an_example for each in results):
                    self.begins(EXPLAINING, EXPLAIN_SECONDS)
                    lent = lent_parts(self.chapter, failed)
                    order = max(found[test.number].order for test in tests)
                    shown, seconds = self._smallest(task, submission, lent, order)
                    spent += seconds
                    if spent > EXPLAIN_SECONDS:
                        return
                    said = {each.number: self._said(each, shown, found) for each in tests}
                    yield Explained(task.id, shown, said)
                if {each.verdict for each in results}.difference(NO_FAULT_OF_ANY):
                    failed.append(task)

    def _smallest(
        self, task: Task, submission: Submission, lent: Sequence[str], order: int
    ) -> tuple[tuple[SmallestExample, ...], float]:
        """Return the smallest examples on which a task's functions are wrong, and the seconds that
        the student's code took for them.
        """
        opened: list[Session] = []

        def fresh() -> Session | Refusal:
            lender = self.diagnosis.lender(lent) if lent else None
            session = self.candidates.open(submission, lender, order)
            opened.extend([session] if isinstance(session, Session) else [])
            return session

        shown: tuple[SmallestExample, ...] = ()
        with contextlib.suppress(Exception):
            shown = self.examples.of(task, fresh) if self.examples else ()
        return shown, sum(each.talk.deadline.spent() for each in opened)

    def _said(self, test: SuiteTest, shown: Sequence[SmallestExample], found: Found) -> Tested:
        """Return a test with the mistake behind it."""
        tested = found[test.number]
        if tested.verdict is not Verdict.FAILED:
            return tested
        says = _sentence(shown, tested.transcript)
        return replace(tested, result=replace(tested.result, misconception=says))

    # ------------------------------------------------------------------------- write

    def write(
        self,
        submission: Submission,
        found: Found,
        notice: str,
        examples: Mapping[str, tuple[SmallestExample, ...]] = MappingProxyType({}),
    ) -> SubmissionResult:
        """Return the result as it is kept and shown."""
        pairs = [(test.mark.id, found[test.number].result) for test in self.suite.tests]
        tasks = group_by_task(self.chapter, pairs, examples)
        notes = "\n".join(filter(None, (notice, submission.note)))
        return SubmissionResult(submission.student, tasks, notes, submission.files)


def _sentence(shown: Sequence[SmallestExample], transcript: Sequence[Asked]) -> str:
    """Return the sentence of the function that a failed test asked for; "" if none is known."""
    said = {each.symbol: each.says for each in shown}
    if len(said) > 1:
        asked = b"".join(each.request for each in transcript)
        named = {s: says for s, says in said.items() if s.rpartition(".")[2].encode() in asked}
        said = named or said
    return next(iter(said.values()), "")
