"""nbgrader's gradebook, written to in one transaction per student. Leaves out how points arise."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbgrader
import sqlalchemy.exc
from alembic.script import ScriptDirectory
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from examiner.errors import UserError
from examiner.grading.roster import Student, parted
from examiner.platforms.nbgrader.check_cells import CellScore
from examiner.platforms.nbgrader.course import Assignment
from examiner.platforms.nbgrader.notebook import automatic_score, id_of

NO_RESPONSE = "No response."


@dataclass(frozen=True)
class GradedNotebook:
    """A student's notebook, and the points of its cells by grade id."""

    student: str
    assignment: str
    notebook: str
    nb: NotebookNode
    scores: Mapping[str, CellScore]


@dataclass(frozen=True)
class GradebookEntry:
    """What the gradebook holds of a student's notebook."""

    student: str
    points: float  # what is known without the marks that a person still has to give
    max_points: float
    penalty: float = 0.0
    waiting: tuple[str, ...] = ()  # cells that wait for such marks
    late: float = 0.0  # seconds
    before: float | None = None  # the points of the run before, if there was one
    changed: tuple[str, ...] = ()  # cells whose points are others than before


@dataclass
class Book:
    """An open gradebook with the course's settings."""

    api: Gradebook
    settings: Config

    def notebook(self, of: Assignment) -> str:
        """Return the name of the assignment's notebook; raises UserError if it is not known."""
        try:
            found = self.api.find_assignment(of.name).notebooks
        except MissingEntry:
            found = []
        if not found:
            raise UserError(
                f"the gradebook does not know the assignment {of.name}: "
                f"run `nbgrader generate_assignment {of.name}` in the course folder first"
            )
        return str(found[0].name)

    def introduce(self, person: Student) -> None:
        """Tell the gradebook a student's name and address, where it has none."""
        student = self.api.update_or_create_student(person.id)
        first, last = parted(person)
        said = {"first_name": first, "last_name": last, "email": person.email}
        for attribute, text in said.items():
            if text and not getattr(student, attribute):
                setattr(student, attribute, text)
        self.api.db.commit()

    def penalty(self, graded: GradedNotebook, submitted: Any) -> float | None:
        """Return the late penalty by nbgrader's plugin, as the course's settings say."""
        student = graded.student
        late = self.api.find_submission(graded.assignment, student).total_seconds_late
        if late <= 0:
            return None
        step = AssignLatePenalties(config=self.settings)
        step.init_plugin()
        found = step.plugin_inst.late_submission_penalty(student, submitted.score, late)
        return None if found is None else float(step._check_late_penalty(submitted, found))


def database_url(text: str) -> str:
    """Return a database URL; a plain path means an SQLite file.

    >>> database_url("postgresql://localhost/grades")
    'postgresql://localhost/grades'
    """
    return text if "://" in text else f"sqlite:///{Path(text).resolve()}"


@contextmanager
def open_gradebook(text: str, settings: Config) -> Iterator[Book]:
    """Open the gradebook at a URL or path; raises UserError when it cannot be used."""
    url = database_url(text)
    _require_file(url)
    course = settings["CourseDirectory"].get("course_id") or "default_course"
    # nbgrader calls the program alembic by name, and may have been installed beside this Python
    beside = str(Path(sys.executable).parent)
    if beside not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", os.defpath)])
    # nbgrader relies on what SQLAlchemy warns of
    warnings.filterwarnings("ignore", category=sqlalchemy.exc.SAWarning)
    try:
        with Gradebook(url, str(course)) as api:
            _check_version(api)
            yield Book(api, settings)
    except sqlalchemy.exc.OperationalError as error:
        reason = str(error.orig).splitlines()[0]
        if "locked" in reason:
            reason += ": another program is writing to it; end that program or try again later"
        raise UserError(f"the gradebook {_shown(url)} cannot be used: {reason}") from None
    except sqlalchemy.exc.DatabaseError as error:
        reason = str(error.orig).splitlines()[0]
        raise UserError(f"{_shown(url)} is no gradebook of nbgrader: {reason}") from None
    except sqlalchemy.exc.ArgumentError:
        raise UserError(
            f"{_shown(url)} is no database URL; expected one like sqlite:///gradebook.db or "
            "postgresql://user@host/name"
        ) from None
    except ModuleNotFoundError as error:
        raise UserError(f"{_shown(url)} needs the package {error.name}: pip install it") from None


