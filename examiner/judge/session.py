"""A suite at work on one module of a student's, wherever it lives: test by test, a value each.

Everything that judges goes through here: check, grade, diagnosis, the tests of misconceptions.
Leaves out who answers (local.py: this process; grading/candidates.py: a candidate).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from traceback import TracebackException
from types import SimpleNamespace
from typing import Any

from examiner.boundary.conversation import NO_ANSWER, Asked, Conversation
from examiner.boundary.errors import Stop
from examiner.boundary.memory import out_of_memory
from examiner.boundary.parts import MAX_NAMES
from examiner.boundary.proxy import Module
from examiner.judge.failing import explain
from examiner.judge.kept import JUDGED, Ending, Heard, Kept
from examiner.judge.lending import Lender
from examiner.judge.runs import VISIBLE_SEED, OverdueError, Ran, Run, Terms
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.ways import Way
from examiner.judge.wording import Source, is_closeness, judge, plain_assertion
from examiner.results import TestResult, Verdict


@dataclass(frozen=True)
class Judged:
    """What became of one test on a student's module, and what was said in it."""

    result: TestResult
    transcript: Sequence[Asked] = ()
    kept: int = 0  # bytes of what was said
    answers: int = 0  # to what the test asked, but for errors
    raised: BaseException | None = None  # the student's last exception
    lines: tuple[int, ...] = ()  # where it was raised, in the student's file
    unwritten: bool = False  # whether the test met a function that is not written yet
    lent: frozenset[str] = frozenset()  # parts of the reference that were asked for
    trace: TracebackException | None = None  # of what the test raised, on terms that ask for it

    @property
    def verdict(self) -> Verdict:
        """How the test ended."""
        return self.result.verdict

    @property
    def told(self) -> tuple[Any, ...]:
        """All of it that is the same on every run."""
        heard = self.answers, self.lines, self.unwritten, self.lent
        return replace(self.result, seconds=0.0), type(self.raised), str(self.raised), heard


class DisagreementError(BaseException):
    """A test, run on the same answers, does not end as it is kept. Ends the worker."""


@dataclass(frozen=True)
class Refusal:
    """A submission that cannot be imported: the verdict of every test that is left."""

    verdict: Verdict
    message: str

    def of(self, test: SuiteTest) -> TestResult:
        """Return the result of a test that was not run."""
        return describe(test, self.verdict, self.message, 0.0)


def describe(test: SuiteTest, verdict: Verdict, message: str, seconds: float) -> TestResult:
    """Return the result of a test."""
    return TestResult(
        name=test.name,
        behaviour=test.behaviour,
        verdict=verdict,
        weight=test.mark.weight,
        visible=test.mark.visible,
        message=message,
        seconds=seconds,
    )


