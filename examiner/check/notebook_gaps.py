"""What is missing from an assignment notebook that is handed in. Leaves out the module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.check.notebooks import looks_like_a_notebook, usable
from examiner.project import ENTRY

STUBS = ("YOUR CODE HERE", "YOUR ANSWER HERE")
PICTURE = re.compile(
    r"!\[[^\]]*\]\(\s*<?([^)\s>]+)|<img[^>]*\ssrc=[\"']?([^\"'\s>]+)", re.IGNORECASE
)
ASKS_FOR_A_PICTURE = re.compile(r"\b(picture|plot|draw|figure)", re.IGNORECASE)

Cell = Mapping[str, Any]


def copies_of(path: Path) -> list[Path]:
    """Return files beside this one that a browser or Jupyter has named after it.

    Such as `sorting (1).ipynb` and `sorting-Copy1.ipynb`; one with the same content does no harm.
    """
    again = re.compile(
        rf"{re.escape(path.stem)}(?: ?\([0-9]+\)|-Copy[0-9]+|[-_ ][0-9]+){re.escape(path.suffix)}"
    )
    found = [p for p in path.parent.glob(f"*{path.suffix}") if again.fullmatch(p.name)]
    own = path.read_bytes() if path.is_file() else None
    return [each for each in sorted(found) if each.is_file() and each.read_bytes() != own]


def renamed_copies(path: Path, chapter: Chapter) -> Iterator[Path]:
    """Yield notebooks with a chapter's cells that are not called as one that is missing is."""
    known = {copy.name for copy in copies_of(path)}
    wanted = {_test_cell(task) for task in chapter.tasks}
    for other in sorted(path.parent.iterdir()) if not path.exists() else ():
        if other.name in known or not looks_like_a_notebook(other.name):
            continue
        try:
            cells = usable(other)["cells"]
        except ValueError:
            continue
        if wanted.intersection(filter(None, map(_grade_id, cells))):
            yield other


def notebook_gaps(path: Path, chapter: Chapter) -> Iterator[str]:
    """Yield what is missing from the notebook, where the student has one."""
    if not path.exists():
        return
    try:
        notebook = usable(path)
    except ValueError as error:
        yield f"{path.name} is no notebook that can be read: {error}"
        return
    cells = notebook["cells"]
    sources = {name: cell["source"] for cell in cells if (name := _grade_id(cell))}
    lines = [*_deleted(sources, _released(notebook), chapter), *_empty(sources)]
    lines += [*_absent_pictures(cells), *_absent_work(cells)]
    yield from (f"{path.name}: {line}" for line in lines)


def _released(notebook: Mapping[str, Any]) -> list[str]:
    """The names of the cells that were handed out, as far as the notebook says them."""
    own = notebook["metadata"].get(ENTRY)
    names = own.get("cells") if isinstance(own, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _test_cell(task: Task) -> str:
    """The name of the cell that tests a task."""
    return f"task-{task.id.replace('.', '-')}"


def _grade_id(cell: Cell) -> str | None:
    name = cell["metadata"].get("nbgrader", {}).get("grade_id")
    return str(name) if name else None


def _deleted(
    sources: Mapping[str, str], released: Sequence[str], chapter: Chapter
) -> Iterator[str]:
    """Yield which of the released cells are gone; older notebooks do not say which these were."""
    gone = [task.id for task in chapter.tasks if _test_cell(task) not in sources]
    if gone:
        yield f"the test cells of {', '.join(gone)} were deleted"
    others = [n for n in released if n not in sources and not n.startswith("task-")]
    if others:
        word = "cell" if len(others) == 1 else "cells"
        verb = "was" if len(others) == 1 else "were"
        yield f"the {word} {', '.join(others)} {verb} deleted; what stood there cannot be graded"


def _empty(sources: Mapping[str, str]) -> Iterator[str]:
    for name, source in sources.items():
        if any(stub in source for stub in STUBS):
            yield f"the cell {name} is empty"


def _absent_pictures(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the pictures that a text names and that do not travel with the notebook."""
    for number, cell in enumerate(cells, start=1):
        if cell["cell_type"] != "markdown":
            continue
        place = _grade_id(cell) or f"number {number}"
        for found in PICTURE.finditer(cell["source"]):
            address = found[1] or found[2]
            name = address.removeprefix("attachment:")
            here = address != name and name in cell.get("attachments", {})
            if not here and not address.startswith("data:"):
                yield f"the picture {name} of the cell {place} is not in the notebook: drag it in"


def _absent_work(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the tasks that ask for cells of one's own, and have none, or none with a picture."""
    for at, cell in enumerate(cells):
        if not cell["metadata"].get("nbgrader", {}).get("task"):
            continue
        own = []
        for other in cells[at + 1 :]:
            if _grade_id(other):
                break
            own.append(other)
        own = [each for each in own if each["source"].strip()]
        if not own:
            yield f"nothing of your own stands below the cell {_grade_id(cell)}"
        elif ASKS_FOR_A_PICTURE.search(cell["source"]) and not any(map(_shows_a_picture, own)):
            yield f"no picture is shown below the cell {_grade_id(cell)}: run its cells, then save"


def _shows_a_picture(cell: Cell) -> bool:
    kinds = [kind for output in cell.get("outputs", []) for kind in output.get("data", {})]
    kinds += [kind for file in cell.get("attachments", {}).values() for kind in file]
    return any(kind.startswith("image/") for kind in kinds)
