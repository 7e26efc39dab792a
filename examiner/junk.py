"""What Python, systems and programs leave among the files of a folder or a zip."""

from __future__ import annotations

from pathlib import Path, PurePath

_HIDDEN = "."  # begins the name of a file, or of a folder that it is in
_FOLDERS = {"__MACOSX", "__pycache__"}
_OF_SYSTEMS = {"thumbs.db", "desktop.ini", "icon\r"}  # Windows' and macOS', small or capital
_COMPILED = ".pyc"


def is_junk(path: PurePath) -> bool:
    """Tell whether nobody has written it: it is hidden, or lies in a folder that is.

    `path` begins where people name things: what lies above is not looked at.

    >>> [is_junk(PurePath(name)) for name in (".git/HEAD", "__MACOSX/a.py", "Thumbs.db", "a.py")]
    [True, True, True, False]
    """
    hidden = any(part.startswith(_HIDDEN) or part in _FOLDERS for part in path.parts)
    return hidden or path.name.casefold() in _OF_SYSTEMS


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder of the course's, in order, without junk and compiled programs.

    A student's compiled program is no junk: it may be all that was handed in.
    """
    inside = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kept = (path for path in inside if not is_junk(path) and path.suffix != _COMPILED)
    return [folder / path for path in sorted(kept)]
