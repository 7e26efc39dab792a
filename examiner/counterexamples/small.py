"""How a suite says what small and simple inputs of a function are: the authors' API.

    @small("2.1", "pad")
    def short_sentences(draw: Small) -> Example:
        return example("pad(sentence, n)", sentence=draw.words(3), n=draw.integer(1, 3))

The code of an example is what a student reads and can paste. It may be several lines, of which the
last is an expression: its value is compared. It may name what the student's module names, `np`,
`torch`, `nn`, `math`, `Counter`, the example's arguments, and functions of the file that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from examiner.counterexamples.literals import Code

T = TypeVar("T")
TRIES = 80  # draws of a function's examples, if its author says nothing
WORDS = "abcde"
NUMBERS = (0.0, 1.0, 2.0, -1.0, 0.5, 3.0, -2.0)


@dataclass(frozen=True)
class Example:
    """A short program and its arguments."""

    code: str
    arguments: Mapping[str, Any]
    chances: Mapping[Any, float] | None = None  # of what it counts, where it draws
    rtol: float | None = None
    atol: float | None = None
    changes: tuple[str, ...] = ()  # arguments that the function is to change


def example(
    code: str,
    /,
    *,
    chances: Mapping[Any, float] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    changes: Sequence[str] = (),
    **arguments: Any,
) -> Example:
    """Return a program of `code` and its arguments: plain values, arrays, tensors or `Code`.

    With `chances` its value counts outcomes of many draws, of which each has such a probability;
    it need not be equal to the reference's. Tolerances are those of `examiner.suite.close`.
    """
    return Example(code, arguments, chances, rtol, atol, tuple(changes))


@dataclass(frozen=True)
class Maker:
    """Draws examples of one function of a task."""

    task_id: str
    symbol: str
    draw: Callable[[Small], Example]
    tries: int
    last: bool = False  # whether those alone are asked who are right on all others

    @property
    def name(self) -> str:
        """The name by which it is known."""
        return f"{self.task_id} {self.symbol} {self.draw.__name__}"


def small(
    task_id: str, symbol: str, *, tries: int = TRIES, last: bool = False
) -> Callable[[Callable[[Small], Example]], Maker]:
    """Mark a function that draws one example of a task's function, small ones first.

    It is called `tries` times with growing sizes. A function may have several such makers. Say
    `last` of inputs in a rare form, such as a tuple: who is wrong in another way, too, is shown
    that, and told the mistake behind it.
    """

    def mark(draw: Callable[[Small], Example]) -> Maker:
        return Maker(task_id, symbol, draw, tries, last)

    return mark


@dataclass
class Small:
    """Draws small and simple values; `size` bounds how many parts a list has."""

    rng: np.random.Generator
    size: int
    letters: str = field(default=WORDS)

    def integer(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def length(self, least: int, most: int) -> int:
        """Return a length from `least` on: at most the size, and at most `most`."""
        return self.integer(least, max(least, min(most, least + self.size)))

    def choice(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.integer(0, len(values) - 1)]

    def yes(self) -> bool:
        """Return True or False."""
        return bool(self.rng.integers(2))

    def number(self, values: Sequence[float] = NUMBERS) -> float:
        """Return one of a few simple numbers."""
        return float(self.choice(values))

    def numbers(self, most: int, least: int = 1, values: Sequence[float] = NUMBERS) -> list[float]:
        """Return a list of simple numbers."""
        return [self.number(values) for _ in range(self.length(least, most))]

    def word(self, letters: str = "") -> str:
        """Return a word of one letter."""
        return str(self.choice(list(letters or self.letters[: 2 + self.size])))

    def words(self, most: int, least: int = 0, letters: str = "") -> list[str]:
        """Return a list of words of one letter each."""
        return [self.word(letters) for _ in range(self.length(least, most))]

    def text(self, most: int, least: int = 0, letters: str = "") -> str:
        """Return a string of a few letters."""
        return "".join(self.words(most, least, letters))

    def sentences(self, most: int, longest: int = 3, least: int = 1) -> list[list[str]]:
        """Return a list of lists of words."""
        return [self.words(longest) for _ in range(self.length(least, most))]

    def array(self, *shape: int, values: Sequence[float] = NUMBERS) -> np.ndarray:
        """Return an array of simple numbers."""
        drawn = [self.number(values) for _ in range(int(np.prod(shape, dtype=int)))]
        return np.array(drawn).reshape(shape)

    def integers(self, *shape: int, low: int = 0, high: int = 3) -> np.ndarray:
        """Return an array of whole numbers from `low` to `high`."""
        return np.asarray(self.rng.integers(low, high + 1, size=shape))

    def tensor(self, *shape: int, values: Sequence[float] = NUMBERS) -> Any:
        """Return a tensor of simple numbers in single precision."""
        import torch

        return torch.tensor(self.array(*shape, values=values).tolist()).reshape(shape)

    def ids(self, *shape: int, low: int = 0, high: int = 3) -> Any:
        """Return a tensor of whole numbers from `low` to `high`."""
        import torch

        return (
            torch.tensor(self.integers(*shape, low=low, high=high).tolist()).reshape(shape).long()
        )

    def shares(self, parts: int, whole: int = 4) -> list[float]:
        """Return numbers that sum to 1, in quarters if `whole` is 4."""
        cuts = sorted(self.integer(0, whole) for _ in range(parts - 1))
        return [(b - a) / whole for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]

    def generator(self) -> Code:
        """Return a fresh random generator of numpy's, with a small seed."""
        return Code(f"np.random.default_rng({self.integer(0, 9)})")
