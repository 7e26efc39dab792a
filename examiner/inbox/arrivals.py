"""What an inbox is: arrivals, their order, and what is known of those that wait.

An inbox may be a folder (folder.py) or a table (postgres.py); a learning platform's door, such as
an LTI tool, would call `put`. Each keeps these promises:

- an arrival that was accepted is graded once, whatever is killed when, unless it was refused with
  a reason;
- of one student's arrivals the earlier is graded before the later, one at a time;
- no student has more than `rate` arrivals graded in an hour: the others wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from examiner.errors import UserError
from examiner.grading.submissions import Submission, read
from examiner.grading.works import Entry

HOUR = 3600.0
MOST_WAITING = 50  # of one student's; later ones are refused
KINDS = (".zip", ".py")


class InboxError(UserError):
    """The inbox cannot be used just now: nothing is lost, and it is tried again."""


@dataclass(frozen=True)
class Arrival:
    """What a student handed in, in an inbox."""

    ticket: str  # its name, which sorts by time
    student: str
    path: Path  # of the file or folder
    arrived: float  # seconds since 1970, by a clock that the student cannot set
    name: str = ""  # the student's, where whoever took the work in knows it
    email: str = ""
    account: str = ""  # who it is in all chapters, where `student` names somebody in one alone

    def read(self, stem: str) -> Submission:
        """Read it, as one of a class is read."""
        entry = Entry(self.student, name=self.name, email=self.email)
        if self.path.suffix.lower() == ".py" and self.path.is_file():
            return read(replace(entry, files=((f"{stem}.py", self.path),)), stem)
        return read(replace(entry, paths=(self.path,)), stem)


@dataclass(frozen=True)
class Waiting:
    """One that waits, as the page shows it."""

    ticket: str
    student: str
    arrived: float
    state: str  # "waiting", "in hand", "later": the student's rate is used up


@dataclass(frozen=True)
class Overview:
    """What an inbox holds."""

    waiting: Sequence[Waiting] = ()  # the first of them
    count: int = 0  # of all that wait or are in hand
    done: int = 0
    refused: int = 0
    latest: Sequence[dict[str, Any]] = field(default=())  # what was graded last, newest first


class Inbox(Protocol):
    """Where arrivals wait."""

    @property
    def said(self) -> list[str]:
        """Lines for whoever watches, who takes them out."""

    @property
    def is_shared(self) -> bool:
        """Whether other hosts take from it, too."""

    def put(self, student: str, name: str, data: bytes) -> str:
        """Hand a file in for a student; return its ticket."""

    def claim(self, most: int) -> list[Arrival]:
        """Return up to so many whose turn it is, and note that they are in hand.

        Raises InboxError where the inbox cannot be used.
        """

    def finish(self, arrival: Arrival, record: dict[str, Any], pages: dict[str, str]) -> None:
        """Note that one is graded; raises InboxError where that cannot be noted."""

    def results(self, tickets: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
        """Return the record and the page of what was graded of these, by whichever host.

        Nobody asks an inbox that is not shared.
        """

    def beat(self) -> None:
        """Say that this process still lives and works on what it has in hand."""

    def overview(self) -> Overview:
        """Return what the page shows."""

    def close(self) -> None:
        """Let go of the inbox; what is in hand waits again."""
