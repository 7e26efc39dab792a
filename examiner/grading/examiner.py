"""Judges one submission: runs the suite on its candidate and turns the outcomes into verdicts."""

from __future__ import annotations

import contextlib
import signal
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from examiner.boundary.channel import Channel, ClosedError, SlowError
from examiner.boundary.conversation import NO_ANSWER, Asked, Conversation
from examiner.boundary.deadline import Deadline
from examiner.boundary.errors import Stop, WireError
from examiner.candidate.confinement import EXIT_MEMORY
from examiner.catalogue import Chapter
from examiner.grading.orders import FIRST, SAYS, SECOND, try_second_order
from examiner.grading.retry import Retry
from examiner.grading.submissions import Submission
from examiner.judge.diagnosis import Diagnosis, Seen
from examiner.judge.lending import Lender
from examiner.judge.reading import CLOCK, TextError, memory_bound
from examiner.judge.session import Refusal, Session, describe
from examiner.judge.suite import OverdueError, Suite, SuiteTest
from examiner.judge.wording import OTHER_FORM, SEE, clean
from examiner.results import AT_FAULT, SubmissionResult, TestResult, Verdict, group_by_task
from examiner.sandbox.servers import CandidateServer, ServerError

IMPORT_SECONDS = 60.0  # a module may be slow to import; its tests have their own time
MOST_IMPORT_SECONDS = 300.0  # over all: after each crash the module is imported again
MOST_KEPT = 64 << 20  # bytes of what is said in a submission's failed tests
# in place of the number of a test: what else is done with a submission
IDLE, IMPORTING, READING, EXPLAINING = -2, -1, -3, -4
EXPLAIN_SECONDS = 60.0  # to find the words for what failed; without them the points are the same
FULL_TIMEOUTS = 3  # tests of a submission that may use up their time, and one of each task;
SHORTER = 5  # later ones get a fifth


