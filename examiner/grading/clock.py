"""What a worker is doing and since when: it writes, and the parent that watches it reads."""

from __future__ import annotations

import ctypes
import multiprocessing
import time
from collections.abc import Callable

from examiner.boundary.deadline import MOST
from examiner.judge.bounds import GRACE

STUCK_SECONDS = 30.0  # beyond a test's time until its worker counts as stuck
# in place of the number of a test: what else is done with a submission
IDLE, IMPORTING, READING, EXPLAINING = -2, -1, -3, -4


class Clock:
    """Shared by a worker and its parent."""

    def __init__(self) -> None:
        # the number of the running test (or IDLE, IMPORTING, …), when it began, how much the worker
        # had computed then, the limit, and whether it runs on trusted code, to explain what became
        # of it
        self._shared = multiprocessing.RawArray(ctypes.c_double, 5)
        self.idle()

    def idle(self) -> None:
        """Say that there is nothing to do."""
        self._shared[0] = IDLE

    def begin(self, number: int, seconds: float, *, trusted: bool = False) -> None:
        """Say that a test begins, and its limit."""
        self._shared[:] = [number, time.monotonic(), time.process_time(), seconds, trusted]

    @property
    def number(self) -> int:
        """The running test, or what else is done."""
        return int(self._shared[0])

    @property
    def trusted(self) -> bool:
        """Whether the test runs on the course's own code."""
        return bool(self._shared[4])

    def is_overdue(self, computed: Callable[[], float]) -> bool:
        """Tell whether the worker has gone on long after it should have ended its test.

        As in a test, what counts is what it has `computed`: the rest of the machine may be busy.
        """
        number, began, before, limit, _ = self._shared
        if number == IDLE:
            return False
        took, patience = time.monotonic() - began, GRACE + STUCK_SECONDS
        if took <= limit + patience:
            return False
        return took > MOST * limit + patience or computed() - before > limit + patience
