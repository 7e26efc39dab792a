"""What an nbgrader course folder says about an assignment: which cell tests what, and the secrets.

All of it comes from source/ and grader/, which no student can write to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from examiner.boundary import wire
from examiner.boundary.errors import WireError
from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.files import write_whole
from examiner.grading.store import run_key
from examiner.project import COMMAND, ENTRY, Project
from examiner.release.assignment import (
    Cell,
    Notebook,
    answers_text,
    cell_id,
    kind_of,
    read_notebook,
    renew_reference,
    variables,
    without,
)
from examiner.release.nbgrader import DRAWN, GRADER, reference_answers
from examiner.release.variants import (
    AS_IT_STANDS,
    Drawing,
    Edits,
    Variant,
    read_variants,
    varied_notebook,
)


@dataclass(frozen=True)
class Assignment:
    """An assignment of the course folder; without a chapter it is none of the course's."""

    folder: Path  # source/<assignment>
    chapter: Chapter | None = None
    cells: dict[str, Cell] = field(default_factory=dict)  # by grade id: the course's own cells
    headings: dict[str, str] = field(default_factory=dict)  # by grade id: the heading above it
    texts: frozenset[str] = frozenset()  # of the cells that nobody fills in and nobody marks
    questions: dict[str, str] = field(default_factory=dict)  # by grade id: the last such text
    library: tuple[Path, ...] = ()  # the folders of the packages that notebooks import
    edits: Edits = ()  # by which a student's own notebook differs from the source

    @property
    def order(self) -> list[str]:
        """Grade ids of all marked cells, as they stand in the source notebooks."""
        return list(self.headings)

    @property
    def name(self) -> str:
        """The assignment's name in nbgrader."""
        return self.folder.name

    def kind(self, grade_id: str) -> str | None:
        """Return what kind of cell of the course this is; None for any other cell."""
        cell = self.cells.get(grade_id)
        return kind_of(cell) if cell else None

    def said(self, grade_id: str) -> dict[str, Any]:
        """Return the cell's entry `nextword`."""
        return dict(self.cells[grade_id]["metadata"][ENTRY])

    def ids(self, kind: str) -> list[str]:
        """Return the grade ids of all cells of a kind, in the order of the notebook."""
        return [name for name in self.cells if self.kind(name) == kind]


def course_folder(folder: Path) -> Path:
    """Return the folder, checked; raises UserError when it is no nbgrader course folder."""
    if not (folder / "nbgrader_config.py").is_file() or not (folder / "source").is_dir():
        raise UserError(
            f"{folder} is no nbgrader course folder: it should hold nbgrader_config.py and source/ "
            f"({COMMAND} release CHAPTER --format nbgrader --to DIR makes one)"
        )
    return folder


def course_settings(course: Path) -> Config:
    """Return what nbgrader_config.py sets; raises UserError when it fails."""
    try:
        return PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    except Exception as error:
        raise UserError(f"{course / 'nbgrader_config.py'} fails: {error!r}") from error


def examiner_project(course: Path) -> Project:
    """Return the part of the course folder with the hidden tests and the reference."""
    folder = course / GRADER
    if not (folder / "tests").is_dir():
        raise UserError(
            f"{folder} is missing: copy it from the folder that `{COMMAND} release` made"
        )
    return Project(folder)


def edits_of(course: Path, name: str, student: str) -> Edits:
    """Return by what a student's own notebook differs from the source; () where it does not."""
    return drawing_of(course).edits(variants_of(course, name), name, student)


def lacks_own(course: Path, name: str, student: str) -> bool:
    """Tell whether students have own notebooks of an assignment, and this id none."""
    drawn = drawing_of(course).students
    return bool(drawn) and student not in drawn and bool(variants_of(course, name))


@cache
def variants_of(course: Path, name: str) -> tuple[Variant, ...]:
    """Return what an assignment may ask for instead."""
    return read_variants(Project(course / GRADER).variants(name))


@cache
def drawing_of(course: Path) -> Drawing:
    """Return what students' own notebooks were drawn from, as the release noted it."""
    path = course / GRADER / DRAWN
    return Drawing(**json.loads(path.read_text("utf-8"))) if path.is_file() else AS_IT_STANDS


@cache
def assignment(course: Path, name: str, edits: Edits = ()) -> Assignment:
    """Read source/<name>, with what a student's own notebook changes in it.

    An assignment that is not the course's gets no chapter and no cells.
    """
    folder = course / "source" / name
    cells: dict[str, Cell] = {}
    headings: dict[str, str] = {}
    texts: set[str] = set()
    questions: dict[str, str] = {}
    notebooks: list[Notebook] = []
    for path in sorted(folder.glob("*.ipynb")):
        notebook = varied_notebook(read_notebook(path.read_text("utf-8"), path.name), edits)
        cells |= {cell_id(cell): cell for cell in notebook["cells"] if kind_of(cell)}
        notebooks.append(notebook)
        heading = question = ""
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                said = without(cell["source"], "MARK SCHEME")
                heading = (re.findall(r"^#+ (.+)$", said, flags=re.M) or [heading])[-1]
            if name := cell["metadata"].get("nbgrader", {}).get("grade_id"):
                headings[name], questions[name] = heading, question
            else:
                question = cell["source"].strip()
                texts.add(question)
    tasks = [cell["metadata"][ENTRY]["task"] for cell in cells.values() if _tests_task(cell)]
    library = tuple(Project(course / GRADER).settings.packages)
    chapter = None
    if tasks:
        chapter, _ = examiner_project(course).catalogue.resolve(tasks[0])
        _renew(course, chapter, notebooks, cells)
    return Assignment(
        *(folder, chapter, cells, headings, frozenset(texts), questions, library, edits)
    )


def forget() -> None:
    """Have course folders read anew: the formgrader's server runs for longer than they stay."""
    for read in (variants_of, drawing_of, assignment):
        read.cache_clear()


def _renew(
    course: Path, chapter: Chapter, notebooks: list[Notebook], cells: dict[str, Cell]
) -> None:
    """Ask the reference again what the checks expect.

    Students' notebooks run with the library that is installed now. If its texts are others than at
    the time of the release, the answers of then would be wrong.
    """
    examiner = examiner_project(course)
    answers: dict[str, Any] = {}
    for notebook in notebooks:
        if variables(notebook):
            answers |= _answers(notebook, examiner, chapter.stem)
    for cell in cells.values():
        if kind_of(cell) == "check":
            renew_reference(cell, answers)


def _answers(notebook: Notebook, examiner: Project, stem: str) -> dict[str, Any]:
    """Return the reference's answers; asked again when it, the notebook or a library changes."""
    reference = examiner.module("solutions", stem)
    text = answers_text(notebook)
    whole = {name.partition(".")[0] for name in examiner.settings.library}
    key = run_key([reference], text, "", "", sorted(whole))
    kept = examiner.state(f"answers-{hashlib.sha256(text.encode()).hexdigest()[:16]}")
    with contextlib.suppress(OSError, WireError, ValueError):
        known, answers = wire.decode(kept.read_bytes())
        if known == key:
            return dict(answers)
    answers = reference_answers(notebook, reference)
    write_whole(kept, wire.encode([key, answers]))
    return answers


def _tests_task(cell: Cell) -> bool:
    return kind_of(cell) == "task"
