"""Plausible mistakes in sections 5.3 to 5.5: the plain sum, lookups, scaled dot products."""

import math

import torch

from nextword.judge.misconceptions import misconception


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="idea",
    says="The weights are bare dot products: without a softmax they do not sum to 1.",
)
def sums_without_a_softmax(x):
    weights = x @ x.mT
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="idea",
    says="The columns of the weights sum to 1: the softmax must run over j, the last axis.",
)
def shares_by_columns(x):
    weights = torch.softmax(x @ x.mT, dim=-2)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    says="The products are divided by the root of the width. That is task 5.5; do not scale here.",
)
def scales_the_plain_sum(x):
    weights = torch.softmax(x @ x.mT / math.sqrt(x.shape[-1]), dim=-1)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    says="These are cosines: take the dot products of the vectors as they are, lengths included.",
)
def compares_directions_only(x):
    unit = torch.nn.functional.normalize(x, dim=-1)
    weights = torch.softmax(unit @ unit.mT, dim=-1)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    says="A vector is left out of its own sum: j runs over all vectors, i among them.",
)
def leaves_itself_out(x):
    scores = x @ x.mT
    own = torch.eye(x.shape[-2], dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(own, -1e30), dim=-1)
    return weights @ x, weights


def soft(q, k, v, factor=1.0):
    return torch.softmax(q @ k.mT * factor, dim=-1) @ v


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="idea",
    says="The scores were multiplied by the temperature: divide, so that cold means sharp.",
)
def multiplies_by_the_temperature(q, k, v, temperature=1.0):
    return soft(q, k, v, temperature)


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="Of several keys that fit equally well, only the first counts. In the limit all of them "
    "share: return the mean of their values.",
)
def takes_the_first_of_the_best(q, k, v, temperature=1.0):
    if temperature:
        return soft(q, k, v, 1 / temperature)
    best = torch.nn.functional.one_hot((q @ k.mT).argmax(-1), k.shape[-2])
    return best.to(v.dtype) @ v


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="At temperature 0 the values of several best keys were added up: divide by their number.",
)
def adds_up_the_best(q, k, v, temperature=1.0):
    if temperature:
        return soft(q, k, v, 1 / temperature)
    scores = q @ k.mT
    return (scores == scores.amax(-1, keepdim=True)).to(v.dtype) @ v


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="At temperature 0 the result is NaN: 0 divided by 0. This case needs its own lines.",
)
def divides_by_zero(q, k, v, temperature=1.0):
    return torch.softmax(q @ k.mT / temperature, dim=-1) @ v


@misconception(
    "5.4",
    replaces="soft_lookup",
    says="Only the best of all scores wins: find each query's best, with amax over the last axis.",
)
def finds_one_best_for_all(q, k, v, temperature=1.0):
    if temperature:
        return soft(q, k, v, 1 / temperature)
    scores = q @ k.mT
    best = (scores == scores.max()).to(v.dtype)
    return best / best.sum(-1, keepdim=True).clamp(min=1) @ v


@misconception(
    "5.4",
    replaces="self_attention",
    kind="idea",
    says="The values are the vectors themselves: they must be W_v x.",
)
def forgets_the_values(x, W_q, W_k, W_v):
    return soft(x @ W_q.T, x @ W_k.T, x)


@misconception(
    "5.4",
    replaces="self_attention",
    kind="idea",
    says="Queries and keys changed places: row i of the weights belongs to query i.",
)
def asks_with_keys(x, W_q, W_k, W_v):
    return soft(x @ W_k.T, x @ W_q.T, x @ W_v.T)


@misconception(
    "5.4",
    replaces="self_attention",
    kind="idea",
    says="Keys were made with W_q: each role has a matrix of its own.",
)
def uses_queries_as_keys(x, W_q, W_k, W_v):
    return soft(x @ W_q.T, x @ W_q.T, x @ W_v.T)


@misconception(
    "5.5",
    replaces="softmax",
    kind="edge",
    says="A row of nothing but -inf becomes NaN, since -inf - (-inf) is not a number. Keep what "
    "you subtract finite.",
)
def fails_where_all_is_hidden(scores):
    return torch.softmax(scores, dim=-1)


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
    powers = torch.exp(scores - scores.max())
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@misconception(
    "5.5",
    replaces="softmax",
    kind="idea",
    says="The sum runs over all rows together: keep the sum of each row (dim=-1, keepdim=True).",
)
def divides_by_the_sum_of_all(scores):
    top = scores.amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    powers = torch.exp(scores - top)
    return powers / powers.sum().clamp(min=1)


def attend(q, k, v, mask=None, scale=None, shown=True, hidden=-torch.inf):
    """Attention with one thing or another wrong."""
    scores = q @ k.mT * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(mask != shown, hidden)
    elif mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
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
    says="The mask is turned round: True is where a query may look (as in "
    "F.scaled_dot_product_attention; in nn.MultiheadAttention True hides).",
)
def turns_the_mask_round(q, k, v, mask=None):
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
