"""Tests of tasks 3.1, 3.2, 3.4 and 3.5: lookup, counts, PPMI, SVD."""

import numpy as np
import pytest

from examiner.suite import close, student_module
from tests.embeddings.suite import oracles as plain

CHEESE = np.array([[14, 7, 5, 1], [7, 12, 0, 0], [5, 0, 8, 12], [1, 0, 12, 2]], dtype=float)

embeddings = student_module("embeddings")


# ---------------------------------------------------------------- 3.1


@pytest.mark.task("3.1", weight=0.5, visible=True)
def test_one_hot_by_hand(embeddings):
    """The one-hot vector of word 2 of 4 is 0 0 1 0."""
    assert close(embeddings.one_hot(np.array([2, 0]), 4), [[0, 0, 1, 0], [1, 0, 0, 0]])


@pytest.mark.task("3.1", weight=0.5, visible=True)
def test_lookup_by_hand(embeddings):
    """The vector of word 2 is row 2 of the matrix, at each place where the word stands."""
    E = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert close(embeddings.lookup(np.array([2, 0, 2]), E), [[5, 6], [1, 2], [5, 6]])


@pytest.mark.task("3.1", weight=0.7, visible=True)
def test_logits_by_hand(embeddings):
    """The score of each word is the dot product of its row with the vector."""
    E = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert close(
        embeddings.logits(np.array([[10.0, 1.0], [0.0, 2.0]]), E), [[12, 34, 56], [4, 8, 12]]
    )


def assert_rows(rng, shapes, answer, expected, V=5):
    """Compare what is found for ids of these shapes with rows of a table; the last is for no id."""
    for shape in shapes:
        ids = np.asarray(rng.integers(0, V - 1, size=shape))
        ones = (ids[..., None] == np.arange(V)).astype(float)
        assert close(answer(ids), expected(ones))


ROWS = ((4,), (1,), (9,))
TABLES = ((3,), (2, 3), (2, 1, 2), (), (0,))  # a plain row of ids, and what is less usual


@pytest.mark.task("3.1", weight=0.65)
def test_one_hot_of_any_ids(embeddings, rng):
    """Each id of a row gives its one-hot vector."""
    assert_rows(rng, ROWS, lambda ids: embeddings.one_hot(ids, 5), lambda ones: ones)


@pytest.mark.task("3.1", weight=0.35)
def test_one_hot_of_ids_of_any_shape(embeddings, rng):
    """One id, no id and tables of ids give one-hot vectors in the same shape."""
    assert_rows(rng, TABLES, lambda ids: embeddings.one_hot(ids, 5), lambda ones: ones)


@pytest.mark.task("3.1", weight=0.65)
def test_lookup_of_any_ids(embeddings, rng):
    """Each id of a row gives its row of E."""
    E = rng.normal(size=(5, 3))
    assert_rows(rng, ROWS, lambda ids: embeddings.lookup(ids, E), lambda ones: ones @ E)


@pytest.mark.task("3.1", weight=0.35)
def test_lookup_of_ids_of_any_shape(embeddings, rng):
    """One id, no id and tables of ids give rows of E in the same shape."""
    E = rng.normal(size=(5, 3))
    assert_rows(rng, TABLES, lambda ids: embeddings.lookup(ids, E), lambda ones: ones @ E)


@pytest.mark.task("3.1", weight=0.1)
def test_lookup_reads_no_other_row(embeddings, rng):
    """Only the rows of the ids are read: whatever stands in another one, even NaN, has no part."""
    E = rng.normal(size=(5, 3))
    E[3] = np.nan
    assert close(embeddings.lookup(np.array([4, 0, 4]), E), E[[4, 0, 4]])


def assert_logits(embeddings, rng, shapes):
    E = rng.normal(size=(6, 4))
    for shape in shapes:
        h = rng.normal(size=shape)
        assert close(embeddings.logits(h, E), np.einsum("...d,vd->...v", h, E))


@pytest.mark.task("3.1", weight=0.7)
def test_logits_of_many_vectors(embeddings, rng):
    """Each vector of a table gets the scores of all words."""
    assert_logits(embeddings, rng, ((3, 4), (1, 4), (7, 4)))


@pytest.mark.task("3.1", weight=0.6)
def test_logits_of_vectors_in_any_shape(embeddings, rng):
    """One vector, and vectors in a table of more axes, get their scores in the same shape."""
    assert_logits(embeddings, rng, ((3, 4), (4,), (2, 3, 4)))


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
    sentences.append(sentences[0])  # a sentence that is there twice counts twice
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
    assert_counts(embeddings, [rng.permutation(8)[:6]], 2)
    n = int(rng.integers(4, 9))
    assert close(embeddings.cooccurrence([np.zeros(n, dtype=int)], 1, 1), [[2.0 * (n - 1)]])


# ---------------------------------------------------------------- 3.4


