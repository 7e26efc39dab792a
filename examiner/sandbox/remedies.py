"""What lets bubblewrap work where it fails, told from what it says; mostly flags of a container.

All of these were seen in containers of runc with podman's settings and with Docker's filter of
system calls, but for AppArmor and SELinux, of which only the reports of others are known. Leaves
out finding out whether it works (trial.py).
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """Why bubblewrap fails, and what to do about it."""

    signs: tuple[str, ...]  # each a part of what it then says
    cause: str
    cure: str


REMEDIES = (
    Remedy(
        ("can't mount proc",),
        "parts of /proc are covered, as in every container, and then the kernel lets nobody mount "
        "another one",
        "podman: --security-opt unmask=ALL; Docker: --security-opt systempaths=unconfined; "
        "Kubernetes: procMount: Unmasked, with hostUsers: false",
    ),
    Remedy(
        ("permission denied",),
        "AppArmor or SELinux forbids it",
        "on Ubuntu 24.04: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0; "
        "Docker: --security-opt apparmor=unconfined; SELinux: --security-opt label=disable",
    ),
    Remedy(
        ("unexpected capabilities",),
        "this user, who is not root, was given some of its powers",
        "leave out --cap-add",
    ),
    Remedy(
        ("new namespace", "namespaces:", "unshare"),
        "this container or system forbids namespaces",
        "Docker: --security-opt seccomp=FILE with podman's /usr/share/containers/seccomp.json, or "
        "seccomp=unconfined; podman allows them; Kubernetes: seccompProfile: Unconfined or the "
        "same file",
    ),
    Remedy(
        ("importerror: ", "modulenotfounderror: ", "filenotfounderror: ", "oserror: "),
        "a package that submissions use cannot be imported in the sandbox",
        "`nextword doctor` tells whether it can be outside",
    ),
)
AS_ROOT = (
    "root has not all of its powers here, as in a container: run as another user (--user 1000; "
    "Kubernetes: runAsUser: 1000)"
)
OTHERWISE = (
    "it needs user namespaces; if this is a container, try --privileged to find out whether the "
    "container forbids them"
)


def remedy(said: str, *, root: bool | None = None) -> str:
    """Return what to do about what bubblewrap said, in one sentence; `root`: this user is root.

    Root without all its powers, as in a container, can make no namespaces; others can.

    >>> remedy("bwrap: Unexpected capabilities but not setuid", root=False)
    'this user, who is not root, was given some of its powers (leave out --cap-add)'
    """
    small = said.lower()
    if (os.geteuid() == 0 if root is None else root) and "operation not permitted" in small:
        return f"{AS_ROOT}, then call `doctor` again"
    for each in REMEDIES:
        if any(sign in small for sign in each.signs):
            return f"{each.cause} ({each.cure})"
    return OTHERWISE
