"""Gives up what a process may do: its user, its place among the others, its capabilities.

Leaves out when, and what else a candidate or a notebook's kernel loses (confinement.py).
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

UID_INSIDE = 1000
PR_SET_DUMPABLE, NEWUSER = 4, 0x10000000


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, loaded once: later there may be no file of it in reach."""
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *args: Any) -> None:
    """Call a function of the C library; raises OSError where it fails."""
    if getattr(libc(), name)(*args):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def change_user(user: int) -> None:
    """Become another user for good, and a member of that user's group alone."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def enter_namespaces(others: int = 0, user: int | None = None) -> None:
    """Enter a user namespace of one's own, and these others; before that, root becomes `user`.

    Root's processes are counted by no limit, and those of a user apart in each user namespace.
    """
    if user is not None:
        change_user(user)
        call("prctl", PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self is root's
    uid, gid = os.getuid(), os.getgid()
    call("unshare", NEWUSER | others)
    for name, text in (
        ("uid_map", f"{UID_INSIDE} {uid} 1"),
        ("setgroups", "deny"),
        ("gid_map", f"{UID_INSIDE} {gid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text)


def drop_capabilities() -> None:
    """Give up all that the kernel lets this process do beyond others."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    nothing = (ctypes.c_uint32 * 6)()
    call("capset", header, nothing)
