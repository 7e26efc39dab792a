"""Tests of tasks 5.3 to 5.5: the plain sum, lookups, scaled attention."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.suite import close, gradients, student_module
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor

attention = student_module("attention")

E, INF = math.e, math.inf


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
        x = tensor(rng, *shape, kind=torch.float64)
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


@pytest.mark.task("5.3", weight=0.2)
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
    x, order = 2 * tensor(rng, 6, 3, kind=torch.float64), rng.permutation(6).tolist()
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


@pytest.mark.task("5.4", weight=0.2)
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


@pytest.mark.task("5.4", weight=0.2)
def test_temperatures_next_to_zero(attention, rng):
    """Only 0 is the limit: a small temperature divides."""
    q, k, v = torch.ones(1, 1), torch.tensor([[3.0], [3.0 + 1e-3], [1.0]]), tensor(rng, 3, 2)
    a = float(((k[1, 0] - k[0, 0]) / 1e-3).exp())
    expected = (v[:1] + a * v[1:2]) / (1 + a)
    assert close(attention.soft_lookup(q, k, v, 1e-3), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.task("5.5", weight=1, visible=True)
def test_softmax_by_hand(attention):
    """ln 1 and ln 3 give 1/4 and 3/4, and -inf gives 0."""
    scores = torch.tensor([[0.0, math.log(3)], [5.0, -INF]])
    expected = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    assert close(attention.softmax(scores), expected)
    assert close(oracles.unaided(attention.softmax, scores), expected)


@pytest.mark.task("5.5", weight=0.3, visible=True)
def test_large_scores_by_hand(attention):
    """Large scores do not overflow."""
    scores = torch.tensor([[999.0, 999.0 + math.log(3)]])
    assert close(attention.softmax(scores), torch.tensor([[0.25, 0.75]]))


@pytest.mark.task("5.5", weight=1)
def test_softmax_of_any_scores(attention, rng):
    """Rows sum to 1 with any leading axes."""
    scores = 3 * tensor(rng, 2, 3, 5, kind=torch.float64)
    scores[0, 1, 2] = -INF
    expected = [[oracles.shares(row) for row in rows] for rows in scores.tolist()]
    found = oracles.unaided(attention.softmax, scores)
    assert close(found, torch.tensor(expected, dtype=torch.float64))
    assert close(attention.softmax(tensor(rng, 1)), torch.ones(1))


@pytest.mark.task("5.5", weight=0.4)
def test_softmax_far_from_zero(attention, rng):
    """Scores may be far above and below 0; a row of -inf is all 0."""
    for shift in (1e12, 0.0, -1e300):
        scores = 3 * tensor(rng, 2, 3, 5, kind=torch.float64) + shift
        scores[0, 1, 2] = -INF
        scores[1, 0] = -INF
        expected = [[oracles.shares(row) for row in rows] for rows in scores.tolist()]
        assert close(attention.softmax(scores), torch.tensor(expected, dtype=torch.float64))


@pytest.mark.task("5.5", weight=0.2)
def test_rows_far_from_each_other(attention, rng):
    """Each row has its own weights, also where all scores of another are far above them."""
    scores = 3 * tensor(rng, 3, 4) + torch.tensor([[1e3], [0.0], [-1e3]])
    expected = torch.tensor([oracles.shares(row) for row in scores.tolist()])
    assert close(attention.softmax(scores), expected)


@pytest.mark.task("5.5", weight=0.7)
def test_gradient_of_softmax(attention, rng):
    """The gradient is torch's own."""
    scores, pull = tensor(rng, 3, 4), tensor(rng, 3, 4)
    scores[0, 1] = -INF
    expected = gradients(lambda e: torch.softmax(e, -1), scores, weights=pull)
    assert close(oracles.unaided(attention.softmax, scores), expected[0])
    assert close(gradients(attention.softmax, scores, weights=pull)[1], expected[1])


@pytest.mark.task("5.5", weight=0.3)
def test_gradient_of_a_row_that_is_hidden(attention, rng):
    """The gradient is 0, not NaN, for a row of -inf, and torch's own for the others."""
    scores, pull = tensor(rng, 3, 4), tensor(rng, 3, 4)
    scores[1] = -INF
    expected = gradients(lambda e: torch.softmax(e, -1), scores, weights=pull)[1][0]
    expected = torch.where(torch.tensor([[True], [False], [True]]), expected, 0.0)
    assert close(gradients(attention.softmax, scores, weights=pull)[1], [expected])


@pytest.mark.task("5.5", weight=1, visible=True)
def test_the_root_of_64(attention):
    """The products 124, 92, 22 and 8, divided by the root of 64, give .982, .018, .000 and .000."""
    q, k = torch.zeros(1, 64), torch.zeros(4, 64)
    q[0, 0], k[:, 0] = 4.0, torch.tensor([124.0, 92.0, 22.0, 8.0]) / 4
    v = torch.tensor([[0.0], [1000.0], [0.0], [0.0]])
    output, weights = attention.attention(q, k, v)
    assert close(weights, torch.tensor([[0.982, 0.018, 0.0, 0.0]]), atol=5e-4)
    assert close(output, torch.tensor([[1000 / (1 + E**4)]]), rtol=1e-3)
    assert close(oracles.unaided(attention.attention, q, k, v), (output, weights))


@pytest.mark.task("5.5", weight=0.5, visible=True)
def test_a_query_that_may_look_nowhere(attention):
    """A query that a mask leaves no key gets zeros; the others look where they may."""
    x, v = torch.zeros(3, 3), torch.tensor([[2.0], [6.0], [10.0]])
    mask = torch.tensor([[False, False, False], [True, True, False], [True, True, True]])
    for each in (mask, torch.zeros(3, 3).masked_fill(~mask, -INF)):
        output, weights = attention.attention(x, x, v, each)
        assert close(weights, torch.tensor([[0.0] * 3, [0.5, 0.5, 0.0], [1 / 3] * 3]))
        assert close(output, torch.tensor([[0.0], [4.0], [6.0]]))


