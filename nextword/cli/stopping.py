"""Ctrl-C and SIGTERM that wait for the end of a step."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

ASKED_BY = 128  # plus the signal's number: the exit code of what a signal has stopped


@dataclass
class Asked:
    """Whether somebody has asked to stop, and by which signal."""

    signal: int = 0

    def __bool__(self) -> bool:
        return self.signal != 0

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 143 after SIGTERM."""
        return ASKED_BY + (self.signal or signal.SIGTERM)


@contextmanager
def politely() -> Iterator[Asked]:
    """Inside, Ctrl-C and SIGTERM are noted; a second Ctrl-C stops at once."""
    asked = Asked()

    def note(number: int, frame: FrameType | None) -> None:
        if asked.signal == number == signal.SIGINT:
            raise KeyboardInterrupt
        asked.signal = asked.signal or number

    with _handled((signal.SIGINT, signal.SIGTERM), note):
        yield asked


@contextmanager
def tidily() -> Iterator[None]:
    """Inside, SIGTERM and a terminal that goes away raise SystemExit: `with` blocks put away first.

    The second of them ends the command at once. Processes that were forked inside end at once, too.
    """
    home = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        if os.getpid() != home:
            os.kill(os.getpid(), number)
        raise SystemExit(ASKED_BY + number)

    numbers = {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    # `nohup` has one of them ignored
    with _handled([each for each in numbers if signal.getsignal(each) == signal.SIG_DFL], end):
        yield


@contextmanager
def _handled(
    numbers: Iterable[int], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Inside, these signals have a handler."""
    before: dict[int, Any] = {}
    with suppress(ValueError):  # only the main thread of a program may: elsewhere they stay
        for number in numbers:
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for which, earlier in before.items():
            signal.signal(which, earlier)


def same_command(n_processes: int, words: list[str] | None = None) -> str:
    """The command that goes on: this one, without what begins anew.

    >>> same_command(1, ["train", "my book.txt", "--again"])
    "nextword train 'my book.txt'"
    """
    given = sys.argv[1:] if words is None else words
    kept = shlex.join(word for word in given if word != "--again")
    if n_processes > int(os.environ.get("LOCAL_WORLD_SIZE", n_processes)):
        return f"the same torchrun on every machine, with -m nextword {kept}"
    if n_processes > 1:
        return f"torchrun --nproc-per-node {n_processes} -m nextword {kept}"
    return f"nextword {kept}"
