"""Refuses arguments that make no sense, in one line that says what was expected."""

from collections.abc import Iterable

import numpy as np


def require(name: str, value: object, holds: object, expected: str) -> None:
    """Raise ValueError unless `holds`; the message gives the name, what was expected and the value.

    >>> require("n", 0, False, "at least 1")
    Traceback (most recent call last):
    ValueError: n must be at least 1, got 0
    """
    if not holds:
        raise ValueError(f"{name} must be {expected}, got {value!r:.60}")


def require_distribution(name: str, p: np.ndarray) -> None:
    """Raise ValueError unless `p` is one row of numbers that are not below 0 and sum to 1."""
    sound = p.ndim == 1 and p.size and p.min() >= 0 and abs(float(p.sum()) - 1) < 1e-4
    require(name, p, sound, "a distribution: one row, nothing below 0, sum 1")


def require_ids(name: str, ids: Iterable[int], V: int) -> list[int]:
    """Return the ids as a list; raise ValueError unless each lies between 0 and V - 1."""
    found = [int(i) for i in ids]
    unknown = [i for i in found if not 0 <= i < V]
    require(name, unknown, not unknown, f"between 0 and {V - 1}")
    return found
