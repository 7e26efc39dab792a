"""What the formgrader shows beside a student's cells: their code of each task, and the rubric.

It is put into the page when a marker opens it, never into a notebook: so neither a student's file
nor the feedback can hold a rubric, and a rubric that was corrected is the one that is seen.
"""

from __future__ import annotations

import ast
import contextlib
import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader import utils

from examiner.catalogue import Chapter, Task
from examiner.errors import UserError
from examiner.grading.submissions import MAX_SOURCE
from examiner.platforms.nbgrader.course import examiner_project
from examiner.platforms.nbgrader.notebook import id_of
from examiner.platforms.nbgrader.plain_files import is_plain, modules_in
from examiner.platforms.nbgrader.shown_in_bounds import bound
from examiner.platforms.nbgrader.student_code import coloured
from examiner.platforms.nbgrader.student_markdown import SHOWN, markdown
from examiner.project import ENTRY
from examiner.release.assignment import cell_id, kind_of, read_notebook, without
from examiner.stubs import Function, functions_of

HEAD = "the page's head"  # no name of a cell
SCHEME = re.compile(r"^#+ (BEGIN|END) MARK SCHEME$", re.MULTILINE)
STYLE = """
.nextword-beside { border: 1px solid #8aa4c0; border-left-width: 5px; border-radius: 4px;
  background: #f4f8fc; margin: 4px 0 14px; padding: 6px 12px; overflow-wrap: anywhere; }
.nextword-beside summary { cursor: pointer; font-weight: bold; display: list-item; }
.nextword-beside pre { background: none; border: 0; }
#notebook pre { white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; }
"""


class ShowBeside(Preprocessor):
    """A step of the formgrader's exporter."""

    enabled = True

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put cells into a graded notebook; what they show stands in `resources`."""
        place = Path(resources.get("metadata", {}).get("path", ""))
        name, notebook = resources.get("assignment_id", ""), resources.get("notebook_id", "")
        shown: dict[str, str] = {}
        for course in place.parents if name else ():
            source = course / "source" / name / f"{notebook}.ipynb"
            if source.is_file():
                with contextlib.suppress(OSError, UserError):  # the page is more than its extras
                    shown = _beside(course, source, place)
                break
        resources[SHOWN] = {HEAD: f"<style>{STYLE}</style>", **shown}
        bound(nb.cells)
        nb.cells = [_place_for(HEAD), *_with(nb.cells, shown)]
        return nb, resources


def _with(cells: list[NotebookNode], shown: Mapping[str, str]) -> Iterator[NotebookNode]:
    """Yield the cells, and below each of which something is to be shown another one."""
    for cell in cells:
        cell.metadata.pop(SHOWN, None)
        if utils.is_task(cell):
            cell.source = SCHEME.sub(_scheme_head, cell.source)
        yield cell
        if id_of(cell) in shown and (utils.is_grade(cell) or utils.is_task(cell)):
            yield _place_for(id_of(cell))


def _scheme_head(found: re.Match[str]) -> str:
    # as they stand, both lines are headings, larger than the question's
    return "**Mark scheme.**" if found[1] == "BEGIN" else ""


def _place_for(name: str) -> NotebookNode:
    return new_markdown_cell(metadata={SHOWN: name})


def _beside(course: Path, source: Path, place: Path) -> dict[str, str]:
    """Return what is shown below the cells of a notebook, as HTML by their names."""
    shown = {}
    modules: dict[str, Module] = {}
    catalogue = examiner_project(course).catalogue
    for cell in read_notebook(source.read_text("utf-8"), source.name)["cells"]:
        kind = kind_of(cell)
        if kind == "task":
            chapter, (task, *_) = catalogue.resolve(cell["metadata"][ENTRY]["task"])
            module = modules.setdefault(chapter.stem, Module(chapter, place))
            shown[cell_id(cell)] = _folded(module.title(task), module.code_of(task))
            if task is chapter.tasks[-1]:
                shown[cell_id(cell)] += _folded(f"All of {module.name}", coloured(module.text))
        entry = cell["metadata"].get("nbgrader", {})
        if entry.get("grade") and entry.get("solution"):
            shown[entry["grade_id"]] = _folded("Model answer and rubric", _model(cell), True)
    return shown


def _folded(title: str, body: str, is_open: bool = False) -> str:
    attribute = " open" if is_open else ""
    head = f"<summary>{html.escape(title)}</summary>"
    return f'<details class="nextword-beside"{attribute}>{head}{body}</details>'


def _model(cell: Mapping[str, Any]) -> str:
    source = without(cell["source"], "HIDDEN TESTS")
    return markdown(source) if cell["cell_type"] == "markdown" else coloured(source)


class Module:
    """The module that a student handed in, as the formgrader's folder keeps it."""

    def __init__(self, chapter: Chapter, place: Path) -> None:
        path = next(iter(modules_in(place, chapter.stem)), place / f"{chapter.stem}.py")
        self.name, self.text = path.name, ""
        self._functions: dict[str, Function] = {}
        if is_plain(path) and path.stat().st_size <= MAX_SOURCE:
            self.text = path.read_text("utf-8", errors="replace")
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            self._functions = functions_of(ast.parse(self.text))

    def title(self, task: Task) -> str:
        """Return what the code of a task is called."""
        return f"The student's {', '.join(task.symbols)} in {self.name}"

    def code_of(self, task: Task) -> str:
        """Return the functions of a task as HTML."""
        if not self.text.strip():
            return f"<p>There is no {self.name}, or nothing in it.</p>"
        if not self._functions:
            return f"<p>No function of {self.name} can be read: see all of it below.</p>"
        lines = self.text.splitlines()
        return "".join(self._piece(symbol, lines) for symbol in task.symbols)

    def _piece(self, symbol: str, lines: list[str]) -> str:
        node = self._functions.get(symbol)
        if node is None:
            return f"<p>There is no function {html.escape(symbol)}.</p>"
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        body = coloured("\n".join(lines[first - 1 : node.end_lineno]))
        return f"<p>Lines {first} to {node.end_lineno}:</p>{body}"
