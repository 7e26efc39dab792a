"""The random generator of numpy in plain Python: the same seed gives the same draws, bit for bit.

PCG64 is O'Neill's PCG XSL RR 128/64 (2014); SeedSequence hashes its seeds. Both are numpy's.
Leaves out every distribution but the uniform ones and `choice`, and the old interface.
"""

from __future__ import annotations

import math
import secrets
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, cycle
from typing import Any

from nextword.practice.inside import arrays

_32, _64, _128 = ((1 << bits) - 1 for bits in (32, 64, 128))
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_POOL = 4  # words of 32 bits
_MOST = (1 << 63) - 1  # the largest whole number of numpy's
_ROUNDING = 1.5e-8  # by which probabilities may miss 1: the root of a double's epsilon


# ------------------------------------------------------------------ seeds
def _hashing(constant: int, multiplier: int) -> Callable[[int], int]:
    """Return a hash of words of 32 bits, which is another at each call."""

    def hashed(word: int) -> int:
        nonlocal constant
        word ^= constant
        constant = constant * multiplier & _32
        word = word * constant & _32
        return word ^ word >> 16

    return hashed


def _mixed(x: int, y: int) -> int:
    found = (0xCA01F9DD * x - 0x4973F715 * y) & _32
    return found ^ found >> 16


def seed_words(entropy: int, count: int) -> list[int]:
    """Return words of 64 bits that a seed gives, as `SeedSequence(entropy).generate_state` does.

    >>> [hex(word) for word in seed_words(0, 2)]
    ['0xdb2cd7e7b0f478be', '0xabf4641a2c71ba49']
    """
    given = [entropy >> at & _32 for at in range(0, max(entropy.bit_length(), 1), 32)]
    hashed = _hashing(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word) for word in (given + [0] * _POOL)[:_POOL]]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = _mixed(pool[target], hashed(pool[source]))
    for word in given[_POOL:]:
        for target in range(_POOL):
            pool[target] = _mixed(pool[target], hashed(word))
    hashed = _hashing(0x8B51F9DD, 0x58F38DED)
    halves = [hashed(word) for word, _ in zip(cycle(pool), range(2 * count), strict=False)]
    return [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)]


# ------------------------------------------------------------------ bits
class PCG64:
    """A source of random bits; its `state` is written as numpy writes it."""

    def __init__(self, seed: int | None = None) -> None:
        words = seed_words(secrets.randbits(128) if seed is None else seed, 4)
        self._state, self._left, self._half = 0, False, 0  # half of a word may be left over
        self._inc = (words[2] << 64 | words[3]) << 1 & _128 | 1
        self._step()
        self._state = self._state + (words[0] << 64 | words[1]) & _128
        self._step()

    def _step(self) -> None:
        self._state = (self._state * _MULTIPLIER + self._inc) & _128

    def next64(self) -> int:
        """Return 64 random bits."""
        self._step()
        word, by = (self._state >> 64 ^ self._state) & _64, self._state >> 122
        return (word >> by | word << 64 - by) & _64

    def next32(self) -> int:
        """Return 32 random bits: a word of 64 serves twice."""
        if self._left:
            self._left = False
            return self._half
        word = self.next64()
        self._left, self._half = True, word >> 32
        return word & _32

    def advance(self, delta: int) -> PCG64:
        """Move on as if so many words had been drawn."""
        multiplier, plus, factor, inc = 1, 0, _MULTIPLIER, self._inc
        delta &= _128
        while delta:  # Brown 1994: in a step for each bit
            if delta & 1:
                multiplier, plus = multiplier * factor & _128, (plus * factor + inc) & _128
            inc, factor = (factor + 1) * inc & _128, factor * factor & _128
            delta >>= 1
        self._state, self._left, self._half = (multiplier * self._state + plus) & _128, False, 0
        return self

    @property
    def state(self) -> dict[str, Any]:
        """Where the source stands."""
        return {
            "bit_generator": "PCG64",
            "state": {"state": self._state, "inc": self._inc},
            "has_uint32": int(self._left),
            "uinteger": self._half,
        }

    @state.setter
    def state(self, given: dict[str, Any]) -> None:
        self._state, self._inc = given["state"]["state"], given["state"]["inc"]
        self._left, self._half = bool(given["has_uint32"]), given["uinteger"]


