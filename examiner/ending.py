"""Processes that end when the one that started them does, killed or not.

Leaves out candidates, which confine themselves (candidate/confinement.py).
"""

from __future__ import annotations

import sys

if sys.platform == "linux":
    import ctypes  # before a fork: nothing is imported between it and another program

PR_SET_PDEATHSIG, SIGKILL = 1, 9  # as on Linux: other systems know neither


def end_with_parent(by: int = SIGKILL) -> None:
    """Have the system end this process, by a signal, with its parent's thread that started it.

    Linux alone can; elsewhere nothing is done.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)
