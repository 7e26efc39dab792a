"""Tests of task 3.3: cosines, distances, nearest neighbours."""

import math

import numpy as np
import pytest

from examiner.suite import close, student_module
from tests.embeddings.suite import oracles as plain

CHEESE = np.array([[14, 7, 5, 1], [7, 12, 0, 0], [5, 0, 8, 12], [1, 0, 12, 2]], dtype=float)

embeddings = student_module("embeddings")


def ints(array):
    """An array, a tensor or a list of whole numbers as nested lists."""
    return np.asarray(array).astype(int).tolist()


@pytest.mark.task("3.3", weight=1.1, visible=True)
def test_cosines_of_the_cheese_table(embeddings):
    """Cheese, bread, goat and sheep have the cosines .80 .49 .38 .17 .04 .67."""
    got = np.asarray(embeddings.cosine(CHEESE, CHEESE), dtype=float)
    pairs = [got[i, j] for i in range(4) for j in range(i + 1, 4)]
    assert close(pairs, [0.80, 0.49, 0.38, 0.17, 0.04, 0.67], rtol=0, atol=0.005)


@pytest.mark.task("3.3", weight=0.5, visible=True)
def test_distances_by_hand(embeddings):
    """A triangle with the sides 3 and 4 has a third side of 5."""
    X, Y = np.array([[0.0, 0.0], [6.0, 8.0]]), np.array([[3.0, 4.0], [0.0, 8.0]])
    assert close(embeddings.euclidean(X, Y), [[5, 8], [5, 6]], atol=1e-6)


NEIGHBOURS = np.array([[9.0, 1.0], [1.0, 0.0], [0.0, 5.0], [-1.0, 0.0]])


def ordered(scores, without):
    return [i for i in np.argsort(-scores, kind="stable").tolist() if i not in without]


def assert_nearest(embeddings, right, query, E, k, **rest):
    """Compare neighbours with the right ones, or with those that follow from the student's cosines.

    Cosines that are wrong by their lengths alone are charged once, in their own tests.
    """
    got = ints(embeddings.nearest(query, E, k, **rest))
    if got != right:
        own = np.asarray(embeddings.cosine(query[None], E), dtype=float)
        if own.shape == (1, len(E)) and (np.sign(own[0]) == np.sign(E @ query)).all():
            right = ordered(own[0], rest.get("exclude", ()))[:k]
    assert got == right


@pytest.mark.task("3.3", weight=0.5, visible=True)
def test_neighbours_by_hand(embeddings):
    """The direction makes neighbours, not the length."""
    assert_nearest(embeddings, [1, 0, 2], np.array([2.0, 0.0]), NEIGHBOURS, 3)


@pytest.mark.task("3.3", weight=0.25, visible=True)
def test_neighbours_without_a_word(embeddings):
    """A word that is excluded gives its place to the next one."""
    assert_nearest(embeddings, [0, 2], np.array([2.0, 0.0]), NEIGHBOURS, 2, exclude=[1])


def rows_of(rng, n, D, low, high):
    """Rows in random directions; their norms lie between two bounds."""
    return plain.unit(rng.normal(size=(n, D))) * rng.uniform(low, high, size=(n, 1))


@pytest.mark.task("3.3", weight=2.2)
def test_cosines_of_any_vectors(embeddings, rng):
    """Each row meets each row, and their lengths do not matter."""
    X, Y = rows_of(rng, 4, 3, 40, 400), rows_of(rng, 6, 3, 40, 400)
    # in this test a small number on the norms may pass: it is an edge case, see below
    assert close(embeddings.cosine(X, Y), plain.cosines(X, Y), rtol=0, atol=1e-4)
    assert close(embeddings.cosine(X, 3 * Y[:4]), plain.cosines(X, Y[:4]), rtol=0, atol=1e-4)


@pytest.mark.task("3.3", weight=0.6)
def test_cosines_of_short_vectors(embeddings, rng):
    """Vectors that are nearly 0 have the cosines of long ones."""
    X, Y = rows_of(rng, 4, 3, 1, 2), rows_of(rng, 6, 3, 1, 2)
    assert close(embeddings.cosine(X, Y / 1e4), plain.cosines(X, Y))
    assert close(embeddings.cosine(X / 1e4, Y), plain.cosines(X, Y))


@pytest.mark.task("3.3", weight=0.6)
def test_cosines_of_a_row_of_zeros(embeddings, rng):
    """A row of zeros is like nothing: its cosines are 0, and those of other rows stay."""
    X, Y = rows_of(rng, 4, 3, 40, 400), rows_of(rng, 6, 3, 40, 400)
    assert close(embeddings.cosine(X, Y), plain.cosines(X, Y), rtol=0, atol=1e-4)
    X[1], Y[2] = 0, 0
    assert close(embeddings.cosine(X, Y), plain.cosines(X, Y), rtol=0, atol=1e-4)


def distances(X, Y):
    return [[math.dist(x, y) for y in Y.tolist()] for x in X.tolist()]


@pytest.mark.task("3.3", weight=0.7)
def test_distances_of_any_vectors(embeddings, rng):
    """Each row is compared with each row; on unit vectors, distance and cosine agree."""
    X, Y = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    assert close(embeddings.euclidean(X, Y), distances(X, Y))
    U, W = plain.unit(X), plain.unit(Y)
    squares = np.asarray(embeddings.euclidean(U, W), dtype=float) ** 2
    assert close(squares, 2 - 2 * plain.cosines(U, W), atol=1e-6)


