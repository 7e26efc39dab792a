"""The course's roster, asked of the platform when an instructor looks, and kept for minutes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from examiner.errors import UserError
from examiner.judge.wording import one_line
from examiner.platforms.lti.launch import name_of
from examiner.platforms.lti.ledger import Link
from examiner.platforms.lti.sender import Sender

KEPT = 300.0  # seconds


@dataclass(frozen=True)
class Member:
    """Somebody whom the platform names as a student of the course."""

    user: str
    name: str
    email: str


@dataclass(frozen=True)
class Roster:
    """A course's students; or why they are not known."""

    students: Sequence[Member] = ()
    trouble: str = ""


class Members:
    """Rosters by link."""

    def __init__(self, sender: Sender) -> None:
        self._sender, self._lock = sender, threading.Lock()
        self._kept: dict[int, tuple[float, Roster]] = {}

    def of(self, link: Link) -> Roster:
        """Return a link's roster; it may call the platform."""
        with self._lock:
            at, found = self._kept.get(link.id, (-KEPT, Roster()))
        if time.monotonic() - at < KEPT:
            return found
        try:
            found = Roster(students_of(self._sender.members(link)))
        except UserError as error:
            return Roster(trouble=str(error))
        with self._lock:
            self._kept[link.id] = (time.monotonic(), found)
        return found

    def wake(self) -> None:
        """Say that there is something to send."""
        self._sender.wake()


def students_of(rows: Sequence[Mapping[str, Any]]) -> list[Member]:
    """Return the students among a platform's members: who learns, teaches nothing, and is there.

    >>> students_of([{"user_id": "1", "name": "Ada", "roles": ["Learner"]},
    ...              {"user_id": "2", "roles": ["Instructor"]}])
    [Member(user='1', name='Ada', email='')]
    """
    found = []
    for row in rows:
        if not isinstance(row, dict):
            continue
        named = row.get("roles") or []
        named = named if isinstance(named, list) else [named]
        roles = {str(role).rpartition("#")[2].rpartition("/")[2] for role in named}
        there = row.get("status", "Active") == "Active"
        if there and roles & {"Learner", "Student"} and not roles & {"Instructor", "Administrator"}:
            email = one_line(str(row.get("email") or ""), 200)
            found.append(Member(str(row.get("user_id", "")), one_line(name_of(row), 100), email))
    return sorted(found, key=lambda each: (each.name, each.user))
