"""Walls where the platform forbids namespaces: candidates run as another user, before closed doors.

For a machine that holds one submission and is thrown away, as Gradescope's containers are, and for
root alone. Candidates see other processes and the system's files, and may write to /tmp; all that
is secret or counts must be named, and is closed to them. Leaves out where namespaces work, which
keep more apart (bubblewrap.py).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from operator import methodcaller
from pathlib import Path

from examiner.candidate.confinement import Limits
from examiner.errors import UserError
from examiner.results import Verdict
from examiner.sandbox.servers import CandidateServer, ServerError
from examiner.sandbox.trial import PROBE_SECONDS, Attempt, Protection, plan_for, try_wall

USERS = range(20_000, 60_000)


def lock_in(paths: Sequence[Path]) -> int:
    """Close folders and files to all but root; return a user that cannot get in, as was tried.

    Raises UserError, which says what does not hold.
    """
    if os.geteuid() != 0:
        raise UserError("only root can run submissions as another user; this program is not root's")
    for path in paths:
        if path.exists():
            path.chmod(0o700 if path.is_dir() else 0o600)
    # subtle: threads are counted over all containers of a machine, by the number of their user
    user = secrets.choice(USERS)
    bad = [wall for wall in protections(user, paths) if not wall.good]
    if bad:
        said = "; ".join(f"{wall.what}: {wall.detail}" for wall in bad)
        raise UserError(f"submissions cannot be locked in as another user either ({said})")
    return user


def protections(user: int, paths: Sequence[Path]) -> Iterator[Protection]:
    """Try every wall that this user's candidates have, and yield what was found."""
    plan = plan_for([], confined=False, user=user)
    server = CandidateServer(plan)
    try:
        for what, attempt, wall in _attempts(plan.limits, paths):
            yield try_wall(server, what, attempt, wall)
    except ServerError as error:
        yield Protection("another user", False, str(error))
    finally:
        server.close()


def _attempts(limits: Limits, paths: Sequence[Path]) -> Iterator[tuple[str, Attempt, object]]:
    for path in paths:
        files = [next((p for p in path.rglob("*") if p.is_file()), path)] if path.is_dir() else []
        for each in (path, *files):
            yield f"{each} unread", methodcaller("reads", str(each)), OSError
        new = path / "written-by-a-candidate" if path.is_dir() else path
        yield f"{new} unwritten", methodcaller("writes", str(new)), OSError
    package = str(Path(__file__).with_name("written-by-a-candidate"))
    memory = f"/proc/{os.getpid()}/mem"
    for needed in (os.__file__, __file__):
        yield f"{needed} readable", methodcaller("reads", needed), True
    yield "packages read-only", lambda probe: probe.writes(package), OSError
    yield "memory of the grader unread", lambda probe: probe.reads(memory), OSError
    yield "no network", lambda probe: probe.connects(), OSError
    yield "no new processes", lambda probe: probe.forks(), OSError
    yield "no signals to the grader", lambda probe: probe.signals(os.getpid()), OSError
    yield "memory limited", lambda probe: probe.takes_memory(2 * limits.memory), MemoryError
    yield "files limited", lambda probe: probe.fills_disk(limits.disk + (1 << 20)), OSError
    yield "threads limited", lambda probe: probe.starts_threads(4 * limits.threads), RuntimeError
    yield "time limited", lambda probe: probe.sleeps(2 * PROBE_SECONDS), Verdict.TIMEOUT
