"""Locks a forked process in: limits, a private folder, and nothing left of it at the end."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
EXIT_MEMORY = 71


class CellError(Exception):
    """A candidate could not be locked in."""


@dataclass(frozen=True)
class Limits:
    """What a candidate may use."""

    memory: int = 1 << 30  # bytes beyond what the server itself has mapped
    processes: int = 32  # threads and processes
    files: int = 64  # open at a time
    disk: int = 64 << 20  # bytes it may write
    cpu: int = 600  # seconds, over all tests of a submission


@dataclass
class Keeper:
    """The server's hold on a running candidate."""

    pid: int
    folder: Path | None  # to delete at the end

    def end(self, patience: float = 0.0) -> dict[str, Any]:
        """Kill whatever is left, after `patience` seconds, and say how the candidate ended."""
        deadline = time.monotonic() + patience
        done, status = os.waitpid(self.pid, os.WNOHANG)
        while not done and time.monotonic() < deadline:
            time.sleep(0.001)
            done, status = os.waitpid(self.pid, os.WNOHANG)
        killed = not done
        if killed:
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
        _kill_orphans()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        return {"killed": killed, "exit": os.waitstatus_to_exitcode(status)}


def start(life: Callable[[Path], None], limits: Limits, *, confined: bool, keep: int) -> Keeper:
    """Fork a process that runs `life` in a private folder; `keep` is its only open descriptor."""
    folder = Path(tempfile.mkdtemp(prefix="candidate-"))
    if sys.platform == "linux":  # orphans of a candidate come back to the server, to be ended
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    pid = os.fork()
    if pid == 0:
        _live(life, folder, limits, keep)
    return Keeper(pid, folder)


def _live(life: Callable[[Path], None], folder: Path, limits: Limits, keep: int) -> None:
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
        _close_all_but(keep)
        limit_resources(limits)
        life(folder)
        code = 0
    except MemoryError:
        code = EXIT_MEMORY
    finally:
        os._exit(code)


def _close_all_but(keep: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, 4096)


def limit_resources(limits: Limits) -> None:
    """Set the resource limits of this process."""
    wanted = {
        "RLIMIT_AS": _mapped() + limits.memory,
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_FSIZE": limits.disk,
        "RLIMIT_CORE": 0,
    }
    for name, value in wanted.items():
        resource.setrlimit(getattr(resource, name), (value, value))
    # a signal at the first limit, which says why; death without a word at the second
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 5))


def _mapped() -> int:
    """Return how many bytes this process has mapped already."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _kill_orphans() -> None:
    """End the processes that a candidate without namespaces has left behind."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(200):
        try:
            found = [int(pid) for pid in children.read_text().split()]
        except OSError:
            return
        if not found:
            return
        for pid in found:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        time.sleep(0.001)
