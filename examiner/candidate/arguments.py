"""Whether a function has changed its arguments in place. Leaves out what is said about it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from examiner.boundary import marks, wire
from examiner.boundary.errors import WireError

LARGE = 1 << 20  # bytes of an array or a tensor of which only a hash is kept
_CONSTANT = frozenset((str, int, float, bool, bytes, complex, type(None)))


class Watched:
    """The arguments of a call as they were before it: those that can change, and are plain."""

    def __init__(self, args: list[Any], kwargs: dict[str, Any]) -> None:
        self._before = [
            (key, value, _print(value))
            for key, value in _items(args, kwargs)
            if type(value) not in _CONSTANT and _can_change(value)
        ]

    def changed(self) -> list[int | str]:
        """Return the places and names of the arguments that are not as they were."""
        return [key for key, value, before in self._before if _print(value) != before]


def _items(args: list[Any], kwargs: dict[str, Any]) -> Iterator[tuple[int | str, Any]]:
    yield from enumerate(args)
    yield from kwargs.items()


def _can_change(value: Any) -> bool:
    kind = type(value)
    if kind is tuple:
        return any(type(each) not in _CONSTANT and _can_change(each) for each in value)
    torch = sys.modules.get("torch")
    return kind in (list, dict, set, np.ndarray) or (
        torch is not None and kind in (torch.Tensor, torch.nn.Parameter)
    )


def _print(value: Any) -> bytes:
    """Return bytes that differ when a value does; generators and objects count as constant."""
    if getattr(value, "nbytes", 0) > LARGE and not getattr(value.dtype, "hasobject", False):
        return _hash(value)
    try:
        return wire.encode(value, lambda obj: (marks.HANDLE, id(obj)), lambda _: 0)
    except WireError:
        return b""


def _hash(value: Any) -> bytes:
    """Return a hash of an array or a tensor: there may not be the memory for a copy."""
    about = repr((value.shape, value.dtype, getattr(value, "requires_grad", False))).encode()
    if not isinstance(value, np.ndarray):
        value = value.detach().contiguous().reshape(-1).view(sys.modules["torch"].uint8).numpy()
    return hashlib.blake2b(np.ascontiguousarray(value).data, digest_size=32).digest() + about
