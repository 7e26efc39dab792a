"""Grades a whole class into nbgrader's gradebook, many at once: `nextword grade --gradebook`.

Leaves out the command line (cli/grade.py) and nbgrader's own way, one by one (autograde_steps.py).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from sqlalchemy.exc import SQLAlchemyError

from nextword.check.terminal import printable
from nextword.errors import UserError
from nextword.grading.entries import open_class
from nextword.grading.roster import Roster
from nextword.grading.works import Entry, ProblemError
from nextword.nbgrader import module_grades
from nextword.nbgrader.course import Assignment, assignment, course_folder, course_settings
from nextword.nbgrader.gradebook import Row, open_gradebook, write_row
from nextword.nbgrader.handed_in import blank, find_notebook
from nextword.nbgrader.kernel import Executed
from nextword.nbgrader.notebook import SHARED, run, score
from nextword.nbgrader.plain_files import copy_for_marking, is_plain, links_in, time_in
from nextword.nbgrader.restore_cells import Released, mend, released
from nextword.nbgrader.zips import ask_for_an_id, unpack


@dataclass
class Work:
    """One student's submission on its way into the gradebook."""

    student: str
    entry: Entry
    folder: Path = Path()  # with what was handed in; only plain files of it are read
    notices: list[str] = field(default_factory=list)
    timestamp: str | None = None
    nb: NotebookNode = field(default_factory=NotebookNode)
    executed: Executed | None = None  # None: there is no notebook
    trouble: str = ""  # why it could not be judged


@dataclass(frozen=True)
class Graded:
    """What a run wrote."""

    student: str
    points: float  # what is known without the marks that a person gives
    most: float
    penalty: float
    waiting: bool  # for marks by hand
    remarks: tuple[str, ...] = ()  # what was not as it should be
    judged: bool = True


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
    jobs = jobs or len(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory(prefix="nextword-class-") as place,
        open_class(submissions, roster) as found,
    ):
        for person in found.absent:
            say(f"{person.id}: nothing was handed in")
        works = [Work(each.student, each) for each in found.entries]
        people = {person.id: person for person in roster.people} if roster else {}
        for work in works:
            _attempt(work, lambda work: _open(work, of, Path(place)))
        with open_gradebook(url, settings) as book:
            notebook = book.notebook(of)
            original = released(book.api, notebook, of)
            say(f"judging {len(works)} modules …")
            folders = {work.student: work.folder for work in works if not work.trouble}
            modules = module_grades.module_results(course, of.chapter, folders, jobs)
            say(f"running {len(works)} notebooks …")
            kept = settings["Autograde"].get("exclude_overwriting", {}).get(name, [])

            def finish(work: Work) -> Graded:
                scores = score(work.nb, of, modules[work.student], work.executed)
                _write_notebook(work, course, of, notebook)
                if work.student in people:
                    book.introduce(people[work.student])
                row = Row(work.student, name, notebook, work.nb, scores)
                return _graded(write_row(book, row, work.timestamp), work)

            def run_one(work: Work) -> Work:
                _attempt(work, lambda work: _run(work, of, notebook, original, kept))
                return work

            with ThreadPoolExecutor(jobs) as pool:
                # subtle: judged in this thread, the one whose time can be limited
                return [
                    _attempt(work, finish) or _not_judged(work) for work in pool.map(run_one, works)
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
    return Graded(work.student, 0, 0, 0, True, (*work.notices, work.trouble), judged=False)


def _graded(row: tuple[str, float, float, float, bool], work: Work) -> Graded:
    return Graded(*row, remarks=(*work.notices, *work.nb.metadata[SHARED]["mended"]))


def _open(work: Work, of: Assignment, place: Path) -> None:
    """Find what a student handed in; what is no folder with the files at its top is laid out.

    Of what somebody handed in under one name in several forms, the last by name is graded.
    """
    entry = work.entry
    ask_for_an_id(entry)
    work.notices += entry.remarks
    origin = entry.paths[-1] if entry.paths else None
    if len(entry.paths) > 1 and not entry.platform:
        assert origin is not None
        work.notices.append(f"handed in more than once: {printable(origin.name)} was graded")
        entry = replace(entry, paths=(origin,))
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


def _run(work: Work, of: Assignment, name: str, original: Released, exclude: Sequence[str]) -> None:
    """Find, mend and run a student's notebook."""
    submitted, note = find_notebook(work.folder, of.folder, name)
    work.notices += [note] if note else []
    work.nb = submitted or blank(original.notebook(), note)
    mend(work.nb, of, original, "\n".join(work.notices))
    if submitted:
        work.executed = run(work.nb, of, work.folder, exclude)
        work.notices += filter(None, [work.executed.note])


def _write_notebook(work: Work, course: Path, of: Assignment, name: str) -> None:
    """Write the notebook where formgrader and generate_feedback look for it."""
    folder = course / "autograded" / work.student / of.name
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    copy_for_marking(work.folder, folder)
    work.nb.nbformat, work.nb.nbformat_minor = 4, 5
    for number, cell in enumerate(work.nb.cells):
        cell["id"] = f"cell-{number}"  # a student's own may be missing, or there twice
    nbformat.write(work.nb, folder / f"{name}.ipynb")
