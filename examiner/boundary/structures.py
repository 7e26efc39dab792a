"""How small structures cross: slices, named tuples, dtypes, devices. Leaves out their items."""

from __future__ import annotations

import keyword
import re
import sys
from collections import namedtuple
from functools import lru_cache
from typing import Any

import numpy as np

from examiner.boundary.errors import WireError
from examiner.boundary.marks import DEVICE, DTYPE, ELLIPSIS, MARKS, NAMED, RANGE, SIZE, SLICE, TUPLE

MAX_FIELDS = 50
_DEVICE = re.compile(r"(cpu|cuda|meta|mps)(:\d{1,2})?")
_WHOLE = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_KINDS = {"bool", *_WHOLE, "float16", "float32", "float64", "complex64", "complex128"}
_DTYPES = {"numpy": _KINDS, "torch": {*_KINDS, "bfloat16"} - {"uint16", "uint32", "uint64"}}


def plain_slice(obj: slice) -> Any:
    """Return what msgpack can write for a slice."""
    return [MARKS[SLICE], obj.start, obj.stop, obj.step]


def plain_range(obj: range) -> Any:
    """Return what msgpack can write for a range, which only an examiner sends."""
    return [MARKS[RANGE], obj.start, obj.stop, obj.step]


def plain_tuple(obj: tuple) -> Any:
    """Return what msgpack can write for an instance of a subclass of tuple."""
    kind, items = type(obj), tuple.__iter__(obj)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(obj, getattr(torch, "Size", ())):
        return [MARKS[SIZE], *items]
    fields: Any = getattr(kind, "_fields", getattr(kind, "__match_args__", ()))  # as of torch
    if len(fields) == tuple.__len__(obj) and _are_fields([kind.__name__, *fields]):
        return [MARKS[NAMED], [kind.__name__, *fields], *items]
    return [MARKS[TUPLE], *items]


def plain_dtype(obj: Any, library: str) -> Any:
    """Return what msgpack can write for a dtype of numpy or torch; the dtype if it is exotic."""
    name = obj.name if library == "numpy" else str(obj).removeprefix("torch.")
    return [MARKS[DTYPE], f"{library}.{name}"] if name in _DTYPES[library] else obj


def plain_device(obj: Any) -> Any:
    """Return what msgpack can write for a device of torch."""
    return [MARKS[DEVICE], str(obj)]


def plain_ellipsis(obj: Any) -> Any:
    """Return what msgpack can write for `...`."""
    return [MARKS[ELLIPSIS]]


def _are_fields(names: list[str]) -> bool:
    """Tell whether these are the names of a named tuple and of its fields: harmless ones."""
    return (
        1 < len(names) <= MAX_FIELDS
        and len(set(names[1:])) == len(names) - 1
        and all(type(name) is str and name.isascii() and name.isidentifier() for name in names)
        and not any(keyword.iskeyword(name) or len(name) > 100 for name in names)
        and not any(name.startswith("_") for name in names[1:])
    )


@lru_cache(maxsize=256)  # a candidate may invent names without end
def _named(*names: str) -> Any:
    return namedtuple(names[0], names[1:])


def build_named(items: list) -> Any:
    """Return a named tuple; raises WireError unless its names are harmless."""
    _, names, *values = items
    if type(names) is not list or not _are_fields(names) or len(values) != len(names) - 1:
        raise WireError("a broken named tuple")
    return _named(*names)(*values)


def build_size(items: list) -> Any:
    """Return a torch.Size."""
    import torch

    if not all(type(each) is int and 0 <= each < 1 << 63 for each in items[1:]):
        raise WireError("a broken size")
    return torch.Size(items[1:])


def build_slice(items: list) -> slice:
    """Return a slice."""
    _, start, stop, step = items
    return slice(start, stop, step)


def build_range(items: list) -> range:
    """Return a range."""
    _, start, stop, step = items
    return range(start, stop, step)


def build_ellipsis(items: list) -> Any:
    """Return `...`."""
    if len(items) != 1:
        raise WireError("a broken ellipsis")
    return ...


def build_dtype(items: list) -> Any:
    """Return a dtype of numpy or torch."""
    _, name = items
    library, _, kind = name.partition(".")
    if kind not in _DTYPES.get(library, ()):
        raise WireError("an unknown dtype")
    if library == "numpy":
        return np.dtype(kind)
    import torch

    return getattr(torch, kind)


def build_device(items: list) -> Any:
    """Return a device of torch."""
    _, name = items
    if not _DEVICE.fullmatch(name):
        raise WireError("an unknown device")
    import torch

    return torch.device(name)
