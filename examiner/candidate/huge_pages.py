"""Gathers a process's memory in huge pages, so that its forks take less time to make and to end.

A fork copies a table with an entry for each page: with torch imported, 4 ms, and its end as much
again. A huge page of 2 MiB has one entry in place of 512. Leaves out systems other than Linux, and
memory that does not exist yet.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

HUGE = 2 << 20  # bytes of a huge page on x86-64, and on ARM with its usual pages
_COLLAPSE = 25  # MADV_COLLAPSE, since Linux 6.1; an older one refuses it, and nothing is changed


def gather_in_huge_pages() -> int:
    """Put what this process has for itself in huge pages, as far as it goes; return how many.

    It is the same memory, at the same addresses, but for pages of its ranges that were never used:
    they are there afterwards.
    """
    if sys.platform != "linux":
        return 0
    advise = ctypes.CDLL(None).madvise
    gathered = 0
    with contextlib.suppress(OSError, AttributeError):  # a system that does not tell, or cannot
        for begin, end in _own_ranges():
            size = end - begin
            if not advise(ctypes.c_void_p(begin), ctypes.c_size_t(size), _COLLAPSE):
                gathered += size // HUGE
    return gathered


def _own_ranges() -> Iterator[tuple[int, int]]:
    """Yield where whole huge pages find room in memory that is written to, and is no file's."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        where, rights, _, _, _, *name = line.split(maxsplit=5)
        begin, end = (int(each, 16) for each in where.split("-"))
        begin, end = -(-begin // HUGE) * HUGE, end // HUGE * HUGE
        if rights == "rw-p" and (not name or name == ["[heap]"]) and begin < end:
            yield begin, end
