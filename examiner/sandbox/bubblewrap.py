"""The command that locks in a candidate server or a notebook's kernel: what of the machine it sees.

Leaves out how each candidate inside it is confined (candidate/confinement.py), and trying whether
it holds (trial.py).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from examiner.candidate.confinement import PRIVATE_FOLDER
from examiner.candidate.server import ServerPlan
from examiner.catalogue.settings import packages_of

NOBODY = 65534
SERVER_DISK = 4 << 20  # bytes that a server may write
PACKAGE = Path(__file__).parents[1]  # the examiner


def program() -> str | None:
    """Return the path of bubblewrap, or None where it is not installed."""
    return shutil.which("bwrap")


def outer_uid() -> int | None:
    """Return whom candidates become when root grades; the kernel counts no process of root's."""
    return NOBODY if os.geteuid() == 0 else None


def _seen(library: Iterable[Path]) -> Iterator[Path]:
    """Yield what candidates may read: the interpreter, its libraries and packages, the examiner's
    own programs and the course's library."""
    yield Path(sys.base_prefix)
    yield Path(sys.prefix)
    yield PACKAGE
    yield from library
    for name in ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"):
        yield Path(name)
    yield Path(os.path.realpath(sys.executable))


def wrapping(plan: ServerPlan) -> list[str]:
    """Return the command that locks in the command which follows it."""
    command = _beginning()
    if plan.outer_uid is None:
        command += ["--unshare-user"]
    else:  # real root, of which the server keeps what it needs to become nobody
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--cap-add", "CAP_KILL"]
    seen = _outermost(_seen(packages_of(plan.library)))
    command += _showing(seen)
    for path in _outermost(map(Path, plan.hidden)):  # empty folders in their places
        if any(path.is_relative_to(each) for each in seen):
            command += ["--tmpfs", str(path), "--remount-ro", str(path)]
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    # what a library wants to write while it is imported; each candidate has its own over it
    command += ["--perms", "0755", "--size", str(SERVER_DISK), "--tmpfs", str(PRIVATE_FOLDER)]
    command += ["--setenv", "TMPDIR", str(PRIVATE_FOLDER)]
    if not any(path.is_relative_to("/tmp") for path in seen):  # for code that insists on /tmp
        command += ["--symlink", str(PRIVATE_FOLDER), "/tmp"]
    command += ["--remount-ro", "/", "--chdir", "/", "--"]
    return command


def wrapping_a_kernel(
    files: Path, shown_at: str, home: str, disk: int, library: Iterable[Path]
) -> list[str]:
    """Return the command that locks in a notebook's kernel, which follows it.

    Beside what candidates see, a kernel sees `files`, read-only, the system's programs (a notebook
    may call a shell) and fonts. It may write `disk` bytes each to `home`, /tmp and /dev/shm, and
    nothing anywhere else. Root keeps what it needs to become nobody.
    """
    command = [*_beginning(), "--cap-drop", "ALL"]
    if outer_uid() is None:
        command += ["--unshare-user"]
    else:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    to_write = ["--perms", "1777", "--size", str(disk), "--tmpfs"]
    command += [*to_write, "/tmp"]
    command += _showing(_outermost([*_seen(library), *map(Path, ("/usr", "/bin", "/etc/fonts"))]))
    command += ["--proc", "/proc", "--dev", "/dev", *to_write, "/dev/shm", *to_write, home]
    command += ["--ro-bind", str(files.resolve()), shown_at]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", home, "--"]
    return command


def wrapping_a_courier(keys: Path | None) -> list[str]:
    """Return the command that locks in a cluster's courier, which follows it.

    It sees the interpreter, the packages, the names of hosts and its own keys; it reaches the
    network, since that is its work, and nothing of the course's or of the grader's.
    """
    command = [*_beginning(network=True), "--unshare-user", "--cap-drop", "ALL"]
    command += ["--tmpfs", "/tmp"]
    names = ("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/run/systemd/resolve")
    seen = [*_seen(()), *(Path(os.path.realpath(name)) for name in names if Path(name).exists())]
    command += _showing(_outermost([*seen, *([keys] if keys else [])]))
    for name in names:
        if Path(name).is_symlink():
            command += ["--symlink", os.path.realpath(name), name]
    return [*command, "--proc", "/proc", "--dev", "/dev", "--chdir", "/", "--"]


def _beginning(*, network: bool = False) -> list[str]:
    """Return the options that all have; no host name, which containers forbid to set."""
    command = [program() or "bwrap", *([] if network else ["--unshare-net"])]
    command += ["--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    return [*command, "--unshare-cgroup-try", "--die-with-parent", "--new-session"]


def _showing(paths: Iterable[Path]) -> list[str]:
    """Return options that show paths read-only, and empty folders on the way to them."""
    options = []
    made: set[Path] = {Path("/")}
    for path in paths:
        for parent in reversed(path.parents):
            if parent not in made:  # open to the candidates' own user
                options += ["--perms", "0755", "--dir", str(parent)]
                made.add(parent)
        options += ["--ro-bind", str(path), str(path)]
    return options


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Return the existing paths that lie in none of the others."""
    existing = sorted({path for path in paths if path.exists()})
    return [
        path
        for path in existing
        if not any(other != path and path.is_relative_to(other) for other in existing)
    ]
