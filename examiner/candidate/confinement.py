"""Locks a forked process in: limits, namespaces, a private folder, nothing left of it at the end.

Leaves out the sandbox around the server that forks it (sandbox/).
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from examiner.candidate import seccomp
from examiner.candidate.privileges import (
    call,
    change_user,
    drop_capabilities,
    enter_namespaces,
    libc,
)

EXIT_MEMORY = 71
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NEWNS, NEWUTS, NEWIPC = 0x20000, 0x4000000, 0x8000000
NEWPID, NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REC, MS_PRIVATE = 0x4000, 0x40000
# a candidate's own, in its own mount namespace; not /tmp, under which the course itself may lie
PRIVATE_FOLDER = Path("/candidate")

Life = Callable[[Path], None]


class ConfinementError(Exception):
    """A candidate could not be locked in: it was ended before it saw the student's code."""


@dataclass(frozen=True)
class Limits:
    """What a candidate may use."""

    memory: int = 1 << 30  # bytes beyond what the server itself has mapped
    threads: int = 32  # the first one included
    files: int = 64  # open at a time
    disk: int = 64 << 20  # bytes it may write
    cpu: int = 600  # seconds, over all tests of a submission
    signals: int = 256  # that wait: all programs of a user share how many there can be


@dataclass
class Keeper:
    """The server's hold on a running candidate."""

    pid: int  # the process to wait for
    inner: int  # the process to kill: the candidate itself
    folder: Path | None  # to delete at the end
    status: int | None = None  # how it ended, once that is known

    def alive(self) -> bool:
        """Tell whether the candidate still runs."""
        return self._wait(os.WNOHANG) is None

    def _wait(self, flags: int = 0) -> int | None:
        if self.status is None:
            done, status = os.waitpid(self.pid, flags)
            self.status = status if done else None
        return self.status

    def kill(self) -> None:
        """Kill the candidate; `end` must follow."""
        with contextlib.suppress(ProcessLookupError):  # it has just died by itself
            os.kill(self.inner, signal.SIGKILL)

    def end(self, patience: float = 0.0) -> dict[str, Any]:
        """Kill whatever is left, after `patience` seconds, and say how the candidate ended."""
        deadline = time.monotonic() + patience
        while self.alive() and time.monotonic() < deadline:
            time.sleep(0.001)
        killed = self.alive()
        if killed:
            self.kill()
        code = os.waitstatus_to_exitcode(self._wait() or 0)
        if self.folder:
            _kill_orphans()
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            code = code if code < 128 else 128 - code  # see _watch
        return {"killed": killed, "exit": code}


