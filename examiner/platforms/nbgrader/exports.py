"""Grade files for Canvas, Moodle and Gradescope, and nbgrader's own with its quoting mended.

Each is a plugin of nbgrader:

    nbgrader export --exporter examiner.platforms.nbgrader.exports.Canvas --to canvas.csv
"""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from examiner.files import write_whole
from examiner.grading.spreadsheet import harmless, number
from examiner.platforms.marks import rows
from examiner.platforms.marks.rows import Mark
from examiner.platforms.nbgrader.gradebook import is_unmarked
from examiner.plural import count


@dataclass(frozen=True)
class Grade:
    """One student's grade for one assignment; without a submission the score is 0."""

    assignment: str
    max_points: float
    student: Any
    submission: Any

    @property
    def raw(self) -> float:
        """Points before the penalty for being late."""
        return float(self.submission.score) if self.submission else 0.0

    @property
    def penalty(self) -> float:
        """Points that being late costs."""
        return float(self.submission.late_submission_penalty) if self.submission else 0.0

    @property
    def score(self) -> float:
        """Points that count."""
        return max(0.0, self.raw - self.penalty)

    @property
    def not_marked(self) -> list[str]:
        """The parts that wait for a person's mark: the score may still rise."""
        notebooks = self.submission.notebooks if self.submission else ()
        return [str(each.name) for book in notebooks for each in book.grades if is_unmarked(each)]

    @property
    def about(self) -> list[str]:
        """First name, last name, id and address, fit for a spreadsheet."""
        student = self.student
        texts = (student.first_name, student.last_name, student.id, student.email)
        return [harmless(str(text or "")) for text in texts]


def _mode(target: Path) -> int:
    """Return who may read and write a file: as before, or as of any new file of this user."""
    if target.is_file():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


class Table(ExportPlugin):
    """Writes rows as CSV in UTF-8, quoted where a name needs it; ids stay text."""

    default_name = "grades.csv"
    byte_order_mark = False

    def rows(self, grades: list[Grade]) -> Iterable[list[str]]:
        """Return the file's rows, the header first."""
        raise NotImplementedError

    def export(self, gradebook: Gradebook) -> None:
        """Write the file."""
        target = Path(self.to or self.default_name)
        encoding = "utf-8-sig" if self.byte_order_mark else "utf-8"
        self.log.info("Exporting grades to %s", target)
        grades = self._grades(gradebook)
        made = io.StringIO()
        csv.writer(made, lineterminator="\r\n").writerows(self.rows(grades))
        write_whole(target, made.getvalue().encode(encoding), mode=_mode(target))
        self._warn([grade for grade in grades if grade.not_marked])

    def _warn(self, grades: list[Grade]) -> None:
        """Say which grades are not whole; a learning platform's columns have no place for it."""
        for grade in grades:
            who, parts = harmless(str(grade.student.id)), ", ".join(grade.not_marked)
            self.log.warning("%s, %s: not marked yet: %s", grade.assignment, who, parts)
        if grades:
            text = "%s not whole yet: mark, then export again"
            self.log.warning(text, count(len(grades), "grade is", "grades are"))

    def _grades(self, gradebook: Gradebook) -> list[Grade]:
        wanted = {str(each) for each in self.assignment}
        students = {str(each) for each in self.student}
        found = []
        for assignment in sorted(gradebook.assignments, key=lambda each: str(each.name)):
            if wanted and assignment.name not in wanted:
                continue
            for student in sorted(gradebook.students, key=lambda each: str(each.id)):
                if students and student.id not in students:
                    continue
                try:
                    submission = gradebook.find_submission(assignment.name, student.id)
                except MissingEntry:
                    submission = None
                max_points = float(assignment.max_score)
                found.append(Grade(str(assignment.name), max_points, student, submission))
        return found


class Plain(Table):
    """nbgrader's own columns, and what is not marked yet.

    nbgrader itself does not quote a name with a comma.
    """

    def rows(self, grades: list[Grade]) -> Iterator[list[str]]:
        """One row per student and assignment."""
        yield [
            *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name"),
            *("email", "raw_score", "late_submission_penalty", "score", "max_score"),
            "not_marked",
        ]
        for grade in grades:
            submission = grade.submission
            due = submission.assignment.duedate if submission else None
            first, last, name, email = grade.about
            texts = [grade.assignment, due, submission.timestamp if submission else None]
            texts += [name, last, first, email]
            points = (grade.raw, grade.penalty, grade.score, grade.max_points)
            shown = ["" if text is None else str(text) for text in texts]
            yield [*shown, *map(number, points), ", ".join(grade.not_marked)]


def marks(grades: Iterable[Grade]) -> Iterator[Mark]:
    """Return grades as every platform's rows are made from."""
    for grade in grades:
        student, submission = grade.student, grade.submission
        yield Mark(
            grade.assignment,
            grade.max_points,
            str(student.id),
            grade.score if submission else None,
            str(student.first_name or ""),
            str(student.last_name or ""),
            str(student.email or ""),
            str(student.lms_user_id or ""),
            "Not all marked" if grade.not_marked else "Graded",
            str(submission.timestamp or "") if submission else "",
        )


class Canvas(Table):
    """What Canvas' gradebook takes under Import; a student's `lms_user_id` is written as ID."""

    default_name = "canvas.csv"

    def rows(self, grades: list[Grade]) -> Iterator[list[str]]:
        """One row per student, one column per assignment."""
        return rows.canvas(marks(grades))


class Moodle(Table):
    """What Moodle's Grade import (CSV) takes: map "ID number" to the user's ID number."""

    default_name = "moodle.csv"

    def rows(self, grades: list[Grade]) -> Iterator[list[str]]:
        """One row per student, one column per assignment."""
        return rows.moodle(marks(grades))


class Gradescope(Table):
    """A roster that Gradescope takes, with the grades in further columns, which it ignores."""

    default_name = "gradescope.csv"

    def rows(self, grades: list[Grade]) -> Iterator[list[str]]:
        """One row per student and assignment."""
        return rows.gradescope(marks(grades))
