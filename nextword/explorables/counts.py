"""The counts of an n-gram model as few letters: a tree of its longest n-grams, compressed.

Leaves out: the shorter n-grams and the smoothing, which kneser_ney.js makes of these in the page.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

Gram = tuple[int, ...]


def counted(stories: Iterable[Sequence[int]], n: int, bos: int) -> Counter[Gram]:
    """Count the runs of n words, with n - 1 begin symbols before each story.

    >>> counted([[5, 2]], 2, bos=1)
    Counter({(1, 5): 1, (5, 2): 1})
    """
    grams: Counter[Gram] = Counter()
    for story in stories:
        padded = [bos] * (n - 1) + list(story)
        grams.update(zip(*(padded[k:] for k in range(n)), strict=False))
    return grams


def packed_counts(grams: Mapping[Gram, int]) -> dict[str, object]:
    """Return counts of n-grams, all of one length, ready for JSON.

    The n-grams are a tree, whose level k holds their words k. A level is two streams: each word as
    its distance from the one before it under the same parent, and how many children it has (on
    the last level: its count). Numbers are written seven bits a byte, and all streams together are
    compressed by zlib; `lengths` says where each ends.
    """
    n = len(next(iter(grams)))
    words, below = [bytearray() for _ in range(n)], [bytearray() for _ in range(n)]

    def write(part: list[Gram], level: int) -> int:
        """Write the children that these n-grams share a parent of; return how many there are."""
        last = children = 0
        for word, same in groupby(part, key=lambda gram: gram[level]):
            inside = list(same)
            words[level] += _number(word - last)
            last, children = word, children + 1
            many = grams[inside[0]] if level == n - 1 else write(inside, level + 1)
            below[level] += _number(many)
        return children

    roots = write(sorted(grams), 0)
    streams = [*words, *below]
    letters = base64.b64encode(zlib.compress(b"".join(streams), 9)).decode("ascii")
    return {"n": n, "roots": roots, "lengths": [len(s) for s in streams], "bytes": letters}


def _number(value: int) -> bytes:
    """A whole number, seven bits a byte, the lowest first; all but the last byte have bit 8."""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
