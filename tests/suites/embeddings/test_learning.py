"""Tests of tasks 3.7 to 3.12: the losses of word2vec, CBOW, trees, evaluation, components."""

import math

import numpy as np
import pytest
import torch

from nextword.suite import close, gradients, student_module
from tests.suites.embeddings import oracles as plain

NONE = -1

embeddings = student_module("embeddings")


def assert_gradients(got, function, *inputs, rtol=None, atol=None):
    """Compare a loss and its gradients with those that autograd finds for the plain loop."""
    loss, slopes, _ = gradients(function, *inputs)
    expected = [loss, *(slope for slope in slopes if slope is not None)]
    assert close(list(got), expected, rtol=rtol, atol=atol)


# ---------------------------------------------------------------- 3.7


@pytest.mark.task("3.7", weight=1, visible=True)
def test_softmax_loss_before_learning(embeddings):
    """With U = 0, four words are equally likely: the loss is ln 4, each is off by 1/4 or -3/4."""
    v = torch.tensor([[1.0, 2.0]])
    loss, dv, dU = embeddings.softmax_loss(v, torch.zeros(4, 2), torch.tensor([3]))
    assert close(loss, torch.tensor(math.log(4)))
    assert close(dv, torch.zeros(1, 2))
    off = torch.tensor([[0.25], [0.25], [0.25], [-0.75]])
    assert close(dU, off * v)


@pytest.mark.task("3.7", weight=3)
def test_softmax_loss_and_gradients(embeddings, rng):
    """Loss and gradients are those of autograd, for any number of pairs, words and dimensions."""
    for B, V, D in ((5, 7, 3), (1, 4, 2), (6, 3, 1)):
        v, U = plain.tensor(rng, B, D), plain.tensor(rng, V, D)
        targets = torch.from_numpy(rng.integers(0, V, size=B))
        got = embeddings.softmax_loss(v, U, targets)
        assert_gradients(got, plain.skip_gram, v, U, targets)


@pytest.mark.task("3.7", weight=1)
def test_softmax_loss_of_large_scores(embeddings, rng):
    """Scores in the hundreds give numbers, not NaN or infinity."""
    v, U = 30 * plain.tensor(rng, 4, 3), 30 * plain.tensor(rng, 5, 3)
    targets = torch.from_numpy(rng.integers(0, 5, size=4))
    got = embeddings.softmax_loss(v, U, targets)
    assert_gradients(got, plain.skip_gram, v, U, targets, rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- 3.8


@pytest.mark.task("3.8", weight=1, visible=True)
def test_negative_sampling_before_learning(embeddings):
    """With all scores 0, each answer costs ln 2; a pair pulls by 1/2, each noise pushes by 1/2."""
    v, zero = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2)
    loss, dv, du, dn = embeddings.negative_sampling(v, zero, torch.zeros(3, 2), k=3)
    assert close(loss, torch.tensor(4 * math.log(2)))
    assert close(dv, zero)
    assert close(du, -0.5 * v)
    assert close(dn, 0.5 * v.expand(3, 2))


@pytest.mark.task("3.8", weight=1, visible=True)
def test_shared_noise_counts_k_of_s(embeddings):
    """Six noise vectors that stand for k = 3 count one half each."""
    v, zero = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2)
    loss, _, _, dn = embeddings.negative_sampling(v, zero, torch.zeros(6, 2), k=3)
    assert close(loss, torch.tensor(4 * math.log(2)))
    assert close(dn, 0.25 * v.expand(6, 2))


@pytest.mark.task("3.8", weight=3)
def test_negative_sampling_and_gradients(embeddings, rng):
    """Loss and gradients are those of autograd, for any number of pairs and of noise."""
    for B, S, D, k in ((5, 4, 3, 4), (1, 2, 2, 5), (3, 1, 1, 2), (4, 6, 2, 1)):
        v, u, noise = (plain.tensor(rng, n, D) for n in (B, B, S))
        got = embeddings.negative_sampling(v, u, noise, k)
        assert_gradients(got, plain.negative_sampling, v, u, noise, k)


