"""Looks how much memory a program and all that it has started hold together, and ends it in time.

No limit of the system counts the processes of a notebook together: each may have what one may.
Leaves out memory that is no process's, which the sandbox bounds or forbids.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BETWEEN = 0.25  # seconds between two looks
SHARE = 0.25  # of a processor that the looks may take
_PROC = Path("/proc")
_OWN = re.compile(rb"^(?:RssAnon|RssShmem):\s*(\d+)", re.MULTILINE)
_PART = re.compile(rb"^(?:Pss_Anon|Pss_Shmem):\s*(\d+)", re.MULTILINE)


class MemoryWatch:
    """Of one program; `ended` tells whether it was ended for its memory."""

    def __init__(self, process: subprocess.Popen[Any], most: int) -> None:
        self.ended = False
        self._process, self._most = process, most
        self._over = threading.Event()

    def run(self) -> None:
        """Look, now and again, until the program is ended or nobody watches any more."""
        wait = BETWEEN
        while not self._over.wait(wait):
            began = time.thread_time()
            if held_together(self._process.pid, self._most) > self._most:
                self.ended = True
                self._process.kill()
                return
            wait = max(BETWEEN, (time.thread_time() - began) / SHARE)

    def stop(self) -> None:
        """Look no more."""
        self._over.set()


@contextlib.contextmanager
def memory_watch(process: subprocess.Popen[Any], most: int) -> Iterator[MemoryWatch]:
    """End a program that holds more than `most` bytes with all that it has started."""
    watch = MemoryWatch(process, most)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.stop()
        thread.join()


def held_together(pid: int, most: int) -> int:
    """Return the bytes of memory that a process and its descendants hold; what several share is
    counted once where the sum without that would be more than `most`, which takes longer to tell.
    """
    family = [*_family(pid)]
    found = sum(_kilobytes(each, "status", _OWN) for each in family) << 10
    if found <= most:
        return found
    return sum(_kilobytes(each, "smaps_rollup", _PART) for each in family) << 10 or found


def _family(pid: int) -> Iterator[int]:
    """Yield a process and its descendants; those that end meanwhile are left out."""
    yield pid
    with contextlib.suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                for child in (task / "children").read_text().split():
                    yield from _family(int(child))


def _kilobytes(pid: int, name: str, wanted: re.Pattern[bytes]) -> int:
    try:
        return sum(map(int, wanted.findall((_PROC / str(pid) / name).read_bytes())))
    except OSError:  # it has ended, or is not ours to look at
        return 0