@pytest.mark.task("3.3", weight=0.4)
def test_distances_of_equal_rows(embeddings):
    """Equal rows are at the distance 0, however the squares are rounded."""
    X = np.arange(1, 6)[:, None] / np.array([1.0, 3.0, 7.0])
    assert close(embeddings.euclidean(X, X[:2] + 1), distances(X, X[:2] + 1))
    # |x|^2 + |y|^2 - 2 x y is below 0 for some of so many rows, on every machine: NaN
    X = np.sin(np.arange(1.0, 561.0)).reshape(80, 7)
    assert close(embeddings.euclidean(X, X), distances(X, X), atol=1e-6)


def products(query, E):
    return E @ query


def nearness(query, E):
    return -np.linalg.norm(E - query, axis=1)


def sums_for_norms(query, E):
    return E @ query / abs(E).sum(axis=1)


def never_negative(query, E):
    return np.maximum(plain.cosines([query], E)[0], 0)


def without_sign(query, E):
    return abs(plain.cosines([query], E)[0])


TEMPTING = (products, nearness, sums_for_norms, never_negative, without_sign)


def question(rng, *places, n=9):
    """A query, vectors, ids to leave out, by their places in the order, and the order of the rest.

    No other measure gives that order, and no two cosines are so near that rounding decides.
    """
    while True:  # 1.4 times on average
        query, E = rng.normal(size=4), rows_of(rng, n, 4, 0.1, 9)
        cosines = plain.cosines([query], E)[0]
        without = [ordered(cosines, ())[place] for place in places]
        right = ordered(cosines, without)
        others = [ordered(measure(query, E), without) for measure in TEMPTING]
        if right not in others and np.diff(np.sort(cosines)).min() > 1e-3:
            return query, E, without, right


@pytest.mark.task("3.3", weight=1)
def test_neighbours_among_any_vectors(embeddings, rng):
    """Neighbours are ordered by cosine, opposite vectors last."""
    query, E, _, order = question(rng)
    assert_nearest(embeddings, order, query, E, 9)
    assert_nearest(embeddings, order[:4], query, E, 4)


@pytest.mark.task("3.3", weight=0.4)
def test_excluded_words_never_appear(embeddings, rng):
    """Excluded words are no neighbours, however near or far they are."""
    for places in ((0, 3), (8, 1, 0)):
        query, E, without, left = question(rng, *places)
        assert_nearest(embeddings, left, query, E, len(left), exclude=without)


# All products and norms of the next two tests are whole numbers, so that no order of the sums makes
# equal cosines differ.
@pytest.mark.task("3.3", weight=0.25)
def test_neighbours_that_are_equally_near(embeddings):
    """Of equally near words, the smaller id stands first."""
    E = np.array([[3.0, 4, 0], [-12, 5, 0], [6, 0, 8], [3, 0, -4], [-5, 0, 12]])
    assert_nearest(embeddings, [0, 2, 3, 4, 1], np.array([2.0, 0, 0]), E, 5)


@pytest.mark.task("3.3", weight=0.2)
def test_neighbours_that_equal_the_question(embeddings):
    """Rows that equal the question are its neighbours like all others, unless they are excluded."""
    E = np.array([[5.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 2.0], [0.0, -2.0]])
    query = np.array([0.0, 2.0])
    assert_nearest(embeddings, [1, 3, 2, 0, 4], query, E, 5)
    assert_nearest(embeddings, [3, 2, 0], query, E, 3, exclude=[1])


@pytest.mark.task("3.3", weight=0.1)
def test_the_first_word_is_excluded(embeddings):
    """The id 0 can be excluded, and so can what points away as much as what is left."""
    E = np.array([[2.0, 0.0], [-1.0, 0.0], [-3.0, 0.0], [0.0, 1.0]])
    query = np.array([1.0, 0.0])
    assert_nearest(embeddings, [3, 1, 2], query, E, 3, exclude=[0])
    assert_nearest(embeddings, [0, 2], query, E, 2, exclude=[3, 1, 3])


@pytest.mark.task("3.3", weight=0.1)
def test_neighbours_among_rows_of_zeros(embeddings):
    """The cosine of a row of zeros is 0, so it stands before all rows that point away."""
    E = np.array([[-1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [-3.0, 4.0], [3.0, 4.0]])
    assert_nearest(embeddings, [2, 5, 1, 3, 4, 0], np.array([2.0, 0.0]), E, 6)


@pytest.mark.task("3.3", weight=0.1)
def test_words_in_a_tuple_are_excluded(embeddings):
    """`exclude` may be any sequence: a tuple, as its default is, works like a list."""
    E = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 1.0], [-3.0, 4.0], [-1.0, 0.0]])
    query = np.array([2.0, 0.0])
    assert_nearest(embeddings, [1, 3, 4], query, E, 3, exclude=[0, 2])
    assert_nearest(embeddings, [1, 3, 4], query, E, 3, exclude=(0, 2))


@pytest.mark.task("3.3", weight=0.1)
def test_many_neighbours_that_are_equally_near(embeddings, rng):
    """However many words are equally near, the smaller ids stand first."""
    E = np.array([[3.0, 4.0], [-5.0, 12.0], [4.0, -3.0]])[rng.integers(3, size=300)]
    right = ordered(E[:, 0] / np.linalg.norm(E, axis=1).round(), ())
    for k in (300, 17, 120):
        assert_nearest(embeddings, right[:k], np.array([2.0, 0.0]), E, k)


@pytest.mark.task("3.3", weight=0.1)
def test_cosines_of_two_short_vectors(embeddings, rng):
    """Both vectors may be nearly 0."""
    X, Y = rows_of(rng, 4, 3, 1, 2), rows_of(rng, 6, 3, 1, 2)
    assert close(embeddings.cosine(X / 1e8, Y / 1e8), plain.cosines(X, Y))