@pytest.mark.task("3.8", weight=1)
def test_negative_sampling_of_large_scores(embeddings, rng):
    """Scores in the hundreds give numbers, not NaN or infinity."""
    v, u, noise = (30 * plain.tensor(rng, n, 3) for n in (4, 4, 5))
    got = embeddings.negative_sampling(v, u, noise, 5)
    assert_gradients(got, plain.negative_sampling, v, u, noise, 5, rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- 3.9


@pytest.mark.task("3.9", weight=0.9, visible=True)
def test_mean_of_a_window(embeddings):
    """NONE does not count, a word that stands twice counts twice."""
    E = torch.tensor([[1.0, 0.0], [4.0, 6.0], [100.0, 100.0]])
    contexts = torch.tensor([[0, 1, 1], [NONE, 1, NONE]])
    assert close(embeddings.context_means(E, contexts), [[3.0, 4.0], [4.0, 6.0]])


@pytest.mark.task("3.9", weight=0.6, visible=True)
def test_a_window_without_words(embeddings):
    """Where there is no word, the mean is 0."""
    E, contexts = torch.tensor([[1.0, 0.0], [4.0, 6.0]]), torch.tensor([[NONE, NONE], [1, NONE]])
    assert close(embeddings.context_means(E, contexts), [[0.0, 0.0], [4.0, 6.0]])


@pytest.mark.task("3.9", weight=1, visible=True)
def test_gradient_of_a_window(embeddings):
    """Three words share the gradient of their mean; one that stands twice gets two parts."""
    dh = torch.tensor([[6.0, 3.0], [1.0, 1.0]])
    contexts = torch.tensor([[0, 1, 1, NONE], [NONE, NONE, NONE, NONE]])
    got = embeddings.context_gradients(dh, contexts, 4)
    assert close(got, [[2.0, 1.0], [4.0, 2.0], [0.0, 0.0], [0.0, 0.0]])


@pytest.mark.task("3.9", weight=2)
def test_means_of_any_windows(embeddings, rng):
    """Windows with gaps and repeated words have the means that a loop finds."""
    for B, C, V, D in ((6, 4, 5, 3), (1, 2, 1, 2), (3, 8, 9, 1)):
        E, contexts = plain.tensor(rng, V, D), plain.random_contexts(rng, B, C, V)
        contexts[:, 0] = torch.tensor(rng.integers(V, size=B))  # no window is without words
        assert close(embeddings.context_means(E, contexts), plain.context_means(E, contexts))


@pytest.mark.task("3.9", weight=2)
def test_gradients_of_any_windows(embeddings, rng):
    """The gradient of the means is that of autograd, row by row of E."""
    for B, C, V, D in ((6, 4, 5, 3), (1, 2, 3, 2), (9, 6, 2, 2)):
        E, contexts = plain.tensor(rng, V, D), plain.random_contexts(rng, B, C, V)
        dh = plain.tensor(rng, B, D)
        _, (dE, _), _ = gradients(plain.context_means, E, contexts, weights=dh)
        assert close(embeddings.context_gradients(dh, contexts, V), dE)


# ---------------------------------------------------------------- 3.10


def as_codes(codes):
    """Codes as texts of 0 and 1, from texts or from lists of bits."""
    return ["".join(str(bit) for bit in code) for code in codes]


def is_prefix_code(codes):
    longer = [other[:n] for other in codes for n in range(len(other))]
    return len(set(codes)) == len(codes) and not set(codes) & set(longer)


@pytest.mark.task("3.10", weight=1, visible=True, seconds=4)
def test_tree_of_four_words(embeddings):
    """Words with the counts 4, 2, 1, 1 stand 1, 2, 3 and 3 forks below the root."""
    codes = as_codes(embeddings.huffman_codes([4, 2, 1, 1]))
    assert [len(code) for code in codes] == [1, 2, 3, 3]
    assert is_prefix_code(codes)
    assert set("".join(codes)) == {"0", "1"}


@pytest.mark.task("3.10", weight=3, seconds=4)
def test_trees_of_any_counts(embeddings, rng):
    """No code begins another, the mean length is the least, within 1 bit of the entropy."""
    for counts in (rng.integers(1, 1000, size=40), rng.geometric(0.3, size=13), np.full(8, 3)):
        codes = as_codes(embeddings.huffman_codes(counts.tolist()))
        assert len(codes) == len(counts)
        assert is_prefix_code(codes)
        total = sum(int(n) * len(code) for n, code in zip(counts, codes, strict=True))
        assert total == plain.shortest_total(counts.tolist())
        p = counts / counts.sum()
        entropy = -(p * np.log2(p)).sum()
        assert entropy - 1e-9 <= total / counts.sum() < entropy + 1


@pytest.mark.task("3.10", weight=1, seconds=4)
def test_trees_of_one_and_two_words(embeddings):
    """One word needs no choice, two words need one, whatever their counts are."""
    assert as_codes(embeddings.huffman_codes([7])) == [""]
    assert sorted(as_codes(embeddings.huffman_codes([1, 50]))) == ["0", "1"]


@pytest.mark.task("3.10", weight=1, visible=True)
def test_paths_before_learning(embeddings):
    """With vectors of 0, each fork halves the probability; after the end of a path nothing does."""
    forks = torch.tensor([[0, 1, 2], [0, 0, 0]])
    signs = torch.tensor([[1.0, -1.0, -1.0], [-1.0, 0.0, 0.0]])
    got = embeddings.tree_log_probs(torch.ones(2, 4), torch.zeros(3, 4), forks, signs)
    assert close(got, torch.tensor([math.log(1 / 8), math.log(1 / 2)]))


@pytest.mark.task("3.10", weight=2)
def test_probabilities_of_all_words(embeddings, rng):
    """Forks multiply as in a loop, and the probabilities of all words sum to 1."""
    for V, D in ((9, 3), (2, 1)):
        forks, signs = plain.paths(plain.random_codes(rng, V))
        v, N = plain.tensor(rng, 1, D).expand(V, D).contiguous(), plain.tensor(rng, V - 1, D)
        got = embeddings.tree_log_probs(v, N, forks, signs)
        assert close(got, plain.tree_log_probs(v, N, forks, signs))
        assert close(got.exp().sum(), torch.tensor(1.0, dtype=torch.float64))


@pytest.mark.task("3.10", weight=1)
def test_gradients_through_the_tree(embeddings, rng):
    """Autograd finds the gradients of words and forks, also where scores are in the hundreds."""
    forks, signs = plain.paths(plain.random_codes(rng, 7))
    for scale in (1, 30):
        v, N = scale * plain.tensor(rng, 7, 3), scale * plain.tensor(rng, 6, 3)
        got = gradients(embeddings.tree_log_probs, v, N, forks, signs)[1]
        expected = gradients(plain.tree_log_probs, v, N, forks, signs)[1]
        assert close(got[:2], expected[:2], rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- 3.11


@pytest.mark.task("3.11", weight=1, visible=True)
def test_analogy_by_hand(embeddings):
    """Paris - france + italy = rome, where the axes mean country, France, Italy and capital."""
    words = ["paris", "france", "italy", "rome", "soup"]
    rows = [[0, 2, 0, 2], [3, 3, 0, 0], [3, 0, 3, 0], [0, 0, 1, 1], [0.1, 0.2, 0.1, 0]]
    E = np.array(rows, dtype=float)
    assert words[embeddings.analogy(E, 0, 1, 2)] == "rome"


@pytest.mark.task("3.11", weight=1)
def test_what_the_exclusion_hides(embeddings):
    """Without the exclusion, a word of the question may be the nearest."""
    E = np.array([[5.0, 0.1], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.3], [0.0, -2.0]])
    assert embeddings.analogy(E, 0, 1, 2, exclude=False) == 2
    assert embeddings.analogy(E, 0, 1, 2) == 3


@pytest.mark.task("3.11", weight=2)
def test_analogies_among_any_vectors(embeddings, rng):
    """Long vectors weigh no more than short ones, and a row of zeros does no harm."""
    for exclude in (True, False) * 4:
        E = rng.normal(size=(12, 3)) * 10 ** rng.uniform(-2, 1, size=(12, 1))
        E[11] = 0
        a, b, c = rng.choice(11, size=3, replace=False).tolist()
        expected = plain.analogy(E, a, b, c, exclude)
        assert embeddings.analogy(E, a, b, c, exclude) == expected


@pytest.mark.task("3.11", weight=1, visible=True)
def test_odd_one_out_by_hand(embeddings):
    """Of three vectors to the right and one upwards, the one upwards is odd; its id is returned."""
    E = np.array([[9.0, 9.0], [1.0, 0.1], [0.2, 7.0], [4.0, 0.0], [5.0, 1.0]])
    assert embeddings.odd_one_out(E, [1, 2, 3, 4]) == 2


@pytest.mark.task("3.11", weight=1)
def test_odd_one_out_of_any_vectors(embeddings, rng):
    """The odd one has the lowest mean cosine to the others, however long the vectors are."""
    for size in (3, 4, 6) * 5:
        E = rng.normal(size=(15, 3)) * 10 ** rng.uniform(-2, 1, size=(15, 1))
        ids = rng.choice(15, size=size, replace=False).tolist()
        assert embeddings.odd_one_out(E, ids) == plain.odd_one_out(E, ids)


@pytest.mark.task("3.11", weight=0.5, visible=True)
def test_rank_correlation_by_hand(embeddings):
    """The ranks 1, 2, 3 against 1.5, 1.5, 3: the correlation is 1.5 over the root of 3."""
    assert close(embeddings.spearman([10, 20, 90], [5, 5, 7]), 1.5 / math.sqrt(3))
    assert close(embeddings.spearman([1, 2, 3], [9, 4, 1]), -1.0)


@pytest.mark.task("3.11", weight=2)
def test_rank_correlation_of_any_lists(embeddings, rng):
    """Only the order counts."""
    x, y = rng.normal(size=15), rng.normal(size=15)
    expected = plain.spearman(x.tolist(), y.tolist())
    assert close(embeddings.spearman(x.tolist(), y.tolist()), expected)
    assert close(embeddings.spearman(np.exp(x).tolist(), y.tolist()), expected)


@pytest.mark.task("3.11", weight=0.5)
def test_rank_correlation_with_equal_values(embeddings, rng):
    """Equal values share the mean of their ranks."""
    for high in (2, 4):
        x, y = ([0, 1, *rng.integers(0, high, size=12).tolist()] for _ in range(2))
        assert close(embeddings.spearman(x, y), plain.spearman(x, y))


# ---------------------------------------------------------------- 3.12


@pytest.mark.task("3.12", weight=1, visible=True)
def test_points_on_a_slanted_line(embeddings):
    """Points on a line far from the origin need one axis, which has the line's direction."""
    X = np.array([[10.0, 20.0], [13.0, 24.0], [16.0, 28.0]])
    points, axes, shares = embeddings.pca(X, 1)
    assert close(np.abs(points), [[5.0], [0.0], [5.0]], atol=1e-9)
    assert close(np.abs(axes), [[0.6, 0.8]])
    assert close(shares, [1.0])


@pytest.mark.task("3.12", weight=3)
def test_components_of_any_points(embeddings, rng):
    """Points, axes and shares are those of the covariance's eigenvectors, but for signs."""
    for n, D, d in ((12, 4, 2), (6, 5, 5), (4, 9, 2)):
        X = rng.normal(size=(n, D)) * rng.uniform(0.5, 3, size=D) + 50
        points, axes, shares = map(np.asarray, embeddings.pca(X, d))
        assert (points.shape, axes.shape) == ((n, d), (d, D))
        products, projection, expected = plain.principal(X, d)
        assert close(points @ points.T, products, rtol=1e-6, atol=1e-6)
        assert close(shares, expected, rtol=1e-6, atol=1e-9)
        if d < min(n - 1, D):  # else an axis without variance may point anywhere
            assert close(axes.T @ axes, projection, rtol=1e-6, atol=1e-6)
            assert close((X - X.mean(axis=0)) @ axes.T, points, rtol=1e-6, atol=1e-6)
        assert close(axes @ axes.T, np.eye(d), atol=1e-9)
