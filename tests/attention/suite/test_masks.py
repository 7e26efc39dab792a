"""Tests of tasks 5.6 and 5.7: masks, and the gradients of attention by hand."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.suite import close, gradients, student_module
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor

attention = student_module("attention")

INF = math.inf


@pytest.mark.task("5.6", weight=0.5, visible=True)
def test_a_causal_mask_by_hand(attention):
    """Three words see themselves and what was before."""
    found = attention.causal_mask(3).tolist()
    assert found == [[True, False, False], [True, True, False], [True, True, True]]


@pytest.mark.task("5.6", weight=0.2, visible=True)
def test_one_query_by_hand(attention):
    """One query of three words is the last of them, and sees all; two are the last two."""
    found = attention.causal_mask(2, 3).tolist()
    assert found == [[True, True, False], [True, True, True]]
    assert attention.causal_mask(1, 3).tolist() == [[True, True, True]]


@pytest.mark.task("5.6", weight=0.4, visible=True)
def test_a_padding_mask_by_hand(attention):
    """Two of three words are no padding."""
    assert attention.padding_mask(torch.tensor([2]), 3).tolist() == [[[True, True, False]]]


@pytest.mark.task("5.6", weight=0.4, visible=True)
def test_an_additive_mask_by_hand(attention):
    """0 is added where a query may look, and -inf elsewhere."""
    assert attention.additive_mask(torch.tensor([[True, False]])).tolist() == [[0.0, -INF]]


def assert_causal(attention, T, *S):
    found, last = attention.causal_mask(T, *S), S[0] if S else T
    assert close(found, torch.tensor([[j <= i + last - T for j in range(last)] for i in range(T)]))
    assert found.dtype == torch.bool


@pytest.mark.task("5.6", weight=1.2)
def test_any_causal_mask(attention, rng):
    """A query sees its own word and those before it, in booleans."""
    for T in (4, 1, int(rng.integers(5, 9))):
        assert_causal(attention, T)
        assert_causal(attention, T, T)


@pytest.mark.task("5.6", weight=0.6)
def test_a_causal_mask_for_the_last_words(attention, rng):
    """With more keys than queries, query i of T is word i + S - T of S words."""
    for T, S in ((2, 5), (1, 4), (int(rng.integers(3, 9)), 9)):
        assert_causal(attention, T, S)


def assert_pads(attention, lengths, S):
    found = attention.padding_mask(torch.tensor(lengths), S)
    assert close(found, torch.tensor([[[j < n for j in range(S)]] for n in lengths]))
    assert found.dtype == torch.bool


@pytest.mark.task("5.6", weight=1.2)
def test_any_padding_mask(attention, rng):
    """Each of B sentences has its own row, (B, 1, S), in booleans."""
    assert_pads(attention, [6, *rng.integers(1, 6, size=3).tolist()], 6)


@pytest.mark.task("5.6", weight=0.3)
def test_padding_of_rare_lengths(attention, rng):
    """A sentence may have no word, and none need be as long as S."""
    assert_pads(attention, [0, *rng.integers(1, 4, size=3).tolist()], 6)
    assert_pads(attention, [1], 1)


def assert_adds(attention, rng, *kinds):
    """For masks of any shape, with True and False in each."""
    for shape in ((3,), (4, 5), (2, 1, 3)):
        mask = torch.tensor(rng.random(shape) < 0.5)
        mask[..., 0], mask[..., 1] = True, False
        expected = torch.tensor([-INF, 0.0], dtype=kinds[0] if kinds else torch.float32)
        found = attention.additive_mask(mask, *kinds)
        assert close(found, expected[mask.long()])
        assert found.dtype == expected.dtype


@pytest.mark.task("5.6", weight=0.8)
def test_any_additive_mask(attention, rng):
    """0 where a query may look and -inf elsewhere, of any shape, never NaN."""
    assert_adds(attention, rng)


@pytest.mark.task("5.6", weight=0.3)
def test_additive_masks_in_double_precision(attention, rng):
    """The numbers have the format that was asked for."""
    assert_adds(attention, rng, torch.float64)


@pytest.mark.task("5.6", weight=0.1)
def test_additive_masks_in_half_precision(attention, rng):
    """The numbers have the format that was asked for, also half precision."""
    assert_adds(attention, rng, torch.float16)


@pytest.mark.task("5.7", weight=1, visible=True)
def test_gradients_by_hand(attention):
    """With equal weights, values 0 and 4, and gradients of 1, those of the scores are -1 and +1."""
    q, k = torch.tensor([[0.0], [2.0]]), torch.tensor([[3.0], [5.0]])
    v, weights = torch.tensor([[0.0], [4.0]]), torch.full((2, 2), 0.5)
    inputs = q, k, v, weights, torch.ones(2, 1)
    d_q, d_k, d_v = attention.attention_gradients(*inputs)
    assert close(d_q, torch.tensor([[2.0], [2.0]]))  # -1 times 3 plus 1 times 5
    assert close(d_k, torch.tensor([[-2.0], [2.0]]))  # the first query is 0, the second 2
    assert close(d_v, torch.tensor([[1.0], [1.0]]))
    assert close(oracles.by_hand(attention.attention_gradients, *inputs), (d_q, d_k, d_v))


@pytest.mark.task("5.7", weight=2.2)
def test_gradients_of_any_attention(attention, rng):
    """All three gradients are those of autograd, with masks and vectors of any lengths."""
    assert_gradients_by_hand(attention, rng, ((), 3, 5, 4, 2), ((), 4, 2, 5, 3), ((), 1, 3, 2, 2))


@pytest.mark.task("5.7", weight=0.3)
def test_gradients_of_as_many_queries_as_keys(attention, rng):
    """Queries and keys may be equally many."""
    assert_gradients_by_hand(attention, rng, ((), 4, 4, 3, 3))


@pytest.mark.task("5.7", weight=0.8)
def test_gradients_with_leading_axes(attention, rng):
    """Any axes may stand before the last two."""
    assert_gradients_by_hand(attention, rng, ((2, 3), 4, 2, 5, 3), ((2,), 1, 1, 1, 1))


def assert_gradients_by_hand(attention, rng, *sizes):
    for lead, T, S, K, V in sizes:
        q, k = (tensor(rng, *lead, n, K, kind=torch.float64) for n in (T, S))
        v, pull = (tensor(rng, *lead, n, V, kind=torch.float64) for n in (S, T))
        mask = torch.tensor(rng.random((*lead, T, S)) < 0.7)
        weights = oracles.attention(q, k, v, mask)[1]
        expected = gradients(scaled_dot_product_attention, q, k, v, mask, weights=pull)[1]
        found = oracles.by_hand(attention.attention_gradients, q, k, v, weights, pull)
        assert close(found, expected[:3])
        assert close(attention.attention_gradients(q, k, v, weights, pull), expected[:3])


@pytest.mark.task("5.7", weight=1)
def test_gradients_of_one_output(attention, rng):
    """A gradient at one query reaches that query alone, but all keys and values that it sees."""
    q, k, v = tensor(rng, 3, 2), tensor(rng, 4, 2), tensor(rng, 4, 5)
    weights, pull = oracles.attention(q, k, v)[1], torch.zeros(3, 5)
    pull[1] = tensor(rng, 5)
    expected = gradients(scaled_dot_product_attention, q, k, v, weights=pull)[1]
    d_q, d_k, d_v = oracles.by_hand(attention.attention_gradients, q, k, v, weights, pull)
    assert close((d_q, d_k, d_v), expected)
    assert close(d_q[[0, 2]], torch.zeros(2, 2))
    assert close(d_k.sum(0), torch.zeros(2))  # equal moves of all keys change no weight
    assert close(d_v, weights[1][:, None] * pull[1])
