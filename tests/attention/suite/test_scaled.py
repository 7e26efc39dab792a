"""Tests of task 5.5: the softmax, and scaled attention with masks."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.suite import close, gradients, student_module
from tests.attention.suite import oracles
from tests.attention.suite.oracles import tensor

attention = student_module("attention")

E, INF = math.e, math.inf


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
