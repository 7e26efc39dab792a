"""Tests of what is drawn: how often each outcome came, and how improbable that is by chance.

A bare tolerance ("within 0.02") hides how often it fails right code. Here the chance is said.
Leaves out draws that depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

CHANCE = 1e-9  # of a false alarm, in one comparison
DOUBT = 0.5  # the same, where an alarm only asks for more draws; it comes much less often


@dataclass(frozen=True)
class Frequency:
    """The outcome of a comparison: true, or false with the outcome whose count is off."""

    difference: str = ""

    def __bool__(self) -> bool:
        return not self.difference

    def __repr__(self) -> str:
        return self.difference or "as often as expected"


def frequencies(
    counts: Mapping[Hashable, int],
    probabilities: Mapping[Hashable, float],
    *,
    chance: float = CHANCE,
) -> Frequency:
    """Tell whether independent draws may have these probabilities.

    `counts` says how often each outcome came; what it lacks came 0 times. An outcome that has no
    probability, or probability 0, must never come, one of probability 1 always.
    True for draws with these probabilities, but for a share of at most `chance` of all runs
    (Chernoff's bound on each tail, shared out over outcomes and tails).
    Raises ValueError for no draws, probabilities that do not add up to 1, and a `chance` that is
    not between 0 and 1.

    >>> frequencies({"a": 498, "b": 502}, {"a": 0.5, "b": 0.5})
    as often as expected
    >>> frequencies({"a": 350, "b": 650}, {"a": 0.5, "b": 0.5})
    of 1000 draws, 'a' came 350 times, expected about 500
    """
    n = sum(counts.values())
    if n < 1 or not 0 < chance < 1:
        raise ValueError(f"needs draws and 0 < chance < 1, got {n} draws and chance={chance}")
    if abs(math.fsum(probabilities.values()) - 1) > 1e-6:
        total = math.fsum(probabilities.values())
        raise ValueError(f"the probabilities add up to {total}, not to 1")
    least = chance / (2 * len(probabilities))
    for outcome in [*probabilities, *(each for each in counts if each not in probabilities)]:
        came, p = counts.get(outcome, 0), probabilities.get(outcome, 0.0)
        if tail(came, n, p) < least:
            expected = f"expected about {n * p:.0f}" if p else "expected never"
            return Frequency(f"of {n} draws, {outcome!r} came {came} times, {expected}")
    return Frequency()


def leave_doubt(counts: Mapping[Hashable, int], probabilities: Mapping[Hashable, float]) -> bool:
    """Tell whether few draws leave a doubt that they have these probabilities.

    Then many more are to be drawn, which decide: a test is cheap for nearly all right code, and
    refuses it no more often.

    >>> leave_doubt({"a": 52, "b": 48}, {"a": 0.5, "b": 0.5})
    False
    >>> leave_doubt({"a": 65, "b": 35}, {"a": 0.5, "b": 0.5})
    True
    """
    return not frequencies(counts, probabilities, chance=DOUBT)


def tail(came: int, n: int, p: float) -> float:
    """Return a bound on the probability that `n` draws are so far from `n p`, on that side.

    exp(-n KL(came / n || p)), by Chernoff; 1 at the mean. Hoeffding 1963, theorem 1.

    >>> tail(5, 10, 0.5), tail(0, 100, 0.25) < 1e-12
    (1.0, True)
    """
    q = came / n
    if (p == 0 and came) or (p == 1 and came < n):
        return 0.0
    divergence = sum(a * math.log(a / b) for a, b in ((q, p), (1 - q, 1 - p)) if a > 0)
    return min(1.0, math.exp(-n * divergence))
