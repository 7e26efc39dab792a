"""Turns an assignment notebook of solutions/ into nbgrader's source and into what students get.

Writes no files and does not need nbgrader. A cell says what it is in its metadata, under
`nextword`; one without that entry is copied as it stands:

    {"task": "2.1"}                            code: shows the points of the catalogue's task
    {"answer": "unseen"}                       code: the student writes what stands between markers
    {"check": "unseen", "reads": ["unseen"], "points": 2}   code: tests of an answer's variables
    {"written": "why", "points": 4}            text: an answer, marked by hand
    {"assigned": "figure", "points": 4}        text: a piece of work in cells of one's own, by hand
    {"locked": "setup"}                        code or text that stays as it is
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from typing import Any

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.release.suites import SuiteTexts

Cell = dict[str, Any]
Notebook = dict[str, Any]

KINDS = ("task", "answer", "check", "written", "assigned", "locked")
SCHEMA_VERSION = 3  # of nbgrader's metadata, since nbgrader 0.6
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")
CODE_STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB = "YOUR ANSWER HERE"
REFERENCE = "REFERENCE"  # hidden tests read the reference's answers as REFERENCE["name"]


def read_notebook(text: str, name: str) -> Notebook:
    """Return the notebook of a JSON text, its sources as strings; UserError if it is none."""
    try:
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
            cell.setdefault("metadata", {})
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{name} is no Jupyter notebook of format 4: {error!r}") from None
    return dict(notebook)


def write_notebook(notebook: Notebook) -> str:
    """Return the text of a notebook as Jupyter stores it."""
    stored = copy.deepcopy(notebook)
    for cell in stored["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    return json.dumps(stored, indent=1, ensure_ascii=False) + "\n"


def kind_of(cell: Cell) -> str | None:
    """Return which of KINDS a cell is; None for a plain one."""
    said = cell["metadata"].get("nextword", {})
    return next((kind for kind in KINDS if kind in said), None)


def cell_id(cell: Cell) -> str:
    """Return the name under which nbgrader keeps the cell: "task-2-1", "check-unseen"."""
    kind = kind_of(cell)
    name = str(cell["metadata"]["nextword"][kind]).replace(".", "-")
    return name if kind in ("answer", "written", "assigned", "locked") else f"{kind}-{name}"


def variables(notebook: Notebook) -> list[str]:
    """Return the variables that the notebook's checks read, in order."""
    reads = [cell["metadata"]["nextword"].get("reads", []) for cell in _marked(notebook, "check")]
    return list(dict.fromkeys(name for names in reads for name in names))


def _marked(notebook: Notebook, *kinds: str) -> list[Cell]:
    return [cell for cell in notebook["cells"] if kind_of(cell) in kinds]


def nbgrader_source(
    notebook: Notebook,
    chapter: Chapter,
    suite: SuiteTexts,
    reference: Mapping[str, Any],
) -> Notebook:
    """Return the notebook for nbgrader's source/: with its metadata, solutions and hidden tests.

    `reference` holds the answers of the reference by name.
    Raises UserError for a task that the catalogue lacks or that no cell, or more than one, tests.
    """
    made = _prepared(notebook, chapter)
    for cell in _marked(made, "task"):
        task_id = cell["metadata"]["nextword"]["task"]
        # needed where nbgrader grades without the examiner
        files = [f'"{name}": {_quoted(text)}' for name, text in suite.of_task(task_id).items()]
        run = f'points("{task_id}", suite={{{", ".join(files)}}})'
        cell["source"] = "\n".join([cell["source"], HIDDEN[0], run, HIDDEN[1]])
    for cell in _marked(made, "check"):
        line = f"{HIDDEN[0]}\n{_reference_line(cell, reference)}"
        cell["source"] = cell["source"].replace(HIDDEN[0], line, 1)
    return made


def _reference_line(check: Cell, reference: Mapping[str, Any]) -> str:
    names = check["metadata"]["nextword"].get("reads", [])
    values = repr({name: reference[name] for name in names})
    values = re.sub(r"\binf\b", 'float("inf")', values)  # its repr is no literal
    return f"{REFERENCE} = {values}"


