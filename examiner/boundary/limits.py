"""How large a message may be, and an array in it; both sides ask before they copy or build one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from examiner.boundary.errors import TooLargeError

# Bytes. Reading takes about three times as much memory, which both sides have: see Limits in
# candidate/confinement.py and MEMORY in judge/bounds.py.
MAX_MESSAGE = 512 << 20
MAX_NUMBERS = 64 << 20  # in one array; so many rows or numbers may a test make of it
MAX_TEXT = 2000  # characters of an exception's message
MAX_EMPTY = 8 << 20  # the same, where they are no bytes at all: an empty array has a long side, too


def check_message(size: int) -> None:
    """Refuse a message, or a part of one, of so many bytes if they are too many."""
    if size > MAX_MESSAGE:
        most = MAX_MESSAGE >> 20
        raise TooLargeError(
            f"{size >> 20} MB are too much for one message, which may have {most} MB"
        )


def check_array(shape: Sequence[int], size: int) -> None:
    """Refuse an array of this shape and so many bytes if it is too large."""
    check_message(size)
    most = MAX_NUMBERS if size else MAX_EMPTY
    if math.prod(n or 1 for n in shape) > most:
        raise TooLargeError(
            f"an array of shape {tuple(shape)} is too large: at most {most:,} numbers"
        )
