"""In which direction an answer is off, in words that do not give the right answer away.

No number stands in them: code that has seen a hidden input could choose the number, and so tell it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from examiner.judge.alike import alike, numbers

_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "a truth value"),
    ((int, float, complex), "a number"),
    (str, "a text"),
    (list, "a list"),
    (tuple, "a tuple"),
    (dict, "a dict"),
    ((set, frozenset), "a set"),
    (type(None), "None"),
)


def direction(got: Any, expected: Any) -> str:
    """Return what is told of a wrong answer: "a number that is too large", or "" for nothing.

    >>> direction([[1], [2]], [(1,), (2,)])
    'a list of lists where a list of tuples is expected'
    >>> direction([1, 2], [1, 2, 3])
    'a list that is one item too short'
    >>> direction(0.5, -0.5)
    'a number with the wrong sign'
    """
    if alike(got, expected):
        forms = _form(got), _form(expected)
        return "" if forms[0] == forms[1] else f"{forms[0]} where {forms[1]} is expected"
    if hasattr(expected, "shape") or hasattr(got, "shape"):
        return _arrays(got, expected)
    kind = _kind(expected)
    if _kind(got) != kind and {_kind(got), kind} != {"a list", "a tuple"}:
        return f"{_kind(got)} where {kind} is expected"
    if kind == "a number":
        return f"a number {_number(got, expected)}"
    if kind == "a dict":
        return f"a dict {_dict(got, expected)}"
    if kind in ("a list", "a tuple"):
        return f"{_kind(got)} {_sequence(list(got), list(expected))}"
    if kind == "a set":
        less, more = len(set(expected) - set(got)), len(set(got) - set(expected))
        return f"a set that {_both(less and 'lacks items', more and 'has items too many')}"
    return {"a truth value": "the other truth value", "a text": "another text"}.get(kind, "")


def _kind(value: Any) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "another object")


def _form(value: Any) -> str:
    """Return the kinds of a list and of its first item: "a list of tuples"."""
    kind = _kind(value)
    if kind not in ("a list", "a tuple") or not len(value):
        return ""
    inner = _kind(value[0])
    return f"{kind} of {inner.removeprefix('a ')}s" if inner in ("a list", "a tuple") else ""


def _both(*parts: Any) -> str:
    return " and ".join(str(part) for part in parts if part)


def _number(got: Any, expected: Any) -> str:
    if isinstance(got, complex) or isinstance(expected, complex):
        return "that differs"
    if got != got:
        return "that is NaN"
    if math.isinf(got):
        return "that is infinite" if not math.isinf(expected) else "with the wrong sign"
    if math.isinf(expected):
        return "that should be infinite"
    if math.isclose(got, -expected, rel_tol=1e-6):
        return "with the wrong sign"
    where = "large" if got > expected else "small"
    if got and expected and not 0.1 < abs(got / expected) < 10 and got * expected > 0:
        return f"that is more than ten times too {where}"
    return f"that is too {where}"


def _sequence(got: Sequence[Any], expected: Sequence[Any]) -> str:
    off = len(got) - len(expected)
    if off:
        items = "one item" if abs(off) == 1 else "some items"
        return f"that is {items} too {'long' if off > 0 else 'short'}"
    wrong = [n for n, pair in enumerate(zip(got, expected, strict=True)) if not alike(*pair)]
    if len(wrong) > 1 and _same_items(got, expected):
        return "with the right items in another order"
    plain = all(isinstance(x, (int, float)) for x in (*got, *expected))
    if plain and (factor := _factor(got, expected)):
        return factor
    ends = {0, len(got) - 1}
    place = f"that differs {'in' if 0 in wrong else 'after'} its first item"
    if len(got) > 2 and set(wrong) <= ends:
        place = f"that is right except at {'both ends' if len(wrong) == 2 else 'one end'}"
    elif len(wrong) == len(got) > 1:
        place = "of which every item differs"
    inner = direction(got[wrong[0]], expected[wrong[0]])
    return f"{place}: {inner}" if inner else place


def _same_items(got: Sequence[Any], expected: Sequence[Any]) -> bool:
    try:
        return sorted(map(repr, got)) == sorted(map(repr, expected))
    except Exception:
        return False


def _factor(got: Any, expected: Any) -> str:
    """Say so where all numbers are off by one and the same factor, or by the same sum."""
    a, b = np.asarray(got, float).ravel(), np.asarray(expected, float).ravel()
    if len(a) < 2 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ""
    if np.allclose(a, -b):
        return "with the wrong sign everywhere"
    if b.all() and np.allclose(a / b, (a / b)[0], rtol=1e-6) and a[0]:
        return (
            f"of numbers that are all too {'large' if a[0] / b[0] > 1 else 'small'} by one factor"
        )
    if np.allclose(a - b, (a - b)[0], rtol=1e-6):
        return (
            f"of numbers that are all too {'large' if a[0] > b[0] else 'small'} by the same number"
        )
    return ""


def _dict(got: dict[Any, Any], expected: dict[Any, Any]) -> str:
    less, more = expected.keys() - got.keys(), got.keys() - expected.keys()
    if less or more:
        return f"that {_both(less and 'lacks keys', more and 'has keys too many')}"
    wrong = [key for key in expected if not alike(got[key], expected[key])]
    values = list(got.values()), list(expected.values())
    every = "some values differ" if len(wrong) < len(expected) else "every value differs"
    if all(isinstance(x, (int, float)) for pair in values for x in pair):
        sums = math.fsum(values[0]), math.fsum(values[1])
        if math.isclose(*sums, rel_tol=1e-9, abs_tol=1e-12):
            return f"with the right keys and the right sum, but {every}"
        return f"with the right keys, but its values sum to too {_more(*sums)}"
    inner = direction(got[wrong[0]], expected[wrong[0]])
    return f"with the right keys, but {every}" + (f": {inner}" if inner else "")


def _more(got: float, expected: float) -> str:
    return "much" if got > expected else "little"


def _arrays(got: Any, expected: Any) -> str:
    try:
        x, y = numbers(got), numbers(expected)
    except Exception:
        return f"{_kind(got)} where an array is expected"
    if x.dtype.kind not in "biufc" or y.dtype.kind not in "biufc":
        return f"{_kind(got)} where numbers are expected"
    if x.ndim != y.ndim:
        return f"an array with too {'many' if x.ndim > y.ndim else 'few'} axes"
    if x.shape != y.shape:
        turned = x.shape == y.shape[::-1]
        return "an array of another shape" + (
            ": its axes are the other way round" if turned else ""
        )
    if not np.isfinite(x).all() and np.isfinite(y).all():
        return "an array with NaN or infinity in it"
    if x.ndim == 2 and x.shape[0] == x.shape[1] and np.allclose(x, y.T, rtol=1e-4):
        return "an array with its axes the other way round"
    if factor := _factor(x, y) if x.dtype.kind != "c" and y.dtype.kind != "c" else "":
        return f"an array {factor}"
    wrong = ~np.isclose(x, y, rtol=1e-4, atol=1e-5)
    share = (
        "everywhere"
        if wrong.all()
        else f"in {'most' if wrong.mean() > 0.5 else 'some'} of its places"
    )
    sums = float(np.sum(x.real)), float(np.sum(y.real))
    how = "" if math.isclose(*sums, rel_tol=1e-4) else f", and sums to too {_more(*sums)}"
    return f"an array that differs {share}{how}"
