"""Plausible mistakes in section 3.6: from a text to training pairs and noise."""

from collections import Counter

import numpy as np

from examiner.judge.misconceptions import misconception

NONE = -1


def count(sentences):
    return Counter(word for sentence in sentences for word in sentence)


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="edge",
    says="Equally frequent words must stand in the order of the alphabet, or the ids of the words "
    "change with the order of the text.",
)
def orders_by_first_appearance(sentences, min_count=1):
    return {word: n for word, n in count(sentences).most_common() if n >= min_count}


@misconception(
    "3.6",
    replaces="frequent_words",
    says="A word that is seen exactly min_count times stays: it was seen often enough.",
)
def drops_one_too_many(sentences, min_count=1):
    ordered = sorted(count(sentences).items(), key=lambda pair: (-pair[1], pair[0]))
    return {word: n for word, n in ordered if n > min_count}


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="The rare words stand first: the most frequent word must.",
)
def puts_rare_words_first(sentences, min_count=1):
    ordered = sorted(count(sentences).items(), key=lambda pair: (pair[1], pair[0]))
    return {word: n for word, n in ordered if n >= min_count}


def kept(sentence, probabilities, rng):
    return sentence[rng.random(len(sentence)) < probabilities]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="You keep what should be dropped: sqrt(t / f) is the probability to stay.",
)
def keeps_the_wrong_part(sentence, counts, t, rng):
    return kept(sentence, 1 - np.minimum(1, np.sqrt(t * counts.sum() / counts[sentence])), rng)


@misconception(
    "3.6",
    replaces="subsample",
    says="The root is missing: frequent words are kept with probability sqrt(t / f), not t / f.",
)
def forgets_the_root_of_the_share(sentence, counts, t, rng):
    return kept(sentence, t * counts.sum() / counts[sentence], rng)


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="f is a share, so that it can be compared with t: divide the counts by their sum.",
)
def compares_counts_with_a_share(sentence, counts, t, rng):
    return kept(sentence, np.sqrt(t / counts[sentence]), rng)


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="All places of a word are kept or dropped together: draw once for each place.",
)
def draws_once_for_each_word(sentence, counts, t, rng):
    return sentence[(rng.random(len(counts)) < np.sqrt(t * counts.sum() / counts))[sentence]]


def windows(sentence, window, reach):
    offsets = [*range(-window, 0), *range(1, window + 1)]
    return np.array(
        [
            [
                sentence[i + o] if 0 <= i + o < len(sentence) and abs(o) <= reach[i] else NONE
                for o in offsets
            ]
            for i in range(len(sentence))
        ]
    ).reshape(len(sentence), 2 * window)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="The reach is always the whole window: draw it anew at each place, from 1 to the window.",
)
def never_draws_the_reach(sentence, window, rng):
    return windows(sentence, window, [window] * len(sentence))


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="The reach is drawn once for the whole sentence: each place draws its own.",
)
def draws_the_reach_once(sentence, window, rng):
    return windows(sentence, window, [rng.integers(1, window + 1)] * len(sentence))


@misconception(
    "3.6",
    replaces="context_windows",
    says="The reach is never the whole window: rng.integers leaves its upper end out.",
)
def misses_the_widest_reach(sentence, window, rng):
    return windows(sentence, window, rng.integers(1, max(window, 2), size=len(sentence)))


@misconception(
    "3.6",
    replaces="context_windows",
    says="Some places see nothing: the reach is at least 1.",
)
def allows_a_reach_of_zero(sentence, window, rng):
    return windows(sentence, window, rng.integers(0, window + 1, size=len(sentence)))


@misconception(
    "3.6",
    replaces="context_windows",
    kind="edge",
    says="The window reaches around the ends: put NONE before the first word and after the last. "
    "A negative index takes words from the end.",
)
def wraps_around_the_ends(sentence, window, rng):
    T, offsets = len(sentence), np.r_[-window:0, 1 : window + 1]
    reach = rng.integers(1, window + 1, size=(T, 1))
    around = sentence[(np.arange(T)[:, None] + offsets) % max(T, 1)]
    return np.where(abs(offsets) <= reach, around, NONE)


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="The power is missing: noise goes with the counts to the power 0.75.",
)
def forgets_the_power(counts, power=0.75):
    return counts / counts.sum()


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="The numbers do not sum to 1: divide by the sum of the powers, not by the power of the "
    "sum.",
)
def divides_by_the_power_of_the_sum(counts, power=0.75):
    return counts**power / counts.sum() ** power


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="You took a softmax of the counts: divide the powers by their sum, without exp.",
)
def takes_a_softmax(counts, power=0.75):
    weights = np.exp(counts**power - np.max(counts**power))
    return weights / weights.sum()