@pytest.mark.task("3.4", weight=0.9, visible=True)
def test_ppmi_by_hand(embeddings):
    """A pair seen once in four, of words with the shares 3/4 and 1/4, gets ln(4/3)."""
    counts = np.array([[2.0, 1.0], [1.0, 0.0]])
    assert close(embeddings.ppmi(counts), [[0, np.log(4 / 3)], [np.log(4 / 3), 0]])
    assert close(embeddings.ppmi(counts, shift=0.2)[0][1], np.log(4 / 3) - 0.2)


@pytest.mark.task("3.4", weight=0.9, visible=True)
def test_smoothed_contexts_by_hand(embeddings):
    """With the power 1/2, contexts seen 16 times and 4 times have the shares 2/3 and 1/3."""
    counts = np.array([[14.0, 2.0], [2.0, 2.0]])
    expected = [[np.log(14 / (16 * 2 / 3)), 0], [0, np.log(2 / (4 * 1 / 3))]]
    assert close(embeddings.ppmi(counts, smoothing=0.5), expected)


def assert_ppmi(embeddings, counts):
    assert close(embeddings.ppmi(counts), plain.ppmi(counts))
    for smoothing, shift in ((0.75, 0.0), (1.0, 0.4), (0.5, 0.1)):
        got = embeddings.ppmi(counts, smoothing, shift)
        assert close(got, plain.ppmi(counts, smoothing, shift))


def counts_of(rng, shape):
    """Counts with cells of 0, but no empty row or column."""
    counts = rng.integers(1, 6, size=shape).astype(float)
    counts[[0, 1, 3], [1, 4, 0]] = 0
    counts[0, 0] = 9  # more often than chance has it
    return counts


@pytest.mark.task("3.4", weight=1.4)
def test_ppmi_of_any_counts(embeddings, rng):
    """Counts of any shape, with cells of zeros, give numbers of 0 or more."""
    for shape in ((5, 5), (4, 7)):
        assert_ppmi(embeddings, counts_of(rng, shape))


@pytest.mark.task("3.4", weight=0.8)
def test_ppmi_of_empty_rows_and_columns(embeddings, rng):
    """Rows and columns of zeros give 0, and change nothing in the others."""
    assert_ppmi(embeddings, counts_of(rng, (5, 5)))
    for shape in ((5, 5), (4, 7)):
        counts = counts_of(rng, shape)
        counts[1], counts[:, 2] = 0, 0
        assert_ppmi(embeddings, counts)


@pytest.mark.task("3.4", weight=0.2)
def test_ppmi_of_counts_by_distance(embeddings, rng):
    """Counts may be fractions, also below 1."""
    assert_ppmi(embeddings, counts_of(rng, (5, 5)) / 16)


@pytest.mark.task("3.4", weight=1)
def test_ppmi_of_words_that_ignore_each_other(embeddings, rng):
    """Where words fall together as often as chance has it, there is nothing to report."""
    assert close(embeddings.ppmi(CHEESE), plain.ppmi(CHEESE))
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


def matrix(rng, n, m):
    """A matrix whose singular values lie so far apart that each way of finding them is exact."""
    k = min(n, m)
    U, V = (np.linalg.qr(rng.normal(size=(side, k)))[0] for side in (n, m))
    return U * (np.arange(k, 0, -1) + rng.uniform(-0.2, 0.2, size=k)) @ V.T


@pytest.mark.task("3.5", weight=1)
def test_best_matrix_of_a_rank(embeddings, rng):
    """W times C gives the nearest matrix of rank d, of square and of other matrices."""
    for shape, d in (((4, 9), 3), ((6, 6), 2), ((7, 3), 3), ((5, 2), 1)):
        M = matrix(rng, *shape)
        W, C = map(np.asarray, embeddings.svd_vectors(M, d))
        assert (W.shape, C.shape) == ((shape[0], d), (shape[1], d))
        assert close(W @ C.T, best_of_rank(M, d)[0], rtol=0, atol=1e-5)


@pytest.mark.task("3.5", weight=0.3)
def test_svd_of_a_table_of_low_rank(embeddings, rng):
    """Singular values of 0 do no harm: W times C is the table itself."""
    full, low = matrix(rng, 4, 3), np.outer(rng.integers(1, 5, size=4), [1.0, 2.0, 0.0])
    for M in (full, low):
        W, C = map(np.asarray, embeddings.svd_vectors(M, 3))
        assert close(W @ C.T, M, rtol=0, atol=1e-5)


@pytest.mark.task("3.5", weight=1)
def test_power_of_the_singular_values(embeddings, rng):
    """`power` shares out the singular values: dot products of words grow with them."""
    M, d = matrix(rng, 6, 5), 3
    _, U, s, V = best_of_rank(M, d)
    for power in (0.3, 0.0, 1.0):
        W, C = map(np.asarray, embeddings.svd_vectors(M, d, power))
        assert close(W @ W.T, U * s ** (2 * power) @ U.T, rtol=0, atol=1e-5)
        assert close(C @ C.T, V * s ** (2 - 2 * power) @ V.T, rtol=0, atol=1e-5)
