"""When the time of a test is up, on a machine that may be busy with other things.

The limit counts the time that the candidate and the examiner run or sleep. What they spend ready
to run, while no processor is free for them, does not count where Linux tells it; elsewhere it does.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from functools import cache

MOST = 4.0  # times its limit that a test may take on the clock, however busy the machine is
_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def open_waits(pid: int) -> list[int]:
    """Open what Waits needs to know of a process; return [] where this system does not tell."""
    opened: list[int] = []
    try:
        for name in ("schedstat", "stat"):
            opened.append(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
    except OSError:
        close_all(opened)
        return []
    return opened


def close_all(descriptors: Sequence[int]) -> None:
    """Close descriptors, whatever has become of them."""
    for each in descriptors:
        with contextlib.suppress(OSError):
            os.close(each)


class Waits:
    """How long a process has waited for a processor: its main thread, which answers."""

    def __init__(self, opened: Sequence[int]) -> None:
        self._opened = tuple(opened)
        self._last = 0.0

    def close(self) -> None:
        """Close the files; what is known stays."""
        close_all(self._opened)
        self._opened = ()

    def waited(self) -> float:
        """Return the seconds that the main thread was ready to run and did not."""
        return self._main_thread()[1]

    def computed_beside(self) -> float:
        """Return the processor seconds of the other threads, which may be what it waited for."""
        if not self._opened:
            return 0.0
        try:
            fields = os.pread(self._opened[1], 1024, 0).rpartition(b")")[2].split()
        except OSError:
            return 0.0
        everything = (int(fields[11]) + int(fields[12])) / _TICK
        return max(0.0, everything - self._main_thread()[0] - 2 / _TICK)

    def _main_thread(self) -> tuple[float, float]:
        """Return how long the main thread has run and waited, in seconds."""
        if not self._opened:
            return 0.0, self._last
        try:
            ran, waited, _ = os.pread(self._opened[0], 64, 0).split()
        except (OSError, ValueError):  # the process is gone
            return 0.0, self._last
        self._last = int(waited) / 1e9
        return int(ran) / 1e9, self._last


@cache
def _own_waits(pid: int) -> Waits:
    return Waits(open_waits(pid))


class Deadline:
    """The end of a test's time, which moves on by what was waited for a processor.

    subtle: a submission cannot make itself time by keeping the processors busy with threads of its
    own. All that such threads have ever computed is taken off what it has waited in this test.
    """

    def __init__(self, seconds: float, candidate: Waits | None = None) -> None:
        self._candidate, self._own = candidate, _own_waits(os.getpid())
        self.seconds, self._before = seconds, self._waited()
        self._began = time.monotonic()
        self._end = self._began + seconds

    def _waited(self) -> float:
        return self._own.waited() + (self._candidate.waited() if self._candidate else 0.0)

    def left(self) -> float:
        """Return how many seconds are left; none, or less, when the time is up."""
        left = self._end - time.monotonic()
        if left > 0:
            return left
        waited = self._waited() - self._before
        if self._candidate:
            waited -= self._candidate.computed_beside()
        self._end = self._began + min(self.seconds + max(0.0, waited), MOST * self.seconds)
        return self._end - time.monotonic()
