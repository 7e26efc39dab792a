"""Values as people read them: arrays as small tables, in which differing places are marked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from examiner.judge.answers import numbers, same_answer
from examiner.judge.showing import show

WIDEST = 72  # characters of a line
MARKS = "«", "»"  # around what differs
DIGITS = (4, 7, 10, 17)  # of numbers: the more, the less two values differ
_DIGITS: ContextVar[int] = ContextVar("_DIGITS", default=DIGITS[0])
MOST_ROWS, MOST_COLUMNS = 8, 8


def short(value: Any) -> str:
    """Return a value on one line, in double quotes where it is a string.

    >>> short(["a", 0.30000000000000004]), short((1, None))
    ('["a", 0.3]', '(1, None)')
    """
    text = _plain(value)
    return text if len(text) <= WIDEST else show(value, WIDEST)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_plain(k)}: {_plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(_plain, value))) + "}" if value else "set()"
    if hasattr(value, "shape"):
        array = numbers(value)
        return _plain(array.tolist()) if array.dtype.kind in "biuf" else show(value)
    return show(value, WIDEST)


def number(value: float) -> str:
    """Return a number with as many digits as people compare.

    >>> number(0.1 + 0.2), number(1e-12), number(float("inf")), number(2.0), number(2.0000000001)
    ('0.3', '1e-12', 'inf', '2.0', '2.0')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return f"{value + 0.0:.1f}"
    text = f"{value:.{_DIGITS.get()}g}"
    return text if set(text) & set(".e") else f"{text}.0"  # of 4.0000001


def both(got: Any, right: Any) -> tuple[str, str]:
    """Return two values as they are told, with as many digits as tell them apart.

    >>> both(0.25, 0.25000001)
    ('0.25', '0.25000001')
    """
    texts, got = ("", ""), _in_the_order_of(right, got)
    for digits in DIGITS:
        before = _DIGITS.set(digits)
        try:
            texts = told(got, right), told(right, got)
        finally:
            _DIGITS.reset(before)
        if texts[0] != texts[1]:
            break
    return texts


def _in_the_order_of(right: Any, got: Any) -> Any:
    """Return a value with the keys of its dicts in the order of another's: order is no difference.

    >>> _in_the_order_of({"a": 1, "b": 2}, {"c": 3, "b": 2, "a": 1})
    {'a': 1, 'b': 2, 'c': 3}
    """
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        keys = [*(key for key in right if key in got), *(key for key in got if key not in right)]
        return {key: _in_the_order_of(right.get(key), got[key]) for key in keys}
    lists = isinstance(right, (list, tuple)) and isinstance(got, (list, tuple))
    if lists and len(right) == len(got) and type(got) in (list, tuple):
        return type(got)(map(_in_the_order_of, right, got))
    return got


def told(value: Any, other: Any) -> str:
    """Return a value on a line or as a table, with the places marked that differ from `other`."""
    if hasattr(value, "shape"):
        return _array(numbers(value), other)
    if isinstance(value, (list, tuple)) and any(hasattr(each, "shape") for each in value):
        return _several(value, other)
    text = _plain(value)
    fits = len(text) <= WIDEST
    if fits and not (_alike(value, other) and len(_plain(other)) > WIDEST):
        return text
    rows = _rows_of(value, other)
    if not rows:
        return text if fits else show(value, 4 * WIDEST)
    ends = "{}" if isinstance(value, Mapping) else "[]" if isinstance(value, list) else "()"
    return ends[0] + ",\n ".join(rows) + ends[1]


def _alike(value: Any, other: Any) -> bool:
    """Tell whether two values have as many parts: then both are laid out in the same way."""
    kinds = (Mapping, list, tuple)
    return any(isinstance(value, each) and isinstance(other, each) for each in kinds) and (
        len(value) == len(other)
    )


def _rows_of(value: Any, other: Any) -> list[str]:
    """Return the parts of a long dict or list, a line each; what `other` shares, in short."""
    if isinstance(value, Mapping):
        pairs = other if isinstance(other, Mapping) else {}
        heads = [f"{_plain(key)}: " for key in value]
        parts = [(each, pairs.get(key)) for key, each in value.items()]
    elif isinstance(value, (list, tuple)):
        same_length = isinstance(other, (list, tuple)) and len(other) == len(value)
        heads = [""] * len(value)
        parts = list(zip(value, other if same_length else [None] * len(value), strict=True))
    else:
        return []
    rows = [
        head + ("…" if same_answer(*both) and len(parts) > 1 else _differing_part(*both))
        for head, both in zip(heads, parts, strict=True)
    ]
    return rows if 0 < len(rows) <= MOST_ROWS else []


def _differing_part(value: Any, other: Any) -> str:
    """Return a part on one line; if it is long, without what `other` shares."""
    text = _plain(value)
    if len(text) > WIDEST - 12 and isinstance(value, Mapping) and isinstance(other, Mapping):
        kept = {key: each for key, each in value.items() if not same_answer(each, other.get(key))}
        if len(kept) < len(value):
            inner = [f"{_plain(key)}: {_plain(each)}" for key, each in kept.items()]
            text = "{" + ", ".join([*inner, "…"]) + "}"
    return text if len(text) <= 2 * WIDEST else show(value, WIDEST)


def _several(values: Any, others: Any) -> str:
    """Return a few arrays, one below the other."""
    pairs = isinstance(others, (list, tuple)) and len(others) == len(values)
    rows = []
    for number_, value in enumerate(values):
        head, other = f"[{number_}]  ", others[number_] if pairs else None
        text = told(value, other)
        rows.append(head + text.replace("\n", "\n" + " " * len(head)))
    return "\n".join(rows)


def _array(array: np.ndarray, other: Any) -> str:
    if array.dtype.kind not in "biuf" or array.size > MOST_ROWS * MOST_COLUMNS * 4:
        return f"an array of shape {array.shape}"
    if not array.size:
        return f"an empty array of shape {array.shape}"
    texts = [_item(each) for each in array.ravel().tolist()]
    for place in _differing(array, other):
        texts[place] = f"{MARKS[0]}{texts[place]}{MARKS[1]}"
    if array.ndim == 0:
        return texts[0].strip("".join(MARKS))
    width = max(map(len, texts)) if array.ndim > 1 else 0
    cells = np.array([text.rjust(width) for text in texts], dtype=object).reshape(array.shape)
    return _rows(cells, "")


def _item(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _rows(cells: np.ndarray, indent: str) -> str:
    if cells.ndim == 1:
        return f"[{' '.join(cells)}]"
    inner = [_rows(each, indent + " ") for each in cells]
    apart = "\n" * (1 if cells.ndim == 2 else 2) + indent + " "
    return f"[{apart.join(inner)}]"


def _differing(array: np.ndarray, other: Any) -> list[int]:
    """Return the places, counted through, that differ; none where all do or shapes differ."""
    if not hasattr(other, "shape"):
        return []
    y = numbers(other)
    if y.shape != array.shape or y.dtype.kind not in "biuf":
        return []
    near = 10.0 ** -_DIGITS.get()
    pair = array.astype(float), y.astype(float)
    wrong = ~np.isclose(*pair, rtol=near, atol=near / 10, equal_nan=True)
    return [] if wrong.all() else [int(each) for each in np.flatnonzero(wrong)]