def _require_file(url: str) -> None:
    """Raise UserError for an SQLite file that is not there: SQLite would make an empty one."""
    path = Path(url.removeprefix("sqlite:///").partition("?")[0])
    if url.startswith("sqlite:///") and not path.is_file():
        raise UserError(
            f"the gradebook {path} cannot be used: there is no such file; "
            "`nbgrader generate_assignment` makes gradebook.db in the course folder"
        )


def _shown(url: str) -> str:
    """Return the URL without a password.

    >>> _shown("postgresql://me:secret@host/db")
    'postgresql://me:***@host/db'
    """
    head, _, tail = url.rpartition("@")
    if not head or head.count(":") < 2:
        return url
    return f"{head.rpartition(':')[0]}:***@{tail}"


@cache
def _newest_version() -> str:
    """Return the version of the installed nbgrader's tables."""
    folder = Path(nbgrader.__file__).parent / "alembic"
    return str(ScriptDirectory(str(folder)).get_current_head())


def _check_version(api: Gradebook) -> None:
    if "alembic_version" not in sqlalchemy.inspect(api.engine).get_table_names():
        raise UserError(
            "the gradebook says nothing of its version: nbgrader was broken off while it made it, "
            "as when it does not find the program alembic; move the file away and run "
            "`nbgrader generate_assignment` again, with the environment activated"
        )
    found = api.db.execute(sqlalchemy.text("SELECT version_num FROM alembic_version")).scalar()
    wanted = _newest_version()
    if found != wanted:
        raise UserError(
            f"the gradebook is from another version of nbgrader ({found}, expected {wanted}): "
            "back it up, then run `nbgrader db upgrade`"
        )


def write_scores(book: Book, graded: GradedNotebook) -> GradebookEntry:
    """Write a student's scores; return what the gradebook holds now, and held before.

    A mark that a person gave stays; it is shown to that person again, as nbgrader does.
    """
    api, student = book.api, graded.student
    api.update_or_create_student(student)
    work = api.update_or_create_submission(graded.assignment, student)
    submitted = api.find_submission_notebook(graded.notebook, graded.assignment, student)
    known = not all(is_unmarked(each) for each in submitted.grades)
    before = _points(submitted) if known else None
    scores = {grade.name: grade.score for grade in submitted.grades}
    cells = {id_of(cell): cell for cell in graded.nb.cells if id_of(cell)}
    for grade in submitted.grades:
        if grade.name in cells:
            _write_grade(grade, cells[grade.name], graded.scores)
    for comment in submitted.comments:
        cell = cells.get(comment.name)
        if cell is not None:
            unchanged = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
            silent = comment.name in graded.scores if utils.is_task(cell) else unchanged
            comment.auto_comment = NO_RESPONSE if silent else None
    submitted.late_submission_penalty = None
    api.db.commit()
    submitted.late_submission_penalty = book.penalty(graded, submitted)
    api.db.commit()
    api.db.refresh(submitted)
    changed = tuple(each.name for each in submitted.grades if each.score != scores[each.name])
    return GradebookEntry(
        student,
        _points(submitted),
        float(submitted.max_score),
        submitted.late_submission_penalty or 0.0,
        tuple(each.name for each in submitted.grades if is_unmarked(each)),
        float(work.total_seconds_late),
        before,
        changed if known else (),
    )


def _points(submitted: Any) -> float:
    return float(submitted.score or 0.0) - (submitted.late_submission_penalty or 0.0)


def is_unmarked(grade: Any) -> bool:
    """Tell whether a grade has no points yet, of the grader's or of a person's."""
    return grade.auto_score is None and grade.manual_score is None


def _write_grade(grade: Any, cell: NotebookNode, scores: Mapping[str, CellScore]) -> None:
    if utils.is_task(cell):  # marked by hand, where something was handed in
        grade.auto_score = scores[grade.name].points if grade.name in scores else None
        grade.needs_manual_grade = is_unmarked(grade)
        return
    grade.auto_score = automatic_score(cell, scores)
    grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
