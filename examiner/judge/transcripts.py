"""What a test and a student's code said to each other, decoded for a comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from examiner.boundary import marks, wire
from examiner.boundary.conversation import Asked


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

    def _name(self, kind: int, key: Any) -> Any:
        if kind == marks.HANDLE:
            return "handle", self._order.setdefault(key, len(self._order))
        return "name", key


def readable(transcript: Sequence[Asked]) -> Iterator[list[Any]]:
    """Decode a transcript, as far as it is read."""
    return filter(None, map(Reader().read, transcript))
