"""Grades whatever a class handed in into nbgrader's gradebook: `nextword grade --gradebook`.

Lays it out as nbgrader's `submitted/`, and has nbgrader autograde that (careful_autograde.py).
Leaves out the command line (cli/grade.py).
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nbformat.warnings import MissingIDFieldWarning
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.entries import open_class
from examiner.grading.outcome import Change
from examiner.grading.roster import Roster, Student
from examiner.grading.told_times import told_times
from examiner.grading.works import Entry, ProblemError
from examiner.platforms.nbgrader import configure
from examiner.platforms.nbgrader.careful_autograde import CarefulAutograde
from examiner.platforms.nbgrader.course import (
    Assignment,
    assignment,
    course_folder,
    course_settings,
)
from examiner.platforms.nbgrader.gradebook import GradebookEntry, database_url, open_gradebook
from examiner.platforms.nbgrader.plain_files import note_time
from examiner.platforms.nbgrader.zips import lay_out
from examiner.plural import count
from examiner.project import COMMAND


@dataclass(frozen=True)
class GradedStudent:
    """What a run wrote of a student."""

    written: GradebookEntry
    remarks: tuple[str, ...] = ()  # what was not as it should be
    judged: bool = True
    changes: tuple[Change, ...] = ()  # since the run before


def grade_into(
    course: Path,
    name: str,
    submissions: Path,
    url: str,
    *,
    jobs: int = 0,
    roster: Roster | None = None,
    times: Roster | None = None,
    say: Callable[[str], None] = print,
) -> list[GradedStudent]:
    """Grade every submission of the assignment `name` and write it to the gradebook at `url`.

    Marks that a person gave stay, and so does what was handed in: copies are graded. When works
    were handed in says the table of `times`, and a platform of those that it does not name. Raises
    UserError for a folder or a gradebook of another kind.
    """
    course = course_folder(course.resolve())
    settings = _settings(course)
    people = {person.id: person for person in roster.people} if roster else {}
    with (
        tempfile.TemporaryDirectory(prefix=f"{COMMAND}-class-") as place,
        open_class(submissions, roster, f"{name}.py") as found,
    ):
        submitted = CourseDirectory(
            config=settings,
            root=str(course),
            db_url=database_url(url),
            submitted_directory=place,
            assignment_id=name,
            student_id_exclude="",
        )
        CarefulAutograde(coursedir=submitted, config=settings).check()
        of = assignment(course, name)  # as the check has read it
        if of.chapter is None:
            raise UserError(f"{course / 'source' / name} holds no assignment of the course")
        for person in found.absent:
            say(f"{person.id}: {person.absence}")
        if found.passed_over:
            say(printable(found.passed_over))
        entries = _timed(found.entries, times, say)
        notices, failures = _lay_out(entries, of, submitted)
        say(f"judging {count(len(found.entries), 'module')} and running their notebooks …")
        grader = CarefulAutograde(
            coursedir=submitted, config=settings, jobs=jobs, notices=notices, checked=True
        )
        grader.force = grader.create_student = True
        if len(failures) < len(found.entries):
            _run(grader)
        failures |= grader.failures
        _introduce(people, grader, settings)
    for line in grader.faults:
        say(f"not judged, for the whole class: {printable(line)}")
    changes = defaultdict[str, list[Change]](list)
    for change in grader.changes:
        changes[change.student].append(change)
    return [
        _graded(each.student, grader, failures, changes[each.student]) for each in found.entries
    ]


def _settings(course: Path) -> Config:
    """Return what the course's config says, with our steps even where it leaves them out."""
    settings = course_settings(course)
    if not CarefulAutograde(config=settings).is_ours:
        configure(settings)
    warnings.filterwarnings("ignore", category=MissingIDFieldWarning)  # our own have ids
    return settings


def _timed(
    entries: Sequence[Entry], times: Roster | None, say: Callable[[str], None]
) -> list[Entry]:
    """Return the entries with the times that a table tells; its rows that fit nobody are said."""
    if times is None:
        return list(entries)
    told, lost = told_times(entries, times)
    if lost:
        say(printable(lost))
    return [replace(each, handed=told.get(each.student, each.handed)) for each in entries]


def _lay_out(
    entries: Iterable[Entry], of: Assignment, submitted: CourseDirectory
) -> tuple[dict[str, list[str]], dict[str, Exception]]:
    """Lay out each student's work; return what was odd about it, and what prevents judging it."""
    notices: dict[str, list[str]] = {}
    failures: dict[str, Exception] = {}
    wanted = [f"{of.chapter.stem}.py"] if of.chapter else []
    wanted += [path.name for path in of.folder.glob("*.ipynb")]
    for entry in entries:
        path = submitted.format_path(submitted.submitted_directory, entry.student, of.name)
        try:
            notes = lay_out(entry, Path(path), wanted)
            notices[entry.student] = [printable(text) for text in notes]
            note_time(Path(path), entry.handed)
        except Exception as error:  # whatever a submission can bring about
            failures[entry.student] = error
            shutil.rmtree(path, ignore_errors=True)  # what was laid out before
    return notices, failures


def _run(grader: CarefulAutograde) -> None:
    """Grade; the trouble of one student is noted, that of the whole class raises UserError."""
    try:
        grader.start()
    except NbGraderException as error:
        if not grader.failures:
            raise UserError(str(error)) from None


def _introduce(people: Mapping[str, Student], grader: CarefulAutograde, settings: Config) -> None:
    """Write names and addresses into the gradebook.

    Raises what ended everybody's grading: no sandbox, or a gradebook that fails.
    """
    with open_gradebook(grader.coursedir.db_url, settings) as book:
        for error in grader.failures.values():
            if isinstance(error, (UserError, SQLAlchemyError)):
                raise error
        for student in grader.written:
            if student in people:
                book.introduce(people[student])


def _graded(
    student: str,
    grader: CarefulAutograde,
    failures: Mapping[str, Exception],
    changes: Sequence[Change],
) -> GradedStudent:
    remarks = tuple(dict.fromkeys(grader.remarks[student]))
    if error := failures.get(student):
        known = isinstance(error, ProblemError)
        why = str(error) if known else f"{type(error).__name__}: {error}"
        return GradedStudent(
            GradebookEntry(student, 0, 0), (*remarks, f"not judged: {why}"), judged=False
        )
    return GradedStudent(_whole(grader.written[student]), remarks, changes=tuple(changes))


def _whole(notebooks: Sequence[GradebookEntry]) -> GradebookEntry:
    """Return what the gradebook holds of all of a student's notebooks."""
    return replace(
        notebooks[0],
        points=sum(each.points for each in notebooks),
        max_points=sum(each.max_points for each in notebooks),
        penalty=sum(each.penalty for each in notebooks),
        waiting=tuple(name for each in notebooks for name in each.waiting),
    )
