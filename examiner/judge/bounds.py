"""Bounds on a test in the examiner's process: its time, and the memory that it may take.

For grading, which needs Linux or macOS; a check has its own (judge/timelimit.py).
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType

from examiner.boundary.deadline import Deadline
from examiner.candidate.confinement import mapped_memory
from examiner.judge.reading import memory_bound
from examiner.judge.runs import OverdueError
from examiner.judge.shelter import sheltered_imports

MEMORY = 2 << 30  # bytes that a test may take in the examiner, to make something of answers
GRACE = 2.0  # seconds that a test may spend beyond its limit outside of the candidate
SOON = 0.01  # seconds to the next look, where the time is all but up


@dataclass(frozen=True)
class Bounds:
    """Bounds for one test after the other."""

    mapped: int = field(default_factory=mapped_memory)  # bytes of this process before the first

    @contextlib.contextmanager
    def __call__(self, deadline: Deadline) -> Iterator[None]:
        """Let a test run out of time, or of memory before the machine does."""
        memory = memory_bound(MEMORY, self.mapped)
        with memory, _overdue(deadline), sheltered_imports(deadline.paused):
            yield


@contextlib.contextmanager
def _overdue(deadline: Deadline) -> Iterator[None]:
    """Raise OverdueError when the block takes longer; the main thread only, as signals are."""

    def ring(number: int, frame: FrameType | None) -> None:
        if deadline.over() >= GRACE:
            raise OverdueError
        wind()

    def wind() -> None:
        left = deadline.left()
        signal.setitimer(signal.ITIMER_REAL, max(SOON, left if left > 0 else left + GRACE))

    before = signal.signal(signal.SIGALRM, ring)
    wind()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
