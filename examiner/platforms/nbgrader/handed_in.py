"""Looks at what students handed in before nbgrader does: renamed, unreadable, missing notebooks.

What was handed in is never changed or deleted, only added to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from examiner.check.notebook_gaps import STUBS
from examiner.check.notebooks import (
    AGAIN,
    bytes_of,
    in_order,
    looks_like_a_notebook,
    parsed,
    text_in,
)
from examiner.check.terminal import printable
from examiner.project import ENTRY

AS_SUBMITTED = ".as-submitted"  # ends the name of a notebook that could not be read
OLDEST = 3  # notebook format that is converted
UNUSED = "The notebook that was handed in could not be used"
IN_DISORDER = f"{ENTRY}_in_disorder"  # in the metadata of a notebook: why it was put in order
PLACED = f"{ENTRY}_placed"  # in the metadata of a notebook that was put here, not handed in


def grade_ids(notebook: Any) -> set[str]:
    """Return the grade ids in a notebook's metadata, whatever shape it has."""
    found = set()
    cells = notebook.get("cells", []) if isinstance(notebook, dict) else []
    for cell in cells:
        try:
            found.add(str(cell["metadata"]["nbgrader"]["grade_id"]))
        except (KeyError, TypeError):
            continue
    return found


def read(path: Path) -> Any:
    """Return a notebook in today's format; raises ValueError with what is wrong and what to do.

    What other programs leave out or write too much of is put in order; a mark in the notebook's
    metadata says so.
    """
    data = bytes_of(path)
    text = text_in(data)
    raw = parsed(text)
    reason = "it does not say its format"
    try:
        if "nbformat" in raw:
            notebook = nbformat.convert(nbformat.reader.reads(text), to_version=4)
            nbformat.validate(notebook)
            if data != text.encode():  # a byte-order mark, half an emoji
                notebook.metadata[IN_DISORDER] = "its text is not as JSON should be"
            return notebook
    except Exception as error:  # nbformat raises what it likes for what is no notebook
        reason = _reason(error)
    if raw.get("nbformat") == OLDEST:
        raise ValueError(f"it is damaged ({reason}); {AGAIN}")
    notebook = nbformat.from_dict(in_order(raw))
    notebook.metadata[IN_DISORDER] = reason
    return notebook


def _reason(error: Exception) -> str:
    if isinstance(error, nbformat.ValidationError):
        return printable((str(error).splitlines() or [""])[0][:200])
    return type(error).__name__


def is_placed(path: Path) -> bool:
    """Tell whether `place` wrote this file, so that nothing was handed in under its name.

    A student who writes the mark has the notebook passed over, and gains nothing.
    """
    try:
        return bool(read(path).metadata.get(PLACED))
    except ValueError:
        return False


def renamed(folder: Path, wanted: Sequence[str], ids: set[str]) -> dict[str, Path]:
    """Return which file was handed in for each wanted notebook that is missing.

    It must hold at least one of the released cells; of several the one with most of them counts,
    and of equal ones the newest.
    """
    absent = [name for name in wanted if not _handed_in(folder / f"{name}.ipynb")]
    ranked = [
        (len(grade_ids(notebook) & ids), path.stat().st_mtime, path)
        for path, notebook in _others(folder, wanted, ids)
    ]
    found = {}
    for name in absent:
        if ranked:
            best = max(ranked)
            ranked.remove(best)
            found[name] = best[2]
    return found


def _others(
    folder: Path, wanted: Sequence[str], ids: set[str]
) -> Iterator[tuple[Path, NotebookNode]]:
    """Yield notebooks by other names, or one folder further down, with cells of the assignment."""
    names = {folder / f"{name}.ipynb" for name in wanted}
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        hidden = path.parent != folder and path.parent.name.startswith(".")
        if path in names or hidden or path.name.endswith(AS_SUBMITTED):
            continue
        if not looks_like_a_notebook(path.name):
            continue
        try:
            notebook = read(path)
        except ValueError:
            continue
        if grade_ids(notebook) & ids:
            yield path, notebook


