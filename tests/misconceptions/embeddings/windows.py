"""More plausible mistakes in section 3.6: frequent words, subsampling, windows, noise."""

from collections import Counter

import numpy as np

from examiner.judge.misconceptions import misconception

NONE = -1


def counted(sentences):
    return Counter(word for sentence in sentences for word in sentence)


def listed(counts, min_count, order=lambda pair: (-pair[1], pair[0])):
    return [pair for pair in sorted(counts.items(), key=order) if pair[1] >= min_count]


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="The words stand in the order of the alphabet: the most frequent word comes first.",
)
def sorts_by_alphabet(sentences, min_count=1):
    return dict(listed(counted(sentences), min_count, lambda pair: pair[0]))


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="edge",
    says="Equally frequent words stand against the alphabet: reverse=True turns them, too. "
    "Sort by the negative count.",
)
def turns_the_alphabet_around(sentences, min_count=1):
    return dict(listed(counted(sentences), min_count, lambda pair: (pair[1], pair[0]))[::-1])


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="min_count was not used: rarer words are dropped.",
)
def ignores_min_count(sentences, min_count=1):
    return dict(listed(counted(sentences), 1))


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="You returned a list of words: return a dict with their counts.",
)
def lists_the_words_alone(sentences, min_count=1):
    return [word for word, _ in listed(counted(sentences), min_count)]


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="You counted the sentences in which a word stands: count each time that it occurs.",
)
def counts_sentences_for_words(sentences, min_count=1):
    return dict(listed(counted(map(set, sentences)), min_count))


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="These are shares: return the counts.",
)
def gives_shares_for_counts(sentences, min_count=1):
    counts = counted(sentences)
    return {w: n / sum(counts.values()) for w, n in listed(counts, min_count)}


@misconception(
    "3.6",
    replaces="frequent_words",
    kind="idea",
    says="You numbered the words: return how often each is seen.",
)
def gives_places_for_counts(sentences, min_count=1):
    return {w: i for i, (w, _) in enumerate(listed(counted(sentences), min_count))}


def chances(sentence, counts, t):
    return np.sqrt(t * counts.sum() / counts)[sentence]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="One draw decided for the whole sentence: draw for each place.",
)
def draws_once_for_the_sentence(sentence, counts, t, rng):
    return sentence[rng.random() < chances(sentence, counts, t)]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="f is the share in the whole text, by `counts`: you took the share in the sentence.",
)
def takes_shares_in_the_sentence(sentence, counts, t, rng):
    f = np.array([np.mean(sentence == w) for w in sentence])
    return sentence[rng.random(len(sentence)) < np.sqrt(t / f)]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="Every word more frequent than t was dropped: it stays with probability sqrt(t / f).",
)
def drops_without_chance(sentence, counts, t, rng):
    return sentence[(counts / counts.sum())[sentence] <= t]


@misconception(
    "3.6",
    replaces="subsample",
    says="numpy's global generator decided what is kept: only `rng` may.",
)
def draws_what_to_keep_without_rng(sentence, counts, t, rng):
    return sentence[np.random.random(len(sentence)) < chances(sentence, counts, t)]


@misconception(
    "3.6",
    replaces="subsample",
    says="You made a generator of your own: it draws the same each time. Use `rng`.",
)
def makes_a_generator_of_its_own(sentence, counts, t, rng):
    own = np.random.default_rng(0)
    return sentence[own.random(len(sentence)) < chances(sentence, counts, t)]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="The fraction is turned: a frequent word stays with sqrt(t / f), not sqrt(f / t).",
)
def turns_the_fraction_around(sentence, counts, t, rng):
    return sentence[rng.random(len(sentence)) < np.sqrt(counts / counts.sum() / t)[sentence]]


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="Dropped words became NONE: leave them out.",
)
def marks_what_is_dropped(sentence, counts, t, rng):
    return np.where(rng.random(len(sentence)) < chances(sentence, counts, t), sentence, NONE)


@misconception(
    "3.6",
    replaces="subsample",
    kind="idea",
    says="You returned which places are kept: return the words that stand there.",
)
def returns_a_mask(sentence, counts, t, rng):
    return rng.random(len(sentence)) < chances(sentence, counts, t)


@misconception(
    "3.6",
    replaces="subsample",
    says="word2vec's program keeps sqrt(t / f) + t / f; here it is sqrt(t / f), as in the paper.",
)
def uses_the_formula_of_the_program(sentence, counts, t, rng):
    kept = chances(sentence, counts, t)
    return sentence[rng.random(len(sentence)) < kept + kept**2]


@misconception(
    "3.6",
    replaces="subsample",
    says="The kept words are sorted: they keep their order.",
)
def sorts_what_is_kept(sentence, counts, t, rng):
    return np.sort(sentence[rng.random(len(sentence)) < chances(sentence, counts, t)])