# ------------------------------------------------------------------ draws
class Generator:
    """Draws as numpy's Generator of the same bits does."""

    def __init__(self, bit_generator: PCG64) -> None:
        self.bit_generator = bit_generator

    def random(self, size: Any = None) -> Any:
        """Return numbers from 0 on and below 1."""
        return _filled(lambda: (self.bit_generator.next64() >> 11) * 2.0**-53, size)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = None) -> Any:
        """Return numbers from `low` on and below `high`."""
        return _filled(lambda: low + (high - low) * self.random(), size)

    def integers(
        self, low: int, high: int | None = None, size: Any = None, *, endpoint: bool = False
    ) -> Any:
        """Return whole numbers from `low` on and below `high`, or from 0 on and below `low`."""
        low, high = (0, low) if high is None else (low, high)
        last = int(high) - (not endpoint)
        if last < low:
            raise ValueError("low > high" if endpoint else "low >= high")
        return _filled(lambda: int(low) + self._below(last - int(low) + 1), size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Return one of `a`, or of the numbers below it, or several with replacement."""
        if not replace and size is not None:
            raise ValueError(f"{arrays.HERE} chooses with replacement only")
        items = None if isinstance(a, int) else arrays.array(a)
        n = a if items is None else len(items)
        if n < 1:
            raise ValueError("a cannot be empty unless no samples are taken")
        if p is None:
            return self._of(items, self.integers(n, size=size))
        sums = list(accumulate(_checked(p, n)))
        sums = [each / sums[-1] for each in sums]
        return self._of(items, _filled(lambda: bisect_right(sums, self.random()), size))

    def zipf(self, a: float, size: Any = None) -> Any:
        """Return whole numbers k from 1 on, each with a chance in proportion to k ** -a."""
        return _filled(lambda: self._zipf(a), size)

    def _zipf(self, a: float) -> int:
        """Return one of them, by rejection (Devroye 1986, as in numpy)."""
        b, least = 2.0 ** (a - 1), float(_MOST) ** (1 - a)
        while True:
            u, v = self.random(), self.random()
            x = math.floor((u * least + (1 - u)) ** (-1 / (a - 1)))
            t = (1 + 1 / x) ** (a - 1) if 1 <= x <= _MOST else 0
            if t and v * x * (t - 1) / (b - 1) <= t / b:
                return x

    def shuffle(self, x: list[Any]) -> None:
        """Bring a list into random order, in place."""
        for i in range(len(x) - 1, 0, -1):
            j = self._up_to(i)
            x[i], x[j] = x[j], x[i]

    def permutation(self, x: Any) -> Any:
        """Return the items of `x`, or the numbers below it, in random order."""
        items = list(range(x)) if isinstance(x, int) else list(x)
        self.shuffle(items)
        return arrays.array(items)

    def _below(self, n: int) -> int:
        """Return a whole number below n, by Lemire's method (2019)."""
        if n == 1:
            return 0
        bits, draw = (32, self.bit_generator.next32) if n <= _32 + 1 else (64, self._word)
        product = draw() * n
        threshold = (1 << bits) % n
        while product & ((1 << bits) - 1) < threshold:
            product = draw() * n
        return product >> bits

    def _word(self) -> int:
        return self.bit_generator.next64()

    def _up_to(self, most: int) -> int:
        """Return a whole number up to `most`: bits are drawn until they fit."""
        mask = (1 << most.bit_length()) - 1
        draw = self.bit_generator.next32 if most <= _32 else self._word
        while (found := draw() & mask) > most:
            pass
        return found

    @staticmethod
    def _of(items: Any, places: Any) -> Any:
        return places if items is None else items[places]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{arrays.HERE} draws only {', '.join(_KINDS)}, not {name}")


_KINDS = ("random", "uniform", "integers", "choice", "zipf", "shuffle", "permutation")


def _checked(p: Any, n: int) -> list[float]:
    """Return probabilities as numbers; raises ValueError as numpy does."""
    found = [float(each) for each in p]
    if len(found) != n:
        raise ValueError("a and p must have same size")
    if any(map(math.isnan, found)):
        raise ValueError("Probabilities contain NaN")
    if min(found) < 0:
        raise ValueError("Probabilities are not non-negative")
    if abs(math.fsum(found) - 1) > _ROUNDING:
        raise ValueError("Probabilities do not sum to 1. See Notes section of docstring")
    return found


def _filled(draw: Callable[[], Any], size: int | Sequence[int] | None) -> Any:
    """Return one draw, or an array of that size."""
    if size is None:
        return arrays.scalar(draw())
    shape = (size,) if isinstance(size, int) else tuple(size)
    return arrays.array([draw() for _ in range(math.prod(shape))]).reshape(shape)


def default_rng(seed: Any = None) -> Generator:
    """Return the generator of a seed.

    >>> default_rng(0).integers(100, size=4).tolist()
    [85, 63, 51, 26]
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(PCG64(None if seed is None else int(seed)))


def seed(value: int | None = None) -> None:
    """Do nothing: the old interface is left out, so nothing draws from its state."""


def get_state() -> tuple[()]:
    """Return nothing, as there is no old interface."""
    return ()


def set_state(state: Any) -> None:
    """Do nothing, as there is no old interface."""


def __getattr__(name: str) -> Any:
    raise AttributeError(f"{arrays.HERE} has no random.{name}: take default_rng")
