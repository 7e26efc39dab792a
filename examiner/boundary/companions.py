"""Who goes along with a conversation: one lends parts of the reference, one knows what was said.

Leaves out what they do (judge/lending.py, judge/ways.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from examiner.boundary.conversation import Conversation


class Lender(Protocol):
    """Answers what a candidate asks of parts of the reference: judge/lending.py."""

    peak: int | None  # bytes that a part held at most, while somebody asks
    used: set[str]  # names of the parts that the running test has asked for
    tracing: bool  # whether gradients flow through what the student's objects are asked

    @property
    def busy(self) -> bool:
        """Whether a part is at work."""

    def begin(self) -> None:
        """Forget the last test."""

    def asks_for(self, answer: bytes) -> bytes:
        """Return what decides, besides the question itself, how one is answered."""

    def question(self, answer: bytes, talk: Conversation) -> list[Any] | None:
        """Return what is asked in place of an answer, or None."""

    def reply(self, asked: list[Any], talk: Conversation) -> bytes:
        """Return the request that answers it."""

    def traced(self, talk: Conversation, operation: str, args: Any, kwargs: Any) -> Any:
        """Ask the student's object as a part of a graph."""


class Way(Protocol):
    """Goes along with a test, and knows what was said in it before: judge/ways.py."""

    def told(self, request: bytes) -> bytes | None:
        """Return the answer that was heard already, before the test was run; None: ask now."""

    def heard(self, request: bytes, released: list[int], answer: bytes) -> None:
        """Take note of an answer that has been heard now."""

    def found(self, what: str, name: str, answer: str) -> None:
        """Take note of what the test has read without asking, of names or of the text."""

    def spoil(self) -> None:
        """Take note that the test goes by something else than answers."""
