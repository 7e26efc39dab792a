"""Time limits in the page, where there are neither threads nor alarms: a clock that is asked.

Python for the browser asks every few dozen steps whether a signal has come. The worker's script
answers that from `due`, so code that computes for too long is interrupted as it is elsewhere.
Leaves out code that never comes back from a function in C: the page ends its worker.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

from examiner.boundary.deadline import Deadline
from examiner.judge import timelimit

# (signal, seconds from now, seconds after which it comes again or 0); no seconds: it never comes
SetClock = Callable[[int, float, float], None]
_SIGNALS = {signal.ITIMER_REAL: signal.SIGALRM, signal.ITIMER_VIRTUAL: signal.SIGVTALRM}


def install(set_clock: SetClock) -> None:
    """Let time limits and interval timers use the page's clock."""

    def setitimer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        set_clock(_SIGNALS[which], seconds, interval)
        return 0.0, 0.0

    class Watch(timelimit._Watch):
        """Interrupts as the thread of `timelimit` does, when the clock says that it is time."""

        def __init__(self, deadline: Deadline) -> None:
            self.deadline = deadline
            self.over, self.fired = threading.Event(), threading.Event()
            self._interrupting = threading.Lock()
            signal.signal(signal.SIGINT, self._rings)
            set_clock(signal.SIGINT, deadline.seconds, 0.0)

        def _rings(self, number: int, frame: FrameType | None) -> None:
            if self.over.is_set() or self.fired.is_set():
                return
            if (left := self.deadline.left()) > 0:  # an import of a library did not count
                set_clock(signal.SIGINT, left, 0.0)
                return
            self.fired.set()
            raise KeyboardInterrupt

    signal.setitimer = setitimer
    timelimit._Watch = Watch  # type: ignore[misc]
