"""Whether submissions can be locked in on this machine, found out by trying each wall."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examiner.boundary.channel import SlowError
from examiner.boundary.conversation import Conversation
from examiner.boundary.errors import Stop
from examiner.boundary.proxy import Module
from examiner.candidate import probes, seccomp
from examiner.candidate.confinement import Limits
from examiner.candidate.server import ServerPlan
from examiner.errors import UserError
from examiner.results import Verdict
from examiner.sandbox import bubblewrap
from examiner.sandbox.remedies import remedy
from examiner.sandbox.servers import CandidateServer, ServerError

HOW_TO_GET = "Debian, Ubuntu: sudo apt install bubblewrap; Fedora: sudo dnf install bubblewrap"
WHAT_IS_LOST = (
    "without the sandbox a submission can read and change your files and the other submissions, "
    "read the tests and solutions, use the network and leave processes behind"
)
PROBE_SECONDS = 10.0


@dataclass(frozen=True)
class Protection:
    """One wall, tried."""

    what: str
    good: bool
    detail: str


def plan_for(
    modules: Sequence[Path],
    *,
    confined: bool,
    user: int | None = None,
    library: Sequence[str] = (),
) -> ServerPlan:
    """Return what a candidate server needs for submissions that are like `modules`.

    It imports once what these import, so that no candidate has to; torch gets more memory.
    Unconfined candidates of root's become `user`, if there is one (other_user.py). `library` names
    the packages of the course that candidates may see.
    """
    found = sorted({name for path in modules for name in _imports(path.read_text("utf-8"))})
    with_torch = any(name.split(".")[0] == "torch" for name in found)
    limits = Limits(memory=2 << 30) if with_torch else Limits()
    outer = bubblewrap.outer_uid() if confined else user
    return ServerPlan(limits, confined, outer, tuple(found), library=tuple(library))


def _imports(text: str) -> Iterator[str]:
    """Yield the modules that a file imports, but for the graders' and the course's own."""
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            if name.split(".")[0] not in ("", "pytest", "tests", "solutions", "coursework"):
                yield name


class Trial:
    """Starts servers and tries whether a candidate can be locked in, while its owner goes on.

    Raises UserError, which says what to do, when it is made or finished, if none can.
    """

    def __init__(self, plan: ServerPlan, servers: int = 1) -> None:
        if plan.confined and bubblewrap.program() is None:
            raise UserError(
                f"the sandbox needs bubblewrap, which is not installed ({HOW_TO_GET}). "
                f"To grade all the same: --sandbox none; but {WHAT_IS_LOST}"
            )
        self.servers: list[CandidateServer] = []
        try:
            while len(self.servers) < servers:
                self.servers.append(CandidateServer(plan))
        except ServerError as error:
            self.close()
            text = f"{error}, after {len(self.servers)} of {servers}: is this too much at a time?"
            raise UserError(text) from None

    def finish(self) -> None:
        """Wait for the outcome; the servers are then ready for use.

        subtle: all of them, here. A server says only once that it is ready, and workers of several
        pools, one after the other, may ask it.
        """
        try:
            for server in self.servers:
                server.wait()
            self.servers[0].start().close()
            self.servers[0].end()
        except ServerError as error:
            raise UserError(
                f"the sandbox does not work here: {error}: {remedy(str(error))}. "
                f"To grade all the same: --sandbox none; but {WHAT_IS_LOST}"
            ) from None

    def close(self) -> None:
        """End what was started."""
        for server in self.servers:
            server.close()


def require(plan: ServerPlan) -> None:
    """Raise UserError, which says what to do, unless a candidate can be locked in."""
    trial = Trial(plan)
    try:
        trial.finish()
    finally:
        trial.close()


def protections() -> Iterator[Protection]:
    """Try every wall of the sandbox and yield what was found."""
    if bubblewrap.program() is None:
        yield Protection("sandbox", False, f"bubblewrap is not installed ({HOW_TO_GET})")
        return
    plan = plan_for([], confined=True)
    server = CandidateServer(plan)
    try:
        server.wait()
    except ServerError as error:
        server.close()
        yield Protection("sandbox", False, f"{error}: {remedy(str(error))}")
        return
    try:
        yield Protection("sandbox", True, bubblewrap.program() or "")
        filtered = "on" if seccomp.available() else "no filter for this kind of machine"
        yield Protection("sandbox: system call filter", seccomp.available(), filtered)
        for what, attempt, harmless in _attempts(plan.limits):
            yield try_wall(server, what, attempt, harmless)
    except ServerError as error:
        yield Protection("sandbox", False, str(error))
    finally:
        server.close()


Attempt = Callable[[Any], Any]


def _attempts(limits: Limits) -> Iterator[tuple[str, Attempt, Any]]:
    """Yield what is tried: a name, the attempt, and the answer that shows the wall."""
    home, here = Path.home(), [Path.cwd() / name for name in ("tests", "solutions", "grades")]
    package = str(Path(__file__).with_name("written-by-a-candidate"))
    yield "tests, solutions, grades unseen", lambda probe: _any_seen(probe, here), False
    yield "home folder unseen", lambda probe: _any_seen(probe, _files_in(home)), False
    yield "no network", lambda probe: probe.connects(), OSError
    yield "no new processes", lambda probe: probe.forks(), OSError
    yield "no other processes in sight", lambda probe: probe.processes(), 0
    yield "no signals to the grader", lambda probe: probe.signals(os.getpid()), OSError
    yield "packages read-only", lambda probe: probe.writes(package), OSError
    yield "/ read-only", lambda probe: probe.writes("/written-by-a-candidate"), OSError
    yield "memory limited", lambda probe: probe.takes_memory(2 * limits.memory), MemoryError
    yield "disk limited", lambda probe: probe.fills_disk(limits.disk + (1 << 20)), OSError
    yield "threads limited", lambda probe: probe.starts_threads(4 * limits.threads), RuntimeError
    yield "time limited", lambda probe: probe.sleeps(2 * PROBE_SECONDS), Verdict.TIMEOUT


def _any_seen(probe: Any, paths: Sequence[Path]) -> bool:
    return any(probe.sees(str(path)) for path in paths)


def _files_in(folder: Path) -> list[Path]:
    """Return files of the home folder; the interpreter itself may live there and be seen."""
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.is_file()][:20]


def try_wall(server: CandidateServer, what: str, attempt: Attempt, wall: Any) -> Protection:
    """Attempt something as a candidate would; `wall` is the answer or error of one that stands."""
    channel = server.start()
    talk = Conversation(channel.ask, channel.meter)
    talk.begin(0, PROBE_SECONDS)
    source = Path(probes.__file__).read_bytes()
    name = f"sandbox: {what}"
    try:
        module = Module(talk, talk.request("import", "probes", source))
        if wall is Verdict.TIMEOUT:
            talk.begin(1, 0.2)
        found = attempt(module)
    except (Stop, SlowError):
        return Protection(name, wall is Verdict.TIMEOUT, "ended by the examiner")
    except Exception as error:
        good = isinstance(wall, type) and isinstance(error, wall)
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        return Protection(name, good, f"tried, refused: {said}" if good else said)
    finally:
        channel.close()
        server.end()
    good = not isinstance(wall, type) and found == wall
    return Protection(name, good, "nothing there" if good else f"could: {found}")
