"""Values as the Python code that makes them, and how large they are to a reader."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_WORD = 8  # letters of a string that count as one token


@dataclass(frozen=True)
class Code:
    """An argument that is no plain value: code that makes it, such as a random generator."""

    text: str
    size: int = 1  # to a reader


def literal(value: Any) -> str:
    """Return code that makes a plain value, an array or a tensor.

    >>> literal({("a",): {"b": 2}}), literal(np.array([[1.0, 0.5]]))
    ("{('a',): {'b': 2}}", 'np.array([[1., 0.5]])')
    >>> literal([1.0, -math.inf])
    '[1.0, -math.inf]'

    Raises TypeError for anything else.
    """
    if isinstance(value, Code):
        return value.text
    if hasattr(value, "detach"):
        return _tensor(value)
    if isinstance(value, np.ndarray):
        return f"np.array({_nested(value.tolist())}{_dtype(value)})"
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, (int, float, str, bytes, np.generic)):
        value = value.item() if isinstance(value, np.generic) else value
        return _number(value) if isinstance(value, float) else repr(value)
    if isinstance(value, Mapping):
        rows = (f"{literal(key)}: {literal(each)}" for key, each in value.items())
        return "{" + ", ".join(rows) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, (set, frozenset)) and value:
        return "{" + ", ".join(sorted(map(literal, value))) + "}"
    raise TypeError(f"{type(value).__name__} is no plain value: give an example's argument as Code")


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    text = _number(value) if isinstance(value, float) else repr(value)
    return text[:-1] if text.endswith(".0") else text


def _number(value: float) -> str:
    """Return a number as code: `inf` and `nan` alone name nothing."""
    if math.isnan(value):
        return "math.nan"
    return repr(value).replace("inf", "math.inf")


def _dtype(array: np.ndarray) -> str:
    usual = array.dtype in (np.dtype(float), np.dtype(int), np.dtype(bool)) and array.size
    name = {"int64": "int", "float64": "float", "bool": "bool"}.get(array.dtype.name)
    return "" if usual else f", dtype={name or f'np.{array.dtype.name}'}"


def _tensor(value: Any) -> str:
    kind = str(value.dtype)
    if kind == "torch.float32":  # with its own digits, and not those of a double
        value = np.vectorize(lambda each: float(str(np.float32(each))), otypes=[float])(value)
    usual = kind in ("torch.float32", "torch.int64", "torch.bool") and bool(len(value.reshape(-1)))
    return f"torch.tensor({_nested(value.tolist())}{'' if usual else f', dtype={kind}'})"


def size(value: Any) -> int:
    """Return how many tokens a value is to a reader.

    >>> size([["a", "b"], []]), size("abab"), size(np.zeros((2, 3)))
    (2, 1, 6)
    """
    if isinstance(value, Code):
        return value.size
    if hasattr(value, "shape"):
        return int(np.prod(value.shape, dtype=int))
    if isinstance(value, Mapping):
        return sum(size(key) + size(each) for key, each in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum(map(size, value))
    if isinstance(value, (str, bytes)):
        return max(1, len(value.split()), -(-len(value) // _WORD))
    return 1


def emptiness(value: Any) -> int:
    """Return how many empty things a value holds: a reader learns less from them.

    >>> emptiness([["a"], [], ""]), emptiness(np.zeros((0, 2)))
    (2, 1)
    """
    if hasattr(value, "shape"):
        return int(0 in value.shape)
    if isinstance(value, (list, tuple)):
        return sum(map(emptiness, value)) if value else 1
    return int(isinstance(value, str) and not value)


def names_in(code: str) -> set[str]:
    """Return the names that code reads, but for the parameters of functions that it defines.

    >>> sorted(names_in("def double(x): return times(x, 2)"))
    ['times']
    """
    nodes = list(ast.walk(ast.parse(code)))
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in nodes if isinstance(node, ast.Name)} - own
