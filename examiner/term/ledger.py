"""Days in hand over a term: which chapter used how many of each student's, kept in a file.

A chapter takes what the chapters due before it have left, so that marking one again never takes
days from another student's later work, nor gives it any. A student is found again by the id or by
the address, whatever their case: one chapter's class list may have ids, another's addresses alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from examiner.errors import UserError

FILE = "days-in-hand.json"


@dataclass(frozen=True)
class Used:
    """Days in hand that a student used in a chapter."""

    chapter: str
    due: datetime  # aware
    student: str
    days: int
    email: str = ""

    @property
    def called(self) -> frozenset[str]:
        """What the student is found again by."""
        return called(self.student, self.email)


def called(student: str, email: str = "") -> frozenset[str]:
    """Return what a student is found again by.

    >>> called("Ada@uni.example") == called("7", "ada@uni.example") - {"7"}
    True
    """
    return frozenset({student.casefold(), email.casefold()} - {""})


@dataclass(frozen=True)
class Spent:
    """What a student used of the days in hand in the chapter that is graded."""

    student: str
    days: int
    email: str = ""
    late: bool = False  # noted also without days: with days left it would have been another mark


@dataclass(frozen=True)
class Ledger:
    """What was used in all chapters that have been graded."""

    rows: tuple[Used, ...] = ()

    def before(self, student: str, chapter: str, due: datetime, email: str = "") -> int:
        """Return how many days a student used in chapters that were due before this one."""
        return sum(
            row.days
            for row in self.of(called(student, email))
            if row.chapter != chapter and (row.due, row.chapter) < (due, chapter)
        )

    def of(self, names: Collection[str]) -> list[Used]:
        """Return the rows of a student who is `called` so."""
        places = {place for name in names for place in self._places.get(name, ())}
        return [self.rows[place] for place in sorted(places)]

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        """Of the rows of each name: a class is asked for student by student."""
        places = defaultdict(list)
        for place, row in enumerate(self.rows):
            for name in row.called:
                places[name].append(place)
        return places

    def with_chapter(self, chapter: str, due: datetime, spent: Collection[Spent]) -> Ledger:
        """Return the ledger in which these students used so many days in a chapter.

        What others used in it stays: a class may be graded in groups, or one late work by itself.
        """
        now = {name for each in spent for name in called(each.student, each.email)}
        others = [
            replace(row, due=due) if row.chapter == chapter else row
            for row in self.rows
            if row.chapter != chapter or not row.called & now
        ]
        new = [
            Used(chapter, due, each.student, each.days, each.email)
            for each in spent
            if each.days or each.late
        ]
        return Ledger(
            tuple(sorted([*others, *new], key=lambda row: (row.due, row.chapter, row.student)))
        )

    def to_grade_again(self, before: Ledger, chapter: str, due: datetime) -> list[str]:
        """Return the chapters due later whose marks rest on days that are others than `before`."""
        later = [row for row in self.rows if (row.due, row.chapter) > (due, chapter)]
        touched = (
            row.chapter
            for row in later
            if self._in(chapter, row.called) != before._in(chapter, row.called)
        )
        return list(dict.fromkeys(touched))

    def _in(self, chapter: str, names: frozenset[str]) -> int:
        """Return how many days a student of these names used in a chapter."""
        return sum(row.days for row in self.of(names) if row.chapter == chapter)

    def to_json(self) -> str:
        """Return the file's text, with a line for each row: an inbox writes it for each late work.

        subtle: `json.dumps` takes three times as long where it indents.
        """
        rows = (vars(row) | {"due": row.due.isoformat()} for row in self.rows)
        said = ({key: value for key, value in row.items() if value != ""} for row in rows)
        texts = (json.dumps(row, ensure_ascii=False) for row in said)
        return "[" + ",".join(f"\n {text}" for text in texts) + "\n]\n"


def read_ledger(path: Path) -> Ledger:
    """Read the ledger; an empty one where there is no file.

    Raises UserError where the file is none of ours.
    """
    if not path.exists():
        return Ledger()
    try:
        raw = json.loads(path.read_text("utf-8"))
        return Ledger(tuple(_used(**each) for each in raw))
    except (OSError, ValueError, TypeError) as error:
        text = (
            f"{path} cannot be read ({error}): mend it, or remove it and grade all chapters again"
        )
        raise UserError(text) from None


def _used(chapter: str, due: str, student: str, days: int, email: str = "") -> Used:
    moment = datetime.fromisoformat(due)
    if moment.tzinfo is None or not isinstance(days, int):
        raise ValueError("expected times with a zone and whole days")
    return Used(str(chapter), moment, str(student), days, str(email))
