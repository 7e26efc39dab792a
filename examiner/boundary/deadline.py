"""When the time of a test is up: its limit counts computing, not the clock.

A machine that is busy with other things gives a test less of its time, and takes nothing off the
test's: what is spent ready to run, while no processor is free, does not count where Linux tells it.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from examiner.boundary.usage import Meter, own_meter
from examiner.results import SLEPT

# Times its limit:
ASLEEP = 3.0  # that a test may sleep, or wait for something else than a processor
MOST = 60.0  # that it may take on the clock, however busy the machine is
BLIND = 10.0  # the same where the system does not tell how long it slept
TIRED = 0.2  # that it may sleep when the submission has slept enough
ENOUGH = 180.0  # seconds that all tests of a submission may sleep together
MOMENT = 0.5  # seconds in which nobody can have slept for long
SHORTEST = 0.02  # seconds between two looks at what was used
PROCESSORS = min(os.cpu_count() or 1, 32)  # that may compute for a test at a time
SLOW = "an endless loop, or a much slower way than needed"
IDLE = "it sleeps, or waits for what does not happen"


@dataclass
class Rest:
    """How long the tests of a submission may still sleep: a hundred times almost too long is an
    hour, in which a worker does nothing else."""

    left: float = field(default_factory=lambda: ENOUGH)

    def of(self, seconds: float) -> float:
        """Return how long a test may sleep that may compute for so many seconds."""
        return min(ASLEEP * seconds, max(TIRED * seconds, self.left))


class Deadline:
    """The end of a test's time: when it has computed, slept or lasted for too long.

    What all meters tell counts together; without any it is this process's. `left` costs next to
    nothing until so much time has passed that the end may have come. `asleep`: how long it may
    sleep, if less than usual.
    """

    def __init__(self, seconds: float, *meters: Meter, asleep: float | None = None) -> None:
        self.seconds = seconds
        self._may_sleep = ASLEEP * seconds if asleep is None else asleep
        self._meters = meters or (own_meter(),)
        self._lock = threading.RLock()  # an alarm looks, too, in the middle of a look
        self._paused = 0  # pauses, one within the other
        self._why = ""
        self._began = time.monotonic()
        self._computed, self._awake, _ = self._used(closely=False)
        self._look_at = self._began + min(seconds / PROCESSORS, self._may_sleep)

    def left(self) -> float:
        """Return for how many seconds the time cannot be up; 0, or less, when it is."""
        wait = self._look_at - time.monotonic()
        if wait > 0:
            return wait
        over = self.over()
        return -over if over >= 0 else self._look_at - time.monotonic()

    def over(self) -> float:
        """Return by how many seconds the time is up; less than 0 while it is not."""
        with self._lock:
            if self._paused:
                self._look_at = time.monotonic() + SHORTEST
                return -math.inf
            computing, asleep, lasting = self._lefts()
            soonest = min(computing / PROCESSORS, asleep, lasting)
            self._look_at = time.monotonic() + (max(SHORTEST, soonest) if soonest > 0 else 0.0)
            return -min(computing, asleep, lasting)

    def allows(self, seconds: float) -> bool:
        """Tell whether so many more seconds of computing would not use up the time."""
        with self._lock:
            surely = self._look_at - time.monotonic()
            return seconds < surely or seconds < self._lefts()[0]

    def spent(self) -> float:
        """Return the seconds that count so far: on the clock, but for waiting for a processor."""
        with self._lock:
            computed, awake, _ = self._used(closely=True)
            took = time.monotonic() - self._began
            if math.isnan(awake):
                return took
            waited = (awake - self._awake) - (computed - self._computed)
            return took - max(0.0, waited)

    def slept(self) -> float:
        """Return the seconds slept so far, if it may have been long; 0 where nobody tells."""
        if time.monotonic() - self._began < MOMENT:
            return 0.0
        with self._lock:
            _, awake, _ = self._used(closely=True)
            return 0.0 if math.isnan(awake) else self._asleep(awake)

    def _asleep(self, awake: float) -> float:
        return max(0.0, time.monotonic() - self._began - (awake - self._awake))

    def _lefts(self) -> tuple[float, float, float]:
        """Return how many seconds are left to compute, to sleep and on the clock; note what is up.

        Where the system does not tell what was slept, the clock alone bounds it. subtle: who is
        ready to run may have been so for long, and Linux counts that only once it runs.
        """
        computed, awake, ready = self._used(closely=True)
        took = time.monotonic() - self._began
        most = self.seconds * (BLIND if math.isnan(awake) else MOST)
        asleep = 0.0 if math.isnan(awake) else self._asleep(awake)
        computing = self.seconds - (computed - self._computed)
        resting = max(self._may_sleep - asleep, SHORTEST if ready else -math.inf)
        if not self._why and min(computing, resting, most - took) <= 0:
            self._why = self._reason(computing, resting, most)
        return computing, resting, most - took

    def _used(self, *, closely: bool) -> tuple[float, float, bool]:
        """Return how long all have computed and been awake (not a number: nobody tells), and
        whether one is ready to run now."""
        used = [each.used(closely=closely) for each in self._meters]
        awake = [math.nan if each.awake is None else each.awake for each in used]
        return sum(each.computed for each in used), sum(awake), any(each.ready for each in used)

    def _reason(self, computing: float, resting: float, most: float) -> str:
        if computing <= 0:
            return f"took more than {self.seconds:.3g} s of computing time: {SLOW}"
        if resting <= 0:
            return f"{SLEPT} {self._may_sleep:.3g} s: {IDLE}"
        return f"took longer than {most:.3g} s: {SLOW}"

    @property
    def why(self) -> str:
        """Say why the time is up."""
        return self._why or f"took more than {self.seconds:.3g} s of computing time: {SLOW}"

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out what the block takes and uses."""
        with self._lock:
            self._paused += 1
            computed, awake, _ = self._used(closely=True)
            began = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._paused -= 1
                now_computed, now_awake, _ = self._used(closely=True)
                if not self._paused:
                    took = time.monotonic() - began
                    self._began += took
                    self._look_at += took
                    self._computed += now_computed - computed
                    self._awake += now_awake - awake
