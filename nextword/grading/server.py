"""The candidate server: imports what students need once, then forks a candidate per submission.

It never runs students' code itself. Leaves out how a candidate is locked in (cell.py) and how the
server is (sandbox.py).
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
from dataclasses import asdict, dataclass
from typing import Any

from nextword.grading import candidate, cell
from nextword.grading.channel import Channel

GC_THRESHOLDS = (20_000, 20, 20)  # tests make little that needs collecting: saves 5 % of time
DYING_SECONDS = 1.0  # between closing its channel and being gone


@dataclass(frozen=True)
class Plan:
    """What a server is told when it starts."""

    limits: cell.Limits
    confined: bool  # whether candidates get namespaces of their own
    outer_uid: int | None = None  # user that root's candidates become
    preload: tuple[str, ...] = ()  # modules that candidates find imported

    def to_json(self) -> str:
        """Return the plan as text for the command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Read what to_json wrote."""
        raw = json.loads(text)
        return cls(**{**raw, "limits": cell.Limits(**raw["limits"])})


class Server:
    """Forks candidates on demand, one at a time, and makes sure that each is gone at its end."""

    def __init__(self, control: socket.socket, plan: Plan) -> None:
        self.control = control
        self._cells = cell.Cells(plan.limits, confined=plan.confined, outer_uid=plan.outer_uid)
        self._keeper: cell.Keeper | None = None

    def run(self) -> None:
        """Do what the examiner orders until it closes the control socket."""
        while True:
            data, descriptors, _, _ = socket.recv_fds(self.control, 4096, 1)
            if not data:
                break
            answer: dict[str, Any] = self._end(DYING_SECONDS if data == b"bury" else 0.0)
            if data == b"start":
                answer = self._start(descriptors[0])
            self.control.send(json.dumps(answer).encode())
        self._end()

    def _start(self, descriptor: int) -> dict[str, Any]:
        def life(folder: Any) -> None:
            candidate.serve(Channel(socket.socket(fileno=descriptor)), folder)

        try:
            self._keeper = self._cells.start(life, descriptor)
        except cell.CellError as error:
            return {"error": str(error)}
        finally:
            os.close(descriptor)
        return {"pid": self._keeper.pid}

    def _end(self, patience: float = 0.0) -> dict[str, Any]:
        keeper, self._keeper = self._keeper, None
        return keeper.end(patience) if keeper else {}


def main() -> None:
    """Run a server: `python -c … CONTROL_DESCRIPTOR PLAN`."""
    control = socket.socket(fileno=int(sys.argv[1]))
    plan = Plan.from_json(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the examiner's to handle
    for name in plan.preload:
        with contextlib.suppress(ImportError):  # a package that is not there: its user will say so
            importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    gc.collect()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.freeze()  # forks then share these objects' memory until they change one
    control.send(b"ready")
    with contextlib.suppress(ConnectionError, BrokenPipeError):
        Server(control, plan).run()
