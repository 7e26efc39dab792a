"""The rows of grade files for Canvas, Moodle and Gradescope, made from nothing but marks.

Leaves out filling in a file that the platform gave (forms.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from examiner.grading.spreadsheet import harmless, number


@dataclass(frozen=True)
class Mark:
    """What a student has for an assignment."""

    assignment: str
    most: float
    student: str
    score: float | None  # None: nothing was handed in
    first: str = ""
    last: str = ""
    email: str = ""
    number: str = ""  # by which the platform knows the student, where it tells
    status: str = "Graded"
    time: str = ""

    @property
    def name(self) -> str:
        """Last name and first; the id where there is no name."""
        return ", ".join(filter(None, (self.last, self.first))) or self.student

    @property
    def about(self) -> list[str]:
        """First name, last name, id and address, fit for a spreadsheet."""
        return [harmless(text) for text in (self.first, self.last, self.student, self.email)]


def by_student(marks: Iterable[Mark]) -> dict[str, dict[str, Mark]]:
    """Return each student's marks by the name of the assignment."""
    found: dict[str, dict[str, Mark]] = {}
    for mark in marks:
        found.setdefault(mark.student, {})[mark.assignment] = mark
    return found


def canvas(marks: Iterable[Mark]) -> Iterator[list[str]]:
    """Return what Canvas' gradebook takes under Import: the columns and the row of its own export.

    Canvas finds a student by ID, SIS User ID or SIS Login ID: the platform's number is written as
    ID, ours as the other two.
    """
    marks = list(marks)
    most = {mark.assignment: mark.most for mark in marks}
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *map(harmless, most)]
    yield ["    Points Possible", "", "", "", "", *map(number, most.values())]
    for student, found in by_student(marks).items():
        first = next(iter(found.values()))
        ours = "" if student == f"canvas-{first.number}" else student  # made of that number
        ids = [harmless(each) for each in (first.number, ours, ours)]
        # an empty cell leaves what Canvas has; a student who handed nothing in is no 0 there
        yield [harmless(first.name), *ids, "", *(_points(found.get(each), "") for each in most)]


def moodle(marks: Iterable[Mark]) -> Iterator[list[str]]:
    """Return what Moodle's Grade import (CSV) takes: map "ID number" to the user's ID number."""
    marks = list(marks)
    names = list(dict.fromkeys(mark.assignment for mark in marks))
    columns = [f"Assignment: {name} (Real)" for name in names]
    yield ["First name", "Last name", "ID number", "Email address", *columns]
    for found in by_student(marks).values():
        about = next(iter(found.values())).about
        # "-" is what Moodle's own export writes for no grade
        yield [*about, *(_points(found.get(each), "-") for each in names)]


def gradescope(marks: Iterable[Mark]) -> Iterator[list[str]]:
    """Return a roster that Gradescope takes, with the columns of its own grade file behind it.

    Gradescope reads names, addresses and ids (Roster > Add Students) and no grades: those come
    from its autograder.
    """
    head = ["First Name", "Last Name", "SID", "Email", "Assignment"]
    yield [*head, "Total Score", "Max Points", "Status", "Submission Time"]
    for mark in marks:
        status = mark.status if mark.score is not None else "Missing"
        points = [_points(mark, ""), number(mark.most)]
        yield [*mark.about, harmless(mark.assignment), *points, status, mark.time]


def _points(mark: Mark | None, none: str) -> str:
    return none if mark is None or mark.score is None else number(mark.score)


MAKERS: dict[str, Callable[[Iterable[Mark]], Iterator[list[str]]]] = {
    "canvas": canvas,
    "moodle": moodle,
    "gradescope": gradescope,
}


def written(rows: Iterable[list[str]], mark: str = ",") -> str:
    """Return rows as CSV, quoted where a cell needs it."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=mark, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue()