def assert_attends(attention, expected, q, k, v, *mask):
    """Attend with another softmax, so that a mistake in the student's costs nothing, or theirs."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    for each in mask:
        hides = each.dtype == torch.bool
        scores = torch.where(each, scores, -INF) if hides else scores + each
    weights = oracles.strange_softmax(scores)
    found = oracles.with_strange("softmax", attention.attention, q, k, v, *mask)
    if not close(found, (weights @ v, weights)):
        assert close(oracles.unaided(attention.attention, q, k, v, *mask), expected)


@pytest.mark.task("5.5", weight=3)
def test_attention_of_any_shape(attention, rng):
    """Outputs and weights are those of plain loops, in both precisions, with any leading axes."""
    for lead, T, S, K, V in (((), 3, 5, 4, 2), ((2,), 1, 1, 1, 1), ((2, 3), 4, 2, 5, 3)):
        for kind in (torch.float32, torch.float64):
            q, k = tensor(rng, *lead, T, K, kind=kind), tensor(rng, *lead, S, K, kind=kind)
            v, mask = tensor(rng, *lead, S, V, kind=kind), oracles.some_true(rng, *lead, T, S)
            assert_attends(attention, oracles.attention(q, k, v), q, k, v)
            assert_attends(attention, oracles.attention(q, k, v, mask), q, k, v, mask)


def torchs(q, k, v, mask):
    """The outputs of torch's attention, and its weights: what it makes of a unit matrix."""
    unit = torch.eye(k.shape[-2]).to(k).expand(*k.shape[:-1], -1)
    return tuple(scaled_dot_product_attention(q, k, each, mask) for each in (v, unit))


@pytest.mark.task("5.5", weight=1.5)
def test_masks_of_every_kind(attention, rng):
    """Boolean masks and numbers that are added work alike, also where they must be expanded."""
    q, k, v = tensor(rng, 2, 3, 4, 6), tensor(rng, 2, 3, 5, 6), tensor(rng, 2, 3, 5, 2)
    for shape in ((4, 5), (2, 1, 1, 5), (3, 4, 5)):
        for mask in (oracles.some_true(rng, *shape), tensor(rng, *shape)):
            assert_attends(attention, torchs(q, k, v, mask), q, k, v, mask)


@pytest.mark.task("5.5", weight=0.2)
def test_double_numbers_that_are_added(attention, rng):
    """A mask of numbers is added in double precision, too."""
    for kind in (torch.float32, torch.float64):
        q, k, v = (tensor(rng, 2, n, 3, kind=kind) for n in (4, 5, 5))
        mask = tensor(rng, 4, 5, kind=kind)
        assert_attends(attention, torchs(q, k, v, mask), q, k, v, mask)


@pytest.mark.task("5.5", weight=0.5)
def test_masks_that_hide_every_key(attention, rng):
    """Where all keys of a query are hidden, its output is 0, and the others are as before."""
    q, k, v = tensor(rng, 2, 3, 4, 6), tensor(rng, 2, 3, 5, 6), tensor(rng, 2, 3, 5, 2)
    for shape in ((2, 3, 4, 1), (4, 5)):
        mask = torch.tensor(rng.random(shape) < 0.5)
        mask[..., 1, :] = False
        assert_attends(attention, torchs(q, k, v, mask), q, k, v, mask)


@pytest.mark.task("5.5", weight=0.2)
def test_a_hidden_key_that_would_fit_best(attention, rng):
    """A hidden key has no influence, however well it would fit."""
    q, k, v = tensor(rng, 3, 4), tensor(rng, 5, 4), tensor(rng, 5, 2)
    q[:, 0], k[2] = 1.0, torch.tensor([400.0, 0.0, 0.0, 0.0])
    mask = torch.arange(5).expand(3, 5) != 2
    assert_attends(attention, oracles.attention(q, k, v, mask), q, k, v, mask)


@pytest.mark.task("5.5", weight=0.7)
def test_gradient_of_attention(attention, rng):
    """The gradients of queries, keys and values are those of torch's attention."""
    assert_gradients(attention, rng, oracles.some_true(rng, 2, 4, 5))


@pytest.mark.task("5.5", weight=0.3)
def test_gradient_where_a_query_sees_nothing(attention, rng):
    """Where a query sees nothing, its gradient is 0, and no other is NaN."""
    mask = oracles.some_true(rng, 2, 4, 5)
    mask[0, 2] = False
    assert_gradients(attention, rng, mask)


@pytest.mark.task("5.5", weight=0.2)
def test_a_mask_that_is_used_again(attention, rng):
    """A mask of numbers is as it was, for the next layer."""
    q, k, v, mask = tensor(rng, 2, 4), tensor(rng, 3, 4), tensor(rng, 3, 2), tensor(rng, 2, 3)
    weights = torch.softmax(q @ k.T / 2 + mask, dim=-1)
    first, second = oracles.twice(attention.attention, q, k, v, mask)
    assert close([list(first), list(second)], 2 * [[weights @ v, weights]])


def assert_gradients(attention, rng, mask):
    q, k, v = tensor(rng, 2, 4, 3), tensor(rng, 2, 5, 3), tensor(rng, 2, 5, 6)
    pull = tensor(rng, 2, 4, 6)
    found = gradients(attention.attention, q, k, v, mask, weights=(pull, None))[1]
    expected = gradients(scaled_dot_product_attention, q, k, v, mask, weights=pull)[1]
    assert close(found, expected)
