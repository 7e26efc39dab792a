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

from examiner.errors import UserError
from examiner.grading.run import processors
from examiner.grading.store import Key
from examiner.platforms.nbgrader.ahead import Ahead, How
from examiner.platforms.nbgrader.autograde_steps import SandboxedExecute
from examiner.platforms.nbgrader.background import Background
from examiner.platforms.nbgrader.changes import key_in
from examiner.platforms.nbgrader.course import assignment, course_folder
from examiner.platforms.nbgrader.gradebook import open_gradebook
from examiner.platforms.nbgrader.handed_in import prepare, released_ids
from examiner.platforms.nbgrader.plain_files import (
    by_student,
    clear_the_way,
    copy_for_marking,
    links_in,
    plain_files,
    time_in,
)
from examiner.platforms.nbgrader.restore_cells import RestoreCells, released
from examiner.plural import count


class PlainCopy(BaseConverter):
    """Copies a submission without following links; nbgrader would bring in what they lead to."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is no notebook, link or device to where the graded notebook goes.

        subtle: nbgrader copies the source's files over it next, and would fail where a student has
        a folder in the place of a file.
        """
        source = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        copy_for_marking(
            source, target, map(Path, find_all_files(str(source), self.coursedir.ignore))
        )
        ours = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id))
        for path in plain_files(ours):
            clear_the_way(target, path.relative_to(ours))


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
        self.keys: dict[tuple[str, str], Key] = {}  # of the run before, likewise
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
            with Background(processors()) as background:
                if self.is_ours:
                    self._begin(background)
                super().convert_notebooks()
                self.remarks += self.ahead.faults() if self.is_ours else []
        finally:
            del self.coursedir.get_existing_timestamp
            for line in self.remarks:
                self.log.warning(line)

    def _begin(self, background: Background) -> None:
        """Have modules judged and notebooks run before nbgrader's loop comes to them."""
        root = Path(self.coursedir.root)
        of = assignment(root, self.coursedir.assignment_id)
        kept = self.exclude_overwriting.get(of.name, [])
        self.ahead = Ahead(background, How(of, kept, SandboxedExecute(config=self.config).seconds))
        due = {student: path for student, path in self._folders() if self._is_due(student, path)}
        if of.chapter is not None:
            self.log.info("The examiner judges %s", count(len(due), "module"))
            self.ahead.judge_modules(root, due)
        for student in due:
            done = Path(self._format_dest(of.name, student))
            self.keys |= {(student, path.stem): key_in(path) for path in done.glob("*.ipynb")}
        if self.pre_convert_hook is not None:
            return  # which may change the notebooks before they are run
        with open_gradebook(self.coursedir.db_url, self.config) as book:
            paths = [path for each in due.items() for path in self._prepare(*each)]
            names = [str(each.name) for each in book.api.find_assignment(of.name).notebooks]
            originals = {name: released(book.api, name, of) for name in names}
        for path in paths:
            if path.stem in originals:
                self.ahead.run_notebook(path, originals[path.stem])

    def _is_due(self, student: str, folder: Path) -> bool:
        """Tell whether nbgrader's loop will grade this work, as its init_destination does."""
        if student in self.coursedir.student_id_exclude.split(","):
            return False
        done = Path(self._format_dest(self.coursedir.assignment_id, student))
        if self.force or not done.exists():
            return True
        new, old = _time_in(str(folder)), _time_in(str(done))
        return bool(new and old and new > old)


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
