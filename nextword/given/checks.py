"""Refuses arguments that make no sense, in one line that says what was expected."""

from collections.abc import Iterable
from typing import Any

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


def require_attention(q: Any, k: Any, v: Any, mask: Any = None) -> None:
    """Raise ValueError unless q, k, v and the mask of an attention fit, and none is empty.

    q: (..., T, K), k: (..., S, K), v: (..., S, V). A mask is boolean or as precise as q, and its
    shape can be expanded to (..., T, S).
    """
    require("q", (*q.shape,), q.ndim >= 2 and q.shape[-1] == k.shape[-1], f"(..., {k.shape[-1]})")
    S = k.shape[-2]
    require("T and S", (q.shape[-2], S), q.shape[-2] and S, "at least 1")
    require("v", (*v.shape,), v.shape[-2] == S, f"as long as k, (..., {S}, V)")
    if mask is None:
        return
    kinds = ("torch.bool", str(q.dtype))
    require("mask", str(mask.dtype), str(mask.dtype) in kinds, f"{' or '.join(kinds)}")
    leading = k.shape[:-2] if k.ndim > q.ndim else q.shape[:-2]
    scores = (*leading, q.shape[-2], S)
    pairs = zip(reversed(mask.shape), reversed(scores), strict=False)
    fits = mask.ndim <= len(scores) and all(m in (1, n) or n == 1 for m, n in pairs)
    require("mask", (*mask.shape,), fits, f"of a shape that fits the scores, {scores}")
