"""Gives a student's notebook back the cells and metadata that it was released with.

Leaves alone what students write. What the gradebook says about a cell counts, never what the
submitted notebook says: a cell that was deleted, copied, retyped or edited is as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from examiner.platforms.nbgrader.course import Assignment, assignment, edits_of
from examiner.platforms.nbgrader.found_again import (
    added,
    counting,
    gather_answers,
    grade_id,
    mark_again,
)
from examiner.platforms.nbgrader.notebook import SHARED, hide_tests
from examiner.platforms.nbgrader.pictures import Attachments
from examiner.release.variants import varied

SCHEMA_VERSION = 3
MODULE_TEST = "points("  # begins a cell that shows what the examiner says of the module
_ASKS = re.compile(rf"\b{re.escape(MODULE_TEST)}")


@dataclass(frozen=True)
class ReleasedNotebook:
    """A notebook as it was released, as far as the gradebook keeps it."""

    cells: list[NotebookNode]  # with their metadata, in the source's order
    kernelspec: dict[str, Any]


def released(gradebook: Gradebook, notebook: str, of: Assignment) -> ReleasedNotebook:
    """Return what the gradebook keeps of a notebook of the assignment, as its student has it."""
    entry = gradebook.find_notebook(notebook, of.name)
    graded = {cell.name: cell for cell in (*entry.grade_cells, *entry.task_cells)}
    tasks = {cell.name for cell in entry.task_cells}
    solutions = {cell.name for cell in entry.solution_cells}
    found = []
    for source in entry.source_cells:
        is_task = source.name in tasks
        metadata: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "grade_id": source.name,
            "grade": source.name in graded and not is_task,
            "solution": source.name in solutions,
            "task": is_task,
            "locked": bool(source.locked),
            "cell_type": source.cell_type,
            "checksum": source.checksum,
        }
        if source.name in graded:
            metadata["points"] = graded[source.name].max_score
        text = varied(source.source, of.edits)
        found.append(_cell(source.cell_type, text, {"nbgrader": metadata}))
    place = {name: number for number, name in enumerate(of.order)}  # the gradebook has no order
    found.sort(key=lambda cell: place.get(grade_id(cell), len(place)))
    return ReleasedNotebook(found, json.loads(entry.kernelspec or "{}"))


def mend(nb: NotebookNode, of: Assignment, original: ReleasedNotebook, note: str = "") -> list[str]:
    """Make a handed-in notebook, in place, one that can be run, judged and shown.

    Its cells are as released, and it holds no outputs, kernel, hidden tests or metadata but ours:
    `note` says what had to be done to find it. Returns a line for each thing that was mended.
    """
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    mended = restore(nb, original.cells, of.texts, of.questions)
    hide_tests(nb, of)
    nb.metadata = from_dict({SHARED: {"mended": mended, "handed_in": note}})
    if original.kernelspec:
        nb.metadata.kernelspec = from_dict(original.kernelspec)
    return mended


def restore(
    submitted: NotebookNode,
    trusted: list[NotebookNode],
    given: Collection[str] = (),
    questions: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """Mend the submitted notebook in place; return a line for each thing that was mended.

    given: the texts of the released cells that have no mark; questions: the one before a marked
    cell, by its grade id. Of a cell that is there twice the last
    one counts, as in nbgrader, but not an answer's empty copy; the others stay as ordinary cells. A
    missing cell comes back behind the one that stood before it.
    """
    released = {grade_id(cell): cell for cell in trusted}
    mended = mark_again(submitted.cells, trusted, given, questions)
    place = counting(submitted.cells, released)
    last = {grade_id(cell): index for index, cell in enumerate(submitted.cells)}
    kept = {name: submitted.cells[index] for name, index in place.items()}
    written: dict[str, str] = {}  # into locked cells, by their names
    attachments = Attachments()
    for index, cell in enumerate(submitted.cells):
        name = grade_id(cell)
        cell.metadata = NotebookNode()
        if "attachments" in cell:
            cell.attachments = from_dict(attachments.checked(cell.attachments))
        if cell.get("cell_type") == "raw":
            cell.cell_type = "markdown"  # a raw cell goes to the marker's browser as it is
        if name not in released:
            continue
        if place[name] != index:
            which = "last one" if place[name] == last[name] else "last one that is not empty"
            mended.append(f"cell {name} was there more than once: the {which} counts")
            continue
        known = {line.strip() for line in released[name].source.splitlines()}
        written[name] = added(cell.get("source", ""), known)
        mended += _mend(cell, released[name])
    mended += _keep_work_in_tasks(submitted, written)
    mended += _keep_code(submitted, written)
    _return_missing(submitted, trusted, kept, mended)
    mended += gather_answers(submitted.cells, released, given)
    return mended


def _keep_work_in_tasks(submitted: NotebookNode, written: dict[str, str]) -> list[str]:
    """Put what students wrote into the text that assigns a piece of work into a cell below it."""
    mended = []
    for cell in list(submitted.cells):
        text = written.get(grade_id(cell))
        if text and cell.metadata.nbgrader.task:
            at = _index(submitted.cells, cell) + 1
            submitted.cells.insert(at, _cell("markdown", text, {}))
            mended.append(f"what was written into cell {grade_id(cell)} stands below it")
    return mended


def _keep_code(submitted: NotebookNode, written: dict[str, str]) -> list[str]:
    """Put code that students wrote into cells which are as released again into cells above them.

    It runs there, such as an import beside those of the setup; a test is not what it sees.
    """
    mended = []
    for cell in list(submitted.cells):
        text = written.get(grade_id(cell), "")
        if cell.source.startswith(MODULE_TEST):  # of which the cell is made anew
            rows = (row for row in text.splitlines() if not _ASKS.search(row))
            text = "\n".join(rows).strip()
        if text and cell.cell_type == "code" and cell.metadata.nbgrader.locked:
            submitted.cells.insert(_index(submitted.cells, cell), _cell("code", text, {}))
            mended.append(f"what was written into cell {grade_id(cell)} stands above it")
    return mended


def _mend(cell: NotebookNode, original: NotebookNode) -> list[str]:
    mended = []
    metadata = original.metadata.nbgrader
    if cell.get("cell_type") != original.cell_type:
        mended.append(f"cell {metadata.grade_id} had another type")
        answer = cell.get("source", "")
        cell.clear()
        cell.update(_cell(original.cell_type, answer, {}))
    if metadata.locked and cell.source != original.source:
        cell.source = original.source
    cell.metadata.nbgrader = from_dict(dict(metadata))
    return mended


def _return_missing(
    submitted: NotebookNode,
    trusted: list[NotebookNode],
    kept: dict[str, NotebookNode],
    mended: list[str],
) -> None:
    before: NotebookNode | None = None
    for original in trusted:
        name = grade_id(original)
        if name not in kept:
            kept[name] = from_dict(original)
            at = 0 if before is None else _index(submitted.cells, before) + 1
            submitted.cells.insert(at, kept[name])
            if original.metadata.nbgrader.grade or original.metadata.nbgrader.solution:
                mended.append(f"cell {name} was missing")
        before = kept[name]


def _index(cells: list[NotebookNode], wanted: NotebookNode) -> int:
    return next(index for index, cell in enumerate(cells) if cell is wanted)


def _cell(kind: str, source: str, metadata: dict[str, Any]) -> NotebookNode:
    made: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return from_dict(made)


class RestoreCells(NbGraderPreprocessor):
    """The first step of autograding; stands in for all that sanitize a notebook in nbgrader."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Mend the notebook and note in its metadata what was mended."""
        where = resources["nbgrader"]
        root, name = Path(self.parent.parent.coursedir.root), where["assignment"]
        of = assignment(root, name, edits_of(root, name, where["student"]))
        with Gradebook(where["db_url"]) as gradebook:
            original = released(gradebook, where["notebook"], of)
        converter: Any = self.parent.parent
        student = where["student"]
        note = converter.notes.get((student, where["notebook"]), "")
        notices = [*converter.notices.get(student, ()), note]
        mended = mend(nb, of, original, "\n".join(filter(None, notices)))
        converter.remarks[student] += mended
        return nb, resources
