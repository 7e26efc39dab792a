"""What stands in for the terminal where a student's code runs: it counts what is printed.

Leaves out where the descriptors of standard output and error lead: nowhere (confinement.py).
"""

from __future__ import annotations

import io
import sys
from typing import Any

MAX_PRINTED = 64 << 20  # characters; whoever prints more gets an OSError
OUT, ERROR = 1, 2  # descriptors
_taken: list[Tally] = []  # held for as long as the process lives


class Tally:
    """Counts what is printed on standard output and error together, and forgets it.

    subtle: it holds both streams. One that nobody holds any more closes what lies under it, and
    `sys.stdout = io.TextIOWrapper(sys.stdout.buffer)` goes on writing there.
    """

    def __init__(self) -> None:
        self.count = 0
        self.out, self.error = self._stream(OUT), self._stream(ERROR)

    def _stream(self, descriptor: int) -> io.TextIOWrapper:
        below = io.BufferedWriter(_Terminal(self, descriptor))
        return io.TextIOWrapper(below, errors="replace", line_buffering=True)

    def add(self, characters: int) -> None:
        """Count; raises OSError where it is too much."""
        self.count += characters
        if self.count > MAX_PRINTED:
            raise OSError(f"more than {MAX_PRINTED >> 20} MB printed")


class _Terminal(io.RawIOBase):
    """Takes what is written, and says a descriptor to those who need one, such as faulthandler."""

    def __init__(self, tally: Tally, descriptor: int) -> None:
        self._tally, self._descriptor = tally, descriptor

    def writable(self) -> bool:
        """Say yes."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, which belongs to nobody here: closing this leaves it open."""
        return self._descriptor

    def write(self, data: Any) -> int:
        """Count the bytes."""
        self._tally.add(len(data))
        return len(data)


def take_output() -> None:
    """Put the stand-ins in the place of standard output and error."""
    tally = Tally()
    sys.stdout, sys.stderr = tally.out, tally.error
    _taken.append(tally)
