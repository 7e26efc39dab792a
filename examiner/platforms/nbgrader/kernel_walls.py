"""Walls that a notebook's kernel gets from inside the sandbox, before a student's code runs.

Leaves out the sandbox itself (sandbox/bubblewrap.py).
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from examiner.candidate import seccomp
from examiner.candidate.confinement import (
    NEWUSER,
    PR_SET_DUMPABLE,
    UID_INSIDE,
    Limits,
    limit_resources,
)
from examiner.sandbox.bubblewrap import NOBODY


def shut(limits: Limits, folder: Path) -> None:
    """Limit what this process and all that it starts may use and ask of the system.

    Root becomes nobody, in a namespace of its own, since nothing counts root's processes; `folder`
    is made nobody's to change. Raises OSError where a wall does not stand.
    """
    if os.geteuid() == 0:
        _open_to_all(folder)
        _become_nobody()
    limit_resources(limits, threads=True)
    if seccomp.available():
        seccomp.install(seccomp.program(of_a_kernel=True))


def _open_to_all(folder: Path) -> None:
    """Let everybody change a folder and all that is in it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o777 if path.is_dir() else 0o666))


def _become_nobody() -> None:
    """Become another user for good, who has no more power in the new namespace than outside.

    subtle: in the namespace this user's processes are counted apart from those of other notebooks.
    """
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self is root's
    if libc.unshare(NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare")
    me = Path("/proc/self")
    (me / "uid_map").write_text(f"{UID_INSIDE} {NOBODY} 1")
    (me / "setgroups").write_text("deny")
    (me / "gid_map").write_text(f"{UID_INSIDE} {NOBODY} 1")
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing):
        raise OSError(ctypes.get_errno(), "capset")