class Examiner:
    """Judges submissions of one chapter, one after the other."""

    def __init__(
        self,
        chapter: Chapter,
        suite: Suite,
        diagnosis: Diagnosis,
        open_server: Callable[[int], CandidateServer],
        running: Callable[[int, float], None] = lambda number, seconds: None,
    ) -> None:
        self.chapter, self.suite, self.diagnosis = chapter, suite, diagnosis
        self._open_server = open_server
        self._running = running  # told which test begins, and its limit: someone watches
        self._servers: dict[int, CandidateServer] = {}  # by the order in which they have sets
        self._order = FIRST  # of the server whose candidate runs
        self._channel: Channel | None = None
        self._said: dict[int, Sequence[Asked]] = {}  # in the submission's failed tests
        self._kept = 0  # bytes of that
        self._first: dict[int, Sequence[Asked]] = {}  # in tests whose answers must repeat
        self.explaining = False  # whether what failed is compared with the course's own code

    def warm_up(self) -> None:
        """Start the candidate server before the first submission needs it."""
        with contextlib.suppress(ServerError):  # then the first submission will say so
            self._servers[FIRST] = self._open_server(FIRST)

    def close(self) -> None:
        """End the candidate and its server."""
        self._hang_up()
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def judge(
        self, submission: Submission, skip: Mapping[int, Refusal] | None = None
    ) -> SubmissionResult:
        """Run every test of the suite on the submission, but for those in `skip`, by number."""
        skip = skip or {}
        self._running(READING, CLOCK)  # from here on, whoever dies, dies of this submission
        if submission.problem:
            return self._refused(submission, Refusal(submission.verdict, submission.problem))
        if READING in skip:
            return self._refused(submission, skip[READING])
        self._said, self._kept, self._first = {}, 0, {}
        less = bool(skip.keys() - {EXPLAINING})  # no second try of what was left out
        try:
            with_sets = [] if less else self._tests_with_sets(submission)
        except TextError as error:
            return self._refused(submission, Refusal(error.verdict, str(error)))
        try:
            found, notice = self._run_all(submission, skip)
            if not notice and not less:
                second: Collection[int] = ()
                with contextlib.suppress(Exception):  # our own fault: what was found stands
                    second = self._try_second_order(submission, found, with_sets)
                with contextlib.suppress(Exception):
                    self._charge_once(submission, found, second)
            if EXPLAINING not in skip:
                self._explain_within_bounds(found)
        finally:
            self._hang_up()
        return self._result(submission, found, notice)

    def _refused(self, submission: Submission, whole: Refusal) -> SubmissionResult:
        """Return the result of a submission that is not run at all."""
        refused = {test.number: whole.of(test) for test in self.suite.tests}
        return self._result(submission, refused, whole.message)

    def _tests_with_sets(self, submission: Submission) -> list[SuiteTest]:
        """Return the tests that will be run in a second order of sets; its server starts now.

        Raises TextError for a text that cannot be read within bounds.
        """
        try:
            tasks = self.diagnosis.tasks_with_sets(submission.source.text, self.chapter)
        except OSError as error:
            raise ServerError(f"no process to read in: {error.strerror}") from None
        if tasks and SECOND not in self._servers:
            self._servers[SECOND] = self._open_server(SECOND)
        return [test for test in self.suite.tests if test.mark.id in tasks]

    def _try_second_order(
        self, submission: Submission, found: dict[int, TestResult], tests: Sequence[SuiteTest]
    ) -> Collection[int]:
        """Fail what is right in one order of a set only; return the tests that the second fails."""
        session = self._open(submission, order=SECOND) if tests else None
        if not isinstance(session, Session):
            return ()

        def again(test: SuiteTest, session: Session) -> TestResult:
            self._running(test.number, test.mark.seconds)
            return session.run(test)

        second = try_second_order(tests, found, session, again, self._first)
        for test in tests:
            if found[test.number].message == SAYS:
                self._said.pop(test.number, None)  # nothing else is to be said of it
        return second

    def _charge_once(
        self, submission: Submission, found: dict[int, TestResult], second: Collection[int]
    ) -> None:
        """Give points for what fails only through earlier tasks.

        subtle: after the whole first run. Nothing that the student's code says now reaches a
        message, whatever it has seen.
        """

        def again(test: SuiteTest, session: Session, seconds: float) -> TestResult:
            self._running(test.number, seconds)
            result = session.run(test, seconds)
            self._keep(test, result, session.talk)
            return result

        retry = Retry(
            self.chapter,
            self.suite,
            self.diagnosis,
            lambda lender, order: self._open(submission, lender, order),
            again,
        )
        retry.charge_once(found, second)

    def _keep(self, test: SuiteTest, result: TestResult, talk: Conversation) -> None:
        """Keep what was said in a test that failed, to explain it."""
        if result.verdict is Verdict.FAILED and self._kept < MOST_KEPT:
            self._said[test.number] = talk.transcript
            self._kept += talk.kept

    def _explain_within_bounds(self, found: dict[int, TestResult]) -> None:
        """Find the words for what failed; whatever the answers do to us, the points stand."""
        self._running(EXPLAINING, EXPLAIN_SECONDS)
        self.explaining = True
        try:
            with contextlib.suppress(Exception), memory_bound():
                self._explain_mistakes(found)
        finally:
            self.explaining = False

    def _explain_mistakes(self, found: dict[int, TestResult]) -> None:
        """Name the mistakes behind failed tests, or say in which direction an answer is off."""
        for task in self.chapter.tasks:
            tests = [test for test in self.suite.tests if test.mark.id == task.id]
            seen = [
                Seen(test, found[test.number].verdict is Verdict.PASSED, self._said_in(test))
                for test in tests
                if found[test.number].verdict is Verdict.PASSED or self._said_in(test)
            ]
            named = self.diagnosis.named(task, seen)
            for each in seen:
                if not each.passed:
                    number = each.test.number
                    result = replace(found[number], misconception=named.get(number, ""))
                    bare = not result.message or result.message.startswith(OTHER_FORM)
                    if bare and not (result.misconception or result.visible):
                        text = self.diagnosis.direction(each.test, each.transcript)
                        result = replace(result, message=text or result.message)
                    found[number] = result

    def _said_in(self, test: SuiteTest) -> Sequence[Asked]:
        return self._said.get(test.number, ())

    def _result(
        self, submission: Submission, found: dict[int, TestResult], notice: str
    ) -> SubmissionResult:
        pairs = [(test.mark.id, found[test.number]) for test in self.suite.tests]
        tasks = group_by_task(self.chapter, pairs)
        notes = "\n".join(filter(None, (notice, submission.note)))
        return SubmissionResult(submission.student, tasks, notes, submission.files)

    def _run_all(
        self, submission: Submission, skip: Mapping[int, Refusal]
    ) -> tuple[dict[int, TestResult], str]:
        """Return the tests' results by number, and a notice.

        subtle: visible tests run first. Their messages may quote what the student's code says,
        and so must be over before that code has seen a hidden input.
        """
        found: dict[int, TestResult] = {}
        session: Session | None = None
        slow, timeouts, notice, importing = set[str](), 0, "", 0.0  # slow: tasks
        left = deque(sorted(self.suite.tests, key=lambda test: not test.mark.visible))
        while left:
            test = left.popleft()
            if test.number in skip:
                found[test.number] = skip[test.number].of(test)
                continue
            if session is None:
                self._running(IMPORTING, IMPORT_SECONDS)
                opened = skip.get(IMPORTING) or self._open(submission)
                if isinstance(opened, Session):
                    importing += opened.talk.deadline.spent()
                if importing > MOST_IMPORT_SECONDS:
                    text = "it is slow to import, and every test that it stopped made it start anew"
                    opened = Refusal(Verdict.TIMEOUT, text)
                if isinstance(opened, Refusal):
                    again = " again" if found else ""
                    notice = f"{self.chapter.stem}.py cannot be imported{again}: {opened.message}"
                    found |= {each.number: opened.of(each) for each in [test, *left]}
                    break
                session = opened
            less = timeouts >= FULL_TIMEOUTS or test.mark.id in slow
            seconds = test.mark.seconds / (SHORTER if less else 1)
            self._running(test.number, seconds)
            result = self._run(test, session, seconds)
            found[test.number] = result
            if result.verdict is Verdict.TIMEOUT:
                timeouts += 1
                slow.add(test.mark.id)
            if session.talk.stopped or result.verdict is Verdict.TIMEOUT:
                session = None
        return found, notice

    def _run(self, test: SuiteTest, session: Session, seconds: float) -> TestResult:
        try:
            result = self._explain(test, session.run(test, seconds), session.talk)
            if test.mark.repeats and result.verdict is Verdict.PASSED:
                self._first[test.number] = session.talk.transcript
            return result
        except Exception as fault:  # our own: no student may pay for it, no neighbour wait for it
            text = clean(f"a fault of the grader: {type(fault).__name__}: {fault}")
            return describe(test, Verdict.NOT_JUDGED, text, 0.0)

    def _explain(self, test: SuiteTest, result: TestResult, talk: Conversation) -> TestResult:
        if result.verdict is Verdict.PASSED:
            return result
        if result.verdict is Verdict.NOT_JUDGED:
            if not talk.answers or not self.diagnosis.test_is_right(test, without=False):
                return result
            result = replace(result, verdict=Verdict.FAILED, message=f"{OTHER_FORM}: {SEE}")
        if not self.diagnosis.test_is_right(test):
            return replace(result, verdict=Verdict.NOT_JUDGED, message=AT_FAULT)
        self._keep(test, result, talk)
        return result

    # -------------------------------------------------------------- the candidate

    def _open(
        self, submission: Submission, lender: Lender | None = None, order: int = FIRST
    ) -> Session | Refusal:
        """Start a candidate and import the submission in it; put lent parts in their places."""
        channel = self._start(order)
        talk = Conversation(self._asker(channel), channel.meter)
        session = Session(self.suite, talk, self.chapter.stem, submission.source)
        refusal = session.open("import", submission.data, IMPORT_SECONDS)
        if refusal is None and lender is not None:
            talk.lender = lender
            refusal = session.borrow(lender.parts)
        return refusal or session

    def _start(self, order: int) -> Channel:
        self._hang_up()
        self._order = order
        for attempt in range(2):
            try:
                if order not in self._servers:
                    self._servers[order] = self._open_server(order)
                self._channel = self._servers[order].start()
                return self._channel
            except ServerError:
                if order in self._servers:
                    self._servers.pop(order).close()
                if attempt:
                    raise
        raise AssertionError

    def _hang_up(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            if self._order in self._servers:
                with contextlib.suppress(ServerError):  # then the next start will say so
                    self._servers[self._order].dismiss()

    def _asker(self, channel: Channel) -> Callable[..., tuple[int, bytes]]:
        def ask(
            number: int, test: int, released: list[int], body: bytes, deadline: Deadline
        ) -> tuple[int, bytes]:
            try:
                return channel.ask(number, test, released, body, deadline)
            except (SlowError, OverdueError):  # after either, the answer may still come: hang up
                raise Stop(Verdict.TIMEOUT, deadline.why) from None
            except WireError:
                raise Stop(Verdict.CRASHED, NO_ANSWER) from None
            except ClosedError:
                raise self._death() from None

        return ask

    def _death(self) -> Stop:
        """Say how a candidate ended that closed its channel."""
        ending = self._servers[self._order].bury()
        code = ending.get("exit", 0)
        if ending.get("killed"):
            return Stop(Verdict.CRASHED, "your code closed what it did not open")
        if code in (EXIT_MEMORY, -signal.SIGKILL):
            return Stop(Verdict.MEMORY, "used more memory than a test may")
        if code == -signal.SIGXCPU:
            return Stop(Verdict.TIMEOUT, "used more computing time than a submission may")
        if code < 0:
            name = signal.strsignal(-code) or f"signal {-code}"
            return Stop(Verdict.CRASHED, f"the process of your code died ({name})")
        return Stop(Verdict.CRASHED, f"your code ended the program (exit {code})")
