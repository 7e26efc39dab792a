"""What processes use: processor time, time in which they want a processor, and memory.

Linux tells the first two of every thread and of every process that a process has started. For other
systems see meters.py. Leaves out limits.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_FILES = (("stat", 0), ("schedstat", 0), ("task", getattr(os, "O_DIRECTORY", 0)))
_MEMORY_FILES = (("status", os.O_RDONLY), ("clear_refs", os.O_WRONLY))
_FORGET_PEAK = b"5"  # what Linux wants to read in clear_refs


@dataclass(frozen=True)
class Usage:
    """What a process has used since it began, in seconds."""

    computed: float  # processor time of all its threads and of the processes that it has started
    awake: float | None  # when it ran, or was ready to run; None: the system does not tell
    ready: bool = False  # whether it runs, or waits for a processor, at this moment


class Meter(Protocol):
    """Something that tells what a process has used."""

    def used(self, *, closely: bool = True) -> Usage:
        """Return it; where not `closely`, only as much as costs little."""

    def forget_peak(self) -> None:
        """Begin to look anew for the most memory that the process has."""

    def peak(self) -> int | None:
        """Return the most memory that it had since then, in bytes beyond what it had when the meter
        was made; None where the system does not tell."""

    def close(self) -> None:
        """Look no more; what is known stays."""


def open_files(pid: int) -> list[int]:
    """Open what a FileMeter reads of a process; return [] where this system does not tell."""
    folder = os.O_RDONLY | _FILES[-1][1]
    files = [(f"/proc/{pid}/{name}", os.O_RDONLY | kind) for name, kind in _FILES]
    return _open_all([*files, ("/proc", folder)])


def open_memory_files(pid: int | str) -> list[int]:
    """Open what a FileMeter also needs to tell a process's memory; [] where that cannot be had."""
    return _open_all([(f"/proc/{pid}/{name}", how) for name, how in _MEMORY_FILES])


def _open_all(wanted: Sequence[tuple[str, int]]) -> list[int]:
    """Open all these files, each in its way, or none."""
    opened: list[int] = []
    try:
        for path, how in wanted:
            opened.append(os.open(path, how))
    except OSError:
        close_all(opened)
        return []
    return opened


def close_all(descriptors: Sequence[int]) -> None:
    """Close descriptors, whatever has become of them."""
    for each in descriptors:
        with contextlib.suppress(OSError):
            os.close(each)


