"""Which sets of fingerprints share many: an inverted index from fingerprints to sets.

Leaves out texts and students (compare.py, groups.py). Time grows with the number of sets and with
how many share each fingerprint, which is bounded; no two sets that share nothing are ever compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from examiner.similar.winnowing import BITS, Hashes

NUMBERED = 64 - BITS  # bits for the number of a set beside a fingerprint, in one word


@dataclass(frozen=True)
class Alike:
    """Two sets that share enough, by their numbers; the first one is of this year."""

    one: int
    other: int
    shared: int  # fingerprints
    share: float  # of the smaller set


@dataclass(frozen=True)
class Limits:
    """What counts as alike."""

    least: float = 0.6  # share of the smaller set
    shared: int = 10  # fingerprints, some 35 tokens: fewer are alike by chance
    common: int = 10  # sets that may share a fingerprint: what more have is common knowledge

    def at(self, count: int) -> Limits:
        """Return the limits for a class of that size: of many pairs, more are alike by luck.

        A twentieth of the class may share a fingerprint; the numbers were found by trying
        (benchmarks/similar.py).

        >>> [(each.shared, each.common) for each in map(Limits().at, (30, 300, 3_000, 30_000))]
        [(10, 10), (19, 15), (44, 150), (69, 1500)]
        """
        shared = round(25 * math.log10(max(1, count) / 50))
        return replace(self, shared=max(self.shared, shared), common=max(self.common, count // 20))


@dataclass(frozen=True)
class Found:
    """What an index found."""

    pairs: tuple[Alike, ...]
    sizes: NDArray[np.int64]  # of the sets, without the fingerprints that were left out:
    common: Hashes  # those that too many share, sorted


def alike(sets: Sequence[Hashes], current: int, limits: Limits) -> Found:
    """Return which sets are alike: the first `current` ones with all, the others with these alone.

    Each set holds a fingerprint once. Memory: 8 bytes for each fingerprint of each set while the
    index is built, 16 for each that two or more share, and 8 for each set while one is looked up.
    """
    index = _Index(sets, limits.common)
    pairs = tuple(
        Alike(one, int(other), int(shared), float(shared / min(index.sizes[one], size)))
        for one in range(current)
        for other, shared, size in index.neighbours(one, limits)
    )
    return Found(pairs, index.sizes, index.common)


class _Index:
    """Fingerprints that some sets share, but not too many, and who has each."""

    def __init__(self, sets: Sequence[Hashes], most: int) -> None:
        counts = np.array([len(each) for each in sets], np.int64)
        words = _words(sets, counts)
        firsts = np.flatnonzero(np.diff(words >> np.uint64(NUMBERED), prepend=np.uint64(2**64 - 1)))
        times = np.diff(firsts, append=len(words))
        self.common = words[firsts[times > most]] >> np.uint64(NUMBERED)
        in_sets = (words & np.uint64(2**NUMBERED - 1)).astype(np.int32)
        too_many = np.repeat(times > most, times)
        self.sizes = counts - np.bincount(in_sets[too_many], minlength=len(sets))
        kept = (times > 1) & (times <= most)
        self._sets = in_sets[np.repeat(kept, times)]  # fingerprint by fingerprint
        self._times = times[kept].astype(np.int32)
        self._firsts = np.cumsum(self._times, dtype=np.int64) - self._times
        of = np.repeat(np.arange(len(self._times), dtype=np.int32), self._times)
        self._fingerprints = of[np.argsort(self._sets, kind="stable")]  # set by set
        self._ends = np.cumsum(np.bincount(self._sets, minlength=len(sets)))

    def neighbours(self, one: int, limits: Limits) -> Iterator[tuple[int, int, int]]:
        """Yield the later sets that are like this one, what they share, and their sizes."""
        mine = self._fingerprints[self._ends[one - 1] if one else 0 : self._ends[one]]
        times = self._times[mine]
        if len(mine) < limits.shared:
            return
        # the places of all sets that have the first, the second, ... of my fingerprints
        begins = np.cumsum(times) - times
        places = np.repeat(self._firsts[mine] - begins, times) + np.arange(int(times.sum()))
        shared = np.bincount(self._sets[places], minlength=len(self.sizes))[one + 1 :]
        sizes = self.sizes[one + 1 :]
        least = limits.least * np.minimum(sizes, self.sizes[one])
        for found in np.flatnonzero((shared >= limits.shared) & (shared >= least)):
            yield one + 1 + int(found), int(shared[found]), int(sizes[found])


def _words(sets: Sequence[Hashes], counts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return fingerprint and number of the set, in one word each, in the fingerprints' order."""
    words = np.empty(int(counts.sum()), np.uint64)
    end = 0
    for number, each in enumerate(sets):
        begin, end = end, end + len(each)
        words[begin:end] = (each << np.uint64(NUMBERED)) | np.uint64(number)
    words.sort()
    return words
