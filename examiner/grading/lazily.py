"""Sequences whose items are made when they are asked for: a class is larger than the memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Lazily(Sequence[T]):
    """As many items as `size` says, each made by its number; none is kept.

    >>> squares = Lazily(4, lambda n: n * n)
    >>> squares[-1], list(squares), list(squares[1:3])
    (9, [0, 1, 4, 9], [1, 4])
    """

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self._numbers, self._make = range(size), make

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self._make(number) for number in self._numbers[index]]
        return self._make(self._numbers[index])