class FileMeter:
    """Reads files of Linux's /proc, which may have been opened elsewhere, under another number.

    subtle: a process can neither close nor change them, and they tell nothing of one that later
    gets its number. What a process has used stays known when it is gone.
    """

    def __init__(self, opened: Sequence[int]) -> None:
        self._opened = tuple(opened)
        self._lock = threading.RLock()  # an alarm looks, too, in the middle of a look
        self._computed = self._awake = 0.0
        self._busy: dict[int, float] = {}  # when each thread ran or was ready to, in seconds
        self._looked = time.monotonic()
        self._alone = True  # at the last close look there was one thread
        self._tells, self._ready = bool(opened), False
        self._memory = self._opened[len(_FILES) + 1 :]
        self._had = self._data() if self._memory else 0

    def close(self) -> None:
        """Look no more; what is known stays."""
        with self._lock:
            close_all(self._opened)
            self._opened = self._memory = ()

    def used(self, *, closely: bool = True) -> Usage:
        """Return what the process has used; `closely`: look at all threads and processes."""
        with self._lock, contextlib.suppress(OSError, ValueError, IndexError):  # it may be gone
            if self._opened:
                self._note(*self._look(closely or not self._alone))
        return Usage(self._computed, self._awake if self._tells else None, self._ready)

    def forget_peak(self) -> None:
        """Begin to look anew for the most memory that the process has."""
        with self._lock, contextlib.suppress(OSError):  # it may be gone
            if self._memory:
                os.write(self._memory[1], _FORGET_PEAK)

    def peak(self) -> int | None:
        """Return the most memory since then, beyond what it had when this meter was made.

        subtle: not beyond what it has when the peak is forgotten, or a reserve made before would
        not count. Parts of libraries that it reads from files are left out.
        """
        with self._lock, contextlib.suppress(OSError):
            if self._memory:
                return max(0, self._data(most=True) - self._had)
        return None

    def _data(self, *, most: bool = False) -> int:
        """Return the bytes that the process has for itself now, or had at `most`."""
        status = os.pread(self._memory[0], 4096, 0)
        shared = _kilobytes(status, b"RssFile") + _kilobytes(status, b"RssShmem")
        return 1024 * (_kilobytes(status, b"VmHWM" if most else b"VmRSS") - shared)

    def _note(self, computed: float, busy: dict[int, float]) -> None:
        """Add up what has happened since the last look.

        Awake was the process at least as long as its busiest thread was. One that was not seen
        before has lived since the last look; if it is older, that is not known.
        """
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        longest = max(
            (each - self._busy.get(tid, max(0.0, each - since)) for tid, each in busy.items()),
            default=0.0,
        )
        more = max(0.0, computed - self._computed)
        self._awake += max(longest, more)
        self._computed += more
        self._busy = busy
        self._tells = any(busy.values()) or computed < 0.1  # else this kernel counts no waiting

    def _look(self, closely: bool) -> tuple[float, dict[int, float]]:
        """Return the seconds of processor time, and how long each thread was busy."""
        pid, computed, self._ready = self._counted()
        busy = {pid: _busy(os.pread(self._opened[1], 64, 0))}
        if closely:
            computed += self._others(self._opened[2], busy)
            self._alone = len(busy) == 1
        return computed, busy

    def _counted(self) -> tuple[int, float, bool]:
        """Return the process's number, the processor time of it and of those that it waited for,
        and whether its main thread is ready to run: how long it was, Linux counts when it runs."""
        return _counted(os.pread(self._opened[0], 1024, 0))

    def _others(self, task: int, busy: dict[int, float]) -> float:
        """Note all threads; return the processor time of living processes that they started."""
        computed = 0.0
        for tid in os.listdir(task):
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
                busy[int(tid)] = _busy(_read(f"{tid}/schedstat", task))
                for pid in _read(f"{tid}/children", task).decode().split():
                    computed += self._other(pid, busy)
        return computed

    def _other(self, pid: str, busy: dict[int, float]) -> float:
        proc = self._opened[3]
        task = os.open(f"{pid}/task", _FILES[-1][1], dir_fd=proc)
        try:
            return _counted(_read(f"{pid}/stat", proc))[1] + self._others(task, busy)
        finally:
            os.close(task)


class OwnMeter(FileMeter):
    """Of this process itself, without those that it starts: an examiner's are its candidates."""

    def _counted(self) -> tuple[int, float, bool]:
        return os.getpid(), time.process_time(), False

    def _other(self, pid: str, busy: dict[int, float]) -> float:
        return 0.0

    def used(self, *, closely: bool = True) -> Usage:
        """Return what the process has used; its processor time every system tells."""
        awake = super().used(closely=closely).awake if self._opened else None
        return Usage(time.process_time(), awake)


def own_meter() -> Meter:
    """Return the meter of this process."""
    return _own_meter(os.getpid())


@cache
def _own_meter(pid: int) -> OwnMeter:
    return OwnMeter(open_files(pid))


def _read(name: str, folder: int) -> bytes:
    descriptor = os.open(name, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def _kilobytes(status: bytes, name: bytes) -> int:
    found = re.search(rb"^%s:\s*(\d+)" % name, status, re.MULTILINE)
    return int(found[1]) if found else 0  # a process that has ended has none


def _counted(stat: bytes) -> tuple[int, float, bool]:
    head, _, tail = stat.rpartition(b")")
    fields = tail.split()
    return int(head.split()[0]), sum(map(int, fields[11:15])) / _TICK, fields[0] == b"R"


def _busy(schedstat: bytes) -> float:
    ran, waited, _ = schedstat.split()
    return (int(ran) + int(waited)) / 1e9
