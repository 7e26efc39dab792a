"""Plausible mistakes in section 5.5: softmax, and scaled dot products."""

import math

import torch
from torch.nn.functional import scaled_dot_product_attention

from examiner.judge.misconceptions import misconception


def top_of(scores, axis=-1):
    """The largest score of each row, but no less than the lowest finite number."""
    top = scores.detach().amax(axis, keepdim=True)
    return top.clamp(min=torch.finfo(scores.dtype).min)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="A row of nothing but -inf becomes NaN, since -inf - (-inf) is not a number. Keep what "
    "you subtract finite.",
)
def fails_where_all_is_hidden(scores):
    powers = torch.exp(scores - scores.detach().amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


@misconception(
    "5.5",
    replaces="softmax",
    kind="idea",
    says="This is torch's own softmax: write it with exp, sum and the largest score of a row.",
)
def calls_torchs_softmax(scores):
    return torch.softmax(scores, dim=-1).nan_to_num(0.0)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="exp overflows: subtract the largest score of each row first.",
)
def overflows(scores):
    powers = torch.exp(scores)
    return powers / powers.sum(-1, keepdim=True)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="The largest score of the whole tensor is subtracted: rows far below it become 0 or NaN. "
    "Use that of each row.",
)
def subtracts_one_top_for_all(scores):
    powers = torch.exp(scores - top_of(scores).max())
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@misconception(
    "5.5",
    replaces="softmax",
    kind="idea",
    says="The sum runs over all rows together: keep the sum of each row (dim=-1, keepdim=True).",
)
def divides_by_the_sum_of_all(scores):
    powers = torch.exp(scores - top_of(scores))
    return powers / powers.sum().clamp(min=1)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="NaN was replaced in the result, but its gradient is NaN still: let none appear.",
)
def mends_nan_at_the_end(scores):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return torch.nan_to_num(powers / powers.sum(-1, keepdim=True))


@misconception(
    "5.5",
    replaces="softmax",
    kind="idea",
    says="The shares are those of the first axis; each row, the last axis, must sum to 1.",
)
def shares_over_the_first_axis(scores):
    powers = torch.exp(scores - top_of(scores, 0))
    return powers / powers.sum(0, keepdim=True).clamp(min=1)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="A row of nothing but -inf got equal shares; it has none: all 0.",
)
def shares_where_all_is_hidden(scores):
    scores = scores.clamp(min=torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - top_of(scores))
    return powers / powers.sum(-1, keepdim=True)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="Large scores were cut off at a limit, so that several of them look alike: subtract "
    "the largest of the row instead.",
)
def cuts_large_scores(scores):
    powers = torch.exp(scores.clamp(max=80))
    total = powers.sum(-1, keepdim=True)
    return powers / total.masked_fill(total == 0, 1)


@misconception(
    "5.5",
    replaces="softmax",
    says="No gradient reaches the scores: detach nothing but the largest of them.",
)
def detaches_the_scores(scores):
    scores = scores.detach()
    powers = torch.exp(scores - top_of(scores))
    return powers / powers.sum(-1, keepdim=True).clamp(min=1)


@misconception(
    "5.5",
    replaces="softmax",
    says="The smallest score of a row is subtracted; that of the largest keeps exp from "
    "overflowing.",
)
def subtracts_the_smallest(scores):
    low = scores.detach().amin(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - low)
    return powers / powers.sum(-1, keepdim=True).clamp(min=1)


@misconception(
    "5.5",
    replaces="softmax",
    kind="idea",
    says="These are shares of powers of 2; the softmax has powers of e.",
)
def takes_powers_of_two(scores):
    powers = torch.exp2(scores - top_of(scores))
    return powers / powers.sum(-1, keepdim=True).clamp(min=1)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="The scores were made float32: keep the format in which they come.",
)
def works_in_single_precision(scores):
    narrow = scores.float()
    powers = torch.exp(narrow - top_of(narrow))
    return (powers / powers.sum(-1, keepdim=True).clamp(min=1)).to(scores.dtype)


