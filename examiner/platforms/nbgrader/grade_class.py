"""Grades a whole class into nbgrader's gradebook, many at once: `nextword grade --gradebook`.

Leaves out the command line (cli/grade.py) and nbgrader's own way, one by one (autograde_steps.py).
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.warnings import MissingIDFieldWarning
from sqlalchemy.exc import SQLAlchemyError

from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.entries import open_class
from examiner.grading.roster import Person, Roster
from examiner.grading.run import Change, processors
from examiner.grading.works import Entry, ProblemError
from examiner.platforms.nbgrader.autograde_steps import SandboxedExecute
from examiner.platforms.nbgrader.background import Background
from examiner.platforms.nbgrader.changes import change, key_in, note_key
from examiner.platforms.nbgrader.course import (
    Assignment,
    assignment,
    course_folder,
    course_settings,
)
from examiner.platforms.nbgrader.gradebook import Book, Row, Written, open_gradebook, write_row
from examiner.platforms.nbgrader.handed_in import blank, find_notebook
from examiner.platforms.nbgrader.kernel import Executed, Step
from examiner.platforms.nbgrader.module_grades import class_faults, module_results
from examiner.platforms.nbgrader.notebook import SHARED, run_steps, score, show, steps_of
from examiner.platforms.nbgrader.plain_files import copy_for_marking, is_plain, links_in, time_in
from examiner.platforms.nbgrader.restore_cells import Released, mend, released
from examiner.platforms.nbgrader.zips import ask_for_an_id, last_of, unpack
from examiner.plural import count


@dataclass
class Work:
    """One student's submission on its way into the gradebook."""

    student: str
    entry: Entry
    folder: Path = Path()  # with what was handed in; only plain files of it are read
    notices: list[str] = field(default_factory=list)
    timestamp: str | None = None
    nb: NotebookNode = field(default_factory=NotebookNode)
    steps: list[Step] = field(default_factory=list)
    running: Future[Executed] | None = None  # None: there is no notebook
    trouble: str = ""  # why it could not be judged


@dataclass(frozen=True)
class Graded:
    """What a run wrote."""

    written: Written
    remarks: tuple[str, ...] = ()  # what was not as it should be
    judged: bool = True
    change: Change | None = None  # since the run before


@dataclass(frozen=True)
class How:
    """By what a class is graded."""

    course: Path
    of: Assignment
    notebook: str  # its name
    original: Released
    kept: Sequence[str]  # files of the student's that stay when the source's are copied
    seconds: float  # for each cell
    people: Mapping[str, Person]  # of the roster, by their ids
    book: Book
    background: Background


Report = Callable[[str], None]


def grade_into(
    course: Path,
    name: str,
    submissions: Path,
    url: str,
    *,
    jobs: int = 0,
    roster: Roster | None = None,
    say: Report = print,
) -> list[Graded]:
    """Grade every submission of the assignment `name` and write it to the gradebook at `url`.

    Marks that a person gave stay. Raises UserError for a folder or a gradebook of another kind.
    """
    course = course_folder(course.resolve())
    of = assignment(course, name)
    if not of.order or of.chapter is None:
        raise UserError(f"{course / 'source' / name} holds no assignment of the course")
    settings = course_settings(course)
    warnings.filterwarnings("ignore", category=MissingIDFieldWarning)  # our own have ids
    kept = settings["Autograde"].get("exclude_overwriting", {}).get(name, [])
    seconds = SandboxedExecute(config=settings).seconds
    people = {person.id: person for person in roster.people} if roster else {}
    jobs = jobs or processors()
    with (
        tempfile.TemporaryDirectory(prefix="nextword-class-") as place,
        open_class(submissions, roster) as found,
        open_gradebook(url, settings) as book,
        Background(jobs) as background,
    ):
        notebook = book.notebook(of)
        original = released(book.api, notebook, of)
        how = How(course, of, notebook, original, kept, seconds, people, book, background)
        for person in found.absent:
            say(f"{person.id}: nothing was handed in")
        works = [Work(each.student, each) for each in found.entries]
        for work in works:
            _attempt(work, lambda work: _open(work, of, Path(place)))
        say(f"judging {count(len(works), 'module')} and running their notebooks …")
        folders = {work.student: work.folder for work in works if not work.trouble}
        judged = background.modules(module_results, course, of.chapter, folders, jobs)
        for work in works:
            _attempt(work, partial(_begin, how))
        modules = judged.result()
        for line in class_faults(modules):
            say(f"not judged, for the whole class: {printable(line)}")
        # subtle: judged in this thread, the one whose time can be limited, and in this order
        return [
            _attempt(work, partial(_finish, how, modules)) or _not_judged(work) for work in works
        ]


