"""Whether what a model answers are distributions. Leaves out: how good they are (judging.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from examiner.race.rules import OutError


def require_rows(answer: Any, n: int, V: int, live: np.ndarray, off_one: float) -> np.ndarray:
    """Return an answer as n rows of V numbers whose sums are 1, (n, V) in float64.

    live (n,): which rows count; those of texts that are over need only be there. A sum that is at
    most `off_one` from 1 is made 1 exactly; -0.0 is 0. Raises OutError for anything else.

    >>> rows = np.array([[0.25, 0.75], [7, 7]], np.float32)
    >>> require_rows(rows, 2, 2, np.array([True, False]), 1e-3)[0]
    array([0.25, 0.75])
    """
    if type(answer) is not np.ndarray or answer.dtype != np.float32:
        raise OutError("gave something that is no array of numbers")
    if answer.shape != (n, V):
        shape = " by ".join(map(str, answer.shape)) or "one number"
        raise OutError(
            f"gave {shape} numbers for {n} texts and a vocabulary of {V} words: expected {n} by {V}"
        )
    rows = answer.astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0
    seen = rows[live]
    if not np.isfinite(seen).all():
        what = "NaN" if np.isnan(seen).any() else "infinity"
        raise OutError(f"a row holds {what}")
    if seen.size and seen.min() < 0:
        raise OutError(f"a row holds a negative number, {seen.min():.3g}")
    rows[~live] = 1.0
    sums = rows.sum(axis=1)
    worst = np.abs(sums - 1)[live]
    if worst.size and worst.max() > off_one:
        said = sums[live][worst.argmax()]
        raise OutError(f"a row sums to {said:.6g}, not to 1")
    whole: np.ndarray = rows / sums[:, None]
    return whole


def total_variation(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return half the sum of |p - q| over the last axis: 0 for equal rows, at most 1.

    >>> total_variation(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    np.float64(0.5)
    """
    found: np.ndarray = np.abs(p - q).sum(axis=-1) / 2
    return found
