"""One thread, as every candidate has: for digits that are the same everywhere, and since threads
that wait for each other take many times as long on a busy machine.
"""

from __future__ import annotations

import sys

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def compute_in_one_thread() -> None:
    """Have torch compute in one thread from here on, where it is loaded."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
