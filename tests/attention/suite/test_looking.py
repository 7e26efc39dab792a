"""Tests of tasks 5.3 and 5.4: the plain sum, lookups, three roles."""

import math

import pytest
import torch

from examiner.suite import close, gradients, student_module
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor

attention = student_module("attention")

E = math.e


@pytest.mark.task("5.3", weight=1, visible=True)
def test_two_vectors_that_have_nothing_in_common(attention):
    """Unit vectors at a right angle keep e / (1 + e) of themselves and give the rest away."""
    own = E / (1 + E)
    y, weights = attention.dot_product_sum(torch.eye(2))
    expected = torch.tensor([[own, 1 - own], [1 - own, own]])
    assert close(weights, expected)
    assert close(y, expected)


def assert_sums(attention, rng, *shapes):
    for shape in shapes:
        x = tensor(rng, *shape)
        assert close(attention.dot_product_sum(x), oracles.attention(x, x, x, scale=1.0))


@pytest.mark.task("5.3", weight=2.6)
def test_the_plain_sum_of_any_vectors(attention, rng):
    """The sums are those of two loops, with a row of weights for each vector."""
    assert_sums(attention, rng, (5, 3), (4, 2), (1, 1))


@pytest.mark.task("5.3", weight=0.8)
def test_plain_sums_side_by_side(attention, rng):
    """Sequences may have any leading axes, and none mixes with another."""
    assert_sums(attention, rng, (4, 3, 2), (2, 3, 4, 5))


@pytest.mark.task("5.3", weight=0.2)
def test_the_plain_sum_of_long_vectors(attention, rng):
    """Vectors so long that exp of their products overflows keep to themselves."""
    assert_sums(attention, rng, (3, 3))
    x = 100 * torch.eye(3) + tensor(rng, 3, 3)
    assert close(attention.dot_product_sum(x), (x, torch.eye(3)))


@pytest.mark.task("5.3", weight=0.3)
def test_the_plain_sum_of_double_numbers(attention, rng):
    """Double numbers are added up as double numbers, and stay so."""
    assert_sums(attention, rng, (3, 2))
    x = tensor(rng, 4, 3, kind=torch.float64)
    assert close(attention.dot_product_sum(x), oracles.attention(x, x, x, scale=1.0))


@pytest.mark.task("5.3", weight=1.2)
def test_what_a_plain_sum_teaches(attention, rng):
    """Gradients flow to the vectors through the sum and through its weights."""
    x, pull = tensor(rng, 4, 3), tensor(rng, 4, 3)

    def sums(x):
        weights = torch.softmax(x @ x.mT, dim=-1)
        return weights @ x, weights

    found = gradients(attention.dot_product_sum, x, weights=(pull, None))
    expected = gradients(sums, x, weights=(pull, None))
    assert close(list(found[0]), list(expected[0]))
    assert close(found[1], expected[1], rtol=1e-3, atol=1e-4)


@pytest.mark.task("5.3", weight=1)
def test_order_does_not_matter(attention, rng):
    """Vectors in another order get the same sums, in that order."""
    x, order = 2 * tensor(rng, 6, 3), rng.permutation(6).tolist()
    sums, weights = oracles.attention(x, x, x, scale=1.0)
    assert close(attention.dot_product_sum(x), (sums, weights))
    expected = sums[order], weights[order][:, order]
    assert close(attention.dot_product_sum(x[order]), expected)


@pytest.mark.task("5.4", weight=1, visible=True)
def test_a_soft_dictionary(attention):
    """Scores 0 and ln 3 give a quarter and three quarters; half the temperature is sharper."""
    q, k = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [math.log(3), 1.0]])
    v = torch.tensor([[4.0], [8.0]])
    assert close(attention.soft_lookup(q, k, v), torch.tensor([[7.0]]))
    assert close(attention.soft_lookup(q, k, v, 0.5), torch.tensor([[7.6]]))


@pytest.mark.task("5.4", weight=0.5, visible=True)
def test_a_hard_dictionary(attention):
    """At temperature 0 the best key takes it all."""
    q, k = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [2.0, 1.0], [1.0, 1.0]])
    v = torch.tensor([[4.0], [8.0], [20.0]])
    assert close(attention.soft_lookup(q, k, v, 0), torch.tensor([[8.0]]))


@pytest.mark.task("5.4", weight=2.5)
def test_any_lookup(attention, rng):
    """Lookups at any temperature are those of two loops, with any leading axes."""
    for lead in ((), (2,), (2, 3)):
        q, k = tensor(rng, *lead, 3, 4), tensor(rng, *lead, 5, 4)
        v = tensor(rng, *lead, 5, 2)
        for temperature in (1.0, 0.3, 4.0):
            expected = oracles.attention(q, k, v, scale=1 / temperature)[0]
            assert close(attention.soft_lookup(q, k, v, temperature), expected)


@pytest.mark.task("5.4", weight=0.7)
def test_the_limit(attention, rng):
    """At temperature 0 each query gets the value of its best key."""
    sizes = (6, 3), (6, 2), (5, 3)
    keys, values, asked = (tensor(rng, *size, kind=torch.float64) for size in sizes)
    asked /= 100  # so that a small temperature is no substitute for 0
    right = values[(asked @ keys.T).argmax(1)]
    assert close(attention.soft_lookup(asked, keys, values, 0.0), right)