def _is_untouched(notebook: Any) -> bool:
    """Tell whether every answer of a notebook still holds the line that stood there."""
    answers = [
        cell.source
        for cell in notebook.cells
        if isinstance(mark := cell.metadata.get("nbgrader"), dict) and mark.get("solution")
    ]
    return bool(answers) and all(any(stub in text for stub in STUBS) for text in answers)


def _handed_in(path: Path) -> bool:
    return (path.exists() or path.is_symlink()) and not is_placed(path)


def find_notebook(folder: Path, source: Path, name: str) -> tuple[Any, str]:
    """Return a student's notebook, or None, and a line on what had to be done about it.

    The same on every run, whatever an earlier one has put into the folder.
    """
    path, note = folder / f"{name}.ipynb", ""
    wanted = path.name
    if not _handed_in(path):
        path = path.with_name(wanted + AS_SUBMITTED)  # where an earlier run has put it
    if not (path.exists() or path.is_symlink()):
        names = [each.stem for each in sorted(source.glob("*.ipynb"))]
        other = renamed(folder, names, released_ids(source)).get(name)
        if other is None:
            return None, f"there is no {wanted}: only the module is graded"
        path, note = other, f"{printable(other.name)} is taken as {wanted}"
    try:
        notebook = read(path)
    except ValueError as error:
        shown = printable(path.name.removesuffix(AS_SUBMITTED))
        return None, f"{shown} cannot be read: {error}"
    if not note and _is_untouched(notebook):
        filled = _filled_in(folder, source)
        if len(filled) == 1:
            ((path, notebook),) = filled
            note = f"{printable(path.name)} is taken as {wanted}, in which nothing was written"
    return notebook, note


def _filled_in(folder: Path, source: Path) -> list[tuple[Path, NotebookNode]]:
    """Return the notebooks by other names in which something was written."""
    wanted = [each.stem for each in source.glob("*.ipynb")]
    others = _others(folder, wanted, released_ids(source))
    return [(path, notebook) for path, notebook in others if not _is_untouched(notebook)]


def released_ids(source: Path) -> set[str]:
    """Return the grade ids of all notebooks of an assignment."""
    notebooks = (nbformat.read(path, as_version=4) for path in sorted(source.glob("*.ipynb")))
    return set().union(*map(grade_ids, notebooks))


def blank(notebook: Any, why: str) -> Any:
    """Put a line into a released, or empty, notebook that says what became of the student's."""
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(f"{UNUSED}: {why}"))
    return notebook


def prepare(folder: Path, source: Path, released: Path) -> tuple[list[Path], dict[str, str]]:
    """Make sure that the notebooks of the assignment are in `folder` and can be read.

    Returns the notebooks to grade, and by name a line on what a person should know of them. Where
    one was renamed, is in disorder, cannot be read, or none came at all, a copy is written under
    the right name, and what was handed in stays beside it.
    """
    paths = [folder / path.name for path in sorted(source.glob("*.ipynb"))]
    looked = {path: find_notebook(folder, source, path.stem) for path in paths}
    nothing = all(nb is None for nb, _ in looked.values())
    ready, notes = [], {}
    for path, (nb, note) in looked.items():
        if nb is None and not (path.exists() or path.is_symlink()) and not nothing:
            continue  # nbgrader gives 0 for one of several that is missing
        ready.append(path)
        if note:
            notes[path.stem] = note
        elif nb is None or IN_DISORDER not in nb.metadata:
            continue
        if _handed_in(path):
            path.rename(path.with_name(path.name + AS_SUBMITTED))
        if nb is None:
            nb = blank(nbformat.read(released / path.name, as_version=4), note)
        place(nb, path)
    return ready, notes


def place(notebook: Any, path: Path) -> None:
    """Write a notebook that was not handed in under this name, marked as such."""
    notebook.metadata[PLACED] = True
    nbformat.write(notebook, path)
