"""Tests of tasks 3.7 to 3.10: the losses of word2vec, CBOW, trees."""

import math

import numpy as np
import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.embeddings.suite import oracles as plain

NONE = -1

embeddings = student_module("embeddings")


def assert_gradients(got, function, *inputs, rtol=None, atol=None):
    """Compare a loss and its gradients with those that autograd finds for the plain loop."""
    loss, grads, _ = gradients(function, *inputs)
    expected = [loss, *(grad for grad in grads if grad is not None)]
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


@pytest.mark.task("3.7", weight=2.4)
def test_softmax_loss_and_gradients(embeddings, rng):
    """Loss and gradients are those of autograd, for any number of pairs, words and dimensions."""
    for B, V, D in ((5, 7, 3), (1, 4, 2), (3, 4, 1)):
        v, U = plain.tensor(rng, B, D), plain.tensor(rng, V, D)
        targets = torch.from_numpy(rng.permutation(V)[:B])
        got = embeddings.softmax_loss(v, U, targets)
        assert_gradients(got, plain.skip_gram, v, U, targets)


@pytest.mark.task("3.7", weight=0.7)
def test_softmax_loss_of_a_frequent_neighbour(embeddings, rng):
    """A neighbour of several words gets a part of the gradient from each of them."""
    v, U = plain.tensor(rng, 6, 2), plain.tensor(rng, 3, 2)
    targets = torch.tensor([0, 2, 2, 1, 2, 0])
    assert_gradients(embeddings.softmax_loss(v, U, targets), plain.skip_gram, v, U, targets)


def far_out(rng, *shape):
    """Vectors of 30 and -30: all scores of an odd size are whole numbers, of 900 or more.

    So no way of adding them up rounds. In double precision exp ends at 709, ln s(x) at -745.
    """
    return torch.from_numpy(30.0 * rng.choice([-1, 1], size=shape))


@pytest.mark.task("3.7", weight=1)
def test_softmax_loss_of_large_scores(embeddings, rng):
    """Scores in the hundreds give numbers, not NaN or infinity."""
    v, U, targets = plain.tensor(rng, 4, 3), plain.tensor(rng, 5, 3), torch.tensor([1, 4, 0, 2])
    assert_gradients(embeddings.softmax_loss(v, U, targets), plain.skip_gram, v, U, targets)
    v, U = far_out(rng, 4, 3), far_out(rng, 5, 3)
    U[0], U[1] = v[0], -v[0]  # the right word of the first pair is as unlikely as can be
    got = embeddings.softmax_loss(v, U, targets)
    assert_gradients(got, plain.skip_gram, v, U, targets, rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------- 3.8


@pytest.mark.task("3.8", weight=0.8, visible=True)
def test_negative_sampling_before_learning(embeddings):
    """With all scores 0, each answer costs ln 2; a pair pulls by 1/2, each noise pushes by 1/2."""
    v, zero = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2)
    loss, dv, du, dn = embeddings.negative_sampling(v, zero, torch.zeros(3, 2), k=3)
    assert close(loss, torch.tensor(4 * math.log(2)))
    assert close(dv, zero)
    assert close(du, -0.5 * v)
    assert close(dn, 0.5 * v.expand(3, 2))


@pytest.mark.task("3.8", weight=0.8, visible=True)
def test_shared_noise_counts_k_of_s(embeddings):
    """Six noise vectors that stand for k = 3 count one half each."""
    v, zero = torch.tensor([[1.0, 2.0]]), torch.zeros(1, 2)
    loss, _, _, dn = embeddings.negative_sampling(v, zero, torch.zeros(6, 2), k=3)
    assert close(loss, torch.tensor(4 * math.log(2)))
    assert close(dn, 0.25 * v.expand(6, 2))


def assert_sampling(embeddings, rng, B, S, D, k):
    v, u, noise = (plain.tensor(rng, n, D) for n in (B, B, S))
    got = embeddings.negative_sampling(v, u, noise, k)
    assert_gradients(got, plain.negative_sampling, v, u, noise, k)