def around(sentence, window, reach):
    """Which places of each window are seen, the words there, and the offsets of the columns."""
    T = len(sentence)
    offsets = np.r_[-window:0, 1 : window + 1]
    places = np.arange(T)[:, None] + offsets
    good = (places >= 0) & (places < T) & (abs(offsets) <= np.asarray(reach)[:, None])
    return good, sentence[places.clip(0, max(T - 1, 0))], offsets


def drawn(sentence, window, rng):
    return rng.integers(1, window + 1, size=len(sentence))


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="The word itself stands in its window: the columns are the places before and after it.",
)
def shows_the_word_itself(sentence, window, rng):
    good, words, _ = around(sentence, window, drawn(sentence, window, rng))
    return np.insert(np.where(good, words, NONE), window, sentence, axis=1)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="edge",
    says="Beyond the ends of the sentence its first or last word stands again: put NONE there.",
)
def repeats_the_end(sentence, window, rng):
    reach = drawn(sentence, window, rng)
    _, words, offsets = around(sentence, window, reach)
    return np.where(abs(offsets) <= reach[:, None], words, NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="edge",
    says="Before the first word, negative indices took words from the end: put NONE there.",
)
def takes_words_from_the_end(sentence, window, rng):
    reach = drawn(sentence, window, rng)
    T, offsets = len(sentence), np.r_[-window:0, 1 : window + 1]
    places = np.arange(T)[:, None] + offsets
    good = (places < T) & (places >= -T) & (abs(offsets) <= reach[:, None])
    return np.where(good, sentence[np.where(good, places, 0)], NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="Only the words before are there: a window has both sides.",
)
def looks_to_the_left_only(sentence, window, rng):
    good, words, offsets = around(sentence, window, drawn(sentence, window, rng))
    return np.where(good & (offsets < 0), words, NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    says="On the left the nearest word stands first: the columns go from left to right.",
)
def begins_with_the_nearest(sentence, window, rng):
    good, words, _ = around(sentence, window, drawn(sentence, window, rng))
    found = np.where(good, words, NONE)
    return np.hstack([found[:, :window][:, ::-1], found[:, window:]])


@misconception(
    "3.6",
    replaces="context_windows",
    says="A place exactly at the reach belongs to the window.",
)
def stops_before_the_reach(sentence, window, rng):
    good, words, _ = around(sentence, window, drawn(sentence, window, rng) - 1)
    return np.where(good, words, NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    says="numpy's global generator drew the reach: only `rng` may.",
)
def draws_the_reach_without_rng(sentence, window, rng):
    reach = np.random.randint(1, window + 1, size=len(sentence))
    good, words, _ = around(sentence, window, reach)
    return np.where(good, words, NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    says="0 stands where no word is, but 0 is a word: put NONE.",
)
def writes_zero_for_none(sentence, window, rng):
    good, words, _ = around(sentence, window, drawn(sentence, window, rng))
    return np.where(good, words, 0)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="The words were moved together: each column is a place, and NONE stays where no word is.",
)
def moves_words_to_the_left(sentence, window, rng):
    good, words, _ = around(sentence, window, drawn(sentence, window, rng))
    order = np.argsort(~good, axis=1, kind="stable")
    return np.take_along_axis(np.where(good, words, NONE), order, axis=1)


@misconception(
    "3.6",
    replaces="context_windows",
    kind="idea",
    says="These are places: return the words that stand there.",
)
def returns_places(sentence, window, rng):
    T = len(sentence)
    good, _, offsets = around(sentence, window, drawn(sentence, window, rng))
    return np.where(good, np.arange(T)[:, None] + offsets, NONE)


@misconception(
    "3.6",
    replaces="context_windows",
    says="Each side drew its own reach: one reach holds for both.",
)
def draws_a_reach_for_each_side(sentence, window, rng):
    left, right = (drawn(sentence, window, rng)[:, None] for _ in range(2))
    good, words, offsets = around(sentence, window, [window] * len(sentence))
    return np.where(good & (abs(offsets) <= np.where(offsets < 0, left, right)), words, NONE)


@misconception(
    "3.6",
    replaces="noise_distribution",
    says="`power` was not used: you always took 0.75.",
)
def always_takes_three_quarters(counts, power=0.75):
    return counts**0.75 / (counts**0.75).sum()


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="You divided by the sum of the counts: divide by the sum of their powers.",
)
def divides_by_the_sum_of_counts(counts, power=0.75):
    return counts**power / counts.sum()


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="These are powers of the counts: divide by their sum.",
)
def returns_powers(counts, power=0.75):
    return (counts**power).astype(float)


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="All words are equally likely: noise goes with the counts.",
)
def makes_all_words_alike(counts, power=0.75):
    return np.full(len(counts), 1 / len(counts))


@misconception(
    "3.6",
    replaces="noise_distribution",
    kind="idea",
    says="You divided by the largest: divide by the sum.",
)
def divides_by_the_largest(counts, power=0.75):
    return counts**power / (counts**power).max()
