"""Fingerprints of a text by winnowing. Leaves out which of them say anything (known.py, index.py).

Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD
2003. Every run of GRAM tokens is hashed; of each WINDOW runs in a row, the one with the smallest
hash is kept, the last one where several are. So whatever two texts have in common over
GRAM + WINDOW - 1 tokens leaves a fingerprint that both have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from examiner.similar.tokens import Tokens, blocks

GRAM, WINDOW = 12, 4  # tokens, runs
BITS = 40  # of a hash: a million different ones collide with a chance of one in a million each
_NOTHING = np.uint64(2**64 - 1)  # stands between functions, larger than all hashes
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no bit of a token is lost

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Fingerprints:
    """The fingerprints of a text in their order, and the part of the text behind each."""

    hashes: Hashes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def fingerprints(text: str) -> Fingerprints:
    """Return the fingerprints of a text. A run of tokens never goes from one function to the next.

    >>> one = "def f(a):\\n    return sum(a) / len(a) + 1"
    >>> other = "def mean(xs): return sum(xs)/len(xs)+1"
    >>> fingerprints(one).hashes.tolist() == fingerprints(other).hashes.tolist() != []
    True
    """
    # windows begin and end in what stands around functions, so each is chosen from by itself
    nowhere = np.zeros(WINDOW - 1, np.int64)
    around = np.full(WINDOW - 1, _NOTHING)
    hashes, starts, ends = [around], [nowhere], [nowhere]
    for start, tokens in blocks(text):
        if len(tokens) >= GRAM:
            hashes += [_hashed(tokens), around]
            starts += [tokens.starts[: 1 - GRAM] + start, nowhere]
            ends += [tokens.ends[GRAM - 1 :] + start, nowhere]
    runs = np.concatenate(hashes)
    chosen = winnowed(runs)
    return Fingerprints(runs[chosen], np.concatenate(starts)[chosen], np.concatenate(ends)[chosen])


def winnowed(runs: Hashes) -> NDArray[np.int64]:
    """Return the places of the smallest hash in each window, the last one of equal ones.

    >>> winnowed(np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67], np.uint64)).tolist()
    [3, 6, 8]
    """
    windows = sliding_window_view(runs, min(WINDOW, len(runs)))
    last = windows.shape[1] - 1
    places = np.unique(np.arange(len(windows)) + last - windows[:, ::-1].argmin(axis=1))
    return places[runs[places] != _NOTHING]


def _hashed(tokens: Tokens) -> Hashes:
    """Return a hash of BITS bits for each run of GRAM tokens."""
    count = len(tokens) - GRAM + 1
    runs = np.zeros(count, np.uint64)
    for place in range(GRAM):
        runs *= _FACTOR
        runs += tokens.kinds[place : place + count]
    runs ^= runs >> np.uint64(31)  # a product's low bits are poor
    runs *= _FACTOR
    return runs >> np.uint64(64 - BITS)