@pytest.mark.task("3.8", weight=2.6)
def test_negative_sampling_and_gradients(embeddings, rng):
    """Loss and gradients are those of autograd, for any number of pairs and of noise."""
    for sizes in ((5, 4, 3, 4), (1, 2, 2, 6), (3, 1, 1, 2), (4, 3, 2, 6)):
        assert_sampling(embeddings, rng, *sizes)


@pytest.mark.task("3.8", weight=0.8)
def test_noise_that_counts_parts(embeddings, rng):
    """k/S may be any fraction, below 1 and above."""
    for sizes in ((3, 2, 2, 4), (4, 6, 2, 1), (2, 2, 3, 5), (3, 4, 2, 2.5)):
        assert_sampling(embeddings, rng, *sizes)


@pytest.mark.task("3.8", weight=0.8)
def test_negative_sampling_of_large_scores(embeddings, rng):
    """Scores in the hundreds give numbers, not NaN or infinity."""
    assert_sampling(embeddings, rng, 4, 5, 3, 10)
    v, u, noise = (far_out(rng, n, 3) for n in (4, 4, 5))
    u[0], noise[0], u[1] = -v[0], v[0], v[1]  # as unlikely as can be, twice, and as likely
    got = embeddings.negative_sampling(v, u, noise, 10)
    assert_gradients(got, plain.negative_sampling, v, u, noise, 10, rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------- 3.9


@pytest.mark.task("3.9", weight=0.7, visible=True)
def test_mean_of_a_window(embeddings):
    """The mean is over the words of the window; NONE does not count."""
    E = torch.tensor([[1.0, 0.0], [4.0, 6.0], [100.0, 100.0]])
    contexts = torch.tensor([[1, 2, NONE], [NONE, 1, NONE]])
    assert close(embeddings.context_means(E, contexts), [[52.0, 53.0], [4.0, 6.0]])


@pytest.mark.task("3.9", weight=0.25, visible=True)
def test_a_word_that_stands_twice(embeddings):
    """A word that stands twice counts twice."""
    E = torch.tensor([[9.0, 9.0], [4.0, 6.0], [1.0, 0.0]])
    assert close(embeddings.context_means(E, torch.tensor([[2, 1, 1]])), [[3.0, 4.0]])


@pytest.mark.task("3.9", weight=0.3, visible=True)
def test_a_window_without_words(embeddings):
    """Where there is no word, the mean is 0."""
    E, contexts = torch.tensor([[1.0, 0.0], [4.0, 6.0]]), torch.tensor([[NONE, NONE], [1, NONE]])
    assert close(embeddings.context_means(E, contexts), [[0.0, 0.0], [4.0, 6.0]])


@pytest.mark.task("3.9", weight=0.6, visible=True)
def test_gradient_of_a_window(embeddings):
    """The words of a window share the gradient of their mean."""
    got = embeddings.context_gradients(torch.tensor([[6.0, 3.0]]), torch.tensor([[0, 1, NONE]]), 4)
    assert close(got, [[3.0, 1.5], [3.0, 1.5], [0.0, 0.0], [0.0, 0.0]])


@pytest.mark.task("3.9", weight=0.25, visible=True)
def test_gradient_of_a_word_that_stands_twice(embeddings):
    """A word that stands twice gets two parts of the gradient."""
    got = embeddings.context_gradients(torch.tensor([[6.0, 3.0]]), torch.tensor([[0, 1, 1]]), 2)
    assert close(got, [[2.0, 1.0], [4.0, 2.0]])


@pytest.mark.task("3.9", weight=0.25, visible=True)
def test_gradient_of_a_window_without_words(embeddings):
    """A window without words moves nothing."""
    contexts = torch.tensor([[NONE, NONE], [0, NONE]])
    got = embeddings.context_gradients(torch.ones(2, 2), contexts, 2)
    assert close(got, [[1.0, 1.0], [0.0, 0.0]])


@pytest.mark.task("3.9", weight=0.1, visible=True)
def test_windows_in_double_precision(embeddings):
    """Vectors and gradients may be in double precision."""
    E, contexts = torch.tensor([[1.0], [4.0]]).double(), torch.tensor([[0, 1], [1, NONE]])
    assert close(embeddings.context_means(E, contexts), [[2.5], [4.0]])
    dh = torch.tensor([[6.0], [1.0]]).double()
    assert close(embeddings.context_gradients(dh, contexts, 2), [[3.0], [4.0]])


SIZES = ((6, 4, 7, 3), (1, 2, 4, 2), (3, 8, 9, 1))  # B, C, V, D


@pytest.mark.task("3.9", weight=1.6)
def test_means_of_any_windows(embeddings, rng):
    """Windows with gaps have the means that a loop finds."""
    for B, C, V, D in SIZES:
        E, contexts = plain.tensor(rng, V, D), plain.distinct_contexts(rng, B, C, V)
        assert close(embeddings.context_means(E, contexts), plain.context_means(E, contexts))


@pytest.mark.task("3.9", weight=0.5)
def test_means_of_words_that_repeat(embeddings, rng):
    """The first word of the vocabulary and words that repeat count like all others."""
    for B, C, V, D in ((6, 4, 5, 3), (3, 8, 2, 1)):
        E, contexts = plain.tensor(rng, V, D), plain.random_contexts(rng, B, C, V)
        E[1] = 0  # a vector of zeros is that of a word, too
        contexts[:, 0] = 0  # no window is without words, and one has no other
        assert close(embeddings.context_means(E, contexts), plain.context_means(E, contexts))


def assert_context_gradients(embeddings, rng, contexts, V, D):
    dh = plain.tensor(rng, len(contexts), D)
    _, (dE, _), _ = gradients(plain.context_means, plain.tensor(rng, V, D), contexts, weights=dh)
    assert close(embeddings.context_gradients(dh, contexts, V), dE)


@pytest.mark.task("3.9", weight=1.4)
def test_gradients_of_any_windows(embeddings, rng):
    """The gradient of the means is that of autograd, row by row of E."""
    for B, C, V, D in SIZES:  # the last word stands nowhere: its row is 0
        assert_context_gradients(embeddings, rng, plain.distinct_contexts(rng, B, C, V - 1), V, D)


@pytest.mark.task("3.9", weight=0.5)
def test_gradients_of_words_that_repeat(embeddings, rng):
    """A word gets a part at each place where it stands, windows without words give nothing."""
    for B, C, V, D in ((6, 4, 5, 3), (1, 2, 3, 2), (9, 6, 2, 2)):
        assert_context_gradients(embeddings, rng, plain.random_contexts(rng, B, C, V), V, D)


# ---------------------------------------------------------------- 3.10


def as_codes(codes):
    """Codes as texts of 0 and 1, from texts or from lists of bits."""
    return ["".join(str(bit) for bit in code) for code in codes]


def is_prefix_code(codes):
    longer = [other[:n] for other in codes for n in range(len(other))]
    return len(set(codes)) == len(codes) and not set(codes) & set(longer)


@pytest.mark.task("3.10", weight=1, visible=True, seconds=4)
def test_tree_of_four_words(embeddings):
    """Words with the counts 8, 4, 2, 1 stand 1, 2, 3 and 3 forks below the root."""
    codes = as_codes(embeddings.huffman_codes([8, 4, 2, 1]))
    assert [len(code) for code in codes] == [1, 2, 3, 3]
    assert is_prefix_code(codes)
    assert set("".join(codes)) == {"0", "1"}


def assert_shortest(codes, counts):
    """Check that no code begins another, and that the mean length is the least there is."""
    assert len(codes) == len(counts)
    assert is_prefix_code(codes)
    total = sum(n * len(code) for n, code in zip(counts, codes, strict=True))
    assert total == plain.shortest_total(counts)
    p = np.array(counts) / sum(counts)
    entropy = -(p * np.log2(p)).sum()
    assert entropy - 1e-9 <= total / sum(counts) < entropy + 1


@pytest.mark.task("3.10", weight=2.6, seconds=4)
def test_trees_of_any_counts(embeddings, rng):
    """No code begins another, the mean length is the least, within 1 bit of the entropy."""
    for most, size, power in ((10**9, 40, 1), (10**6, 12, 2)):
        counts = (1 + rng.choice(most, size=size, replace=False)) ** power  # no two are equal
        codes = as_codes(embeddings.huffman_codes(counts.tolist()))
        assert_shortest(codes, counts.tolist())


@pytest.mark.task("3.10", weight=0.8, seconds=4, orders=2)
def test_trees_of_equal_counts(embeddings, rng):
    """Words and trees with equal counts may go in any order."""
    # the second: halving from the top, as Shannon and Fano did, gives longer codes
    for counts in ([4, 2, 1, 1], [15, 7, 6, 6, 5], rng.geometric(0.3, size=13).tolist(), [3] * 8):
        assert_shortest(as_codes(embeddings.huffman_codes(counts)), counts)


@pytest.mark.task("3.10", weight=0.6, seconds=4)
def test_trees_of_one_and_two_words(embeddings):
    """One word needs no choice, two words need one, whatever their counts are."""
    assert list(embeddings.huffman_codes([7])) == [""]
    assert sorted(embeddings.huffman_codes([1, 50])) == ["0", "1"]


@pytest.mark.task("3.10", weight=0.7, visible=True)
def test_paths_before_learning(embeddings):
    """With vectors of 0, each fork halves the probability; after the end of a path nothing does."""
    forks = torch.tensor([[0, 1, 2], [0, 0, 0]])
    signs = torch.tensor([[1.0, -1.0, -1.0], [-1.0, 0.0, 0.0]])
    got = embeddings.tree_log_probs(torch.ones(2, 4), torch.zeros(3, 4), forks, signs)
    assert close(got, torch.tensor([math.log(1 / 8), math.log(1 / 2)]))


@pytest.mark.task("3.10", weight=2.8)
def test_probabilities_of_all_words(embeddings, rng):
    """Forks multiply as in a loop, and the probabilities of all words sum to 1."""
    for V, D in ((9, 3), (2, 1)):
        forks, signs = plain.paths(plain.random_codes(rng, V))
        v, N = plain.tensor(rng, 1, D).expand(V, D).contiguous(), plain.tensor(rng, V - 1, D)
        got = embeddings.tree_log_probs(v, N, forks, signs)
        assert close(got, plain.tree_log_probs(v, N, forks, signs))
        assert close(got.exp().sum(), torch.tensor(1.0, dtype=torch.float64))


def assert_tree(embeddings, *inputs, **tolerances):
    got, grads, _ = gradients(embeddings.tree_log_probs, *inputs)
    expected, right, _ = gradients(plain.tree_log_probs, *inputs)
    assert close([got, *grads[:2]], [expected, *right[:2]], **tolerances)


@pytest.mark.task("3.10", weight=0.4)
def test_gradients_through_the_tree(embeddings, rng):
    """Autograd finds the gradients of words and forks."""
    forks, signs = plain.paths(plain.random_codes(rng, 7))
    assert_tree(embeddings, plain.tensor(rng, 7, 3), plain.tensor(rng, 6, 3), forks, signs)


@pytest.mark.task("3.10", weight=0.4)
def test_large_scores_in_the_tree(embeddings, rng):
    """Scores in the hundreds give numbers and gradients, not NaN or infinity."""
    forks, signs = plain.paths(plain.random_codes(rng, 7))
    assert_tree(embeddings, plain.tensor(rng, 7, 3), plain.tensor(rng, 6, 3), forks, signs)
    v, N = far_out(rng, 7, 3), far_out(rng, 6, 3)
    v[0], v[1] = -signs[0, 0] * N[forks[0, 0]], signs[1, 0] * N[forks[1, 0]]  # least and most
    assert_tree(embeddings, v, N, forks, signs, rtol=1e-6, atol=1e-6)


@pytest.mark.task("3.10", weight=0.3)
def test_only_the_path_is_read(embeddings, rng):
    """Whatever stands in the rows of other forks, value and gradients do not read it."""
    forks, signs = plain.paths(plain.random_codes(rng, 7))
    v, N = plain.tensor(rng, 7, 3), plain.tensor(rng, 6, 3)
    expected, right, _ = gradients(plain.tree_log_probs, v, N, forks, signs)
    more = torch.cat([N, torch.full((1, 3), math.nan, dtype=N.dtype)])
    got, grads, _ = gradients(embeddings.tree_log_probs, v, more, forks, signs)
    assert close([got, grads[0], grads[1][:6]], [expected, *right[:2]])
