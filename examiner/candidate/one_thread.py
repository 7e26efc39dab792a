"""One thread, as every candidate has: for digits that are the same everywhere, and since threads
that wait for each other take many times as long on a busy machine. And no compiler, which would be
a process of its own: `torch.compile` gives back what it is given.
"""

from __future__ import annotations

import sys
from functools import wraps

MOST_THREADS = 8  # of torch, where a student's code asks for more: it starts about two for each
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
NO_COMPILER = {"TORCHDYNAMO_DISABLE": "1"}  # read by each `torch.compile`


def compute_in_one_thread() -> None:
    """Have torch compute in one thread from here on, where it is loaded."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def bound_threads() -> None:
    """Have torch take no more than a few threads, whatever it is asked for from here on.

    A candidate may not start many, and one that may start no more is ended by torch: an honest
    `torch.set_num_threads(os.cpu_count())` would cost everything on a large machine.
    """
    if "torch" not in sys.modules:
        return
    torch = sys.modules["torch"]
    as_asked = torch.set_num_threads

    @wraps(as_asked)
    def set_num_threads(number: int) -> None:
        as_asked(min(number, MOST_THREADS))

    torch.set_num_threads = set_num_threads  # type: ignore[attr-defined]
