"""Plausible mistakes in section 5.7: gradients by hand."""

import math

import torch

from examiner.judge.misconceptions import misconception


def gradients_of(q, k, v, weights, grad, inner=None, scale=None):
    d_weights = grad @ v.mT
    whole = (weights * d_weights).sum(-1, keepdim=True)
    d_scores = weights * (d_weights - whole) if inner is None else inner(weights, d_weights)
    d_scores = d_scores * (q.shape[-1] ** -0.5 if scale is None else scale)
    return d_scores @ k, d_scores.mT @ q, weights.mT @ grad


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The root of K is missing on the way back: the scores are products divided by it.",
)
def forgets_the_root_on_the_way_back(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, scale=1.0)


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="Each weight is treated as if it depended on its own score only, but raising one score "
    "lowers all other weights: subtract the weighted mean of the row (5.16).",
)
def treats_weights_one_by_one(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, inner=lambda a, d: a * d * (1 - a))


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="The softmax is skipped on the way back: the gradients of the weights are not yet those "
    "of the scores.",
)
def skips_the_softmax(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, inner=lambda a, d: d)


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="The mean of a row is not weighted: it is the sum of a_k da_k over k (5.16).",
)
def subtracts_a_plain_mean(q, k, v, weights, grad):
    inner = lambda a, d: a * (d - d.mean(-1, keepdim=True))  # noqa: E731
    return gradients_of(q, k, v, weights, grad, inner=inner)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The sum of (5.16) runs over the queries: it must run over the keys of one row.",
)
def sums_over_the_queries(q, k, v, weights, grad):
    inner = lambda a, d: a * (d - (a * d).sum(-2, keepdim=True))  # noqa: E731
    return gradients_of(q, k, v, weights, grad, inner=inner)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The first two gradients changed places: return those of q, k and v in this order.",
)
def returns_another_order(q, k, v, weights, grad):
    d_q, d_k, d_v = gradients_of(q, k, v, weights, grad)
    return d_k, d_q, d_v


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="The weighted mean of the row is not subtracted (5.16): if all values are equal, the "
    "gradients of all scores must be 0.",
)
def forgets_the_mean(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, inner=lambda a, d: a * d)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The gradients are divided by K; divide by its root.",
)
def divides_by_the_width(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, scale=1 / q.shape[-1])


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The root is that of the length of a value; it must be that of K, the length of a query.",
)
def takes_the_root_of_the_values_length(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad, scale=v.shape[-1] ** -0.5)


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="The gradients stand in the order v, k, q: return those of q, k and v.",
)
def returns_them_from_the_end(q, k, v, weights, grad):
    return gradients_of(q, k, v, weights, grad)[::-1]


@misconception(
    "5.7",
    replaces="attention_gradients",
    says="Only one of the gradients of q and k is divided by the root: both are.",
)
def divides_one_of_two(q, k, v, weights, grad):
    d_q, d_k, d_v = gradients_of(q, k, v, weights, grad)
    return d_q, d_k * q.shape[-1] ** 0.5, d_v


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="idea",
    says="Autograd did this: walk back through the four steps of `attention` by hand.",
)
def asks_autograd(q, k, v, weights, grad):
    with torch.enable_grad():
        leaves = [each.detach().clone().requires_grad_() for each in (q, k, v)]
        scores = leaves[0] @ leaves[1].mT / math.sqrt(q.shape[-1])
        # as if the scores had led to the weights that were given
        scores = scores + (weights.log() - scores).detach()
        output = torch.softmax(scores, dim=-1).nan_to_num(0.0) @ leaves[2]
        return torch.autograd.grad((output * grad).sum(), leaves)


@misconception(
    "5.7",
    replaces="attention_gradients",
    kind="edge",
    says="The weights that were given have changed: make new tensors.",
)
def changes_the_weights(q, k, v, weights, grad):
    d_q, d_k, d_v = gradients_of(q, k, v, weights, grad)
    d_weights = grad @ v.mT
    weights.mul_(d_weights - (weights * d_weights).sum(-1, keepdim=True))
    return d_q, d_k, d_v