@dataclass(frozen=True)
class Session:
    """A student's module in a conversation, and the tests that are run on it."""

    suite: Suite
    talk: Conversation
    source: Source
    package: Any  # what the fixture `coursework` gives
    import_seconds: float = 0.0
    directory: Mapping[str, str] = field(default_factory=dict)  # what the module defines
    kept: Kept | None = None  # what tests made of the answers of others

    @property
    def ended(self) -> bool:
        """Whether the module is gone, or may be: nothing more can be asked of it."""
        return self.talk.stopped is not None

    def run(
        self, test: SuiteTest, terms: Terms | None = None, seconds: float | None = None
    ) -> Judged:
        """Run a test and judge it; `seconds` in place of the test's own limit.

        Visible tests alone fail code that changes an argument in place: a student can see it in
        them, and it costs a part of the points and not all of them. Where it is kept what a test
        makes of the answers, it is not run.
        """
        try:
            return self._through(test, terms or Terms(), seconds)
        finally:
            if self.talk.meter is not None:
                self.talk.rest.left -= self.talk.deadline.slept()

    def _through(self, test: SuiteTest, terms: Terms, seconds: float | None) -> Judged:
        self._begin(test, seconds)
        way = self._way(test, terms)
        if way is not None:
            found = self._walked(test, terms, way)
            if found is not None:
                self._compare(test, terms, way, found)
                return found
            way.begin()
        judged = self._run(test, terms, way)
        if way is not None and way.lost:
            self._begin(test, seconds)
            judged = self._run(test, terms, None)
        return judged

    def _begin(self, test: SuiteTest, seconds: float | None) -> None:
        limit, visible = seconds or test.mark.seconds, test.mark.visible
        self.talk.public &= visible
        self.talk.begin(test.number + 1, limit, watching=visible)

    def _run(self, test: SuiteTest, terms: Terms, way: Way | None) -> Judged:
        """Run a test; keep how it went if there is a `way`."""
        talk, said = self.talk, ""
        began = time.process_time()
        ran = self.suite.run(test, Run(self.package, talk.deadline, terms))
        computed = time.process_time() - began

        def shown(error: BaseException) -> str:
            nonlocal said
            said = _shown(ran, talk.transcript, error)
            return said

        heard = Heard(
            talk.answers,
            talk.kept,
            talk.raised,
            talk.lines,
            talk.unwritten,
            talk.changed,
            talk.stopped,
        )
        lent = frozenset(talk.lender.used if talk.lender else ())
        visible = test.mark.visible
        verdict, message = judge(ran.raised, heard, self.source, shown=shown if visible else None)
        if way is not None:
            talk.way = None
            if heard.stopped is None and verdict in JUDGED and not _by_memory(ran.raised):
                needed = verdict is Verdict.FAILED or test.mark.repeats
                transcript = talk.transcript if needed else ()
                left = tuple(talk.made.difference(talk.handles))
                said = said or (str(ran.raised) if visible else "")
                ending = Ending(ran.raised, said, heard, lent, transcript, computed, left)
                way.ends(ending, passed=verdict is Verdict.PASSED)
        return _judged(test, verdict, message, ran, heard, lent, talk.transcript)

    # ------------------------------------------------------------ what is kept

    def _way(self, test: SuiteTest, terms: Terms) -> Way | None:
        """Return the way through what is known of a test, where that is kept."""
        if self.kept is None or terms.traced or not test.goes_by_answers:
            return None
        seed = VISIBLE_SEED if test.mark.visible else terms.seed
        root = self.kept.root(test.name, seed, terms.attempts.get(test.name, 0))
        if root in self.kept.unsteady:
            return None
        return Way(self.kept, root, self.talk, self.directory)

    def _walked(self, test: SuiteTest, terms: Terms, way: Way) -> Judged | None:
        """Judge a test by what is kept of others, as far as the candidate answers as they did."""
        started, ending = time.perf_counter(), None
        raised: BaseException | None = None
        try:
            with terms.bound(self.talk.deadline):
                ending = way.walk()
        except (Stop, OverdueError) as error:
            raised = error
        except MemoryError:  # the test will say so
            return None
        ran = Ran(time.perf_counter() - started, raised)
        if raised is not None:
            said = str if test.mark.visible else None
            verdict, message = judge(raised, self.talk, self.source, shown=said)
            return Judged(describe(test, verdict, message, ran.seconds))
        if ending is None:
            return None
        told = ending.said
        shown = (lambda _: told) if test.mark.visible else None
        verdict, message = judge(ending.raised, ending.heard, self.source, shown=shown)
        ran = replace(ran, raised=ending.raised)
        return _judged(test, verdict, message, ran, ending.heard, ending.lent, ending.transcript)

    def _compare(self, test: SuiteTest, terms: Terms, way: Way, found: Judged) -> None:
        """Where both ways are asked for, run a test on the answers and see that it ends alike."""
        if not way.kept.comparing or self.talk.stopped is not None:
            return
        way.begin()
        judged = self._run(test, terms, None)
        self.talk.way = None
        if way.strayed or judged.told != found.told:
            raise DisagreementError(f"{test.name}: kept {found.told}, run {judged.told}")


def _judged(
    test: SuiteTest,
    verdict: Verdict,
    message: str,
    ran: Ran,
    heard: Heard,
    lent: frozenset[str],
    transcript: Sequence[Asked],
) -> Judged:
    return Judged(
        describe(test, verdict, message, ran.seconds),
        transcript=transcript,
        kept=heard.kept,
        answers=heard.answers,
        raised=heard.raised,
        lines=heard.lines,
        unwritten=heard.unwritten is not None,
        lent=lent,
        trace=ran.trace,
    )


def _by_memory(error: BaseException | None) -> bool:
    return error is not None and out_of_memory(error)


def imported(
    suite: Suite,
    talk: Conversation,
    source: Source,
    request: tuple[str, str, bytes],
    seconds: float,
    lender: Lender | None = None,
    kept: Kept | None = None,
) -> Session | Refusal:
    """Have a module imported and return a session on it, or why there is none.

    The request names the operation and the module, and holds its text. The parts that a `lender`
    has are put in the place of the student's.
    """
    talk.begin(0, seconds)
    try:
        directory = talk.request(*request)
    except Stop as stop:
        return Refusal(stop.verdict, stop.message)
    except Exception as error:
        return Refusal(*judge(error, talk, source, shown=str))
    if lender is not None and _is_directory(directory):
        talk.lender = lender
        try:
            directory = talk.request("lend", lender.parts)
        except (Stop, Exception) as error:
            return Refusal(Verdict.NOT_JUDGED, str(error))
    if not _is_directory(directory):
        return Refusal(Verdict.CRASHED, NO_ANSWER)
    package = package_of(talk, request[1], directory)
    spent = talk.deadline.spent()
    return Session(suite, talk, source, package, spent, directory, kept)


def package_of(talk: Conversation, stem: str, directory: dict[str, str]) -> Any:
    """Return a package in which a module that defines these names stands for the student's."""
    return SimpleNamespace(**{stem: Module(talk, directory)})


def _shown(ran: Ran, transcript: Sequence[Asked], error: BaseException) -> str:
    """Return what a student reads of a visible test's assertion that failed."""
    text = str(error)
    said = plain_assertion(text)
    if ran.compared is None and ran.asked and not is_closeness(text):
        said = f"the test expects: {ran.asked}"
    return explain(ran.compared, said, transcript)


def _is_directory(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and len(found) <= MAX_NAMES
        and all(isinstance(n, str) and kind in ("callable", "value") for n, kind in found.items())
    )
