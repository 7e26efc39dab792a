"""A suite at work on one module of a student's, wherever it lives: test by test, a value each.

Everything that judges goes through here: check, grade, diagnosis, the tests of misconceptions.
Leaves out who answers (local.py: this process; grading/candidates.py: a candidate).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from traceback import TracebackException
from types import SimpleNamespace
from typing import Any

from examiner.boundary.conversation import MAX_NAMES, NO_ANSWER, Asked, Conversation
from examiner.boundary.errors import Stop
from examiner.boundary.proxy import Module
from examiner.judge.failing import explain
from examiner.judge.lending import Lender
from examiner.judge.runs import Ran, Run, Terms
from examiner.judge.suite import Suite, SuiteTest
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

    @property
    def ended(self) -> bool:
        """Whether the module is gone, or may be: nothing more can be asked of it."""
        return self.talk.stopped is not None

    def run(
        self, test: SuiteTest, terms: Terms | None = None, seconds: float | None = None
    ) -> Judged:
        """Run a test and judge it; `seconds` in place of the test's own limit.

        Visible tests alone fail code that changes an argument in place: a student can see it in
        them, and it costs a part of the points and not all of them.
        """
        talk = self.talk
        talk.begin(test.number + 1, seconds or test.mark.seconds, watching=test.mark.visible)
        ran = self.suite.run(test, Run(self.package, talk.deadline, terms or Terms()))
        shown = partial(_shown, ran, talk.transcript) if test.mark.visible else None
        verdict, message = judge(ran.raised, talk, self.source, shown=shown)
        return Judged(
            describe(test, verdict, message, ran.seconds),
            transcript=talk.transcript,
            kept=talk.kept,
            answers=talk.answers,
            raised=talk.raised,
            lines=talk.lines,
            unwritten=talk.unwritten is not None,
            lent=frozenset(talk.lender.used if talk.lender else ()),
            trace=ran.trace,
        )


def imported(
    suite: Suite,
    talk: Conversation,
    source: Source,
    request: tuple[str, str, bytes],
    seconds: float,
    lender: Lender | None = None,
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
    return Session(suite, talk, source, package, talk.deadline.spent())


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
