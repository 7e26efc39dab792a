"""What can go wrong between an examiner and a candidate, by whose fault it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examiner.results import Verdict


class WireError(Exception):
    """A value that cannot cross, or bytes that are no message of ours."""


class TooLargeError(WireError):
    """A value that is too large to cross, or nested too deeply, though it is of a kind that may."""


class CannotCrossError(RuntimeError):
    """A test does what cannot work on something of the student's: the suite's fault.

    subtle: no TypeError, which Python takes for "try the other operand" and forgets.
    """


class ReadOnlyError(CannotCrossError):
    """A test changes its copy of what the student's code answered."""


class MissingNameError(AttributeError):
    """The student's module has no such name."""


class ChangedArgumentError(Exception):
    """The student's code has changed an argument in place, and the test does not expect it."""


class Stop(BaseException):
    """Ends a test at once with a verdict. Not an Exception, so that no test can swallow it.

    `chosen` ends the message with what the student's code could choose: of a hidden test, it is
    left out.
    """

    def __init__(self, verdict: Verdict, message: str, chosen: str = "") -> None:
        super().__init__(message + chosen)
        self.verdict, self.message, self._said = verdict, message + chosen, message

    def told(self, *, visible: bool) -> str:
        """Return the message as it is told of a visible or a hidden test."""
        return self.message if visible else self._said
