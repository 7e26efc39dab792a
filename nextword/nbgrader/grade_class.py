"""Grades a whole class into nbgrader's gradebook, many at once: `nextword grade --gradebook`.

Leaves out the command line (cli/grade.py) and nbgrader's own way, one by one (autograde_steps.py).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from nextword.errors import UserError
from nextword.grading.archives import Archive, ArchiveError
from nextword.grading.submissions import Entry, find_entries
from nextword.nbgrader import module_grades
from nextword.nbgrader.check_cells import Score
from nextword.nbgrader.course import Assignment, assignment, course_folder, course_settings
from nextword.nbgrader.gradebook import Row, open_gradebook, write_row
from nextword.nbgrader.handed_in import blank, find_notebook
from nextword.nbgrader.notebook import SHARED, hide_tests, run, score
from nextword.nbgrader.plain_files import MAX_FILE, TIMESTAMP, copy_plain_files, links_in, time_in
from nextword.nbgrader.restore_cells import restore, trusted_cells


@dataclass
class Work:
    """One student's submission on its way into the gradebook."""

    student: str
    folder: Path  # a private copy of what was handed in
    notices: list[str] = field(default_factory=list)
    timestamp: str | None = None
    nb: NotebookNode = field(default_factory=NotebookNode)
    scores: dict[str, Score] = field(default_factory=dict)


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
        works = [_collect(entry, of, Path(place)) for entry in find_entries(submissions)]
        with open_gradebook(url, settings) as book:
            notebook = book.notebook(of)
            trusted = trusted_cells(book.api, notebook, of)
            say(f"judging {len(works)} modules …")
            folders = {work.student: work.folder for work in works}
            modules = module_grades.module_results(course, of.chapter, folders, jobs)
            say(f"running {len(works)} notebooks …")
            kept = settings["Autograde"].get("exclude_overwriting", {}).get(name, [])

            def one(work: Work) -> Work:
                _notebook(work, of, notebook, trusted, modules[work.student], kept)
                return work

            found = []
            with ThreadPoolExecutor(jobs) as pool:
                for work in pool.map(one, works):
                    _write_notebook(work, course, of, notebook)
                    row = Row(work.student, name, notebook, work.nb, work.scores)
                    found.append(_graded(write_row(book, row, work.timestamp), work))
    return found


def _graded(row: tuple[str, float, float, float, bool], work: Work) -> Graded:
    return Graded(*row, remarks=(*work.notices, *work.nb.metadata[SHARED]["mended"]))


def _collect(entry: Entry, of: Assignment, place: Path) -> Work:
    """Copy what a student handed in, from a folder or a zip, to a private folder."""
    work = Work(entry.student, place / f"{len(list(place.iterdir())):05d}")
    work.folder.mkdir()
    origin = entry.paths[-1]
    if len(entry.paths) > 1:
        work.notices.append(f"handed in more than once: {origin.name} was graded")
    if origin.is_dir() and not origin.is_symlink():
        nested = origin / of.name
        folder = nested if nested.is_dir() and not nested.is_symlink() else origin
        copy_plain_files(folder, work.folder)
        work.notices += [f"the link {link} was not followed" for link in links_in(folder)]
        _read_timestamp(work)
    else:
        try:
            _unpack(origin, work.folder)
        except ArchiveError as error:
            work.notices.append(str(error))
        # of a zip all is the student's; the time has to come from somebody else
        (work.folder / TIMESTAMP).unlink(missing_ok=True)
    return work


def _read_timestamp(work: Work) -> None:
    """Read when the work was handed in, which nbgrader notes beside it."""
    try:
        work.timestamp = time_in(work.folder)
    except ValueError as error:
        work.notices.append(str(error))
        (work.folder / TIMESTAMP).unlink()


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


def _notebook(
    work: Work,
    of: Assignment,
    name: str,
    trusted: list[NotebookNode],
    module: dict[str, Any],
    kept: Iterable[str],
) -> None:
    """Find, mend, run and judge a student's notebook."""
    submitted, note = find_notebook(work.folder, of.folder, name)
    work.notices += [note] if note else []
    given = submitted is not None
    work.nb = submitted if given else blank(nbformat.v4.new_notebook(), note)
    for cell in work.nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    mended = restore(work.nb, trusted) if given else restore(work.nb, trusted)[:0]
    hide_tests(work.nb, of)
    work.nb.metadata = nbformat.from_dict(
        {SHARED: {"mended": mended, "handed_in": "\n".join(work.notices)}}
    )
    executed = run(work.nb, of, work.folder, list(kept)) if given else None
    if executed and executed.gone:
        work.notices.append(f"the notebook was not run to its end: {executed.gone}")
    work.scores = score(work.nb, of, module, executed)


def _write_notebook(work: Work, course: Path, of: Assignment, name: str) -> None:
    """Write the notebook where formgrader and generate_feedback look for it."""
    folder = course / "autograded" / work.student / of.name
    if folder.is_dir():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    work.nb.metadata["kernelspec"] = nbformat.from_dict(
        {"display_name": "Python 3", "language": "python", "name": "python3"}
    )
    work.nb.nbformat, work.nb.nbformat_minor = 4, 5
    for number, cell in enumerate(work.nb.cells):
        cell["id"] = f"cell-{number}"  # a student's own may be missing, or there twice
    nbformat.write(work.nb, folder / f"{name}.ipynb")
    for extra in (f"{of.chapter.stem}.py" if of.chapter else "", TIMESTAMP):
        if extra and (work.folder / extra).is_file():
            shutil.copyfile(work.folder / extra, folder / extra)
