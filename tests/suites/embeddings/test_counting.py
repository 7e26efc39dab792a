"""Tests of tasks 3.1 to 3.5: lookup, counts, similarity, PPMI, SVD."""

import numpy as np
import pytest

from nextword.suite import close, student_module
from tests.suites.embeddings import oracles as plain

NONE = -1
CHEESE = np.array([[14, 7, 5, 1], [7, 12, 0, 0], [5, 0, 8, 12], [1, 0, 12, 2]], dtype=float)

embeddings = student_module("embeddings")


def ints(array):
    """An array, a tensor or a list of whole numbers as nested lists."""
    return np.asarray(array).astype(int).tolist()


# ---------------------------------------------------------------- 3.1


@pytest.mark.task("3.1", weight=1, visible=True)
def test_one_hot_and_lookup_by_hand(embeddings):
    """The one-hot vector of word 2 of 4 is 0 0 1 0, and looks up row 2 of the matrix."""
    assert close(embeddings.one_hot(np.array([2, 0]), 4), [[0, 0, 1, 0], [1, 0, 0, 0]])
    E = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert close(embeddings.lookup(np.array([2, 0, 2]), E), [[5, 6], [1, 2], [5, 6]])


@pytest.mark.task("3.1", weight=1, visible=True)
def test_logits_by_hand(embeddings):
    """The score of each word is the dot product of its row with the vector."""
    E = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert close(embeddings.logits(np.array([10.0, 1.0]), E), [12, 34, 56])


@pytest.mark.task("3.1", weight=1.3)
def test_any_ids(embeddings, rng):
    """Each id of a row gives its one-hot vector and its row of E."""
    V, D = 5, 3
    E = rng.normal(size=(V, D))
    for size in (4, 1, 9):
        ids = rng.integers(0, V, size=size)
        ones = (ids[..., None] == np.arange(V)).astype(float)
        assert close(embeddings.one_hot(ids, V), ones)
        assert close(embeddings.lookup(ids, E), ones @ E)


@pytest.mark.task("3.1", weight=0.7)
def test_ids_of_any_shape(embeddings, rng):
    """One id, no id and tables of ids give one-hot vectors and rows of E of the same shape."""
    V, D = 5, 3
    E = rng.normal(size=(V, D))
    for shape in ((2, 3), (2, 1, 2), (), (0,)):
        ids = np.asarray(rng.integers(0, V, size=shape))
        ones = (ids[..., None] == np.arange(V)).astype(float)
        assert close(embeddings.one_hot(ids, V), ones)
        assert close(embeddings.lookup(ids, E), ones @ E)


@pytest.mark.task("3.1", weight=1)
def test_logits_of_many_vectors(embeddings, rng):
    """Vectors in a table of any shape get the scores of all words."""
    E = rng.normal(size=(6, 4))
    for shape in ((3, 4), (2, 3, 4), (4,)):
        h = rng.normal(size=shape)
        assert close(embeddings.logits(h, E), np.einsum("...d,vd->...v", h, E))


# ---------------------------------------------------------------- 3.2