class Confinement:
    """Forks candidates: confined ones, in namespaces of their own, or mere child processes.

    With `outer_uid` root's candidates become that user, in namespaces or without.
    """

    def __init__(self, limits: Limits, *, confined: bool, outer_uid: int | None = None) -> None:
        self.limits, self.confined, self.outer_uid = limits, confined, outer_uid
        walls = confined or outer_uid is not None
        self._filter = seccomp.program() if walls and seccomp.available() else b""
        if sys.platform == "linux":  # what a candidate leaves behind comes back to the server
            libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, life: Life, keep: int, first: Callable[[], None] = lambda: None) -> Keeper:
        """Fork a process that runs `life` in a private folder; `keep` is its only descriptor.

        `first` is what it does before the walls stand. Raises ConfinementError unless every one
        stands.
        """
        begin = self._confined if self.confined else self._plain
        return begin(life, keep, first)

    # ------------------------------------------------------------------ without a sandbox

    def _plain(self, life: Life, keep: int, first: Callable[[], None]) -> Keeper:
        folder = Path(tempfile.mkdtemp(prefix="candidate-"))
        if self.outer_uid is not None:
            os.chown(folder, self.outer_uid, self.outer_uid)
        said, say = os.pipe()
        pid = os.fork()
        if pid == 0:
            with _exit_at_the_end():
                try:
                    os.setsid()
                    first()
                    _close_all_but(keep, say)
                    limit_resources(self.limits)
                    if self.outer_uid is not None:
                        self._become(self.outer_uid)
                except OSError as error:
                    os.write(say, f"{error}\n".encode())
                    os._exit(1)
                os.write(say, b"locked\n")
                os.close(say)
                _live(life, folder)
        keeper = Keeper(pid, pid, folder)
        if "locked" not in (lines := _hear(said, say)):
            keeper.end()
            raise ConfinementError("; ".join(lines) or "the candidate died before it began")
        return keeper

    def _become(self, user: int) -> None:
        """Become another user for good, without processes of its own and without a network."""
        if not self._filter:
            raise OSError("there is no filter of system calls for this kind of machine")
        resource.setrlimit(resource.RLIMIT_NPROC, (self.limits.threads,) * 2)
        change_user(user)
        call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        drop_capabilities()
        seccomp.install(self._filter)

    # ------------------------------------------------------------------ in namespaces

    def _confined(self, life: Life, keep: int, first: Callable[[], None]) -> Keeper:
        """Fork a keeper of new namespaces, which forks the candidate as their first process."""
        said, say = os.pipe()
        mapped = mapped_memory()
        pid = os.fork()
        if pid == 0:
            with _exit_at_the_end():
                self._watch(life, keep, first, say, mapped)
        lines = _hear(said, say)
        inner = [int(line.removeprefix("pid ")) for line in lines if line.startswith("pid ")]
        keeper = Keeper(pid, inner[0] if inner else pid, None)
        if "locked" not in lines or not inner:
            keeper.end()
            raise ConfinementError("; ".join(lines) or "the candidate died before it was locked in")
        return keeper

    def _watch(
        self, life: Life, keep: int, first: Callable[[], None], say: int, mapped: int
    ) -> NoReturn:
        """Make the namespaces, fork the candidate into them, wait for its end and pass it on."""
        try:
            self._enter_namespaces()
            inner = os.fork()
        except OSError as error:
            os.write(say, f"namespaces: {error}\n".encode())
            os._exit(1)
        if inner == 0:
            with _exit_at_the_end():
                try:
                    os.setsid()
                    first()
                    self._lock(keep, say, mapped)
                except OSError as error:
                    os.write(say, f"{error}\n".encode())
                    os._exit(1)
                os.write(say, b"locked\n")  # the pipe ends here: the server goes on
                os.close(say)
                _live(life, PRIVATE_FOLDER)
        os.write(say, f"pid {inner}\n".encode())
        _close_all_but()
        _, status, usage = os.wait4(inner, 0)
        code = os.waitstatus_to_exitcode(status)
        # subtle: the limit counts whole ticks of the clock, the usage what was really used
        if code == -signal.SIGKILL and usage.ru_utime + usage.ru_stime > 0.75 * self.limits.cpu:
            code = -signal.SIGXCPU
        os._exit(min(code, 127) if code >= 0 else 128 - code)

    def _enter_namespaces(self) -> None:
        # with the filter there are no sockets, so the server's empty network is private enough
        network = 0 if self._filter else NEWNET
        enter_namespaces(NEWNS | NEWPID | NEWIPC | NEWUTS | network, self.outer_uid)
        libc().sethostname(b"candidate", 9)  # where a container allows it; nothing rests on it

    def _mount(self, target: bytes, flags: int, options: str) -> None:
        call("mount", b"tmpfs", target, b"tmpfs", flags, options.encode())

    def _lock(self, keep: int, say: int, mapped: int) -> None:
        """Shut every door; the order matters, since each needs something that a later one takes."""
        call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
        still = MS_NOSUID | MS_NODEV | MS_NOEXEC
        disk = f"size={self.limits.disk},nr_inodes=4096,mode=0755"
        self._mount(bytes(PRIVATE_FOLDER), still, disk)
        self._mount(b"/proc", still | MS_RDONLY, "size=4k,mode=0555")
        _close_all_but(keep, say)
        limit_resources(self.limits, mapped, threads=True)
        drop_capabilities()
        if self._filter:
            seccomp.install(self._filter)


def _hear(said: int, say: int) -> list[str]:
    """Return the lines that a forked process says on a pipe until it lives."""
    os.close(say)
    with os.fdopen(said, "rb") as reader:
        return reader.read(4096).decode(errors="replace").splitlines()


@contextlib.contextmanager
def _exit_at_the_end() -> Iterator[None]:
    """Leave a forked process for good: it must never return into the server's own code."""
    code = 1
    try:
        yield
        code = 0
    except MemoryError:
        code = EXIT_MEMORY
    finally:
        os._exit(code)


def _live(life: Life, folder: Path) -> None:
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    life(folder)


def _close_all_but(*keep: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    low = 3
    for descriptor in sorted(keep):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def limit_resources(limits: Limits, mapped: int | None = None, *, threads: bool = False) -> None:
    """Set the resource limits of this process; `threads`: it is the first of its namespaces."""
    wanted = {
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_FSIZE": limits.disk,
        "RLIMIT_CORE": 0,
    }
    if sys.platform == "linux":  # macOS cannot limit it
        wanted["RLIMIT_AS"] = (mapped_memory() if mapped is None else mapped) + limits.memory
        wanted["RLIMIT_SIGPENDING"] = limits.signals
    if threads:
        wanted["RLIMIT_NPROC"] = limits.threads
    for name, value in wanted.items():
        resource.setrlimit(getattr(resource, name), (value, value))
    # a signal at the first limit, which says why; death without a word at the second.
    # subtle: the first process of a namespace never gets the signal
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + (0 if threads else 5)))


def mapped_memory() -> int:
    """Return how many bytes this process has mapped, or 0 where that is not known."""
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
