"""A time limit for code in this process, on every system. Leaves out code that blocks in C."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from examiner.boundary.deadline import Deadline
from examiner.judge.shelter import sheltered_imports


class TimeLimitError(Exception):
    """The code took longer than it was given; its text says what of, and what that may mean."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block when this process computes for longer than `seconds`.

    How long it may sleep, or take in all, says boundary/deadline.py; imports of libraries do not
    count. A thread interrupts the main thread, as Ctrl-C would; that also works on Windows, which
    has no alarm signal. Off the main thread the block runs without a limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _Watch(Deadline(seconds))
    try:
        with _listening(watch.fired), sheltered_imports(watch.paused):
            yield
    except KeyboardInterrupt:
        if not watch.fired.is_set():
            raise  # the user's own Ctrl-C
        raise TimeLimitError(watch.deadline.why) from None
    finally:
        watch.over.set()
        if watch.fired.is_set():
            _swallow_late_interrupt()


class _Watch:
    """A thread that interrupts the main thread when the time is up."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.over, self.fired = threading.Event(), threading.Event()
        self._interrupting = threading.Lock()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        while (left := self.deadline.left()) > 0 or not self._interrupt():
            if self.over.wait(max(left, 0.01)):
                return

    def _interrupt(self) -> bool:
        """Interrupt the main thread, unless it has come into a shelter meanwhile."""
        with self._interrupting:
            if self.over.is_set():
                return True
            if self.deadline.left() > 0:
                return False
            self.fired.set()
            _interrupt_main()
            return True

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Neither count nor interrupt the block."""
        with contextlib.ExitStack() as stack:
            with self._interrupting:
                stack.enter_context(self.deadline.paused())
            yield


def _interrupt_main() -> None:
    """Do as Ctrl-C would. subtle: on POSIX only a real signal wakes who sleeps."""
    main = threading.main_thread().ident
    if sys.platform != "win32" and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def _listening(fired: threading.Event) -> Iterator[None]:
    """Make interrupts count in the block where they would be ignored: nohup, background jobs, CI.

    Those of others are ignored as before.
    """

    def hear(number: int, frame: FrameType | None) -> None:
        if fired.is_set():
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is None or callable(before):
        yield
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        if fired.is_set():
            _swallow_late_interrupt()
        signal.signal(signal.SIGINT, before)


def _swallow_late_interrupt() -> None:
    # subtle: the timer may fire as the block ends; its interrupt must not hit what comes next
    with suppress(KeyboardInterrupt):
        time.sleep(0.05)
