"""Bounds on a test in the examiner's process: its time, and the memory that it may take.

For grading, which needs Linux or macOS; a check has its own (judge/timelimit.py).
"""

from __future__ import annotations

import contextlib
import resource
import signal
from collections.abc import Iterator
from types import FrameType

from examiner.boundary.deadline import Deadline
from examiner.candidate.confinement import mapped_memory
from examiner.judge.shelter import sheltered_imports
from examiner.judge.suite import OverdueError

MEMORY = 2 << 30  # bytes that a test may take in the examiner, to make something of answers
GRACE = 2.0  # seconds that a test may spend beyond its limit outside of the candidate
SOON = 0.01  # seconds to the next look, where the time is all but up


class Bounds:
    """Bounds for one test after the other."""

    def __init__(self) -> None:
        self._mapped = 0  # bytes of this process before the first test

    @contextlib.contextmanager
    def __call__(self, deadline: Deadline) -> Iterator[None]:
        """Let a test run out of time, or of memory before the machine does."""
        with self._memory(), _overdue(deadline), sheltered_imports(deadline.paused):
            yield

    @contextlib.contextmanager
    def _memory(self) -> Iterator[None]:
        if not self._mapped:
            self._mapped = mapped_memory()
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
        if self._mapped:  # else, as on macOS, it cannot be limited
            resource.setrlimit(resource.RLIMIT_AS, (min([self._mapped + MEMORY, *bounds]), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


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
