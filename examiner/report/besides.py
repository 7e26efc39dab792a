"""What counts besides the tests, as the report tells it: dates, corrections, requests.

Leaves out what it does to a score (examiner/term).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Line = tuple[str, str, str]  # whom it concerns ("": all), what it is, and the answer to it


@dataclass(frozen=True)
class Besides:
    """What an instructor settled for a class, and what came of it."""

    dates: str = ""  # when it was due, and what lateness costs
    late: int = 0  # students
    cost: float = 0.0  # points that lateness cost them in all
    settled: Sequence[Line] = ()  # by corrections and extensions
    requests: Sequence[Line] = ()  # for a second look
    notes: Sequence[str] = ()  # to look at: files and rows of nobody, days that are not followed

    def __bool__(self) -> bool:
        return bool(self.dates or self.late or self.settled or self.requests or self.notes)