def renew_reference(check: Cell, reference: Mapping[str, Any]) -> None:
    """Put these answers of the reference into a check of a released notebook."""
    line = _reference_line(check, reference)
    check["source"] = re.sub(
        rf"^{REFERENCE} = .*$", lambda _: line, check["source"], count=1, flags=re.M
    )


def student_notebook(notebook: Notebook, chapter: Chapter) -> Notebook:
    """Return the notebook that students fill in: no solutions, hidden tests or mark schemes."""
    made = _prepared(notebook, chapter)
    for cell in made["cells"]:
        kind = kind_of(cell)
        source = without(cell["source"], "HIDDEN TESTS")
        if kind == "answer":
            source = without(source, "SOLUTION", CODE_STUB)
        elif kind == "written":
            source = TEXT_STUB
        cell["source"] = without(source, "MARK SCHEME")
        cell["metadata"].pop("nextword", None)
    return made


def student_assignment(text: str, name: str, chapter: Chapter) -> str:
    """Return the text of the assignment notebook for students, from that of solutions/."""
    return write_notebook(student_notebook(read_notebook(text, name), chapter))


def without(source: str, what: str, stub: str = "") -> str:
    """Return a cell's source with each BEGIN `what` … END `what` region replaced by the stub.

    >>> without("a\\n### BEGIN HIDDEN TESTS\\nb\\n### END HIDDEN TESTS\\nc", "HIDDEN TESTS")
    'a\\nc'
    """
    lines: list[str] = []
    inside = False
    for line in source.splitlines():
        if f"BEGIN {what}" in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + row for row in stub.splitlines()]
        elif f"END {what}" in line:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def _prepared(notebook: Notebook, chapter: Chapter) -> Notebook:
    """Return a copy without outputs whose cells have nbgrader's metadata."""
    made = copy.deepcopy(notebook)
    seen: set[str] = set()
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        if kind_of(cell) is None:
            continue
        name = cell_id(cell)
        if name in seen:
            raise UserError(f"the notebook of {chapter.stem} has two cells {name}")
        seen.add(name)
        cell["metadata"]["nbgrader"] = _nbgrader_metadata(cell, chapter)
    tested = [cell["metadata"]["nextword"]["task"] for cell in _marked(made, "task")]
    if missing := [task.id for task in chapter.tasks if task.id not in tested]:
        raise UserError(f"no cell of the notebook of {chapter.stem} tests {', '.join(missing)}")
    made["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        # of these `nextword submit` knows whether one was deleted
        "nextword": {"cells": [cell_id(cell) for cell in made["cells"] if kind_of(cell)]},
    }
    return made


def _nbgrader_metadata(cell: Cell, chapter: Chapter) -> dict[str, Any]:
    kind, said = kind_of(cell), cell["metadata"]["nextword"]
    is_text = kind in ("written", "assigned")
    if cell["cell_type"] != ("markdown" if is_text else "code") and kind != "locked":
        raise UserError(
            f"cell {cell_id(cell)}: {kind} needs a {'text' if is_text else 'code'} cell"
        )
    graded = kind in ("task", "check", "written")
    metadata: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "grade_id": cell_id(cell),
        "grade": graded,
        "solution": kind in ("answer", "written"),
        "locked": kind in ("task", "check", "locked", "assigned"),
        "task": kind == "assigned",
        "cell_type": cell["cell_type"],
    }
    if kind == "task":
        metadata["points"] = chapter.task(said["task"]).points
    elif graded or kind == "assigned":
        metadata["points"] = said["points"]
    return metadata


def _quoted(text: str) -> str:
    """Return a Python literal of the text that can still be read, where that is possible."""
    if "'''" in text or "\\" in text or text.endswith("'"):
        lines = [repr(line) for line in text.splitlines(keepends=True)]
        return "(\n    " + "\n    ".join(lines) + "\n)"
    return f"'''\n{text}'''"


def answers_text(notebook: Notebook) -> str:
    """Return the notebook's code as one module, without its tests: what gives the reference."""
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    kept = [c["source"] for c in code if kind_of(c) not in ("task", "check")]
    return "\n\n".join(re.sub(r"^[%!].*$", "", source, flags=re.M) for source in kept) + "\n"
