"""Meters of processes in sight, on every system. Leaves out those behind a wall (usage.py)."""

from __future__ import annotations

import contextlib

import psutil

from examiner.boundary.usage import FileMeter, Meter, Usage, open_files


class CountedMeter:
    """Of a process in sight, on systems without Linux's files: its processor time alone."""

    def __init__(self, pid: int) -> None:
        self._computed = 0.0
        self._process: psutil.Process | None = None
        with contextlib.suppress(psutil.Error):
            self._process = psutil.Process(pid)

    def close(self) -> None:
        """Look no more; what is known stays."""
        self._process = None

    def forget_peak(self) -> None:
        """Do nothing: the most memory of a process is told on Linux alone."""

    def peak(self) -> None:
        """Tell nothing."""

    def used(self, *, closely: bool = True) -> Usage:
        """Return what it and the processes that it has started have used."""
        with contextlib.suppress(psutil.Error):
            if self._process is not None:
                family = [self._process, *self._process.children(recursive=True)]
                self._computed = max(self._computed, sum(map(_spent, family)))
        return Usage(self._computed, None)


def _spent(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        return float(sum(process.cpu_times()[:4]))  # its own and of those it has waited for
    return 0.0


def meter_of(pid: int) -> Meter:
    """Return a meter of a process that this one can see."""
    opened = open_files(pid)
    return FileMeter(opened) if opened else CountedMeter(pid)
