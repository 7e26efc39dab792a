"""Grades a whole class into nbgrader's gradebook, many at once: `nextword grade --gradebook`.

Leaves out the command line (cli/grade.py) and nbgrader's own way, one by one (autograde_steps.py).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from nextword.errors import UserError
from nextword.grading.archives import Archive, ArchiveError
from nextword.grading.submissions import Entry, find_entries
from nextword.nbgrader import module_grades
from nextword.nbgrader.course import Assignment, assignment, course_folder, course_settings
from nextword.nbgrader.gradebook import Row, open_gradebook, write_row
from nextword.nbgrader.handed_in import blank, find_notebook
from nextword.nbgrader.kernel import Executed
from nextword.nbgrader.notebook import SHARED, run, score
from nextword.nbgrader.plain_files import MAX_FILE, TIMESTAMP, copy_for_marking, links_in, time_in
from nextword.nbgrader.restore_cells import Released, mend, released


@dataclass
class Work:
    """One student's submission on its way into the gradebook."""

    student: str
    folder: Path  # with what was handed in; only plain files of it are read
    notices: list[str] = field(default_factory=list)
    timestamp: str | None = None
    nb: NotebookNode = field(default_factory=NotebookNode)
    executed: Executed | None = None  # None: there is no notebook


@dataclass(frozen=True)
class Graded:
    """What a run wrote."""

    student: str
    points: float  # what is known without the marks that a person gives
    most: float
    penalty: float
    waiting: bool  # for marks by hand
    remarks: tuple[str, ...] = ()  # what was not as it should be


Report = Callable[[str], None]


def grade_into(
    course: Path, name: str, submissions: Path, url: str, *, jobs: int = 0, say: Report = print
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
    with tempfile.TemporaryDirectory(prefix="nextword-class-") as place:
        works = [_open(entry, of, Path(place)) for entry in find_entries(submissions)]
        with open_gradebook(url, settings) as book:
            notebook = book.notebook(of)
            original = released(book.api, notebook, of)
            say(f"judging {len(works)} modules …")
            folders = {work.student: work.folder for work in works}
            modules = module_grades.module_results(course, of.chapter, folders, jobs)
            say(f"running {len(works)} notebooks …")
            kept = settings["Autograde"].get("exclude_overwriting", {}).get(name, [])

            def run_one(work: Work) -> Work:
                _run(work, of, notebook, original, kept)
                return work

            found = []
            with ThreadPoolExecutor(jobs) as pool:
                for work in pool.map(run_one, works):
                    # subtle: judged in this thread, the one whose time can be limited
                    scores = score(work.nb, of, modules[work.student], work.executed)
                    _write_notebook(work, course, of, notebook)
                    row = Row(work.student, name, notebook, work.nb, scores)
                    found.append(_graded(write_row(book, row, work.timestamp), work))
    return found


def _graded(row: tuple[str, float, float, float, bool], work: Work) -> Graded:
    return Graded(*row, remarks=(*work.notices, *work.nb.metadata[SHARED]["mended"]))


def _open(entry: Entry, of: Assignment, place: Path) -> Work:
    """Find what a student handed in: a folder, or a zip, which is unpacked in `place`."""
    origin = entry.paths[-1]
    work = Work(entry.student, origin)
    if len(entry.paths) > 1:
        work.notices.append(f"handed in more than once: {origin.name} was graded")
    if origin.is_dir() and not origin.is_symlink():
        nested = origin / of.name
        if nested.is_dir() and not nested.is_symlink():
            work.folder = nested
        work.notices += links_in(work.folder)
        try:
            work.timestamp = time_in(work.folder)
        except ValueError as error:
            work.notices.append(str(error))
        return work
    work.folder = place / f"{len(list(place.iterdir())):05d}"
    work.folder.mkdir()
    try:
        _unpack(origin, work.folder)
    except ArchiveError as error:
        work.notices.append(str(error))
    # of a zip all is the student's; the time has to come from somebody else
    (work.folder / TIMESTAMP).unlink(missing_ok=True)
    return work


def _unpack(origin: Path, target: Path) -> None:
    """Unpack a student's zip: its paths and sizes are looked over first, links are refused."""
    archive = Archive(origin)
    try:
        roots = {path.parts[0] for path in archive.files}
        strip = len(roots) == 1 and all(len(path.parts) > 1 for path in archive.files)
        for inside in archive.files:
            parts = inside.parts[1:] if strip else inside.parts
            path = target.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(inside, MAX_FILE))
    finally:
        archive.close()


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
