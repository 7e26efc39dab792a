"""The reader's folder of notebooks: pages are written into it, never over what was changed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from examiner.files import SHARED, write_whole
from examiner.project import Project
from nextword.reading.notebook import STAMP, Binder, fingerprint

FOLDER = "reading"


@dataclass(frozen=True)
class Placed:
    """What became of one page: written, kept as it was, or written with the old one put aside."""

    path: Path
    what: str

    def __str__(self) -> str:
        return f"{self.path.name}: {self.what}"


def place(
    project: Project,
    pages: Sequence[Path],
    folder: Path,
    *,
    again: bool = False,
    repository: str = "",
) -> list[Placed]:
    """Write each page into the folder as a notebook, and say what was done.

    A notebook that is there stays, since the reader may have worked in it; with `again` it is
    written anew, and one that was changed is kept under another name. repository: the address from
    which the notebooks fetch the course, where they are not read beside it. Raises UserError where
    the folder cannot take notebooks.
    """
    _require_usable(project, folder)
    binder = Binder.of(project, repository)
    names = [page.name for page in pages]
    beside = {*names, *(path.name for path in folder.glob("*.ipynb"))}
    return [_place(binder, page, folder, beside, again=again) for page in pages]


def _place(binder: Binder, page: Path, folder: Path, beside: set[str], *, again: bool) -> Placed:
    path = folder / page.name
    made = binder.notebook(page, folder, beside)
    if not path.exists():
        write(path, made)
        return Placed(path, "written")
    old = _read(path)
    stamp = old.get("metadata", {}).get(STAMP, {})
    touched = stamp.get("as") != fingerprint(old.get("cells", []))
    if not again:
        newer = stamp.get("of") != made["metadata"][STAMP]["of"]
        yours = ", with your changes" if touched else ""
        hint = "; the book's page has changed since: --again writes it anew" if newer else ""
        return Placed(path, f"kept as it is{yours}{hint}")
    aside = _free_name(path) if touched else None
    if aside:
        path.rename(aside)
    write(path, made)
    return Placed(path, f"written anew; yours is now {aside.name}" if aside else "written anew")


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook, and trust it, since the book made its outputs: so its scripts run."""
    data = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, data.encode(), mode=SHARED)
    with contextlib.suppress(Exception):  # without trust, a figure says that its cell must be run
        import nbformat
        from nbformat.sign import NotebookNotary

        NotebookNotary().sign(nbformat.read(path, as_version=4))


def _require_usable(project: Project, folder: Path) -> None:
    root = project.root
    taken = ("chapters", "coursework", "solutions", "tests", "nextword", "examiner")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: give a folder with --to")
    if folder == root or any(folder.is_relative_to(root / name) for name in taken):
        raise UserError(f"{folder} is part of the course: give a folder of your own with --to")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror}") from None


def _read(path: Path) -> dict[str, Any]:
    """Return a notebook that is there; one that cannot be read counts as the reader's."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _free_name(path: Path) -> Path:
    """Return a name for the reader's old notebook: 02-ngrams-mine.ipynb, …-mine-2.ipynb, …"""
    number = 1
    while True:
        ending = "" if number == 1 else f"-{number}"
        free = path.with_name(f"{path.stem}-mine{ending}{path.suffix}")
        if not free.exists():
            return free
        number += 1
