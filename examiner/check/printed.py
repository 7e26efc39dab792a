"""What a student's code prints while it is checked: told to the parent, the beginning alone.

Leaves out what the page and the terminal make of it.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable
from typing import Any, BinaryIO, cast

MOST_PRINTED = 2000  # bytes that are told: a print in a loop should not hide the results
MOST_ROWS = 40  # lines that a terminal shows of them
PIECE = 500  # bytes that are told at once: a pipe takes so many in one piece


def telling(tell: Callable[[str], object], most: int = MOST_PRINTED) -> io.TextIOWrapper:
    """Return a text file that tells what is written to it, until it has told enough.

    It has a buffer and a descriptor, as standard output has; what goes there by number is lost.

    >>> told = []
    >>> print("seventeen letters", file=telling(told.append, most=5))
    >>> told
    ['seven', '…']
    >>> told = []
    >>> print("five!", "six", sep="", file=telling(told.append, most=5))
    >>> told
    ['five!', '…']
    """
    teller = cast(BinaryIO, _Teller(tell, most))
    return io.TextIOWrapper(
        teller, encoding="utf-8", errors="replace", newline="\n", write_through=True
    )


class _Teller(io.BufferedIOBase):
    name = "<stdout>"

    def __init__(self, tell: Callable[[str], object], most: int) -> None:
        self._tell, self._left = tell, most
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode  # no half characters
        self._process = os.getpid()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def write(self, data: Any) -> int:
        """Tell a text, or what there is room for; a process that was forked tells nothing."""
        text = bytes(data)
        if text and self._left >= 0 and os.getpid() == self._process:
            kept = text[: self._left]
            self._left -= len(text)
            for start in range(0, len(kept), PIECE):
                self._tell(self._decode(kept[start : start + PIECE]))
            if self._left < 0:
                self._tell("…")
        return len(text)
