"""What lies in a class folder beside the students' works: of programs and systems, or documents.

Leaves out whose the works are (entries.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from examiner.errors import UserError
from examiner.grading.downloads import sender_of
from examiner.judge.wording import one_line
from examiner.junk import is_junk

EXPECTED = "expected one folder or zip per student"
HIDDEN = (".", "__")  # how a name begins that is no student's
_OF_PROGRAMS = {".json", ".csv", ".log", ".yml"}
_DOCUMENTS = {".md", ".txt", ".html", ".pdf", ""}  # may be what a student handed in
MOST_NAMED = 10


def is_beside(path: Path) -> bool:
    """Tell whether a file in a class folder is none of a student's."""
    if _is_nobodys(path.name):
        return True
    plain = not path.is_dir() and not path.is_symlink()
    beside = path.suffix.lower() in _OF_PROGRAMS | _DOCUMENTS
    return plain and beside and not sender_of(path.name, folder=False)


def is_work_of_one(folder: Path, module: str) -> bool:
    """Tell whether a folder is not a class, but what one student hands in: the module lies in it.

    Where folders or zips lie beside it, or files that a platform has named, they are the students'.
    """
    if not (folder / module).is_file():
        return False
    found = [path for path in folder.iterdir() if not is_beside(path)]
    plain = all(path.is_file() and path.suffix.lower() != ".zip" for path in found)
    return plain and not any(sender_of(path.name, folder=False) for path in found)


def _is_nobodys(name: str) -> bool:
    return name.startswith(HIDDEN) or is_junk(PurePath(name))


def documents(folder: Path) -> Iterator[str]:
    """Yield the names of documents in a class folder that may be somebody's: all but a README."""
    for path in sorted(folder.iterdir()):
        known = _is_nobodys(path.name) or path.name.casefold().startswith("readme")
        if not known and path.suffix.lower() in _DOCUMENTS and is_beside(path):
            yield one_line(path.name, 100)


def passed_over(names: Sequence[str]) -> str:
    """Return a line on documents that were taken for nobody's work; "" for none.

    >>> passed_over(["ben.py.txt", "mia.pdf"])
    'passed over: ben.py.txt, mia.pdf: expected one folder or zip per student'
    """
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"passed over: {', '.join(names[:MOST_NAMED])}{more}: {EXPECTED}" if names else ""


def require_apart(out: Path, folder: Path | None) -> None:
    """Raise UserError where feedback cannot lie, or would be taken for a work the next time."""
    if out.exists() and not out.is_dir():
        raise UserError(f"--out {out} is a file: give a folder, which may be a new one")
    if folder is None or not folder.is_dir() or not out.resolve().is_relative_to(folder.resolve()):
        return
    inside = out.resolve().relative_to(folder.resolve()).parts
    if not inside or not inside[0].startswith(HIDDEN):
        text = f"--out {out} lies among the submissions, and would count as one the next time"
        raise UserError(f"{text}: choose a folder outside of {folder}")
