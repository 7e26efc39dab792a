"""Accidents of handing in that heal or are named: a copy's name, another chapter, an empty file.

A file under its right name always counts before one whose name is only like it. Leaves out reading.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from examiner.catalogue import Catalogue
from examiner.results import STRANGE

# what browsers, systems and platforms make of a name: "(1)", "-2", "_2", " - Copy", "Copy of "
_COPY = re.compile(
    r"(?:copy of |kopie von )?(.+?)(?:[ _]?\(\d+\)|[-_ ]\d+| ?- ?(?:copy|kopie)(?: ?\(\d+\))?)?"
)
# subtle: no two parts that follow each other match the same letters, or a long line takes minutes
_TOP = re.compile(r"^(?:async +def|def|class) +(\w+)|^(\w+) *(?::[^=\n]+)?=(?!=)", re.MULTILINE)

Names = Mapping[str, frozenset[str]]  # the functions and classes of each chapter


def names_of(catalogue: Catalogue) -> Names:
    """Return what students write at the top of each chapter's module."""
    return {
        chapter.stem: frozenset(s.partition(".")[0] for task in chapter.tasks for s in task.symbols)
        for chapter in catalogue.chapters
    }


def alike(
    paths: Sequence[PurePosixPath], stem: str, others: Collection[str] = ()
) -> list[PurePosixPath]:
    """Return the outermost files that were meant to be <stem>.py, by their names.

    `others` are the stems of other chapters, which are no copies of this one's.

    >>> names = ("Sorting (1).py", "sort.py")
    >>> [str(path) for path in alike([PurePosixPath(name) for name in names], "sorting")]
    ['Sorting (1).py']
    """
    found = [path for path in paths if _is_alike(path.name, stem, others)]
    depth = min((len(path.parts) for path in found), default=0)
    return sorted(path for path in found if len(path.parts) == depth)


def _is_alike(name: str, stem: str, others: Collection[str]) -> bool:
    plain = name.strip().casefold().removesuffix(".txt").strip()
    if not plain.endswith(".py"):
        return False
    plain = plain.removesuffix(".py").removesuffix(".py").strip()
    if plain in others:
        return False
    copied = _COPY.fullmatch(plain)
    forms = {plain, copied[1] if copied else plain}
    return stem.casefold() in {re.sub(r"[- ]", "_", form) for form in forms} | forms


def wrong_content(text: str, stem: str, names: Names) -> str:
    """Return what is wrong with a module that holds nothing of its chapter; "" where it does.

    By its text alone: to parse what students write is for a process apart.
    """
    if not text.strip():
        return f"{stem}.py is empty: write into it, save it, and hand it in again"
    defined = _defined(text)
    if defined & names.get(stem, frozenset()):
        return ""
    for other, its in names.items():
        if other != stem and len(defined & its) >= max(1, (len(its) + 1) // 2):
            return (
                f"{stem}.py holds the functions of {other}, and none of {stem}: "
                f"hand in your own {stem}.py"
            )
    return ""


def strange_content(text: str, stem: str, names: Names) -> str:
    """Return what to ask about a module that may be the wrong one; "" where it is like the others.

    It is graded all the same: functions that are imported, or defined in a block, are not seen.
    """
    known = names.get(stem, frozenset())
    if not known or known & _defined(text):
        return ""
    return f"{stem}.py {STRANGE}: is it the right file?"


def _defined(text: str) -> set[str]:
    """Return what a module defines at its top, whichever line ends it was saved with.

    >>> _defined("def f(): pass\\rx: int = 1") == {"f", "x"}
    True
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return {one or other for one, other in _TOP.findall(lines)}


def nothing_fits(names: Sequence[str], stem: str, others: Collection[str] = ()) -> str:
    """Return what a student is told of whose files none was meant to be <stem>.py.

    >>> nothing_fits(["merging.py"], "ordering", {"merging"})
    'there is no ordering.py; found instead: merging.py, of another chapter. Hand in ordering.py'
    """
    wanted = f"{stem}.py"
    code = [name for name in names if name.lower().endswith((".py", ".ipynb"))]
    like = [name for name in names if stem in name.lower()] or code or list(names)
    text = f"there is no {wanted}; found instead: {', '.join(like[:5])}"
    if like[0].casefold().endswith(".ipynb"):
        return f"a notebook, {like[0]}, where the module {wanted} was expected: hand in {wanted}"
    if not like[0].casefold().endswith(".py"):
        return text
    modules = [name.casefold() for name in like if name.casefold().endswith(".py")]
    if all(name.removesuffix(".py") in others for name in modules):
        return f"{text}, of another chapter. Hand in {wanted}"
    return f"{text}. Rename the right one to {wanted} and hand it in again"