def attend(q, k, v, mask=None, scale=None, shown=True, hidden=-torch.inf, early=False, axis=-1):
    """Attention with one thing or another wrong."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.mT * (1 if early else scale)
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(mask != shown, hidden)
    elif mask is not None:
        scores = scores + mask
    scores = scores * scale if early else scores
    top = scores.detach().amax(axis, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - top)
    weights = powers / powers.sum(axis, keepdim=True).clamp(min=1)
    return weights @ v, weights


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="This is torch's own attention: write it with your `softmax`.",
)
def calls_torchs_attention(q, k, v, mask=None):
    unit = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-1], -1)
    weights = scaled_dot_product_attention(q, k, unit, mask)
    return weights @ v, weights


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="The scores are not divided by the root of K, the length of a query.",
)
def forgets_the_root(q, k, v, mask=None):
    return attend(q, k, v, mask, scale=1.0)


@misconception(
    "5.5",
    replaces="attention",
    says="The scores are divided by K: divide by its root.",
)
def divides_without_the_root(q, k, v, mask=None):
    return attend(q, k, v, mask, scale=1 / q.shape[-1])


@misconception(
    "5.5",
    replaces="attention",
    says="The root is that of the number of keys: it must be that of K, the length of a query.",
)
def takes_the_root_of_the_number_of_keys(q, k, v, mask=None):
    return attend(q, k, v, mask, scale=k.shape[-2] ** -0.5)


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="The mask is inverted: True is where a query may look (as in "
    "F.scaled_dot_product_attention; in nn.MultiheadAttention True hides).",
)
def inverts_the_mask(q, k, v, mask=None):
    return attend(q, k, v, mask, shown=False)


@misconception(
    "5.5",
    replaces="attention",
    kind="edge",
    says="Hidden keys got a low but finite score: a query that may look nowhere then looks at "
    "all keys equally. Use -inf.",
)
def hides_with_a_large_number(q, k, v, mask=None):
    return attend(q, k, v, mask, hidden=-1e9)


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="A boolean mask was added to the scores as 0 and 1: it must hide, with -inf where it is "
    "False.",
)
def adds_a_boolean_mask(q, k, v, mask=None):
    return attend(q, k, v, None if mask is None else mask.to(q.dtype))


@misconception(
    "5.5",
    replaces="attention",
    says="The weights are cut off from the graph, so no gradient reaches queries and keys: detach "
    "nothing but the largest score.",
)
def cuts_the_gradient(q, k, v, mask=None):
    weights = attend(q, k, v, mask)[1].detach()
    return weights @ v, weights


@misconception(
    "5.5",
    replaces="attention",
    says="The root is that of the length of a value: it must be that of K, the length of a query.",
)
def takes_the_root_of_the_values(q, k, v, mask=None):
    return attend(q, k, v, mask, scale=v.shape[-1] ** -0.5)


@misconception(
    "5.5",
    replaces="attention",
    kind="edge",
    says="A mask of numbers was made boolean: its numbers are added to the scores.",
)
def takes_numbers_for_booleans(q, k, v, mask=None):
    return attend(q, k, v, mask if mask is None else mask.bool())


@misconception(
    "5.5",
    replaces="attention",
    says="The mask plays no part.",
)
def ignores_the_mask(q, k, v, mask=None):
    return attend(q, k, v)


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="Hidden keys got the score 0, and exp(0) is 1: they need -inf.",
)
def hides_with_zero_scores(q, k, v, mask=None):
    return attend(q, k, v, mask, hidden=0.0)


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="Weights were hidden after the softmax, so the others no longer sum to 1: hide scores "
    "before it.",
)
def hides_weights_afterwards(q, k, v, mask=None):
    if mask is None or mask.dtype != torch.bool:
        return attend(q, k, v, mask)
    weights = attend(q, k, v)[1] * mask
    return weights @ v, weights


@misconception(
    "5.5",
    replaces="attention",
    kind="edge",
    says="The numbers of the mask were divided by the root, too: add them to the scaled scores.",
)
def adds_before_the_root(q, k, v, mask=None):
    return attend(q, k, v, mask, early=True)


@misconception(
    "5.5",
    replaces="attention",
    kind="idea",
    says="The weights of each key sum to 1 here; those of each query must: softmax over the "
    "last axis.",
)
def shares_among_the_queries(q, k, v, mask=None):
    return attend(q, k, v, mask, axis=-2)


@misconception(
    "5.5",
    replaces="attention",
    says="Return the weights as well.",
)
def returns_the_answers_alone(q, k, v, mask=None):
    return attend(q, k, v, mask)[0]


@misconception(
    "5.5",
    replaces="attention",
    says="Scores are returned beside the answers; return the weights, which are their softmax.",
)
def returns_scores_for_weights(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        hidden = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -math.inf) if hidden else scores + mask
    return attend(q, k, v, mask)[0], scores
