"""Plausible mistakes in sections 5.3 and 5.4: the plain sum, lookups."""

import math

import torch

from examiner.judge.misconceptions import misconception


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
    kind="idea",
    says="The products are divided by the root of the width. That is task 5.5; do not scale here.",
)
def scales_the_plain_sum(x):
    weights = torch.softmax(x @ x.mT / math.sqrt(x.shape[-1]), dim=-1)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="idea",
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


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="idea",
    says="Each score was divided by the sum of its row. A softmax takes exp of the scores "
    "first: a score may be negative.",
)
def shares_without_exp(x):
    scores = x @ x.mT
    weights = scores / scores.sum(-1, keepdim=True)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    says="Return the weights as well, a row for each i.",
)
def returns_the_sum_alone(x):
    return torch.softmax(x @ x.mT, dim=-1) @ x


@misconception(
    "5.3",
    replaces="dot_product_sum",
    says="The second answer is the scores; return the weights, after the softmax.",
)
def returns_the_scores(x):
    return torch.softmax(x @ x.mT, dim=-1) @ x, x @ x.mT


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="idea",
    says="y_i sums over j: row i of the weights times x. Here the columns were taken.",
)
def sums_down_the_columns(x):
    weights = torch.softmax(x @ x.mT, dim=-1)
    return weights.mT @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="edge",
    says="dim=1 is the last axis of a matrix only. With axes before it, the weights must sum "
    "to 1 along the last: dim=-1.",
)
def takes_the_second_axis(x):
    weights = torch.softmax(x @ x.mT, dim=1)
    return weights @ x, weights


@misconception(
    "5.3",
    replaces="dot_product_sum",
    kind="edge",
    says="exp of a large product overflows: torch.softmax subtracts the largest score first.",
)
def overflows_in_the_plain_sum(x):
    powers = torch.exp(x @ x.mT)
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ x, weights


def soft(q, k, v, factor=1.0):
    return torch.softmax(q @ k.mT * factor, dim=-1) @ v


def hard(q, k, v):
    scores = q @ k.mT
    best = (scores == scores.amax(-1, keepdim=True)).to(v.dtype)
    return best / best.sum(-1, keepdim=True) @ v


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="idea",
    says="The scores were multiplied by the temperature: divide, so that cold means sharp.",
)
def multiplies_by_the_temperature(q, k, v, temperature=1.0):
    return soft(q, k, v, temperature) if temperature else hard(q, k, v)


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
    kind="edge",
    says="Only the best of all scores wins: find each query's best, with amax over the last axis.",
)
def finds_one_best_for_all(q, k, v, temperature=1.0):
    if temperature:
        return soft(q, k, v, 1 / temperature)
    scores = q @ k.mT
    best = (scores == scores.max()).to(v.dtype)
    return best / best.sum(-1, keepdim=True) @ v


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
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="0 was replaced by a small temperature: a key that fits only a little better then "
    "shares with others. At 0 it takes all.",
)
def takes_a_small_temperature_for_none(q, k, v, temperature=1.0):
    return soft(q, k, v, 1 / max(temperature, 1e-6))


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="Low temperatures were raised to a limit: each is taken as it is, and 0 is a case of "
    "its own.",
)
def never_gets_cold(q, k, v, temperature=1.0):
    return soft(q, k, v, 1 / max(temperature, 0.01))


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="idea",
    says="The temperature plays no part: divide the scores by it.",
)
def ignores_the_temperature(q, k, v, temperature=1.0):
    return soft(q, k, v) if temperature else hard(q, k, v)


@misconception(
    "5.4",
    replaces="soft_lookup",
    says="The scores are divided by the root of the width as well. That is task 5.5; here the "
    "temperature does it.",
)
def scales_the_lookup(q, k, v, temperature=1.0):
    return soft(q, k, v, 1 / temperature / math.sqrt(q.shape[-1])) if temperature else hard(q, k, v)


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="idea",
    says="The softmax runs over the queries: the weights of each query must sum to 1.",
)
def shares_among_queries(q, k, v, temperature=1.0):
    return torch.softmax(q @ k.mT / temperature, -2) @ v if temperature else hard(q, k, v)


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="idea",
    says="The answer is made of keys; it is a mean of the values.",
)
def looks_up_the_keys(q, k, v, temperature=1.0):
    return soft(q, k, k, 1 / temperature) if temperature else hard(q, k, v)


@misconception(
    "5.4",
    replaces="soft_lookup",
    kind="edge",
    says="At temperature 0 all values share. That is the limit of a high temperature; at 0 "
    "only the best key counts.",
)
def averages_at_temperature_zero(q, k, v, temperature=1.0):
    return soft(q, k, v, 1 / temperature if temperature else 0.0)


@misconception(
    "5.4",
    replaces="self_attention",
    says="Each W was multiplied from the wrong side: W x of all rows x is x @ W.T.",
)
def multiplies_by_columns(x, W_q, W_k, W_v):
    return soft(x @ W_q, x @ W_k, x @ W_v)


@misconception(
    "5.4",
    replaces="self_attention",
    says="The scores are divided by the root of K. That is task 5.5; do not scale here.",
)
def scales_self_attention(x, W_q, W_k, W_v):
    return soft(x @ W_q.T, x @ W_k.T, x @ W_v.T, len(W_q) ** -0.5)
