"""Looks at what students handed in before nbgrader does: renamed and unreadable notebooks.

What was handed in is never changed or deleted, only added to.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat

AS_SUBMITTED = ".as-submitted"  # ends the name of a notebook that could not be read
log = logging.getLogger("nextword.nbgrader")
MAX_BYTES = 50 << 20  # a notebook with its figures


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
    """Return a notebook in today's format; raises ValueError with what is wrong with it."""
    try:
        if path.is_symlink() or path.stat().st_size > MAX_BYTES:
            raise ValueError("it is a link, or larger than 50 MB")
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except ValueError:
        raise
    except Exception as error:  # nbformat raises what it likes for what is no notebook
        raise ValueError(f"{type(error).__name__}: {str(error).splitlines()[0][:200]}") from None
    return notebook


def renamed(folder: Path, wanted: Sequence[str], ids: set[str]) -> dict[str, Path]:
    """Return which file was handed in for each wanted notebook that is missing.

    It must hold at least one of the released cells; of several the one with most of them counts,
    and of equal ones the newest.
    """
    absent = [name for name in wanted if not (folder / f"{name}.ipynb").exists()]
    others = [path for path in folder.glob("*.ipynb") if path.stem not in wanted]
    ranked = []
    for path in others:
        try:
            shared = len(grade_ids(read(path)) & ids)
        except ValueError:
            continue
        if shared:
            ranked.append((shared, path.stat().st_mtime, path))
    found = {}
    for name in absent:
        if ranked:
            best = max(ranked)
            ranked.remove(best)
            found[name] = best[2]
    return found


def find_notebook(folder: Path, source: Path, name: str) -> tuple[Any, str]:
    """Return a student's notebook, or None, and a line on what had to be done about it."""
    path, note = folder / f"{name}.ipynb", ""
    original = path.with_name(path.name + AS_SUBMITTED)
    if original.is_file():  # `prepare` has put a released copy into its place
        path = original
    elif not path.is_file():
        ids = grade_ids(nbformat.read(source / f"{name}.ipynb", as_version=4))
        found = renamed(folder, [name], ids)
        if not found:
            return None, f"there is no {name}.ipynb"
        path = found[name]
        note = f"{path.name} is taken as {name}.ipynb"
    try:
        return read(path), note
    except ValueError as error:
        return None, f"{path.name} cannot be read: {error}"


def blank(notebook: Any, why: str) -> Any:
    """Put a line into a released, or empty, notebook that says what became of the student's."""
    text = f"The notebook that was handed in could not be used: {why}"
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text))
    return notebook


def prepare(folder: Path, source: Path, released: Path) -> list[Path]:
    """Make sure that every notebook of the assignment is in `folder` and can be read.

    Returns the notebooks to grade. Where one was renamed or cannot be read, a copy is written under
    the right name, and what was handed in stays beside it.
    """
    wanted = [path.stem for path in sorted(source.glob("*.ipynb"))]
    ids: set[str] = set()
    for name in wanted:
        ids |= grade_ids(nbformat.read(source / f"{name}.ipynb", as_version=4))
    for name, path in renamed(folder, wanted, ids).items():
        log.warning("%s: %s is taken as %s.ipynb", folder.parent.name, path.name, name)
        nbformat.write(read(path), folder / f"{name}.ipynb")
    found = []
    for name in wanted:
        path = folder / f"{name}.ipynb"
        if not path.exists() and not path.is_symlink():
            continue
        try:
            read(path)
        except ValueError as error:
            log.warning("%s: %s cannot be read: %s", folder.parent.name, path.name, error)
            path.rename(path.with_name(path.name + AS_SUBMITTED))
            new = nbformat.read(released / path.name, as_version=4)
            nbformat.write(blank(new, f"{path.name} cannot be read: {error}"), path)
        found.append(path)
    return found


def before_autograde(assignment: str, student: str, notebooks: list[str]) -> None:
    """Prepare one student's folder: nbgrader's `pre_convert_hook`, called for each submission.

    `notebooks` is the converter's own list of paths; changing it changes what is graded.
    """
    folder = Path(notebooks[0]).parent
    course = next(each for each in folder.parents if (each / "source").is_dir())
    name = folder.name
    ready = prepare(folder, course / "source" / name, course / "release" / name)
    if ready:
        notebooks[:] = [str(path) for path in ready]
