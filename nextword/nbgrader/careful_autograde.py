"""nbgrader's Autograde, which looks at the course and at the submissions before it grades them.

nbgrader has no hook for this: `install` puts the class into the place of nbgrader's own. In a
course folder without our steps in its config it differs only in how it copies files.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, BaseConverter
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import find_all_files, parse_utc

from nextword.errors import UserError
from nextword.nbgrader.course import assignment, course_folder
from nextword.nbgrader.gradebook import open_gradebook
from nextword.nbgrader.handed_in import prepare, released_ids
from nextword.nbgrader.plain_files import by_student, copy_for_marking, links_in, time_in
from nextword.nbgrader.restore_cells import RestoreCells


class PlainCopy(BaseConverter):
    """Copies a submission without following links; nbgrader would bring in what they lead to."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is no notebook, link or device to where the graded notebook goes."""
        source = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        copy_for_marking(
            source, target, map(Path, find_all_files(str(source), self.coursedir.ignore))
        )


class CarefulAutograde(Autograde, PlainCopy):
    """Grades what was handed in, however it was handed in, and says what was not as it should."""

    @property
    def is_ours(self) -> bool:
        """Tell whether the config has the course's steps."""
        return RestoreCells in self.sanitize_preprocessors

    def init_notebooks(self) -> None:
        """Find the submissions; first see that course and gradebook can be used at all."""
        self.notes: dict[tuple[str, str], str] = {}  # by student and notebook
        self.remarks: list[str] = []
        if self.is_ours:
            try:
                self._check()
            except UserError as error:
                self.log.error(str(error))
                raise NbGraderException(str(error)) from None
            self._add_notebooks()
        super().init_notebooks()

    def _check(self) -> None:
        root, name = course_folder(Path(self.coursedir.root)), self.coursedir.assignment_id
        if not assignment(root, name).order:
            raise UserError(
                f"{root / 'source' / name} holds no assignment: is {name} its name? "
                "It is that of a folder in source/"
            )
        with open_gradebook(self.coursedir.db_url, self.config) as book:
            book.notebook(assignment(root, name))
            if book.api.engine.dialect.name == "sqlite":  # is it locked?
                book.api.db.execute(sqlalchemy.text("BEGIN IMMEDIATE"))
                book.api.db.rollback()

    def _add_notebooks(self) -> None:
        """Put a released notebook where none was handed in: nbgrader passes over such a folder."""
        for student, folder in self._folders():
            if folder.is_symlink():
                self._remark(student, f"{folder} is a link and was not followed")
            elif not any(folder.glob("*.ipynb")):
                self._prepare(student, folder)

    def _folders(self) -> Iterable[tuple[str, Path]]:
        """Yield the students that are to be graded with what they handed in."""
        pattern = self._format_source(self.coursedir.assignment_id, "*")
        return by_student(pattern, self.coursedir.student_id)

    def _prepare(self, student: str, folder: Path) -> list[Path]:
        root, name = Path(self.coursedir.root), self.coursedir.assignment_id
        source = root / "source" / name
        if self.coursedir.notebook_id != "*" or not released_ids(source):
            return []
        ready, notes = prepare(folder, source, root / "release" / name)
        for notebook, note in notes.items():
            if (student, notebook) not in self.notes:
                self._remark(student, note)
            self.notes[student, notebook] = note
        return ready

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Note when the work was handed in; a file that holds no time is named."""
        try:
            time_in(Path(self._format_source(assignment_id, student_id)))
        except ValueError as error:
            self._remark(student_id, str(error))
        super().init_assignment(assignment_id, student_id)

    def _remark(self, student: str, text: str) -> None:
        self.remarks.append(f"{student}: {text}")

    def run_pre_convert_hook(self) -> None:
        """Mend the names of notebooks, then call the hook of the config."""
        if self.is_ours:
            notebooks: list[str] = self.notebooks
            folder = Path(notebooks[0]).parent
            student = next(s for s, path in self._folders() if path == folder)
            for line in links_in(folder):
                self._remark(student, line)
            if ready := self._prepare(student, folder):
                notebooks[:] = [str(path) for path in ready]
        super().run_pre_convert_hook()

    def convert_notebooks(self) -> None:
        """Grade, and at the end say again what a person should look at."""
        linked = [path for path in self.assignments if Path(path).is_symlink()]
        for path in linked if self.is_ours else []:
            del self.assignments[path]
        # subtle: a file that holds no time would make nbgrader's own end the whole run
        self.coursedir.get_existing_timestamp = _time_in
        try:
            super().convert_notebooks()
        finally:
            del self.coursedir.get_existing_timestamp
            for line in self.remarks:
                self.log.warning(line)


def _time_in(folder: str) -> datetime | None:
    """Return when the work in a folder was handed in, as far as that is known."""
    try:
        text = time_in(Path(folder))
    except ValueError:
        return None
    found: datetime | None = parse_utc(text) if text else None
    return found


def install() -> None:
    """Let `nbgrader autograde` and the formgrader use the class."""
    modules: tuple[Any, ...] = (autogradeapp, api)
    for module in modules:
        module.Autograde = CarefulAutograde
