"""Walls that a notebook's kernel gets from inside the sandbox, before a student's code runs.

Leaves out the sandbox itself (sandbox/bubblewrap.py).
"""

from __future__ import annotations

import os
from pathlib import Path

from examiner.candidate import seccomp
from examiner.candidate.confinement import Limits, limit_resources
from examiner.candidate.privileges import drop_capabilities, enter_namespaces
from examiner.sandbox.bubblewrap import NOBODY


def shut(limits: Limits, folder: Path) -> None:
    """Limit what this process and all that it starts may use and ask of the system.

    Root becomes nobody, in a namespace of its own, since nothing counts root's processes; `folder`
    is made nobody's to change. Raises OSError where a wall does not stand.
    """
    if os.geteuid() == 0:
        _open_to_all(folder)
        enter_namespaces(user=NOBODY)
        drop_capabilities()
    limit_resources(limits, threads=True)
    if seccomp.available():
        seccomp.install(seccomp.program(of_a_kernel=True))


def _open_to_all(folder: Path) -> None:
    """Let everybody change a folder and all that is in it."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o777 if path.is_dir() else 0o666))
