"""What a test and a student's code said to each other, decoded for a comparison of two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from examiner.boundary import marks, wire
from examiner.boundary.conversation import Asked, Conversation
from examiner.candidate import learning
from examiner.judge.alike import alike
from examiner.results import TestResult, Verdict

MEASURED = f"{learning.__name__}.{learning.value_and_peak.__name__}"


class Reader:
    """Decodes what is said in one test, an exchange at a time.

    Handles become their order of appearance, which any run of the test shares.
    """

    def __init__(self) -> None:
        self._order: dict[Any, int] = {}

    def read(self, asked: Asked) -> list[Any]:
        """Return request, status, value and changes; nothing for what other runs may not ask."""
        known = len(self._order)
        request = wire.decode(asked.request, self._name, trusted=True)
        if request[0] in ("describe", "ship"):  # asked only of what is new: no other run has them
            for key in list(self._order)[known:]:
                del self._order[key]
            return []
        status, value, *changes = wire.decode(asked.answer, self._name)
        return [request, status, value[:2] if status == "error" else value, changes]

    def compare(self, asked: Asked) -> list[Any]:
        """Like `read`, for a comparison with a misconception's: bytes held are left out.

        How many a call holds depends on how it is written, even where the mistake is the same.
        """
        said = self.read(asked)
        if said:
            operation, args, *_ = said[0]
            if operation == "call" and args[0] == ("name", MEASURED) and said[1] == "ok":
                said[2] = said[2][:1] if isinstance(said[2], tuple) else None
        return said

    def _name(self, kind: int, key: Any) -> Any:
        if kind == marks.HANDLE:
            return "handle", self._order.setdefault(key, len(self._order))
        return "name", key


def readable(transcript: Sequence[Asked]) -> Iterator[list[Any]]:
    """Decode a transcript, as far as it is read."""
    return filter(None, map(Reader().read, transcript))


class Told:
    """What a student's code said in a test, decoded only as far as it is compared."""

    def __init__(self, transcript: Sequence[Asked]) -> None:
        self._said = list[Any]()
        self._more = filter(None, map(Reader().compare, transcript))

    def agrees(self, number: int, said: Any) -> bool:
        """Tell whether exchange `number` was this one, for a reader."""
        return self._holds(number) and alike(self._said[number], said)

    def ends_with(self, count: int) -> bool:
        """Tell whether these were all its exchanges, of which there was one at least."""
        return count > 0 and self._holds(count - 1) and not self._holds(count)

    def _holds(self, number: int) -> bool:
        self._said.extend(islice(self._more, max(0, number + 1 - len(self._said))))
        return number < len(self._said)


class Replay:
    """A test on trusted wrong code, run only as far as somebody's answers are the same.

    Most mistakes differ from a student's in the first answers: the rest of the test is left out.
    """

    def __init__(self, run: Callable[[], TestResult], talk: Conversation) -> None:
        self._begin, self._talk = run, talk
        self._said: list[Any] = []
        self._verdict: Verdict | None = None  # None: it was not run to its end

    @property
    def fails(self) -> bool:
        """Whether the test rejects the wrong code; it is run to its end for that."""
        if self._verdict is None:
            self._run(None)
        return self._verdict is Verdict.FAILED

    def is_told(self, told: Told) -> bool:
        """Tell whether it fails the test by the answers that a student's code gave, and no more."""
        if not all(told.agrees(number, said) for number, said in enumerate(self._said)):
            return False
        if self._verdict is None:
            self._run(told)
        return self._verdict is Verdict.FAILED and told.ends_with(len(self._said))

    def _run(self, told: Told | None) -> None:
        """Run the test from its beginning, up to the first answer that was not told."""
        self._said, reader, apart = [], Reader(), False

        def listen(asked: Asked) -> bool:
            nonlocal apart
            said = reader.compare(asked)
            if said:
                self._said.append(said)
                apart = told is not None and not told.agrees(len(self._said) - 1, said)
            return not apart

        self._talk.heard = listen
        try:
            verdict = self._begin().verdict
        finally:
            self._talk.heard = None
        self._verdict = None if apart else verdict
        if self._verdict not in (None, Verdict.FAILED):
            self._said.clear()  # nobody will ask for it
