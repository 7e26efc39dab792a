"""Plausible mistakes in sections 5.6 and 5.7: masks, and gradients by hand."""

import math

import torch

from nextword.judge.misconceptions import misconception


def table(T, S, shift=0):
    return torch.arange(S) <= torch.arange(T)[:, None] + shift


@misconception(
    "5.6",
    replaces="causal_mask",
    says="A word does not see itself, and the first word sees nothing: j <= i, not j < i.",
)
def hides_the_word_itself(T, S=None):
    S = T if S is None else S
    return table(T, S, S - T - 1)


@misconception(
    "5.6",
    replaces="causal_mask",
    says="With more keys than queries, the queries are the last words: query i is word i + S - T.",
)
def puts_the_queries_first(T, S=None):
    return table(T, T if S is None else S)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="idea",
    says="The mask is turned round: True is where a query may look.",
)
def marks_what_is_hidden(T, S=None):
    S = T if S is None else S
    return ~table(T, S, S - T)


@misconception(
    "5.6",
    replaces="causal_mask",
    kind="idea",
    says="Words see what follows them: rows are queries and columns are keys, so the lower left "
    "half is True.",
)
def sees_the_future(T, S=None):
    S = T if S is None else S
    return torch.arange(S) >= torch.arange(T)[:, None] + S - T


@misconception(
    "5.6",
    replaces="padding_mask",
    says="The first word of the padding is still seen: a sentence of n words has the places "
    "0 to n - 1.",
)
def sees_one_word_of_padding(lengths, S):
    return torch.arange(S) <= lengths[:, None, None]


@misconception(
    "5.6",
    replaces="padding_mask",
    says="An axis for the queries is missing: scores have the shape (B, T, S), so the mask needs "
    "(B, 1, S).",
)
def leaves_no_axis_for_queries(lengths, S):
    return torch.arange(S) < lengths[:, None]


@misconception(
    "5.6",
    replaces="additive_mask",
    says="0 times infinity is NaN: put -inf where the mask is False with masked_fill.",
)
def multiplies_by_infinity(mask, dtype=torch.float32):
    return (~mask).to(dtype) * -math.inf


@misconception(
    "5.6",
    replaces="additive_mask",
    kind="idea",
    says="The mask has -inf where a query may look: 0 belongs there.",
)
def hides_what_may_be_seen(mask, dtype=torch.float32):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def slopes_of(q, k, v, weights, slopes, inner=None, scale=None):
    d_weights = slopes @ v.mT
    whole = (weights * d_weights).sum(-1, keepdim=True)
    d_scores = weights * (d_weights - whole) if inner is None else inner(weights, d_weights)
    d_scores = d_scores * (q.shape[-1] ** -0.5 if scale is None else scale)
    return d_scores @ k, d_scores.mT @ q, weights.mT @ slopes


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The root of K is missing on the way back: the scores are products divided by it.",
)
def forgets_the_root_on_the_way_back(q, k, v, weights, slopes):
    return slopes_of(q, k, v, weights, slopes, scale=1.0)


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="Each weight is treated as if it depended on its own score only, but raising one score "
    "lowers all other weights: subtract the weighted mean slope of the row (5.16).",
)
def treats_weights_one_by_one(q, k, v, weights, slopes):
    return slopes_of(q, k, v, weights, slopes, inner=lambda a, d: a * d * (1 - a))


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="The softmax is skipped on the way back: the slopes of the weights are not yet those of "
    "the scores.",
)
def skips_the_softmax(q, k, v, weights, slopes):
    return slopes_of(q, k, v, weights, slopes, inner=lambda a, d: d)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The mean slope of a row is not weighted: it is the sum of a_k da_k over k (5.16).",
)
def subtracts_a_plain_mean(q, k, v, weights, slopes):
    inner = lambda a, d: a * (d - d.mean(-1, keepdim=True))  # noqa: E731
    return slopes_of(q, k, v, weights, slopes, inner=inner)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The sum of (5.16) runs over the queries: it must run over the keys of one row.",
)
def sums_over_the_queries(q, k, v, weights, slopes):
    inner = lambda a, d: a * (d - (a * d).sum(-2, keepdim=True))  # noqa: E731
    return slopes_of(q, k, v, weights, slopes, inner=inner)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The first two gradients changed places: return those of q, k and v in this order.",
)
def returns_another_order(q, k, v, weights, slopes):
    d_q, d_k, d_v = slopes_of(q, k, v, weights, slopes)
    return d_k, d_q, d_v
