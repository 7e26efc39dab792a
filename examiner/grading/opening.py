"""Opens what students hand in and follows no link, also while somebody puts other things there.

Between a look at a path and its opening each part of it may become a link. So each part is opened
in the folder before it, which is held open, and what counts is what was opened.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO

IN_OPEN_FOLDERS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd

# not every system has them all
_READ = os.O_RDONLY | sum(getattr(os, x, 0) for x in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_LIST = _READ | getattr(os, "O_DIRECTORY", 0)

_LINK = "is a link; hand in the file itself"
_BEHIND_A_LINK = "lies behind a link, or was moved while it was read; hand in the folder itself"


class NotPlainError(Exception):
    """What is no plain file or folder; the message says so, to be put after its name."""


def open_file(path: Path, inside: Iterable[str] = ()) -> IO[bytes]:
    """Open a regular file: `path`, or one inside it, by the parts of its path from there.

    Links are followed above `path` alone.

    Raises NotPlainError for a link, pipe, socket or device, OSError for what cannot be read.
    """
    with ExitStack() as folders:
        here, place = path, None
        for part in inside:
            place = folders.enter_context(_open_folder(here, place))
            here = _in(here, place, part)
        return os.fdopen(_open_regular(here, place), "rb")


def names_in(folder: Path, deepest: int) -> Iterator[tuple[PurePosixPath, list[str]]]:
    """Yield each folder in a folder, itself first, with the names in it that are no folders.

    What a link to a folder leads to is left out. Raises NotPlainError where `folder` is a link
    itself, OSError with its name for one that cannot be read.
    """
    yield from _names_in(folder, None, PurePosixPath(), deepest)


def _names_in(
    here: Path, place: int | None, inside: PurePosixPath, deepest: int
) -> Iterator[tuple[PurePosixPath, list[str]]]:
    with _open_folder(here, place) as opened:
        folders, others = _listed(here, opened)
        yield inside, others
        for name in folders if deepest > 0 else ():
            with suppress(NotPlainError):
                yield from _names_in(_in(here, opened, name), opened, inside / name, deepest - 1)


def _listed(here: Path, opened: int | None) -> tuple[list[str], list[str]]:
    """Return the names of the folders, and of links to them, in a folder; and all others."""
    folders: list[str] = []
    others: list[str] = []
    try:
        with os.scandir(here if opened is None else opened) as entries:
            for entry in entries:
                (folders if _leads_to_folder(entry) else others).append(entry.name)
    except OSError as error:
        error.filename = str(here)
        raise
    return sorted(folders), sorted(others)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _in(here: Path, opened: int | None, name: str) -> Path:
    """Return by what path a thing in a folder is reached: a mere name in one that is open."""
    return here / name if opened is None else Path(name)


@contextmanager
def _open_folder(path: Path, place: int | None) -> Iterator[int | None]:
    """Hold a folder open, which is found in another one; None where the system cannot do so."""
    if not IN_OPEN_FOLDERS:
        if path.is_symlink():
            raise NotPlainError(_BEHIND_A_LINK)
        yield None
        return
    try:
        opened = os.open(path, _LIST, dir_fd=place)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise NotPlainError(_BEHIND_A_LINK) from None
        raise
    try:
        yield opened
    finally:
        os.close(opened)


def _open_regular(path: Path, place: int | None) -> int:
    # subtle: some devices do something when they are opened, and a socket cannot be
    _require_regular(os.stat(path, dir_fd=place, follow_symlinks=False))
    try:
        opened = os.open(path, _READ, dir_fd=place)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotPlainError(_LINK) from None
        raise
    try:
        _require_regular(os.fstat(opened))
    except NotPlainError:
        os.close(opened)
        raise
    return opened


def _require_regular(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise NotPlainError(_LINK)
    if not stat.S_ISREG(status.st_mode):
        raise NotPlainError("is no regular file")
