"""Folders for as long as a process lives; what a killed process has left, the next one clears."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from examiner.files import held

LOCK = ".lives"  # held by the process whose folder it is


@contextmanager
def passing_folder(prefix: str) -> Iterator[Path]:
    """Give a new folder, which goes when the block ends, among those that the system clears.

    Those of this prefix whose processes are gone are removed first: a kill left them.
    """
    _clear(prefix)
    with tempfile.TemporaryDirectory(prefix=prefix) as name, contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # no locks here: then nobody removes it but we
            # subtle: under its name it is held from the start; else another process, which clears
            # just now, would take the folder for one that was left
            new = Path(name, f"{LOCK}-new")
            stack.enter_context(held(new, wait=False))
            new.rename(new.with_name(LOCK))
        yield Path(name)


def _clear(prefix: str) -> None:
    """Remove folders of this user whose lock nobody holds; one without a lock may be brand-new."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            if not (ours and folder.is_dir() and not folder.is_symlink()):
                continue
            if not (folder / LOCK).is_file():
                continue
            with held(folder / LOCK, wait=False):  # raises where its process lives
                shutil.rmtree(folder, ignore_errors=True)
