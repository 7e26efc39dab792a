"""Tests of tasks 3.11 and 3.12: analogies, odd words, ranks, principal components."""

import math

import numpy as np
import pytest

from examiner.suite import close, student_module
from tests.embeddings.suite import oracles as plain

embeddings = student_module("embeddings")


# ---------------------------------------------------------------- 3.11


@pytest.mark.task("3.11", weight=1, visible=True)
def test_analogy_by_hand(embeddings):
    """Paris - france + italy = rome, where the axes mean country, France, Italy and capital."""
    words = ["paris", "france", "italy", "rome", "soup"]
    rows = [[0, 2, 0, 2], [3, 3, 0, 0], [3, 0, 3, 0], [0, 0, 1, 1], [0.1, 0.2, 0.1, 0]]
    E = np.array(rows, dtype=float)
    assert words[embeddings.analogy(E, 0, 1, 2)] == "rome"
    assert words[embeddings.analogy(E, 3, 2, 1)] == "paris"  # rome - italy + france


@pytest.mark.task("3.11", weight=1)
def test_what_the_exclusion_hides(embeddings):
    """Without the exclusion, a word of the question may be the nearest."""
    E = np.array([[5.0, 0.1], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.3], [0.0, -2.0]])
    assert embeddings.analogy(E, 0, 1, 2, exclude=False) == 2
    assert embeddings.analogy(E, 0, 1, 2) == 3


def clear(scores):
    """Whether the highest score is clearly so: rounding decides nothing."""
    return np.diff(np.sort(scores)[-2:])[0] > 1e-3


def analogy_question(rng, rows):
    """Vectors of 12 words, and three of these; the answers are clear, not far off, and differ."""
    while True:
        E, (a, b, c) = rows(), rng.choice(11, size=3, replace=False).tolist()
        X = plain.unit(E)
        cosines = plain.cosines([X[a] - X[b] + X[c]], X)[0]
        left = np.delete(cosines, [a, b, c])
        if clear(cosines) and clear(left) and 0.1 < left.max() < cosines.max():
            return E, a, b, c


def assert_analogies(embeddings, rng, rows):
    """Check analogies among vectors of 12 words, made anew by `rows`."""
    asked = [analogy_question(rng, rows) for _ in range(8)]
    for exclude in (True, False):
        got = [embeddings.analogy(*question, exclude) for question in asked]
        assert got == [plain.analogy(*question, exclude) for question in asked]


@pytest.mark.task("3.11", weight=0.8)
def test_analogies_of_unit_vectors(embeddings, rng):
    """The word nearest to a - b + c is found."""
    assert_analogies(embeddings, rng, lambda: plain.unit(rng.normal(size=(12, 3))))


@pytest.mark.task("3.11", weight=1)
def test_analogies_among_any_vectors(embeddings, rng):
    """Long vectors weigh no more than short ones."""
    sizes = 10 ** rng.uniform(-2, 1, size=(12, 1))
    assert_analogies(embeddings, rng, lambda: rng.normal(size=(12, 3)) * rng.permutation(sizes))


@pytest.mark.task("3.11", weight=0.25)
def test_an_analogy_with_a_row_of_zeros(embeddings):
    """A row of zeros does no harm."""
    E = np.array([[0.0, 1.0], [-1.0, -0.9], [1.0, 0.0], [1.0, 0.9], [-1.0, 0.0], [0.0, -1.0]])
    assert [embeddings.analogy(E, 0, 4, 2), embeddings.analogy(E, 5, 2, 4)] == [3, 1]
    E = np.vstack([E, [[0.0, 0.0]]])
    assert [embeddings.analogy(E, 0, 4, 2), embeddings.analogy(E, 5, 2, 4)] == [3, 1]


@pytest.mark.task("3.11", weight=0.25)
def test_an_analogy_where_all_is_far(embeddings):
    """The nearest word is the answer, even if all that are left point away; of equals the first."""
    E = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [-1.0, 1.0], [-1.0, 0.5], [-4.0, 4.0]])
    assert embeddings.analogy(E, 0, 1, 2) == 3
    assert embeddings.analogy(E[::-1].copy(), 5, 4, 3) == 0  # the same words, listed backwards


