"""How what is handed in looks, and when it was last changed. Leaves out what follows from that."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

DEEPEST = 20  # folders in each other that are looked at


def _walk(folder: str | Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk over a folder as `os.walk` does, which calls itself for each level, but not so deep."""
    top = len(Path(folder).parts)
    for where, folders, names in os.walk(folder):
        yield where, folders, names
        if len(Path(where).parts) - top >= DEEPEST:
            folders.clear()


def changed(path: Path) -> float:
    """Return when the system last changed a file or its name; of a folder, the newest in it."""
    newest = path.lstat().st_ctime
    if path.is_dir() and not path.is_symlink():
        for place, folders, names in _walk(path):
            for name in (*folders, *names):
                with contextlib.suppress(OSError):
                    newest = max(newest, Path(place, name).lstat().st_ctime)
    return newest


def look_of(entry: os.DirEntry[str]) -> tuple[int, ...]:
    """Return what changes while somebody writes: of a folder, the newest of what is in it."""
    status = entry.stat(follow_symlinks=False)
    if not entry.is_dir(follow_symlinks=False):
        return (status.st_size, status.st_mtime_ns)
    size, newest, number = 0, status.st_mtime_ns, 0
    for where, _, names in _walk(entry.path):
        for name in names:
            with contextlib.suppress(OSError):
                inside = os.lstat(os.path.join(where, name))  # noqa: PTH118 - of os.walk's texts
                size, number = size + inside.st_size, number + 1
                newest = max(newest, inside.st_mtime_ns)
        if number > 10_000:
            break
    return (size, newest, number)


def renamed(entry: os.DirEntry[str]) -> bool:
    """Tell whether a file got its name, or its date, after it was written: then it is whole.

    Writing sets both of its times to the same moment; a new name sets the second one alone.
    """
    status = entry.stat(follow_symlinks=False)
    return not entry.is_dir(follow_symlinks=False) and status.st_ctime_ns > status.st_mtime_ns
