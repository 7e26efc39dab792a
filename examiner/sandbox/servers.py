"""The examiner's side of a candidate server: starts it, asks it for candidates, ends them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from examiner.boundary.channel import Channel
from examiner.boundary.meters import meter_of
from examiner.boundary.usage import FileMeter, Meter
from examiner.candidate.one_thread import NO_COMPILER, ONE_THREAD
from examiner.candidate.server import BURY, DISMISS, END, START, ServerPlan
from examiner.catalogue.settings import packages_of
from examiner.sandbox import bubblewrap

START_SECONDS = 600.0  # to import numpy and torch on a machine that is slow and busy
ORDER_SECONDS = 300.0  # to fork a candidate, or to end one
MOST_FILES = 8  # that an answer brings along: a channel, and what a meter reads
END_SECONDS = 2.0  # to end by itself
KERNEL_SETTINGS = (
    *("ATEN_CPU_CAPABILITY", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA"),
    *("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES"),
)
EXAMINERS_PLACE = Path(__file__).parents[2]  # the folder that its package lies in
_BOOT = "import sys; sys.path[:0] = {places!r}; from examiner.candidate.server import main; main()"


class ServerError(Exception):
    """The candidate server does not work: the grader's fault, never a student's."""


class CandidateServer:
    """A server, which starts while its owner goes on; forks one candidate at a time.

    Raises ServerError where this machine has no room for one more process.
    """

    def __init__(self, plan: ServerPlan) -> None:
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        except OSError as error:
            raise ServerError(f"no process can be started: {error.strerror}") from None
        boot = _BOOT.format(places=places(packages_of(plan.library)))
        wall = bubblewrap.wrapping(plan) if plan.confined else []
        command = [*wall, sys.executable, "-c", boot, str(theirs.fileno()), plan.to_json()]
        self._control = ours
        self._ready = False
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                env=environment(plan.hash_seed),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            ours.close()
            raise ServerError(f"no process can be started: {error.strerror}") from None
        finally:
            theirs.close()

    def wait(self) -> None:
        """Wait until the server has started; raises ServerError when it does not."""
        if self._ready:
            return
        self._control.settimeout(START_SECONDS)
        if self._receive()[0] != b"ready":
            raise ServerError("the candidate server did not start")
        self._control.settimeout(ORDER_SECONDS)
        self._ready = True

    def _receive(self) -> tuple[bytes, list[int]]:
        try:
            data, files, _, _ = socket.recv_fds(self._control, 4096, MOST_FILES)
        except OSError as error:
            raise ServerError(f"the candidate server does not answer: {error}") from None
        if not data:
            assert self._process.stderr is not None
            said = self._process.stderr.read().decode(errors="replace").strip()
            why = said.splitlines()[-1] if said else "it said nothing"
            raise ServerError(f"the candidate server is gone: {why}")
        return data, files

    def _send(self, order: bytes) -> None:
        self.wait()
        try:
            self._control.send(order)
        except OSError as error:
            raise ServerError(f"the candidate server is gone: {error}") from None

    def _order(self, what: bytes) -> tuple[dict[str, Any], list[int]]:
        self._send(what)
        data, files = self._receive()
        answer: dict[str, Any] = json.loads(data)
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer, files

    def start(self) -> Channel:
        """End the last candidate, if there is one, and return a channel to a new one."""
        said, (channel, *files) = self._order(START)
        meter: Meter = FileMeter(files)
        if not files and "pid" in said:
            meter = meter_of(said["pid"])
        return Channel(socket.socket(fileno=channel), meter)

    def end(self) -> dict[str, Any]:
        """End the candidate; return {"killed": …, "exit": …} of it, or {} if there is none."""
        return self._order(END)[0]

    def dismiss(self) -> None:
        """End the candidate, without waiting until it is gone; the next `start` does."""
        self._send(DISMISS)

    def bury(self) -> dict[str, Any]:
        """Like `end`, of a candidate that has closed its channel: it is given time to die."""
        return self._order(BURY)[0]

    def close(self) -> None:
        """End the server and whatever it holds."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)  # so that the system counts what it has used
        self.kill()

    def kill(self) -> None:
        """End the server at once; all that is in its sandbox ends with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()


def places(library: Iterable[Path]) -> list[str]:
    """Return where the examiner and the packages of a course's library are imported from."""
    return list(dict.fromkeys(map(str, (EXAMINERS_PLACE, *(path.parent for path in library)))))


def chosen_kernels() -> dict[str, str]:
    """Return the settings of this process that say with which instructions libraries compute."""
    return {name: os.environ[name] for name in KERNEL_SETTINGS if name in os.environ}


def environment(hash_seed: int = 0) -> dict[str, str]:
    """Return the environment of candidates: one thread, no surprises, nothing of the user's but
    what decides the last digits, which are to be those of the examiner's own process."""
    return {
        **chosen_kernels(),
        **ONE_THREAD,
        **NO_COMPILER,
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),  # the order of a set is then the same on every run
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "2",
    }