@pytest.mark.task("3.11", weight=0.8, visible=True)
def test_odd_one_out_by_hand(embeddings):
    """Of three vectors to the right and one upwards, the one upwards is odd; its id is returned."""
    E = np.array([[9.0, 9.0], [0.1, 0.01], [0.4, 2.0], [30.0, 0.0], [4.0, 1.0]])
    assert embeddings.odd_one_out(E, [2, 1, 3, 4]) == 2
    assert embeddings.odd_one_out(E, [2, 0, 3]) == 3  # two upwards, one to the right


def by_mean(cosines, distances):
    return -cosines.sum(axis=1)


def by_highest(cosines, distances):
    return -(cosines - 2 * np.eye(len(cosines))).max(axis=1)


def by_lowest(cosines, distances):
    return -cosines.min(axis=1)


def by_distance(cosines, distances):
    return distances.sum(axis=1)


def odd_question(rng, rows, size, *others):
    """Vectors of 15 words, and some of these; the odd one is clear, and not that of other ways."""
    while True:
        E, ids = rows(), rng.permutation(15)[:size].tolist()
        X = E[ids]
        cosines, distances = plain.cosines(X, X), np.linalg.norm(X[:, None] - X, axis=2)
        scores = by_mean(cosines, distances)
        odd = scores.argmax()
        if clear(scores) and all(way(cosines, distances).argmax() != odd for way in others):
            return E, ids


def assert_odd_ones(embeddings, rng, rows):
    """Check which of some words is odd among vectors of 15 words, made anew by `rows`."""
    asked = [odd_question(rng, rows, size) for size in (3, 4, 6) * 4]
    # one question for each way that is nearly right
    asked += [odd_question(rng, rows, 6, way) for way in (by_highest, by_lowest, by_distance)]
    got = [embeddings.odd_one_out(*question) for question in asked]
    assert got == [plain.odd_one_out(*question) for question in asked]


@pytest.mark.task("3.11", weight=0.6)
def test_odd_one_out_of_unit_vectors(embeddings, rng):
    """The odd one has the lowest mean cosine to the others."""
    assert_odd_ones(embeddings, rng, lambda: plain.unit(rng.normal(size=(15, 3))))


@pytest.mark.task("3.11", weight=0.6)
def test_odd_one_out_of_any_vectors(embeddings, rng):
    """Long vectors weigh no more than short ones."""
    sizes = 10 ** rng.uniform(-2, 1, size=(15, 1))
    assert_odd_ones(embeddings, rng, lambda: rng.normal(size=(15, 3)) * rng.permutation(sizes))


@pytest.mark.task("3.11", weight=0.3)
def test_odd_one_out_with_a_row_of_zeros(embeddings):
    """A row of zeros has the cosine 0 to the others, which is not the lowest."""
    E = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [-0.3, 1.0]])
    assert embeddings.odd_one_out(E, [3, 1, 2]) == 3
    assert embeddings.odd_one_out(E, [0, 3, 1, 2]) == 3
    assert embeddings.odd_one_out(-E, [2, 1, 0, 3]) == 3


@pytest.mark.task("3.11", weight=0.1)
def test_odd_one_out_of_a_tuple(embeddings, rng):
    """The ids may be any sequence: a tuple works like a list."""
    E, ids = odd_question(rng, lambda: rng.normal(size=(15, 3)), 4)
    expected = plain.odd_one_out(E, ids)
    assert [embeddings.odd_one_out(E, ids), embeddings.odd_one_out(E, tuple(ids))] == [expected] * 2


@pytest.mark.task("3.11", weight=0.5, visible=True)
def test_rank_correlation_by_hand(embeddings):
    """The ranks 1, 2, 3 against 1.5, 1.5, 3: the correlation is 1.5 over the root of 3."""
    assert close(embeddings.spearman([10, 20, 90], [5, 5, 7]), 1.5 / math.sqrt(3))
    assert close(embeddings.spearman([1, 2, 3], [9, 4, 1]), -1.0)


