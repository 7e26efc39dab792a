"""The formulas of the report, against values by hand and against scipy and numpy."""

import math
from collections import Counter

import numpy as np
import pytest

from examiner.report import formulas
from examiner.report.formulas import Moments

stats = pytest.importorskip("scipy.stats")


def moments(x: np.ndarray, y: np.ndarray) -> Moments:
    return Moments(len(x), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum())


def alpha_of(scores: np.ndarray) -> float | None:
    """From whole numbers, (students, items)."""
    sums, products = scores.sum(0), scores.T @ scores
    return formulas.alpha(formulas.covariances(len(scores), sums, products))


@pytest.mark.parametrize(("part", "whole"), [(0, 5), (5, 5), (1, 7), (150, 300), (29_999, 30_000)])
def test_wilson(part: int, whole: int) -> None:
    found = formulas.share(part, whole)
    right = stats.binomtest(part, whole).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((right.low, right.high), abs=1e-6)
    assert found.low <= found.value == part / whole <= found.high


def test_quantiles_are_numpys() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 3, 4, 5, 8, 101):
        values = rng.integers(0, 6, size)
        counts = Counter(values.tolist())
        for part in (0, 0.25, 0.5, 0.75, 1):
            assert formulas.quantile(counts, part) == pytest.approx(np.quantile(values, part))
        if size > 1:
            assert formulas.deviation(counts) == pytest.approx(values.std(ddof=1))
    assert formulas.deviation({7: 1}) == 0


def test_a_point_biserial_correlation_by_hand() -> None:
    """Passed: 2 and 4 points, failed: 0 and 2. (3 - 1) / sqrt(2) * sqrt(.5 * .5) = 1 / sqrt(2)."""
    found = formulas.correlation(moments(np.array([1, 1, 0, 0]), np.array([2, 4, 0, 2])))
    assert found
    assert found.value == pytest.approx(1 / math.sqrt(2))


def test_correlation_and_fishers_interval_are_scipys() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=30)
    y = 0.5 * x + rng.normal(size=30)
    found, right = formulas.correlation(moments(x, y)), stats.pearsonr(x, y)
    assert found
    assert found.value == pytest.approx(right.statistic)
    assert (found.low, found.high) == pytest.approx(tuple(right.confidence_interval()), abs=1e-6)


def test_what_does_not_vary_correlates_with_nothing() -> None:
    x, same = np.array([1, 2, 3, 4, 5]), np.full(5, 0.3)
    assert formulas.correlation(moments(x, same)) is None
    assert formulas.correlation(moments(same, x)) is None
    assert formulas.correlation(moments(x[:3], x[:3])) is None
    straight = formulas.correlation(moments(x, -x))
    assert straight
    assert (straight.low, straight.value, straight.high) == (-1, -1, -1)


def test_alpha_by_hand() -> None:
    """Variances 1, 1 and 1 (sums of squares 2, n - 1 = 2), that of the sums 7: 1.5 (1 - 3 / 7)."""
    scores = np.array([[1, 2, 1], [2, 1, 2], [3, 3, 3]])
    assert alpha_of(scores) == pytest.approx(1.5 * (1 - 3 / scores.sum(1).var(ddof=1)))
    assert scores.sum(1).var(ddof=1) == 7
    assert alpha_of(np.array([[1, 1], [2, 2], [4, 4]])) == 1


def test_alpha_of_right_and_wrong_is_kuder_and_richardsons_twentieth() -> None:
    rng = np.random.default_rng(3)
    scores = (rng.normal(size=(80, 1)) > rng.normal(size=(80, 6))).astype(int)
    p, whole = scores.mean(0), scores.sum(1).var()
    assert alpha_of(scores) == pytest.approx(6 / 5 * (1 - (p * (1 - p)).sum() / whole))
    covariance = formulas.covariances(80, scores.sum(0), scores.T @ scores)
    without = alpha_of(np.delete(scores, 2, axis=1))
    assert formulas.alpha_without(covariance, 2) == pytest.approx(without)


def test_alpha_says_nothing_of_one_item_nor_of_equal_sums() -> None:
    assert alpha_of(np.array([[1], [2]])) is None
    assert alpha_of(np.array([[1, 2], [2, 1]])) is None


@pytest.mark.parametrize(("upper", "lower"), [(19, 19), (19, 190), (299, 2990), (29_999, 300_000)])
@pytest.mark.parametrize("part", [0.025, 0.975])
def test_quantiles_of_f(upper: int, lower: int, part: float) -> None:
    assert formulas.f_quantile(part, upper, lower) == pytest.approx(
        stats.f.ppf(part, upper, lower), rel=2e-3
    )


def test_feldts_interval() -> None:
    found = formulas.alpha_interval(0.8, 40, 10)
    low, high = (1 - 0.2 * stats.f.ppf(part, 39, 351) for part in (0.975, 0.025))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-3)


def test_feldts_interval_holds_alpha_nineteen_times_of_twenty() -> None:
    """Parallel items with correlations of 1/2: alpha of the population is 5/6 for five of them."""
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        scores = rng.normal(size=(30, 1)) + rng.normal(size=(30, 5))
        value = alpha_of(np.round(1000 * scores).astype(np.int64))
        assert value is not None
        found = formulas.alpha_interval(value, 30, 5)
        held += found.low <= 5 / 6 <= found.high
    assert 0.92 < held / 400 < 0.98


def test_the_error_of_measurement() -> None:
    assert formulas.error_of_measurement(10, 0.84) == pytest.approx(4)
    assert formulas.error_of_measurement(10, -0.1) is None
