"""nbgrader's Autograde, which looks at the course and at the submissions before it grades them.

nbgrader has no hook for this and no setting that names another class: `install` puts this one into
the two places where nbgrader makes its own. In a course folder without our steps in its config it
differs only in how it copies files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, BaseConverter
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import find_all_files, parse_utc

from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.outcome import Change
from examiner.grading.run import processors
from examiner.grading.store import Key
from examiner.platforms.nbgrader.ahead import Ahead, RunSettings
from examiner.platforms.nbgrader.autograde_steps import SandboxedExecute
from examiner.platforms.nbgrader.background import Background
from examiner.platforms.nbgrader.changes import key_in
from examiner.platforms.nbgrader.course import (
    assignment,
    course_folder,
    edits_of,
    forget,
    lacks_own,
)
from examiner.platforms.nbgrader.gradebook import GradebookEntry, open_gradebook
from examiner.platforms.nbgrader.handed_in import prepare, released_ids
from examiner.platforms.nbgrader.plain_files import (
    by_student,
    clear_the_way,
    copy_for_marking,
    links_in,
    plain_files,
    time_in,
)
from examiner.platforms.nbgrader.restore_cells import (
    ReleasedNotebook,
    RestoreCells,
    released,
)
from examiner.plural import count
from examiner.release.variants import Edits


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
    """Grades what was handed in, however it was handed in, and says what was not as it should.

    `notices` are what is already known of a student's work, `jobs` how many notebooks run at once,
    and `checked` says that the course has just been read and can be used. After `start`, the other
    attributes say what became of the class, by student.
    """

    def __init__(
        self,
        *,
        jobs: int = 0,
        notices: Mapping[str, Sequence[str]] | None = None,
        checked: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._checked = checked
        self.jobs = jobs or processors()
        self.notices = notices or {}
        self.remarks = defaultdict[str, list[str]](list)
        for student, lines in self.notices.items():
            self.remarks[student] += lines
        self.written = defaultdict[str, list[GradebookEntry]](list)  # of each notebook
        self.changes: list[Change] = []  # since the run before
        self.failures: dict[str, Exception] = {}  # of students who could not be judged
        self.faults: list[str] = []  # lines on tests that the reference fails
        self.notes: dict[tuple[str, str], str] = {}  # by student and notebook: how it was found
        self.keys: dict[tuple[str, str], Key] = {}  # of the run before, likewise
        self.ahead: Ahead | None = None  # what is under way

    @property
    def is_ours(self) -> bool:
        """Tell whether the config has the course's steps."""
        return RestoreCells in self.sanitize_preprocessors

    def init_notebooks(self) -> None:
        """Find the submissions; first see that course and gradebook can be used at all."""
        if not self.is_ours:
            super().init_notebooks()
            return
        if not self._checked:
            try:
                self.check()
            except UserError as error:
                self.log.error(str(error))
                raise NbGraderException(str(error)) from None
        self._add_notebooks()
        pattern = f"{self.coursedir.notebook_id}.ipynb"
        found = {
            str(folder): [str(path) for path in folder.glob(pattern)]
            for _, folder in self._folders()
            if not folder.is_symlink()
        }
        self.assignments = {folder: paths for folder, paths in found.items() if paths}
        if not self.assignments:
            super().init_notebooks()  # which says what it looked for

    def check(self) -> None:
        """Raise UserError for a course folder, an assignment or a gradebook that cannot be used."""
        root, name = course_folder(Path(self.coursedir.root)), self.coursedir.assignment_id
        forget()
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
                self.remarks[student].append(f"{folder} is a link and was not followed")
            elif not any(folder.glob("*.ipynb")):
                self._prepare(student, folder)
            if lacks_own(Path(self.coursedir.root), self.coursedir.assignment_id, student):
                self.remarks[student].append(
                    "no notebook of one's own was made for this id: judged by the class's"
                )

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
                self.remarks[student].append(note)
            self.notes[student, notebook] = note
        return ready

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Note when the work was handed in; a file that holds no time is named."""
        try:
            time_in(Path(self._format_source(assignment_id, student_id)))
        except ValueError as error:
            self.remarks[student_id].append(str(error))
        with self._noting_failure(student_id):
            super().init_assignment(assignment_id, student_id)

    def run_pre_convert_hook(self) -> None:
        """Mend the names of notebooks, call the hook of the config, and wait for what is under way.

        subtle: nbgrader writes nothing of a student before this ends. So a gradebook has nothing of
        one who cannot be judged.
        """
        if not self.is_ours:
            super().run_pre_convert_hook()
            return
        notebooks: list[str] = self.notebooks
        folder = Path(notebooks[0]).parent
        student = self._student(folder)
        self.remarks[student] += links_in(folder)
        with self._noting_failure(student):
            if ready := self._prepare(student, folder):
                notebooks[:] = [str(path) for path in ready]
            super().run_pre_convert_hook()
            if self.ahead:
                self.ahead.wait(map(Path, notebooks))

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Grade a notebook."""
        with self._noting_failure(self._student(Path(notebook_filename).parent)):
            super().convert_single_notebook(notebook_filename)

    def _student(self, folder: Path) -> str:
        pattern = Path(self._format_source(self.coursedir.assignment_id, "*"))
        return folder.parts[pattern.parts.index("*")]

    @contextmanager
    def _noting_failure(self, student: str) -> Iterator[None]:
        """Note why a student's work could not be graded; nbgrader goes on to the next."""
        try:
            yield
        except Exception as error:
            self.failures[student] = error
            raise

    def convert_notebooks(self) -> None:
        """Grade, and at the end say again what a person should look at."""
        # subtle: a file that holds no time would make nbgrader's own end the whole run
        self.coursedir.get_existing_timestamp = _time_in
        try:
            with Background(self.jobs) as background:
                if self.is_ours:
                    self._begin(background)
                super().convert_notebooks()
        finally:
            del self.coursedir.get_existing_timestamp
            self._say()

    def _say(self) -> None:
        self.faults += self.ahead.faults() if self.ahead else []
        for student, notice in (self.ahead.notices() if self.ahead else {}).items():
            self.remarks[student].append(printable(notice.splitlines()[0]))
        for student, lines in self.remarks.items():
            for line in lines:
                self.log.warning("%s: %s", student, line)
        for change in self.changes:
            self.log.warning("%s: %s", change.student, change)
        for line in self.faults:
            self.log.warning(line)

    def _begin(self, background: Background) -> None:
        """Have modules judged and notebooks run before nbgrader's loop comes to them."""
        root = Path(self.coursedir.root)
        of = assignment(root, self.coursedir.assignment_id)
        kept = self.exclude_overwriting.get(of.name, [])
        how = RunSettings(of, kept, SandboxedExecute(config=self.config).seconds)
        ahead = self.ahead = Ahead(background, how)
        due = {student: path for student, path in self._folders() if self._is_due(student, path)}
        if of.chapter is not None:
            self.log.info("The examiner judges %s", count(len(due), "module"))
            ahead.judge_modules(root, due, self.jobs)
        for student in due:
            done = Path(self._format_dest(of.name, student))
            self.keys |= {(student, path.stem): key_in(path) for path in done.glob("*.ipynb")}
        if self.pre_convert_hook is not None:
            return  # which may change the notebooks before they are run
        with open_gradebook(self.coursedir.db_url, self.config) as book:
            names = [str(each.name) for each in book.api.find_assignment(of.name).notebooks]
            originals: dict[Edits, dict[str, ReleasedNotebook]] = {}
            for student, folder in due.items():
                own = assignment(root, of.name, edits_of(root, of.name, student))
                if own.edits not in originals:
                    originals[own.edits] = {n: released(book.api, n, own) for n in names}
                for path in self._prepare(student, folder):
                    if path.stem in originals[own.edits]:
                        ahead.run_notebook(path, own, originals[own.edits][path.stem])

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
