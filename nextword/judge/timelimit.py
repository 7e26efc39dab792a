"""A time limit for code in this process, on every system. Leaves out code that blocks in C."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


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
        yield
    except KeyboardInterrupt:
        if not fired.is_set():
            raise  # the user's own Ctrl-C
        raise TimeLimitError(f"took longer than {seconds:g} s") from None
    finally:
        timer.cancel()
        if fired.is_set():
            _swallow_late_interrupt()


def _swallow_late_interrupt() -> None:
    # subtle: the timer may fire as the block ends; its interrupt must not hit what comes next
    with suppress(KeyboardInterrupt):
        time.sleep(0.05)
