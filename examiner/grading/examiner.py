"""Judges one submission. Its way is a line of steps, each from values to a value:

    read          what was handed in: can it be run, and which tests run in two orders of sets
    run           every test, the visible ones first
    second_order  those tests again, where Python gives sets another order
    second_try    what failed, with right earlier parts lent (retry.py)
    explain       the mistakes behind what still fails
    write         the result, task by task

A step says of each test what is otherwise than before, and leaves alone what was found. Leaves out
the processes that hold submissions (candidates.py), and classes of them (workers.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from examiner.candidate.confinement import mapped_memory
from examiner.catalogue import Chapter, Task
from examiner.grading.candidates import FIRST, IMPORT_SECONDS, SECOND, Candidates
from examiner.grading.clock import EXPLAINING, IMPORTING, READING
from examiner.grading.retry import Tries, charge_once
from examiner.grading.submissions import Submission
from examiner.grading.tested import Found, Tested, as_far_as_it_goes, room_left
from examiner.judge.answers import same_answer
from examiner.judge.diagnosis import Diagnosis, Seen
from examiner.judge.lending import Lender
from examiner.judge.reading import CLOCK, MEMORY, memory_bound
from examiner.judge.runs import Terms
from examiner.judge.session import Judged, Refusal, Session, describe
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.transcripts import readable
from examiner.judge.wording import OTHER_FORM, SEE, clean
from examiner.results import AT_FAULT, SubmissionResult, TestResult, Verdict, group_by_task

MOST_IMPORT_SECONDS = 300.0  # over all: after each crash the module is imported again
EXPLAIN_SECONDS = 60.0  # to find the words for what failed; without them the points are the same
FULL_TIMEOUTS = 3  # tests of a submission that may use up their time, and one of each task;
SHORTER = 5  # later ones get a fifth
UNORDERED = (
    "the answer depends on the order of a set, which is another one in each run of Python: "
    "sort it, or keep the words in a list or a dict"
)
_COMPARED = (Verdict.PASSED, Verdict.FAILED)  # other verdicts may depend on how busy a machine is

Skip = Mapping[int, Refusal]  # tests, and other work on a submission, that are left out


@dataclass(frozen=True)
class Examiner:
    """What a worker judges submissions of one chapter with, one after the other."""

    chapter: Chapter
    suite: Suite
    terms: Terms
    diagnosis: Diagnosis
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
                **as_far_as_it_goes(self.second_order(submission, twice, found)),
            }
            found = {**found, **as_far_as_it_goes(self.second_try(submission, found))}
        if EXPLAINING not in skip:
            found = {**found, **as_far_as_it_goes(self.explain(found))}
        return self.write(submission, found, notice)

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
        tests = [test for test in self.suite.tests if whole and test.mark.orders == 2]
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
        left = deque(sorted(self.suite.tests, key=lambda test: not test.mark.visible))
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
                    rest = {each.number: Tested(opened.of(each)) for each in (test, *left)}
                    return {**found, **rest}, notice
                session, importing = opened, importing + opened.import_seconds
            less = len(slow) >= FULL_TIMEOUTS or test.mark.id in slow
            seconds = test.mark.seconds / (SHORTER if less else 1)
            self.begins(test.number, seconds)
            tested = self._test(test, session, seconds, room_left(found))
            found[test.number] = tested
            if tested.verdict is Verdict.TIMEOUT:
                slow.append(test.mark.id)
            if session.ended or tested.verdict is Verdict.TIMEOUT:
                session = None
        return found, ""

    def _open(self, submission: Submission, skip: Skip, importing: float) -> Session | Refusal:
        """Import a submission whose earlier imports took so many seconds."""
        self.begins(IMPORTING, IMPORT_SECONDS)
        opened = skip.get(IMPORTING) or self.candidates.open(submission)
        if isinstance(opened, Session) and importing + opened.import_seconds > MOST_IMPORT_SECONDS:
            text = "it is slow to import, and every test that it stopped made it start anew"
            return Refusal(Verdict.TIMEOUT, text)
        return opened

    def _test(self, test: SuiteTest, session: Session, seconds: float, room: int) -> Tested:
        """Run a test; keep what was said in it if it is needed and there is room."""
        try:
            judged = session.run(test, self.terms, seconds)
            result = self._if_right(test, judged)
        except Exception as fault:  # our own: no student may pay for it, no neighbour wait for it
            text = clean(f"a fault of the grader: {type(fault).__name__}: {fault}")
            return Tested(describe(test, Verdict.NOT_JUDGED, text, 0.0))
        if result.verdict is Verdict.PASSED and test.mark.repeats:
            return Tested(result, judged.transcript)
        if result.verdict is Verdict.FAILED and room > 0:
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
        """
        session = self.candidates.open(submission, order=SECOND) if tests else None
        if not isinstance(session, Session):
            return
        for test in tests:
            before = found[test.number]
            if before.verdict not in _COMPARED:
                continue
            self.begins(test.number, test.mark.seconds)
            after = session.run(test, self.terms)
            if session.ended:
                return
            repeats = test.mark.repeats and before.verdict is Verdict.PASSED
            others = repeats and not _same(before, after)
            if after.verdict in _COMPARED and (after.verdict is not before.verdict or others):
                result = replace(before.result, verdict=Verdict.FAILED, message=UNORDERED)
                wrong = after.verdict is Verdict.FAILED or others
                yield test.number, Tested(result, order=SECOND if wrong else FIRST)

    # ------------------------------------------------------------------------- second try

    def second_try(self, submission: Submission, found: Found) -> Iterator[tuple[int, Tested]]:
        """Give points for what fails only through earlier tasks.

        subtle: after the whole first run. Nothing that the student's code says now reaches a
        message, whatever it has seen.
        """

        def run(test: SuiteTest, session: Session, seconds: float) -> Judged:
            self.begins(test.number, seconds)
            return session.run(test, self.terms, seconds)

        def fresh(lender: Lender, order: int) -> Session | Refusal:
            return self.candidates.open(submission, lender, order)

        tries = Tries(self.diagnosis.lender, fresh, run, room_left(found))
        return charge_once(self.chapter, self.suite, found, tries)

    # ------------------------------------------------------------------------- explain

    def explain(self, found: Found) -> Iterator[tuple[int, Tested]]:
        """Find the words for what failed; whatever the answers do to us, the points stand."""
        self.begins(EXPLAINING, EXPLAIN_SECONDS)
        with memory_bound(MEMORY, mapped_memory()):
            for task in self.chapter.tasks:
                yield from self._explain_task(task, found)

    def _explain_task(self, task: Task, found: Found) -> Iterator[tuple[int, Tested]]:
        """Name the mistakes behind failed tests, or say in which direction an answer is off."""
        tests = [test for test in self.suite.tests if test.mark.id == task.id]
        seen = [
            Seen(test, tested.verdict is Verdict.PASSED, tested.transcript)
            for test in tests
            if (tested := found[test.number]).verdict is Verdict.PASSED or tested.transcript
        ]
        named = self.diagnosis.named(task, seen)
        for each in (each for each in seen if not each.passed):
            tested = found[each.test.number]
            result = replace(tested.result, misconception=named.get(each.test.number, ""))
            bare = not result.message or result.message.startswith(OTHER_FORM)
            if bare and not (result.misconception or result.visible):
                text = self.diagnosis.direction(each.test, each.transcript)
                result = replace(result, message=text or result.message)
            yield each.test.number, replace(tested, result=result)

    # ------------------------------------------------------------------------- write

    def write(self, submission: Submission, found: Found, notice: str) -> SubmissionResult:
        """Return the result as it is kept and shown."""
        pairs = [(test.mark.id, found[test.number].result) for test in self.suite.tests]
        tasks = group_by_task(self.chapter, pairs)
        notes = "\n".join(filter(None, (notice, submission.note)))
        return SubmissionResult(submission.student, tasks, notes, submission.files)


def _same(one: Tested, other: Judged) -> bool:
    """Tell whether two runs of a test heard the same."""
    return same_answer(list(readable(one.transcript)), list(readable(other.transcript)))
