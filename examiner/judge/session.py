"""A suite at work on one module of a student's, wherever it lives: test by test, a result each.

Everything that judges goes through here: check, grade, diagnosis, the tests of misconceptions.
Leaves out who answers (local.py: this process; examiner.py: a candidate).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

from examiner.boundary.conversation import MAX_NAMES, NO_ANSWER, Conversation
from examiner.boundary.errors import Stop
from examiner.boundary.proxy import Module
from examiner.judge.failing import explain
from examiner.judge.suite import Suite, SuiteTest
from examiner.judge.wording import Source, is_closeness, judge, plain_assertion
from examiner.results import TestResult, Verdict


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


@dataclass
class Session:
    """A student's module in a conversation, and the tests that are run on it."""

    suite: Suite
    talk: Conversation
    stem: str  # of the module
    source: Source
    package: Any = field(default_factory=SimpleNamespace)  # what the fixture `coursework` gives

    def __post_init__(self) -> None:
        self.talk.reads = self.source.library_names

    def hold(self, directory: dict[str, str]) -> None:
        """Let a module that defines these names stand for the student's."""
        self.package = SimpleNamespace(**{self.stem: Module(self.talk, directory)})

    def open(self, operation: str, data: bytes, seconds: float) -> Refusal | None:
        """Have the module imported from its text; say so if it cannot be."""
        self.talk.begin(0, seconds)
        try:
            directory = self.talk.request(operation, self.stem, data)
        except Stop as stop:
            return Refusal(stop.verdict, stop.message)
        except Exception as error:
            return Refusal(*judge(error, self.talk, self.source, shown=str))
        if not _is_directory(directory):
            return Refusal(Verdict.CRASHED, NO_ANSWER)
        self.hold(directory)
        return None

    def borrow(self, parts: list[dict[str, Any]]) -> Refusal | None:
        """Have stand-ins for lent parts put into the module; say so if they cannot be."""
        try:
            directory = self.talk.request("lend", parts)
        except (Stop, Exception) as error:
            return Refusal(Verdict.NOT_JUDGED, str(error))
        if not _is_directory(directory):
            return Refusal(Verdict.CRASHED, NO_ANSWER)
        self.hold(directory)
        return None

    def run(self, test: SuiteTest, seconds: float | None = None) -> TestResult:
        """Run a test and judge it; the conversation keeps what was said.

        Visible tests alone fail code that changes an argument in place: a student can see it in
        them, and it costs a part of the points and not all of them.
        """
        seconds = seconds or test.mark.seconds
        self.talk.begin(test.number + 1, seconds, watching=test.mark.visible)
        before, self.suite.package = self.suite.package, self.package
        try:
            error, took = self.suite.run(test, self.talk.deadline)
        finally:
            self.suite.package = before
        shown = partial(shown_failure, self.suite, self.talk) if test.mark.visible else None
        verdict, message = judge(error, self.talk, self.source, shown=shown)
        return describe(test, verdict, message, took)


def shown_failure(suite: Suite, talk: Conversation, error: BaseException) -> str:
    """Return what a student reads of a visible test's assertion that failed."""
    text, compared = str(error), suite.compared
    said = plain_assertion(text)
    if compared is None and suite.asked and not is_closeness(text):
        said = f"the test expects: {suite.asked}"
    return explain(compared, said, talk.transcript)


def _is_directory(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and len(found) <= MAX_NAMES
        and all(isinstance(n, str) and kind in ("callable", "value") for n, kind in found.items())
    )
