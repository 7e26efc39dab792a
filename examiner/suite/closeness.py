"""Whether an answer is as good as equal to what is expected, never by the student's comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from examiner.plural import count

# Relative and absolute tolerance by the bytes of a real number: they hold on other machines.
TOLERANCES = {8: (1e-9, 1e-12), 4: (1e-4, 1e-5), 2: (2e-2, 2e-2)}


@dataclass(frozen=True)
class Closeness:
    """The outcome of a comparison: true, or false with what differs first."""

    difference: str = ""

    def __bool__(self) -> bool:
        return not self.difference

    def __repr__(self) -> str:
        return self.difference or "close"


def close(
    got: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None
) -> Closeness:
    """Tell whether an answer is within a tolerance of what is expected, number by number.

    Takes numbers, texts, arrays, tensors, and lists, tuples and dicts of them. Shapes, lengths
    and keys must be equal; a list may stand for a tuple. NaN is close to NaN only.

    The tolerance follows the number format: relative 1e-9 in double precision, 1e-4 (absolute
    1e-5) in single, 2e-2 in half. An answer in single precision is judged as such; one in half
    precision is not, unless half precision is expected.

    >>> close([0.1 + 0.2, {"a": 1}], (0.3, {"a": 1.0}))
    close
    >>> close([1.0, 2.5], [1.0, 2.0])
    at [1]: 2.5, expected 2.0
    """
    return Closeness(next(_differences(got, expected, (rtol, atol), ""), ""))


class Approximately:
    """Equal up to rounding, and in shape: for pytest.approx an empty array equals any number.

    What a student reads as expected is found by the name, as that of pytest.approx.
    """

    __array_ufunc__ = None  # numpy asks this class, instead of comparing item by item

    def __init__(self, value: Any, rel: float) -> None:
        self.expected, self.rel = value, rel

    def __eq__(self, got: object) -> bool:
        return bool(close(got, self.expected, rtol=self.rel, atol=1e-12))


def near(value: Any, rel: float = 1e-9) -> Any:
    """Return what equals a number, or a list or dict of numbers, but for rounding.

    >>> 0.1 + 0.2 == near(0.3), [0.1] == near([0.1, 0.1])
    (True, False)
    """
    return Approximately(value, rel)


def _differences(got: Any, expected: Any, given: tuple[Any, Any], where: str) -> Iterator[str]:
    if type(got) is type(expected) is float and _are_near(got, expected, given):
        return  # a long list's numbers, in few steps
    at = f"at {where}: " if where else ""
    if isinstance(expected, Mapping):
        if not isinstance(got, Mapping):
            yield f"{at}{_kind(got)}, expected a dict"
        elif got.keys() != expected.keys():
            yield f"{at}the keys {_short(list(got))}, expected {_short(list(expected))}"
        else:
            for key, value in expected.items():
                yield from _differences(got[key], value, given, f"{where}[{key!r}]")
    elif isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)):
            if hasattr(got, "shape"):
                yield from _array_differences(got, expected, given, where)
            else:
                yield f"{at}{_kind(got)}, expected {count(len(expected), 'value')}"
        elif len(got) != len(expected):
            yield f"{at}{count(len(got), 'value')}, expected {len(expected)}"
        else:
            for number, (one, other) in enumerate(zip(got, expected, strict=True)):
                yield from _differences(one, other, given, f"{where}[{number}]")
    elif hasattr(expected, "shape") or isinstance(expected, (int, float, complex)):
        yield from _array_differences(got, expected, given, where)
    elif type(got) is not type(expected) or got != expected:
        yield f"{at}{_short(got)}, expected {_short(expected)}"


def _are_near(x: float, y: float, given: tuple[Any, Any]) -> bool:
    """Tell whether two of Python's numbers are near, as `np.isclose` does; NaN is near nothing."""
    rtol, atol = _tolerance(x, y, given)
    return x == y or abs(x - y) <= atol + rtol * abs(y) < math.inf


def _array_differences(
    got: Any, expected: Any, given: tuple[Any, Any], where: str
) -> Iterator[str]:
    at = f"at {where}: " if where else ""
    if not (hasattr(got, "shape") or isinstance(got, (int, float, complex, list, tuple))):
        yield f"{at}{_kind(got)}, expected numbers"
        return
    x, y = _array(got), _array(expected)
    if x is None or x.dtype.kind not in "biufc":
        yield f"{at}no numbers: {_short(got)}"
    elif y is None:  # reckoned from an answer that is no number
        yield f"{at}no numbers to compare with"
    elif x.shape != y.shape:
        yield f"{at}the shape {x.shape}, expected {y.shape}"
    else:
        rtol, atol = _tolerance(got, expected, given)
        wide = complex if "c" in (x.dtype.kind, y.dtype.kind) else float
        near = np.isclose(x.astype(wide), y.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
        if not near.all():
            index = tuple(int(i) for i in np.argwhere(~near)[0])
            place = where + (str(list(index)) if index else "")
            share = f" ({(~near).sum()} of {near.size} differ)" if near.size > 1 else ""
            found = f"{_short(x[index].item())}, expected {_short(y[index].item())}{share}"
            yield f"at {place}: {found}" if place else found


def _array(value: Any) -> Any:
    if hasattr(value, "detach"):
        value = value.detach()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).cpu()
    # subtle: a student's object may answer whatever an array is made of
    if not (
        isinstance(value, (int, float, complex, list, tuple)) or hasattr(type(value), "__array__")
    ):
        return None
    try:
        return np.asarray(value)
    except (TypeError, ValueError):  # a ragged list
        return None


def _size(value: Any) -> int:
    """Return the bytes of one real number: 8 for plain Python's and for whole ones."""
    name = str(getattr(value, "dtype", "float64")).removeprefix("torch.")
    sizes = {"float32": 4, "complex64": 4, "float16": 2, "bfloat16": 2}
    return sizes.get(name, 8)


def _tolerance(got: Any, expected: Any, given: tuple[Any, Any]) -> tuple[float, float]:
    # subtle: an answer in half precision must not buy itself a wide tolerance
    known = TOLERANCES[min(_size(expected), max(4, _size(got)))]
    rtol, atol = (math.nan if each is None else each for each in given)
    return (
        known[0] if math.isnan(rtol) else rtol,
        known[1] if math.isnan(atol) else atol,
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + " …"


def _kind(value: Any) -> str:
    if getattr(type(value), "stand_in", False):
        return "an object of the student's own class"
    return f"a value of type {type(value).__name__}"
