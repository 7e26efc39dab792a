"""The command that locks a candidate server in: what of this machine it sees, by bubblewrap.

Leaves out how each candidate inside it is confined (candidate/confinement.py), and trying whether
it holds (trial.py).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nextword
from nextword.candidate.confinement import PRIVATE_FOLDER
from nextword.candidate.server import Plan

NOBODY = 65534
PACKAGE = Path(nextword.__file__).parent


def program() -> str | None:
    """Return the path of bubblewrap, or None where it is not installed."""
    return shutil.which("bwrap")


def outer_uid() -> int | None:
    """Return whom candidates become when root grades; the kernel counts no process of root's."""
    return NOBODY if os.geteuid() == 0 else None


def _seen() -> Iterator[Path]:
    """Yield what candidates may read: the interpreter, its libraries and packages, this package."""
    yield Path(sys.base_prefix)
    yield Path(sys.prefix)
    yield PACKAGE
    for name in ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"):
        yield Path(name)
    yield Path(os.path.realpath(sys.executable))


def wrapping(plan: Plan) -> list[str]:
    """Return the command that locks in the command which follows it."""
    command = [program() or "bwrap"]
    command += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--hostname", "candidate"]
    if plan.outer_uid is None:
        command += ["--unshare-user"]
    else:  # real root, of which the server keeps what it needs to become nobody
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--cap-add", "CAP_KILL"]
    command += ["--die-with-parent", "--new-session"]
    made: set[Path] = {Path("/")}
    seen = _outermost(_seen())
    for path in seen:
        for parent in reversed(path.parents):
            if parent not in made:  # empty folders on the way, open to the candidates' own user
                command += ["--perms", "0755", "--dir", str(parent)]
                made.add(parent)
        command += ["--ro-bind", str(path), str(path)]
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--perms", "0755", "--dir", str(PRIVATE_FOLDER)]
    if not any(path.is_relative_to("/tmp") for path in seen):  # for code that insists on /tmp
        command += ["--symlink", str(PRIVATE_FOLDER), "/tmp"]
    command += ["--remount-ro", "/", "--chdir", "/", "--"]
    return command


def _outermost(paths: Iterator[Path]) -> list[Path]:
    """Return the existing paths that lie in none of the others."""
    existing = sorted({path for path in paths if path.exists()})
    return [
        path
        for path in existing
        if not any(other != path and path.is_relative_to(other) for other in existing)
    ]