@pytest.mark.task("5.4", weight=0.4)
def test_the_limit_where_several_keys_fit(attention, rng):
    """At temperature 0 a query gets the mean of the values whose keys fit best, if equally well."""
    q = torch.tensor(rng.integers(1, 9, size=(2, 4, 1))).float()
    k = torch.tensor(rng.permuted([[3.0, 7.0, 7.0, -1.0, 7.0]] * 2, axis=1)).float()[..., None]
    v = tensor(rng, 2, 5, 3)
    best = torch.stack([values[keys[:, 0] == 7].mean(0) for keys, values in zip(k, v, strict=True)])
    assert close(attention.soft_lookup(q, k, v, 0), best[:, None].expand(2, 4, 3))


@pytest.mark.task("5.4", weight=0.2)
def test_the_limit_where_a_key_is_a_little_better(attention, rng):
    """At temperature 0 a key that fits only a little better takes it all."""
    k = torch.tensor([[1.0], [1.0 + 1e-11], [0.0]], dtype=torch.float64)
    q, v = torch.ones(1, 1, dtype=torch.float64), tensor(rng, 3, 2, kind=torch.float64)
    assert close(attention.soft_lookup(q, k, v, 0.0), v[1:2])


@pytest.mark.task("5.4", weight=0.2)
def test_lookups_that_are_nearly_hard(attention, rng):
    """A temperature near 0 is not 0: where scores are as close, several keys have weights."""
    sizes = (6, 3), (6, 2), (5, 3)
    k, v, q = (tensor(rng, *size, kind=torch.float64) for size in sizes)
    for small in (1.0, 1e-12):
        expected = oracles.attention(small * q, k, v, scale=1 / small)[0]
        assert close(attention.soft_lookup(small * q, k, v, small), expected)


@pytest.mark.task("5.4", weight=1, visible=True)
def test_three_roles_by_hand(attention):
    """One vector asks with its first number, is found by its second, answers with its third."""
    x = torch.tensor([[1.0, 0.0, 10.0], [0.0, math.log(4), 20.0]])
    roles = [row[None] for row in torch.eye(3)]
    strange = oracles.strange_lookup(*(x @ W.T for W in roles))
    # with another lookup, so that a mistake in the student's costs nothing; else with their own
    if not close(oracles.with_strange("soft_lookup", attention.self_attention, x, *roles), strange):
        assert close(attention.self_attention(x, *roles), torch.tensor([[18.0], [15.0]]))


@pytest.mark.task("5.4", weight=1.4)
def test_self_attention_of_any_vectors(attention, rng):
    """Queries, keys and values are W x, of any widths."""
    assert_roles(attention, rng, ((), 4, 3, 2), ((), 3, 3, 3), ((), 1, 2, 5))


@pytest.mark.task("5.4", weight=0.8)
def test_self_attention_side_by_side(attention, rng):
    """Any axes may stand before the last two."""
    assert_roles(attention, rng, ((2,), 3, 3, 3), ((2, 3), 3, 2, 4))


def assert_roles(attention, rng, *sizes):
    """Attend with another lookup, so that a mistake in the student's costs nothing, or theirs."""
    for lead, D, K, V in sizes:
        x = tensor(rng, *lead, 5, D)
        W_q, W_k, W_v = tensor(rng, K, D), tensor(rng, K, D), tensor(rng, V, D)
        roles = [torch.einsum("...td,kd->...tk", x, W) for W in (W_q, W_k, W_v)]
        found = oracles.with_strange("soft_lookup", attention.self_attention, x, W_q, W_k, W_v)
        if not close(found, oracles.strange_lookup(*roles)):
            expected = oracles.attention(*roles, scale=1.0)[0]
            assert close(attention.self_attention(x, W_q, W_k, W_v), expected)


@pytest.mark.task("5.4", weight=0.5)
def test_what_self_attention_learns(attention, rng):
    """Gradients reach the vectors and all three matrices."""
    parts, pull = (tensor(rng, 4, 3), *(tensor(rng, 2, 3) for _ in "qkv")), tensor(rng, 4, 2)

    def attend(lookup):
        return lambda x, W_q, W_k, W_v: lookup(x @ W_q.T, x @ W_k.T, x @ W_v.T)

    expected = gradients(attend(oracles.strange_lookup), *parts, weights=pull)[1]
    found = oracles.gradients_of_roles(attention.self_attention, *parts, pull)
    if not close(found, expected, rtol=1e-3, atol=1e-4):
        expected = gradients(attend(plain_lookup), *parts, weights=pull)[1]
        found = gradients(attention.self_attention, *parts, weights=pull)[1]
        assert close(found, expected, rtol=1e-3, atol=1e-4)


def plain_lookup(q, k, v):
    """The soft lookup at temperature 1."""
    return torch.softmax(q @ k.mT, dim=-1) @ v


@pytest.mark.task("5.4", weight=0.3)
def test_what_self_attention_learns_through_its_lookup(attention, rng):
    """Gradients come through your own lookup, too, whatever it finds."""
    parts = tensor(rng, 4, 3), *(tensor(rng, 2, 3) for _ in "qkv")
    found = gradients(attention.self_attention, *parts, weights=tensor(rng, 4, 2))[1]
    for name, grad in zip(("x", "W_q", "W_k", "W_v"), found, strict=True):
        assert grad is not None, f"no gradient reaches {name}"
        assert bool((grad != 0).any()), f"no gradient reaches {name}"


@pytest.mark.task("5.4", weight=0.2)
def test_temperatures_next_to_zero(attention, rng):
    """Only 0 is the limit: a small temperature divides."""
    q, k, v = torch.ones(1, 1), torch.tensor([[3.0], [3.0 + 1e-3], [1.0]]), tensor(rng, 3, 2)
    a = float(((k[1, 0] - k[0, 0]) / 1e-3).exp())
    expected = (v[:1] + a * v[1:2]) / (1 + a)
    assert close(attention.soft_lookup(q, k, v, 1e-3), expected, rtol=1e-3, atol=1e-4)