@pytest.mark.task("3.11", weight=2)
def test_rank_correlation_of_any_lists(embeddings, rng):
    """Only the order counts."""
    for slope in (-1, 0, 2):  # one correlation may be that of another kind, never all three
        x, y = rng.normal(size=15), rng.normal(size=15)
        y += slope * x
        expected = plain.spearman(x.tolist(), y.tolist())
        assert close(embeddings.spearman(x.tolist(), y.tolist()), expected)
        assert close(embeddings.spearman(np.exp(x).tolist(), y.tolist()), expected)


@pytest.mark.task("3.11", weight=0.5)
def test_rank_correlation_with_equal_values(embeddings, rng):
    """Equal values share the mean of their ranks."""
    # groups of unlike sizes: only then does it matter which rank equal values share
    for sizes in ((5, 9), (2, 1, 5, 6), (7, 1, 2, 4)):
        x, y = (rng.permutation(np.repeat(range(len(sizes)), sizes)).tolist() for _ in range(2))
        assert close(embeddings.spearman(x, y), plain.spearman(x, y))
        unequal = rng.normal(size=len(x)).tolist()  # here one list alone has equal values
        for one, other in ((x, unequal), (unequal, x)):
            assert close(embeddings.spearman(one, other), plain.spearman(one, other))


@pytest.mark.task("3.11", weight=0.3, seconds=2)
def test_rank_correlation_of_long_lists(embeddings, rng):
    """Twenty-five thousand values take less than a second."""
    x = rng.normal(size=25_000)
    assert close(embeddings.spearman(x.tolist(), np.exp(x).tolist()), 1.0)
    assert close(embeddings.spearman(x.tolist(), (-x).tolist()), -1.0)


# ---------------------------------------------------------------- 3.12


@pytest.mark.task("3.12", weight=1, visible=True)
def test_points_on_a_slanted_line(embeddings):
    """Points on a line far from the origin need one axis, which has the line's direction."""
    X = np.array([[10.0, 20.0], [13.0, 24.0], [16.0, 28.0]])
    points, axes, shares = embeddings.pca(X, 1)
    assert close(np.abs(points), [[5.0], [0.0], [5.0]], atol=1e-9)
    assert close(np.abs(axes), [[0.6, 0.8]])
    assert close(shares, [1.0])


def cloud(rng, n, D):
    """Points around 0 whose variances lie so far apart that each way of finding them is exact."""
    X = rng.normal(size=(n, D))
    U, s, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kept = (s > 1e-9) * np.arange(len(s) + 1, 1, -1)
    return U * (kept + rng.uniform(-0.2, 0.2, size=len(s)) * (kept > 0)) @ axes


@pytest.mark.task("3.12", weight=3)
def test_components_of_any_points(embeddings, rng):
    """Points, axes and shares are those of the covariance's eigenvectors, but for signs."""
    for n, D, d in ((12, 4, 2), (6, 5, 5), (4, 9, 2)):
        X = cloud(rng, n, D) + rng.permutation(20 + 10 * np.arange(D))
        points, axes, shares = map(np.asarray, embeddings.pca(X, d))
        assert (points.shape, axes.shape) == ((n, d), (d, D))
        products, projection, expected = plain.principal(X, d)
        assert close(points @ points.T, products, rtol=1e-6, atol=1e-6)
        assert close(shares, expected, rtol=1e-6, atol=1e-9)
        if d < min(n - 1, D):  # else an axis without variance may point anywhere
            assert close(axes.T @ axes, projection, rtol=1e-6, atol=1e-6)
            assert close((X - X.mean(axis=0)) @ axes.T, points, rtol=1e-6, atol=1e-6)
        assert close(axes @ axes.T, np.eye(d), atol=1e-9)


@pytest.mark.task("3.12", weight=0.2)
def test_axes_without_variance(embeddings, rng):
    """Points on a line have further axes all the same, of norm 1 and at right angles, no NaN."""
    line = rng.permutation(6)[:, None] * np.array([2.0, -1.0, 2.0])
    points, axes, shares = map(np.asarray, embeddings.pca(line + np.array([7.0, 5.0, -2.0]), 3))
    assert close(shares, [1.0, 0.0, 0.0], atol=1e-6)
    assert close(axes @ axes.T, np.eye(3), atol=1e-6)
    assert close((line - line.mean(axis=0)) @ axes.T, points, atol=1e-6)
    assert close(points[:, 1:], np.zeros((6, 2)), atol=1e-6)
