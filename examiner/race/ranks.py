"""Who is before whom: places that luck could have swapped are shared."""

from __future__ import annotations

from collections.abc import Sequence

from examiner.race.judging import Estimate


def ranks(estimates: Sequence[Estimate]) -> list[int]:
    """Return the rank of each entry, in the order given; the lowest value is the best.

    The best entry opens a place, and all whose intervals overlap with its interval share it; the
    best of the others opens the next place. So 1, 1, 3: two share the first place.

    >>> ranks([Estimate(2.0, 1.5, 2.5), Estimate(9.0, 8.0, 10.0), Estimate(2.3, 2.0, 2.6)])
    [1, 3, 1]
    """
    order = sorted(range(len(estimates)), key=lambda k: (estimates[k].value, k))
    found = [0] * len(estimates)
    rank, leader = 0, None
    for place, k in enumerate(order, start=1):
        if leader is None or estimates[k].low > leader.high:
            rank, leader = place, estimates[k]
        found[k] = rank
    return found
