"""What `import numpy` gives in the page: the functions that arrays.py leaves out, and all names."""

from __future__ import annotations

import builtins
import contextlib
import math
import struct
from collections.abc import Callable, Iterator
from typing import Any

from nextword.practice.inside import arrays, draws
from nextword.practice.inside.arrays import (
    _CODES,
    _INSTEAD,
    HERE,
    asarray,
    dtype,
    elementwise,
    inf,
    nan,
    ndarray,
    scalar,
)

# arrays.py has more that is numpy's
array, generic, longdouble = arrays.array, arrays.generic, arrays.longdouble
float64, int64, str_ = arrays.float64, arrays.int64, arrays.str_
newaxis, pi, e = None, math.pi, math.e
__version__ = "0 (a small stand-in for the page)"
random = draws
bool_ = bool
ascontiguousarray = asarray
float32 = "float32"


def _full(shape: Any, value: Any, kind: Any = float) -> ndarray:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return ndarray([value] * math.prod(shape), shape, kind)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros."""
    return _full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of ones."""
    return _full(shape, 1, dtype)


def full(shape: Any, value: Any) -> ndarray:
    """Return an array that holds the same number everywhere."""
    return _full(shape, value, None)


def zeros_like(x: Any) -> ndarray:
    """Return zeros in the shape of another array."""
    return _full(asarray(x).shape, 0, asarray(x).dtype)


def arange(*bounds: int) -> ndarray:
    """Return the numbers of a range."""
    found = range(*bounds)
    return ndarray(found, (len(found),), int)


def frombuffer(data: bytes, kind: dtype) -> ndarray:
    """Return the numbers that stand in bytes."""
    n = len(data) // kind.itemsize
    return ndarray(struct.unpack(f"<{n}{_CODES[kind.name]}", data), (n,), kind)


def concatenate(parts: Any) -> ndarray:
    """Return rows one after the other in one row."""
    flat = [x for part in parts for x in asarray(part)._flat]
    return ndarray(flat, (len(flat),))


def stack(parts: Any) -> ndarray:
    """Return rows below each other."""
    return arrays.array([asarray(part) for part in parts])


# ------------------------------------------------------------------ number by number
def _log(x: float) -> float:
    return math.log(x) if x > 0 else -inf if x == 0 else nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return inf


def exp(x: Any) -> Any:
    """Return e to the power of each number."""
    return elementwise(_exp, x)


def log(x: Any) -> Any:
    """Return the natural logarithm of each number; that of 0 is -inf."""
    return elementwise(_log, x)


def log2(x: Any) -> Any:
    """Return the binary logarithm of each number."""
    return elementwise(lambda each: _log(each) / math.log(2), x)


def sqrt(x: Any) -> Any:
    """Return the root of each number."""
    return elementwise(lambda each: math.sqrt(each) if each >= 0 else nan, x)


def abs(x: Any) -> Any:
    """Return each number without its sign."""
    return elementwise(math.fabs, x)


def isfinite(x: Any) -> Any:
    """Tell of each number whether it is one, and not infinite."""
    return elementwise(math.isfinite, x)


def isnan(x: Any) -> Any:
    """Tell of each number whether it is none."""
    return elementwise(math.isnan, x)


def isinf(x: Any) -> Any:
    """Tell of each number whether it is infinite."""
    return elementwise(math.isinf, x)


def maximum(x: Any, y: Any) -> Any:
    """Return the larger one of each pair."""
    return elementwise(max, x, y)


def minimum(x: Any, y: Any) -> Any:
    """Return the smaller one of each pair."""
    return elementwise(min, x, y)


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return a number of x where the condition holds, else one of y."""
    return elementwise(lambda yes, a, b: a if yes else b, condition, x, y)


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Tell of each pair of numbers whether |x - y| <= atol + rtol |y|."""

    def near(a: Any, b: Any) -> bool:
        if a != a or b != b:
            return equal_nan and a != a and b != b
        if math.isinf(a) or math.isinf(b):
            return bool(a == b)
        return bool(math.fabs(a - b) <= atol + rtol * math.fabs(b))

    return elementwise(near, x, y)


# ------------------------------------------------------------------ of all numbers
def allclose(x: Any, y: Any, **tolerance: Any) -> bool:
    """Tell whether all pairs are close."""
    return bool(asarray(isclose(x, y, **tolerance)).all())


def array_equal(x: Any, y: Any) -> bool:
    """Tell whether shapes and numbers are the same."""
    x, y = asarray(x), asarray(y)
    return x.shape == y.shape and bool(x._flat == y._flat)


def argwhere(x: Any) -> ndarray:
    """Return the places of what is true, a row for each."""
    x = asarray(x)
    at = [i for i, yes in enumerate(x._flat) if yes]
    strides = [math.prod(x.shape[axis + 1 :]) for axis in range(x.ndim)]
    rows = [i // s % n for i in at for s, n in zip(strides, x.shape, strict=True)]
    return ndarray(rows, (len(at), x.ndim), int)


def flatnonzero(x: Any) -> ndarray:
    """Return the places of what is true in one row."""
    return argwhere(asarray(x).reshape(-1)).reshape(-1)


def prod(x: Any, dtype: Any = None) -> Any:
    """Return the product."""
    return scalar(math.prod(asarray(x)._flat))


def _of_method(name: str) -> Callable[..., Any]:
    def function(x: Any, *args: Any, **options: Any) -> Any:
        return getattr(asarray(x), name)(*args, **options)

    function.__name__, function.__doc__ = name, f"Return what the array's own `{name}` gives."
    return function


sum, mean, min, max, argmax = map(_of_method, ("sum", "mean", "min", "max", "argmax"))
argsort, any, all, cumsum = map(_of_method, ("argsort", "any", "all", "cumsum"))
round = _of_method("round")


def array2string(
    x: ndarray, threshold: int = 1000, separator: str = " ", precision: int = 8
) -> str:
    """Return an array as a text."""
    if x.ndim > 1:
        rows = [array2string(row, threshold, separator, precision) for row in x]
        return "[" + f"{separator.strip()}\n ".join(rows) + "]"
    texts = [_digits(each, precision) for each in x._flat]
    if len(texts) > threshold:
        texts = [*texts[:3], "...", *texts[-3:]]
    behind = [len(text.partition(".")[2]) for text in texts]  # points stand below each other
    most = builtins.max(behind, default=0)
    texts = [text + " " * (most - n) for text, n in zip(texts, behind, strict=True)]
    width = builtins.max(map(len, texts), default=0)
    return "[" + separator.join(text.rjust(width) for text in texts) + "]"


def _digits(value: Any, precision: int) -> str:
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    return f"{value:.{precision}f}".rstrip("0")


@contextlib.contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Do nothing: no warning is ever given here."""
    yield


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{HERE} has no {name}: {_INSTEAD}")