@pytest.mark.task("3.2", weight=1, visible=True)
def test_counts_of_two_sentences(embeddings):
    """Neighbours of two short sentences are counted as by hand, from both sides."""
    sentences = [np.array([0, 1, 2]), np.array([1, 0])]
    one = [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    assert close(embeddings.cooccurrence(sentences, 3, 1), one)
    two = [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    assert close(embeddings.cooccurrence(sentences, 3, 2), two)


@pytest.mark.task("3.2", weight=0.4, visible=True)
def test_counts_by_distance(embeddings):
    """By distance, a word two places away counts one half."""
    sentences = [np.array([0, 1, 2]), np.array([1, 0])]
    near_ones_more = [[0, 2, 0.5], [2, 0, 1], [0.5, 1, 0]]
    assert close(embeddings.cooccurrence(sentences, 3, 2, by_distance=True), near_ones_more)


def assert_counts(embeddings, sentences, window, by_distance=False):
    got = embeddings.cooccurrence(sentences, 9, window, by_distance)
    assert close(got, plain.cooccurrence(sentences, 9, window, by_distance))


@pytest.mark.task("3.2", weight=1.8)
def test_counts_of_any_text(embeddings, rng):
    """Every pair within the window counts once from each side."""
    for window in (4, 2, 1):
        sentences = [rng.permutation(8)[: rng.integers(5, 9)] for _ in range(12)]
        assert_counts(embeddings, sentences, window)


@pytest.mark.task("3.2", weight=0.6)
def test_counts_of_any_text_by_distance(embeddings, rng):
    """By distance, each pair counts one over its distance."""
    sentences = [rng.permutation(8)[: rng.integers(5, 9)] for _ in range(12)]
    assert_counts(embeddings, sentences, 4, by_distance=True)


@pytest.mark.task("3.2", weight=0.7)
def test_counts_of_words_that_repeat(embeddings, rng):
    """A pair counts at each place where it occurs, also several times in one sentence."""
    sentences = [np.tile(rng.permutation(7)[:3], 3) for _ in range(5)]
    sentences += [np.repeat(rng.permutation(7)[:3], 2) for _ in range(5)]
    for by_distance in (False, True):
        assert_counts(embeddings, sentences, 2, by_distance)


@pytest.mark.task("3.2", weight=0.5)
def test_counts_of_short_sentences(embeddings, rng):
    """Sentences may be shorter than the window, of one word, or empty."""
    for window in (3, 5, 12):
        assert_counts(embeddings, plain.random_sentences(rng), window)


@pytest.mark.task("3.2", weight=0.3)
def test_a_word_beside_itself(embeddings, rng):
    """A word repeated n times meets itself at each of n - 1 places, from both sides."""
    n = int(rng.integers(4, 9))
    assert close(embeddings.cooccurrence([np.zeros(n, dtype=int)], 1, 1), [[2.0 * (n - 1)]])


# ---------------------------------------------------------------- 3.3


@pytest.mark.task("3.3", weight=1, visible=True)
def test_cosines_of_the_cheese_table(embeddings):
    """Cheese, bread, goat and sheep have the cosines .80 .49 .38 .17 .04 .67."""
    got = np.asarray(embeddings.cosine(CHEESE, CHEESE), dtype=float)
    pairs = [got[i, j] for i in range(4) for j in range(i + 1, 4)]
    assert close(pairs, [0.80, 0.49, 0.38, 0.17, 0.04, 0.67], rtol=0, atol=0.005)


@pytest.mark.task("3.3", weight=0.6, visible=True)
def test_distances_by_hand(embeddings):
    """A triangle with the sides 3 and 4 has a third side of 5."""
    X = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert close(embeddings.euclidean(X, X), [[0, 5], [5, 0]], atol=1e-6)


NEIGHBOURS = np.array([[9.0, 1.0], [1.0, 0.0], [0.0, 5.0], [-1.0, 0.0]])


@pytest.mark.task("3.3", weight=0.6, visible=True)
def test_neighbours_by_hand(embeddings):
    """The direction makes neighbours, not the length."""
    assert ints(embeddings.nearest(np.array([2.0, 0.0]), NEIGHBOURS, 3)) == [1, 0, 2]


@pytest.mark.task("3.3", weight=0.3, visible=True)
def test_neighbours_without_a_word(embeddings):
    """A word that is excluded gives its place to the next one."""
    assert ints(embeddings.nearest(np.array([2.0, 0.0]), NEIGHBOURS, 2, exclude=[1])) == [0, 2]


@pytest.mark.task("3.3", weight=2.3)
def test_cosines_of_any_vectors(embeddings, rng):
    """Each row meets each row, their lengths do not matter, and a row of zeros is like nothing."""
    X, Y = rng.normal(size=(4, 3)), 5 * rng.normal(size=(6, 3))
    X[1], Y[2] = 0, 0
    assert close(embeddings.cosine(X, Y), plain.cosines(X, Y))
    assert close(embeddings.cosine(3 * X, Y), plain.cosines(X, Y))
    assert close(embeddings.cosine(X / 99, Y / 99), plain.cosines(X, Y))


@pytest.mark.task("3.3", weight=1)
def test_distances_of_any_vectors(embeddings, rng):
    """Each row is compared with each row; on unit vectors, distance and cosine agree."""
    X, Y = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    expected = [[np.sqrt(sum((x - y) ** 2)) for y in Y] for x in X]
    assert close(embeddings.euclidean(X, Y), expected)
    U = plain.unit(X)
    squares = np.asarray(embeddings.euclidean(U, U), dtype=float) ** 2
    assert close(squares, 2 - 2 * plain.cosines(U, U), atol=1e-6)


def directions(rng, n=9):
    """Vectors of unlike lengths, a query, and the ids in the order of their cosines to it."""
    E = rng.normal(size=(n, 4)) * rng.uniform(0.1, 9, size=(n, 1))
    query = rng.normal(size=4)
    return query, E, np.argsort(-plain.cosines([query], E)[0]).tolist()


@pytest.mark.task("3.3", weight=1.2)
def test_neighbours_among_any_vectors(embeddings, rng):
    """Neighbours are ordered by cosine, opposite vectors last."""
    for k in (9, 4):
        query, E, order = directions(rng)
        assert ints(embeddings.nearest(query, E, k)) == order[:k]


@pytest.mark.task("3.3", weight=0.5)
def test_excluded_words_never_appear(embeddings, rng):
    """Excluded words are no neighbours, however near or far they are."""
    query, E, order = directions(rng)
    for without in ([order[0], order[3]], [order[8], order[1], order[0]]):
        left = [i for i in order if i not in without]
        assert ints(embeddings.nearest(query, E, len(left), exclude=without)) == left


@pytest.mark.task("3.3", weight=0.3)
def test_neighbours_that_are_equally_near(embeddings, rng):
    """Of equally near words, the smaller id stands first."""
    query, E, _ = directions(rng)
    assert ints(embeddings.nearest(query, np.array([E[0]] * 4), 3)) == [0, 1, 2]


# ---------------------------------------------------------------- 3.4


@pytest.mark.task("3.4", weight=1, visible=True)
def test_ppmi_by_hand(embeddings):
    """A pair seen once in four, of words with the shares 3/4 and 1/4, gets ln(4/3)."""
    counts = np.array([[2.0, 1.0], [1.0, 0.0]])
    assert close(embeddings.ppmi(counts), [[0, np.log(4 / 3)], [np.log(4 / 3), 0]])
    assert close(embeddings.ppmi(counts, shift=0.2)[0][1], np.log(4 / 3) - 0.2)


@pytest.mark.task("3.4", weight=1, visible=True)
def test_smoothed_contexts_by_hand(embeddings):
    """With the power 1/2, contexts seen 16 times and 4 times have the shares 2/3 and 1/3."""
    counts = np.array([[14.0, 2.0], [2.0, 2.0]])
    expected = [[np.log(14 / (16 * 2 / 3)), 0], [0, np.log(2 / (4 * 1 / 3))]]
    assert close(embeddings.ppmi(counts, smoothing=0.5), expected)


@pytest.mark.task("3.4", weight=2)
def test_ppmi_of_any_counts(embeddings, rng):
    """Counts of any shape, with cells, rows and columns of zeros, give numbers of 0 or more."""
    for shape in ((5, 5), (4, 7)):
        counts = rng.poisson(2, size=shape).astype(float)
        counts[1], counts[:, 2] = 0, 0
        counts[0, 0] += 1
        assert close(embeddings.ppmi(counts), plain.ppmi(counts))
        for smoothing, shift in ((0.75, 0.0), (1.0, 0.4), (0.5, 0.1)):
            expected = plain.ppmi(counts, smoothing, shift)
            assert close(embeddings.ppmi(counts, smoothing, shift), expected)


@pytest.mark.task("3.4", weight=1)
def test_ppmi_of_words_that_ignore_each_other(embeddings, rng):
    """Where words fall together as often as chance has it, there is nothing to report."""
    counts = np.outer(rng.integers(1, 9, size=4), rng.integers(1, 9, size=6)).astype(float)
    assert close(embeddings.ppmi(counts), np.zeros((4, 6)), atol=1e-9)


# ---------------------------------------------------------------- 3.5


def best_of_rank(M, d):
    U, s, Vt = np.linalg.svd(M, full_matrices=False)
    return (U[:, :d] * s[:d]) @ Vt[:d], U[:, :d], s[:d], Vt[:d].T


@pytest.mark.task("3.5", weight=1, visible=True)
def test_svd_by_hand(embeddings):
    """Of a diagonal matrix, the largest entries remain."""
    W, C = embeddings.svd_vectors(np.diag([2.0, 5.0, 3.0]), 2)
    assert np.shape(W) == np.shape(C) == (3, 2)
    assert close(np.asarray(W) @ np.asarray(C).T, np.diag([0.0, 5.0, 3.0]), atol=1e-9)


@pytest.mark.task("3.5", weight=1)
def test_best_matrix_of_a_rank(embeddings, rng):
    """W times C gives the nearest matrix of rank d, of square and of other matrices."""
    for shape, d in (((4, 9), 3), ((6, 6), 2), ((7, 3), 3), ((5, 2), 1)):
        M = rng.normal(size=shape)
        W, C = map(np.asarray, embeddings.svd_vectors(M, d))
        assert (W.shape, C.shape) == ((shape[0], d), (shape[1], d))
        assert close(W @ C.T, best_of_rank(M, d)[0], atol=1e-9)


@pytest.mark.task("3.5", weight=1)
def test_power_of_the_singular_values(embeddings, rng):
    """`power` shares out the singular values: dot products of words grow with them."""
    M, d = rng.normal(size=(6, 5)), 3
    _, U, s, V = best_of_rank(M, d)
    for power in (0.3, 0.0, 1.0):
        W, C = map(np.asarray, embeddings.svd_vectors(M, d, power))
        assert close(W @ W.T, U * s ** (2 * power) @ U.T, atol=1e-9)
        assert close(C @ C.T, V * s ** (2 - 2 * power) @ V.T, atol=1e-9)
