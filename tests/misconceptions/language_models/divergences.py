"""Plausible mistakes in section 1.6: entropy and divergence."""

import numpy as np

from examiner.judge.misconceptions import misconception


@misconception(
    "1.6",
    replaces="entropy",
    kind="edge",
    says="A word with p = 0 turned the sum into nan: 0 ln 0 counts as 0, so leave such words out.",
)
def multiplies_zero_by_infinity(p):
    with np.errstate(all="ignore"):
        return -float((p * np.log(p)).sum())


@misconception(
    "1.6",
    replaces="entropy",
    kind="idea",
    says="The surprises were averaged with equal weights: each word's weight is its own p.",
)
def averages_with_equal_weights(p):
    return -float(np.log(p[p > 0]).mean())


@misconception(
    "1.6",
    replaces="entropy",
    kind="idea",
    says="These are bits: the course measures entropy in nats, with the natural logarithm.",
)
def measures_in_bits(p):
    return -float((p[p > 0] * np.log2(p[p > 0])).sum())


def divergence(p, q):
    with np.errstate(all="ignore"):
        return float(np.where(p > 0, p * np.log(p / q), 0).sum())


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="You averaged over q; the truth p draws the words. KL(p || q) is not KL(q || p).",
)
def exchanges_truth_and_model(p, q):
    return divergence(q, p)


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="You averaged over q where p is not 0; the truth p draws the words. KL(p || q) is not "
    "KL(q || p).",
)
def exchanges_truth_and_model_where_p_is_seen(p, q):
    return divergence(q[p > 0], p[p > 0])


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="idea",
    says="This is the cross-entropy: subtract the entropy of p, what even the truth has to pay.",
)
def returns_the_cross_entropy(p, q):
    with np.errstate(all="ignore"):
        return -float(np.where(p > 0, p * np.log(q), 0).sum())


@misconception(
    "1.6",
    replaces="kl_divergence",
    kind="edge",
    says="Words with q = 0 were left out, but such a word is the worst mistake there is: a model "
    "that calls a possible word impossible is infinitely wrong.",
)
def forgives_impossible_words(p, q):
    both = (p > 0) & (q > 0)
    return float((p[both] * np.log(p[both] / q[both])).sum())