def _attempt(work: Work, step: Callable[[Work], Graded | None]) -> Graded | None:
    """Take a step with a student's work; its trouble is noted, and the class goes on.

    What would end every student's grading still does: no sandbox, a gradebook that fails.
    """
    if work.trouble:
        return None
    try:
        return step(work)
    except (UserError, SQLAlchemyError):
        raise
    except ProblemError as problem:
        work.trouble = f"not judged: {problem}"
        return None
    except Exception as error:  # whatever a submission can bring about
        work.trouble = f"not judged: {type(error).__name__}: {error}"
        return None


def _not_judged(work: Work) -> Graded:
    return Graded(Written(work.student, 0, 0), (*work.notices, work.trouble), judged=False)


def _open(work: Work, of: Assignment, place: Path) -> None:
    """Find what a student handed in; what is no folder with the files at its top is laid out.

    Of what somebody handed in under one name in several forms, the last by name is graded.
    """
    ask_for_an_id(work.entry)
    entry, notes = last_of(work.entry)
    work.notices += [*notes, *entry.remarks]
    origin = entry.paths[0] if entry.paths else None
    wanted = [f"{of.chapter.stem}.py"] if of.chapter else []
    wanted += [path.name for path in of.folder.glob("*.ipynb")]
    if origin and not entry.platform and origin.is_dir() and not origin.is_symlink():
        nested = origin / of.name
        work.folder = nested if nested.is_dir() and not nested.is_symlink() else origin
        work.notices += links_in(work.folder)
        try:
            work.timestamp = time_in(work.folder)
        except ValueError as error:
            work.notices.append(str(error))
        if _is_ready(work.folder, wanted):
            return
    work.folder = place / f"{len(list(place.iterdir())):05d}"
    work.notices += [printable(text) for text in unpack(entry, work.folder, wanted)]


def _is_ready(folder: Path, wanted: Sequence[str]) -> bool:
    """Tell whether what is wanted lies at a folder's top, or no zip could hold it."""
    names = {path.name for path in folder.iterdir() if is_plain(path)}
    endings = {Path(name).suffix.lower() for name in names}
    return names.issuperset(wanted) or (bool(endings & {".py", ".ipynb"}) and ".zip" not in endings)


def _begin(how: How, work: Work) -> None:
    """Find and mend a student's notebook, and have it run."""
    submitted, note = find_notebook(work.folder, how.of.folder, how.notebook)
    work.notices += [note] if note else []
    work.nb = submitted or blank(how.original.notebook(), note)
    mend(work.nb, how.of, how.original, "\n".join(work.notices))
    if submitted:
        work.steps = steps_of(work.nb, how.of, how.seconds)
        work.running = how.background.notebook(run_steps, work.steps, how.of, work.folder, how.kept)


def _finish(how: How, modules: Mapping[str, Any], work: Work) -> Graded:
    """Wait for a student's notebook; judge it, and write it and what it earned."""
    executed = _executed(work)
    nb, work.nb = work.nb, NotebookNode()  # a class of notebooks may be more than memory holds
    module = modules[work.student]
    scores = score(nb, how.of, module, executed)
    note_key(nb, how.of, module)
    folder = how.course / "autograded" / work.student / how.of.name
    before = key_in(folder / f"{how.notebook}.ipynb")
    _write_notebook(nb, work.folder, folder, how.notebook)
    if work.student in how.people:
        how.book.introduce(how.people[work.student])
    row = Row(work.student, how.of.name, how.notebook, nb, scores)
    written = write_row(how.book, row, work.timestamp)
    remarks = (*work.notices, *nb.metadata[SHARED]["mended"])
    return Graded(written, remarks, change=change(how.of, written, before, nb))


def _executed(work: Work) -> Executed | None:
    """Wait for a student's notebook and put its outputs in; None where there is no notebook."""
    if work.running is None:
        return None
    executed, work.running = work.running.result(), None
    show(work.nb, work.steps, executed)
    work.notices += filter(None, [executed.note])
    return executed


def _write_notebook(nb: NotebookNode, handed_in: Path, folder: Path, name: str) -> None:
    """Write the notebook where formgrader and generate_feedback look for it."""
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    copy_for_marking(handed_in, folder)
    nb.nbformat, nb.nbformat_minor = 4, 5
    for number, cell in enumerate(nb.cells):
        cell["id"] = f"cell-{number}"  # a student's own may be missing, or there twice
    nbformat.write(nb, folder / f"{name}.ipynb")
