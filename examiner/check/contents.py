"""What is to be said of a chapter's file before any test: not there, empty, or another file.

Leaves out what is wrong inside its functions.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Collection, Iterator
from pathlib import Path

ALIKE = 0.85  # names that are at least as similar may be a slip of the pen
ENDINGS = (".py", ".txt", "")  # of a module that was saved or downloaded under another name
_INSIDE = re.compile(r"\s+(def|class) (\w+)")  # of an `if`, a class or a function


def not_there(module: Path, chapters: Collection[str] = ()) -> str:
    """Return what to do where a chapter's file is missing; `chapters` are the stems of all."""
    said = f"there is no {_shown(module)}"
    if others := list(_others(module, chapters)):
        names = " or ".join(f"`{each.name}`" for each in others)
        return f"{said}; there is {names}: if that is your work, rename it to {module.name}"
    return f"{said}: {_fresh(module)}"


def nothing_in(
    module: Path, text: str, names: Collection[str], symbols: Collection[str], fresh: str = ""
) -> str:
    """Return what to do where a file defines none of a chapter's functions, else "".

    `names` are those that the module has, `symbols` the chapter's functions and methods. `fresh`
    says where a fresh file comes from, if from nowhere near where files were handed out.
    """
    fresh = fresh or _fresh(module)
    wanted = {symbol.partition(".")[0] for symbol in symbols}
    if not wanted or wanted.intersection(names):
        return ""
    if not text.strip():
        return f"{_shown(module)} is empty: {fresh}"
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _INSIDE.match(line)) and found[2] in wanted:
            return (
                f"{_shown(module)} defines {found[2]} inside something else (line {number}): "
                f"let `{found[1]} {found[2]}` begin at the left margin, and the others too"
            )
    return f"{_shown(module)} defines no function of this chapter: {fresh}"


def newer_copies(module: Path, chapters: Collection[str] = ()) -> Iterator[str]:
    """Yield what to do about files that may be a newer version of a chapter's file."""
    if not module.is_file():
        return
    for other in _others(module, chapters):
        if _is_newer(other, module):
            yield (
                f"`{other.name}` is newer than {module.name} and was not looked at: "
                f"if it holds your work, rename it to {module.name}"
            )


def _is_newer(other: Path, module: Path) -> bool:
    """Tell whether a file was changed last and holds something else; a gone or closed one not."""
    with contextlib.suppress(OSError):
        newer = other.stat().st_mtime > module.stat().st_mtime
        return newer and other.read_bytes() != module.read_bytes()
    return False


def _others(module: Path, chapters: Collection[str]) -> Iterator[Path]:
    """Yield files whose name is nearly that of a chapter's: `sorting (1).py`, `Sorting.py.txt`.

    The files of other chapters are no such.
    """
    stem = module.stem.casefold()
    beside = sorted(module.parent.iterdir()) if module.parent.is_dir() else []
    for other in beside:
        name = other.name.casefold()
        same = other.name == module.name or not other.is_file() or name.startswith(".")
        if same or _is_anothers(name, stem, chapters) or other.suffix.casefold() not in ENDINGS:
            continue
        alike = difflib.SequenceMatcher(None, name, module.name.casefold()).ratio() >= ALIKE
        if stem in name or alike:
            yield other


def _is_anothers(name: str, stem: str, chapters: Collection[str]) -> bool:
    """Tell whether a file is another chapter's, or a copy of one whose name holds our stem."""
    others = {each.casefold() for each in chapters} - {stem}
    return any(name == f"{each}.py" or (stem in each and each in name) for each in others)


def _shown(module: Path) -> str:
    return f"{module.parent.name}/{module.name}"


def _fresh(module: Path) -> str:
    """Say where a fresh file comes from."""
    return (
        "take a fresh one from the folder or zip that you were given "
        f"(in a git clone: git restore {_shown(module)})"
    )
