"""Whether two plain answers are the same for a reader."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

CLOSE = 1e-9  # difference of two numbers that count as the same answer, whatever their size
RELATIVE = 1e-6  # and in proportion to them: another order of the same sums makes as much
_SINGLE = 1e-4, 1e-5  # relative and absolute, of arrays whose numbers have four bytes or fewer


def same_answer(a: Any, b: Any) -> bool:
    """Tell whether two answers are the same for a reader: 1 and 1.0, a list and a tuple.

    What differs only by the rounding of another order of sums is the same, by number format.

    >>> same_answer([1, 0.1 + 0.2], (1.0, 0.3))
    True
    """
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_answer, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_answer(a[key], b[key]) for key in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        try:
            rounded = isinstance(a, float) and isinstance(b, float)
            relative = RELATIVE if rounded else CLOSE
            return math.isclose(a, b, rel_tol=relative, abs_tol=CLOSE) or (a != a and b != b)
        except OverflowError:  # an int that no float can hold
            return a == b
    if isinstance(a, np.random.Generator) and isinstance(b, np.random.Generator):
        return str(a.bit_generator.state) == str(b.bit_generator.state)
    if hasattr(a, "shape") and hasattr(b, "shape"):
        x, y = numbers(a), numbers(b)
        if np.array_equal(x, y):  # soon known, and so for most
            return True
        single = min(_bytes(x), _bytes(y)) <= 4
        relative, absolute = _SINGLE if single else (RELATIVE, CLOSE)
        return x.shape == y.shape and np.allclose(
            x, y, rtol=relative, atol=absolute, equal_nan=True
        )
    return type(a) is type(b) and bool(a == b)


def rounded(value: Any) -> str:
    """Return a text that two values share if they are alike, but for rare cases at a rounding.

    >>> rounded([1, 0.1 + 0.2, {"b": True}]) == rounded((1.0, 0.3, {"b": 1}))
    True
    """
    if isinstance(value, (int, float)) and abs(value) < 1e300:
        return f"{0.0 if abs(value) < CLOSE else float(value):.3g}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(rounded, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{k!r}:{rounded(v)}' for k, v in value.items()))}}}"
    if isinstance(value, (set, frozenset)):
        return f"set[{','.join(sorted(map(rounded, value)))}]"
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if hasattr(value, "shape"):
        array = numbers(value)
        return f"{array.shape}{rounded(array.ravel().tolist())}"
    return repr(value)


def numbers(value: Any) -> np.ndarray:
    """Return the numbers of an array or a tensor; numpy refuses tensors that require a gradient."""
    return np.asarray(value.detach() if hasattr(value, "detach") else value)


def _bytes(x: np.ndarray) -> int:
    """Return the size of one number, if it is no whole number: these are exact."""
    return x.dtype.itemsize if x.dtype.kind == "f" else 8
