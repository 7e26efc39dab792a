"""How alike two words are, by the true probabilities of what can replace and follow them."""

from functools import lru_cache

import numpy as np

from examiner.errors import UserError
from nextword.corpora.village.telling import Listener, sample
from nextword.corpora.village.vocabulary import VOCABULARY

N_TOKENS, SEED = 500_000, 17  # the told stories over which contexts are averaged


def similarity(word: str, other: str) -> float:
    """How alike the true contexts of two words are: 1 if the same, 0 if they share nothing.

    Wherever a word w is told, the program knows two distributions: of the words that could have
    come in its place, and of the words that can come next. Averaged over all places of w in 500,000
    told words they are B_w, "what else stands here", and A_w, "what comes after". Then

        similarity(v, w) = 1 - (JSD(B_v, B_w) + JSD(A_v, A_w)) / 2

    with the Jensen-Shannon divergence JSD(P, Q) = H((P + Q) / 2) - (H(P) + H(Q)) / 2 in bits, which
    lies between 0 and 1. The first call takes some seconds. Raises UserError for a word that the
    village does not have.

    >>> similarity("paris", "paris")
    1.0
    >>> similarity("paris", "rome") > similarity("paris", "whisk")
    True
    """
    number = numbers()
    for each in (word, other):
        if each not in number:
            raise UserError(f"the village has no word {each!r}: see village.VOCABULARY")
    v, w = number[word], number[other]
    before, after = contexts()
    return 1 - (divergence(before[v], before[w]) + divergence(after[v], after[w])) / 2


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """The Jensen-Shannon divergence of two distributions, in bits."""
    bits = entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2
    return min(max(bits, 0.0), 1.0)  # rounding leads a hair beyond


def entropy(p: np.ndarray) -> float:
    """The entropy of a distribution, in bits."""
    some = p[p > 0]
    return float(-(some * np.log2(some)).sum())


@lru_cache
def numbers() -> dict[str, int]:
    """The row of each word."""
    return {word: k for k, word in enumerate(VOCABULARY)}


@lru_cache
def contexts() -> tuple[np.ndarray, np.ndarray]:
    """For each word the mean distribution in its place and after it; two arrays of shape (V, V).

    The row of a word that the stories did not tell is zero.
    """
    number = numbers()
    V = len(number)
    before, after = [0.0] * V**2, [0.0] * V**2  # row after row; lists, since they grow one by one
    counts = [0] * V
    listener = Listener()
    possible = list(listener.probabilities())
    for token in sample(N_TOKENS, SEED).tokens:
        row = V * number[token]
        counts[number[token]] += 1
        for word, p in possible:
            before[row + number[word]] += p
        listener.hear(token)
        possible = list(listener.probabilities())
        for word, p in possible:
            after[row + number[word]] += p
    n = np.maximum(counts, 1)[:, None]
    return np.reshape(before, (V, V)) / n, np.reshape(after, (V, V)) / n
