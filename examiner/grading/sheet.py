"""A roster as the table that it is, to be filled in and given back to the platform it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from examiner.grading.roster import person_in, read_roster
from examiner.term.table import decoded, mark_in, read_rows


@dataclass(frozen=True)
class Sheet:
    """A roster as the table that it is, with whose each row is."""

    mark: str  # what parts cells
    byte_order_mark: bool
    head: list[str]
    rows: list[tuple[list[str], str | None]]  # cells, and a student's id where it is one's


def read_sheet(path: Path) -> Sheet:
    """Read a roster that is to be filled in; raises UserError as `read_roster` does."""
    read_roster(path)
    data = path.read_bytes()
    (_, head), *rows = read_rows(path, "the roster")
    found: list[tuple[list[str], str | None]] = []
    for _, row in rows:
        person = person_in(head, row)
        found.append(([*row, *[""] * (len(head) - len(row))], person.id if person else None))
    return Sheet(mark_in(decoded(data)), data.startswith(b"\xef\xbb\xbf"), head, found)
