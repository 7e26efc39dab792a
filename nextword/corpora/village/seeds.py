"""Random numbers for stories: each story has its own number, and all its draws follow from that.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", 2014), written out in whole-number arithmetic, so that the same story is told by every
version of Python and numpy on every machine.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from examiner.errors import UserError

Rng = np.random.Generator | int

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
INDEX_BITS = 62
# the two highest bits of a story's number name its split, so no two splits share a story
SPLITS = {"train": 0, "validation": 1, "test": 2}
SAMPLE = 3
BLOCK = 64  # stories whose draws are made together
DRAWS = 128  # draws made at once for a story; few stories need more


def mix(z: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64: a one-to-one scrambling of 64-bit numbers."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def uniforms(seeds: np.ndarray, start: int, n: int) -> np.ndarray:
    """Draws start .. start+n-1 of each seed, evenly spread over [0, 1); shape (len(seeds), n)."""
    steps = np.arange(start + 1, start + n + 1, dtype=np.uint64) * GOLDEN
    return (mix(seeds[:, None] + steps[None, :]) >> np.uint64(11)) * 2.0**-53


def first_story(split: str) -> int:
    """The number of the first story of a split."""
    if split not in SPLITS:
        raise UserError(f"the village has no split {split!r}: choose one of {', '.join(SPLITS)}")
    return SPLITS[split] << INDEX_BITS


def drawn_story(rng: Rng) -> int:
    """The number of a story drawn by `rng`, apart from those of every split."""
    if isinstance(rng, int | np.integer):
        index = int(mix(np.array([int(rng) % 2**64], dtype=np.uint64))[0])
    elif isinstance(rng, np.random.Generator):
        index = int(rng.bit_generator.random_raw())
    else:
        raise UserError(f"rng must be a numpy Generator or a whole number, got {rng!r}")
    return (SAMPLE << INDEX_BITS) + index % 2**INDEX_BITS


def streams(story: int) -> Iterator[Iterator[float]]:
    """For story number `story` and each one after it: the endless draws of that story."""
    tag, index = story >> INDEX_BITS << INDEX_BITS, story % 2**INDEX_BITS
    while True:
        numbers = [tag + (index + k) % 2**INDEX_BITS for k in range(BLOCK)]
        seeds = mix(np.array(numbers, dtype=np.uint64))
        for k, row in enumerate(uniforms(seeds, 0, DRAWS).tolist()):
            yield chain(row, _more(seeds[k : k + 1]))
        index += BLOCK


def _more(seed: np.ndarray) -> Iterator[float]:
    """The draws of one story after the first `DRAWS`."""
    start = DRAWS
    while True:
        yield from uniforms(seed, start, DRAWS)[0].tolist()
        start += DRAWS
