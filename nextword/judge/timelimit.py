"""A time limit for code in this process, on every system. Leaves out code that blocks in C."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


class TimeLimitError(Exception):
    """The code took longer than it was given."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block when it takes longer than `seconds`.

    A timer thread interrupts the main thread, as Ctrl-C would; that also works on Windows, which
    has no alarm signal. Off the main thread the block runs without a limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    fired = threading.Event()

    def interrupt() -> None:
        fired.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        with _listening(fired):
            yield
    except KeyboardInterrupt:
        if not fired.is_set():
            raise  # the user's own Ctrl-C
        raise TimeLimitError(f"took longer than {seconds:g} s") from None
    finally:
        timer.cancel()
        if fired.is_set():
            _swallow_late_interrupt()


@contextmanager
def _listening(fired: threading.Event) -> Iterator[None]:
    """Make interrupts count in the block where they would be ignored: nohup, background jobs, CI.

    Those of others are ignored as before.
    """

    def hear(number: int, frame: FrameType | None) -> None:
        if fired.is_set():
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        if fired.is_set():
            _swallow_late_interrupt()
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _swallow_late_interrupt() -> None:
    # subtle: the timer may fire as the block ends; its interrupt must not hit what comes next
    with suppress(KeyboardInterrupt):
        time.sleep(0.05)
