"""The formulas of test theory that the report needs, each with its source and an interval.

Leaves out whom they are asked for (tally.py). All intervals are of 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

TAIL = 0.025  # on either side of an interval
_Z = NormalDist().inv_cdf(1 - TAIL)


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its interval."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Return it as it stands in `grade --json`."""
        return {
            "value": round(self.value, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
        }


def share(part: float, whole: int) -> Estimate:
    """Return part / whole with Wilson's interval (Wilson 1927, JASA 22, 209-212).

    The part may be a sum of shares: numbers between 0 and 1 vary at most as much as coins of the
    same mean do, so the interval is wide enough for them, too.

    >>> e = share(0, 10)
    >>> round(e.low, 3), round(e.high, 3)
    (0.0, 0.278)
    """
    mean, weight = part / whole, _Z * _Z / whole
    middle = (mean + weight / 2) / (1 + weight)
    half = math.sqrt(max(0.0, mean * (1 - mean)) * weight + weight * weight / 4) / (1 + weight)
    # subtle: at 0 and at 1 an end is the share itself, but for rounding
    return Estimate(mean, max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half)))


def quantile(counts: Mapping[int, int], part: float) -> float:
    """Return the value below which this part of the class lies, from {value: how many have it}.

    Between two values it is linear: number 7 of the nine kinds of Hyndman and Fan (1996, The
    American Statistician 50, 361-365), which numpy takes.

    >>> quantile({1: 1, 2: 1, 4: 2}, 0.5)
    3.0
    """
    place = part * (sum(counts.values()) - 1)
    low, passed = math.floor(place), 0
    found: list[int] = []  # the values of this number and of the next one
    for value in sorted(counts):
        passed += counts[value]
        while len(found) < 2 and passed > low + len(found):
            found.append(value)
    found.append(found[-1])
    return found[0] + (place - low) * (found[1] - found[0])


@dataclass(frozen=True)
class Moments:
    """How many pairs there are, the sums of x and y, of their squares and of their products."""

    n: int
    x: float
    y: float
    xx: float
    yy: float
    xy: float


def correlation(m: Moments) -> Estimate | None:
    """Return Pearson's correlation with Fisher's interval (Fisher 1921, Metron 1, 3-32).

    Where x is 0 or 1 it is the point-biserial correlation (Lord and Novick 1968, section 15.5).
    None where x or y is the same for all, and for fewer than four pairs.

    >>> correlation(Moments(4, 2, 6, 2, 14, 5)).value
    0.8944271909999159
    """
    if m.n < 4:
        return None
    xx, yy, xy = m.n * m.xx - m.x * m.x, m.n * m.yy - m.y * m.y, m.n * m.xy - m.x * m.y
    least = 1e-9 * m.n  # what rounding leaves of a variance of 0
    if xx <= least or yy <= least:
        return None
    r = max(-1.0, min(1.0, xy / math.sqrt(xx * yy)))
    if abs(r) > 1 - 1e-12:
        return Estimate(r, r, r)
    half = _Z / math.sqrt(m.n - 3)
    return Estimate(r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def f_quantile(part: float, upper: int, lower: int) -> float:
    """Return a quantile of the F distribution by Paulson's cube root (1942, Ann. Math. Stat. 13).

    Within 0.2 % from 19 degrees of freedom on.
    """
    a, b, z = 2 / (9 * upper), 2 / (9 * lower), NormalDist().inv_cdf(part)
    # ((1 - b) x - (1 - a)) / sqrt(b x² + a) is standard normal, where x is the cube root of F
    p, q, c = (1 - b) ** 2 - z * z * b, (1 - a) * (1 - b), (1 - a) ** 2 - z * z * a
    root = math.sqrt(max(0.0, q * q - p * c))
    return float(((q + math.copysign(root, z)) / p) ** 3)


def covariances(n: int, sums: Integers, products: Integers) -> Integers:
    """Return n (n - 1) times the covariances, exact, from whole numbers' sums and products.

    sums: (K,), the sum of each item; products: (K, K), the sums of products of two items.
    """
    return n * products - np.outer(sums, sums)


def alpha(covariance: Integers) -> float | None:
    """Return Cronbach's alpha, K / (K - 1) (1 - sum of variances / variance of the sum).

    Cronbach 1951, Psychometrika 16, 297-334, formula 2. The covariances, (K, K), may all be
    multiplied by the same number. None for fewer than two items, or where all have the same sum.
    """
    items, whole = len(covariance), int(covariance.sum())
    if items < 2 or whole <= 0:
        return None
    return items / (items - 1) * (1 - int(np.trace(covariance)) / whole)


def alpha_without(covariance: Integers, item: int) -> float | None:
    """Return alpha of all items but one."""
    rest = [k for k in range(len(covariance)) if k != item]
    return alpha(covariance[np.ix_(rest, rest)])


def alpha_interval(value: float, students: int, items: int) -> Estimate:
    """Return alpha with Feldt's interval (Feldt 1965, Psychometrika 30, 357-370).

    (1 - alpha) / (1 - its estimate) follows F with n - 1 and (n - 1)(K - 1) degrees of freedom.
    """
    degrees = students - 1, (students - 1) * (items - 1)
    high, low = (1 - (1 - value) * f_quantile(part, *degrees) for part in (TAIL, 1 - TAIL))
    return Estimate(value, low, high)


def error_of_measurement(deviation: float, reliability: float) -> float | None:
    """Return the deviation of scores times sqrt(1 - reliability), in points.

    Lord and Novick 1968, section 3.8. None where the reliability is below 0, which no test's is.
    """
    return deviation * math.sqrt(1 - reliability) if reliability >= 0 else None


def deviation(values: Mapping[int, int]) -> float:
    """Return the standard deviation, with n - 1, of {value: how many have it}; 0 for one."""
    n = sum(values.values())
    if n < 2:
        return 0.0
    first: int = sum(value * times for value, times in values.items())
    second: int = sum(value * value * times for value, times in values.items())
    return math.sqrt((n * second - first * first) / (n * (n - 1)))
