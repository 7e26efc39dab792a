"""The candidate server: imports what students need once, then forks a candidate per submission.

It never runs students' code itself. Leaves out how a candidate is locked in (confinement.py) and
how the server is (sandbox/).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from examiner.boundary.channel import Channel
from examiner.boundary.usage import close_all, open_files, open_memory_files
from examiner.candidate.confinement import (
    PRIVATE_FOLDER,
    Confinement,
    ConfinementError,
    Keeper,
    Limits,
)
from examiner.candidate.host import serve
from examiner.candidate.huge_pages import gather_in_huge_pages
from examiner.candidate.one_thread import bound_threads, compute_in_one_thread

START, END, BURY, DISMISS = b"S", b"E", b"B", b"D"  # an examiner's orders
GATHERED_AT = 4  # the fork before which memory is gathered: that takes as long as ten, with torch
GC_THRESHOLDS = (20_000, 20, 20)  # tests make little that needs collecting: saves 5 % of time
MOST_FILES = 2  # that a candidate opens for its meter
DYING_SECONDS = 5.0  # between closing its channel and being gone


@dataclass(frozen=True)
class ServerPlan:
    """What a server is told when it starts."""

    limits: Limits
    confined: bool  # whether candidates get namespaces of their own
    outer_uid: int | None = None  # user that root's candidates become, in namespaces or without
    preload: tuple[str, ...] = ()  # modules that candidates find imported
    hash_seed: int = 0  # Python's: it decides in which order sets are
    library: tuple[str, ...] = ()  # what the course lets students' code import, by name
    hidden: tuple[str, ...] = ()  # folders of it that candidates must not see; behind walls alone

    def to_json(self) -> str:
        """Return the plan as text for the command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ServerPlan:
        """Read what to_json wrote."""
        raw = json.loads(text)
        return cls(**{**raw, "limits": Limits(**raw["limits"])})


def _tell_memory(channel: socket.socket) -> None:
    """Send the server what only a process itself can open; it is the first thing that it does."""
    files = open_memory_files("self")
    socket.send_fds(channel, [b"."], files)
    close_all(files)


@dataclass(frozen=True)
class Candidate:
    """A candidate, and the examiner's end of its channel."""

    keeper: Keeper
    channel: socket.socket
    memory: Sequence[int]  # files that tell what memory it has, if they could be had


class Server:
    """Makes candidates on demand, one at a time, and makes sure that each is gone at its end.

    A confined one is forked ahead and waits, locked in, until the one before it has ended: that
    saves an examiner the time of a fork.
    """

    def __init__(self, control: socket.socket, plan: ServerPlan) -> None:
        self.control = control
        self._confinement = Confinement(
            plan.limits, confined=plan.confined, outer_uid=plan.outer_uid
        )
        self._keeper: Keeper | None = None
        self._spare: Candidate | None = None
        self._forks = 0

    def run(self) -> None:
        """Do what the examiner orders until it closes the control socket."""
        while order := self.control.recv(1):
            if order == START:
                self._start()
            elif order == DISMISS:
                self._dismiss()
            else:
                self._say(self._end(DYING_SECONDS if order == BURY else 0.0))
        self._end()
        if self._spare:
            self._spare.keeper.end()

    def _say(self, answer: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        socket.send_fds(self.control, [json.dumps(answer).encode()], descriptors)

    def _start(self) -> None:
        """End the last candidate, hand the next one over, and make one for the time after."""
        last, self._keeper = self._keeper, None
        if last:
            last.kill() if self._confinement.confined else last.end()
        try:
            candidate = self._take_spare() or self._fork()
        except ConfinementError as error:
            self._say({"error": str(error)})
        else:
            self._keeper = candidate.keeper
            pid = candidate.keeper.inner
            files = [*opened, *candidate.memory] if (opened := open_files(pid)) else []
            about = {} if self._confinement.confined else {"pid": pid}  # as others see it
            self._say(about, [candidate.channel.fileno(), *files])
            candidate.channel.close()
            close_all([*opened, *candidate.memory])
        if self._confinement.confined:
            if last:
                last.end()
            with contextlib.suppress(ConfinementError):  # then the next start will say so
                self._spare = self._fork()

    def _take_spare(self) -> Candidate | None:
        spare, self._spare = self._spare, None
        if spare and not spare.keeper.alive():  # short of memory, perhaps
            spare.keeper.end()
            return None
        return spare

    def _fork(self) -> Candidate:
        self._forks += 1
        if self._forks == GATHERED_AT:
            gather_in_huge_pages()
        ours, theirs = socket.socketpair()

        def life(folder: Any) -> None:
            serve(Channel(socket.socket(fileno=theirs.fileno())), folder)

        try:
            say = partial(_tell_memory, theirs)
            keeper = self._confinement.start(life, theirs.fileno(), say)
            _, memory, _, _ = socket.recv_fds(ours, 1, MOST_FILES)
            return Candidate(keeper, ours, memory)
        except ConfinementError:
            ours.close()
            raise
        finally:
            theirs.close()

    def _dismiss(self) -> None:
        """Kill the candidate; nobody waits for an answer."""
        if self._keeper and self._confinement.confined:
            self._keeper.kill()  # the next start sees to the rest
        else:
            self._end()

    def _end(self, patience: float = 0.0) -> dict[str, Any]:
        keeper, self._keeper = self._keeper, None
        return keeper.end(patience) if keeper else {}


def _warm_up_torch(torch: Any, *, confined: bool) -> None:
    """Do once what every candidate would do again, or could no longer do.

    subtle: torch looks in /proc for what the processor can do, once, when it first computes. A
    candidate's /proc is empty: it would take kernels that are slower and differ in the last digits.
    """
    compute_in_one_thread()
    torch.backends.cpu.get_cpu_capability()
    if confined:  # where torch wants a folder; for the server itself, no other one exists
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(PRIVATE_FOLDER)
    with contextlib.suppress(ImportError, OSError):  # else each first optimizer waits a second
        importlib.import_module("torch._dynamo")
    bound_threads()


def main() -> None:
    """Run a server: `python -c … CONTROL_DESCRIPTOR PLAN`."""
    control = socket.socket(fileno=int(sys.argv[1]))
    plan = ServerPlan.from_json(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the examiner's to handle
    for name in plan.preload:
        with contextlib.suppress(ImportError):  # a package that is not there: its user will say so
            importlib.import_module(name)
    if "torch" in sys.modules:
        _warm_up_torch(sys.modules["torch"], confined=plan.confined)
    gc.collect()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.freeze()  # forks then share these objects' memory until they change one
    control.send(b"ready")
    with contextlib.suppress(ConnectionError, BrokenPipeError):
        Server(control, plan).run()
    os._exit(0)  # Python's own end, with torch loaded, takes long
