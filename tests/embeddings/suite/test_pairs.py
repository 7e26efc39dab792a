"""Tests of task 3.6: from a text to training pairs and noise."""

from collections import Counter

import numpy as np
import pytest

from examiner.suite import close, frequencies, ship, student_module
from tests.embeddings.suite import oracles as plain

NONE = -1

embeddings = student_module("embeddings")


def ints(array):
    """An array, a tensor or a list of whole numbers as nested lists."""
    return np.asarray(array).astype(int).tolist()


@ship
def listed(frequent_words, sentences, min_count):
    """The words and counts in the order of the dict, which a dict does not compare."""
    return list(frequent_words(sentences, min_count).items())


@pytest.mark.task("3.6", weight=0.6, visible=True)
def test_frequent_words_of_three_sentences(embeddings):
    """Words are listed by count, and rare ones are dropped."""
    sentences = [["the", "goat", "saw", "the", "hen"], ["the", "hen", "slept"], []]
    counts = embeddings.frequent_words(sentences, 2)
    assert list(counts.items()) == [("the", 3), ("hen", 2)]
    counts = embeddings.frequent_words([["hen", "the", "the"]])
    assert list(counts.items()) == [("the", 2), ("hen", 1)]


@pytest.mark.task("3.6", weight=0.15, visible=True)
def test_equally_frequent_words(embeddings):
    """Equally frequent words stand in the order of the alphabet."""
    sentences = [["the", "goat", "saw", "the", "hen"], ["the", "hen", "slept"], []]
    counts = [("the", 3), ("hen", 2), ("goat", 1), ("saw", 1), ("slept", 1)]
    assert list(embeddings.frequent_words(sentences).items()) == counts


@pytest.mark.task("3.6", weight=0.9, orders=2)
def test_frequent_words_of_any_text(embeddings, rng):
    """For every minimum count, exactly the words seen so often are listed, in order."""
    for min_count in (3, 6, 1):
        names = [f"w{i}" for i in rng.permutation(8)]  # seen 1, 2, 3, ... times
        words = rng.permutation(np.repeat(names, np.arange(1, 9)))
        sentences = [part.tolist() for part in np.array_split(words, 9)]
        got = listed(embeddings.frequent_words, sentences, min_count)
        assert got == plain.frequent(sentences, min_count)


@pytest.mark.task("3.6", weight=0.35, orders=2)
def test_frequent_words_with_equal_counts(embeddings, rng):
    """However many words are seen equally often, they stand in the order of the alphabet."""
    sentences = [[f"w{i}" for i in sentence] for sentence in plain.random_sentences(rng)]
    sentences[:0] = [["y", "x", "z"] * 7, ["b", "c", "a"] * 6]
    for min_count in (1, 6):  # the least count, too, is that of several words
        got = listed(embeddings.frequent_words, sentences, min_count)
        assert got == plain.frequent(sentences, min_count)


@ship
def listed_once(frequent_words, sentences, min_count):
    """The same, from sentences that can be gone through once."""
    return list(frequent_words((list(each) for each in sentences), min_count).items())


@pytest.mark.task("3.6", weight=0.15)
def test_frequent_words_of_what_can_be_read_once(embeddings, rng):
    """The sentences may come from a generator: go through them only once."""
    sentences = [[f"w{i}" for i in sentence] for sentence in plain.random_sentences(rng)]
    expected = plain.frequent(sentences, 2)
    assert listed(embeddings.frequent_words, sentences, 2) == expected
    assert listed_once(embeddings.frequent_words, sentences, 2) == expected


@pytest.mark.task("3.6", weight=1, visible=True)
def test_rare_words_are_never_dropped(embeddings, rng):
    """A word at or below the share t stays at every place, in order; with a tiny t, all go."""
    sentence = np.array([3, 0, 1, 2, 0, 3] * 10)
    counts = np.array([25, 25, 25, 25])
    assert ints(embeddings.subsample(sentence, counts, 0.25, rng)) == sentence.tolist()
    assert ints(embeddings.subsample(sentence, counts, 1e-30, rng)) == []


@pytest.mark.task("3.6", weight=2.4)
def test_share_of_each_word_that_is_kept(embeddings, rng):
    """Each place of a word is kept with probability sqrt(t / f), each for itself."""
    counts, n, t = np.array([640, 250, 100, 10]), 4000, 0.01
    sentence = rng.permutation(np.repeat(np.arange(4), n))
    got = np.array(ints(embeddings.subsample(sentence, counts, t, rng)))
    for word, count in enumerate(counts):
        p, kept = min(1, np.sqrt(t * 1000 / count)), int((got == word).sum())
        assert frequencies({"kept": kept, "dropped": n - kept}, {"kept": p, "dropped": 1 - p})
    places = np.repeat([0, 1, 2, 3], n // 4)  # kept words stay where they were
    assert (np.diff(ints(embeddings.subsample(places, counts, t, rng))) >= 0).all()


@pytest.mark.task("3.6", weight=0.2)
def test_places_are_kept_each_for_itself(embeddings, rng):
    """Each place has a draw of its own, whatever becomes of the place beside it."""
    n = 3000
    sentence, counts = np.repeat(np.arange(n), 2), np.full(n, 7)  # all are kept with chance 1/2
    got = ints(embeddings.subsample(sentence, counts, 1 / (4 * n), rng))
    kept = np.bincount(got, minlength=n).tolist()
    assert frequencies(Counter(kept), {0: 1 / 4, 1: 1 / 2, 2: 1 / 4})


def assert_rng_decides(draw, rng):
    """The same state of the generator draws the same, another state draws something else.

    Returns what the first state drew.
    """
    a, b = rng.choice(2**32, size=2, replace=False).tolist()
    first, again, other = (ints(draw(np.random.default_rng(seed))) for seed in (a, a, b))
    assert first == again
    assert first != other  # by chance for one seed in 10**200 or fewer
    return first


@pytest.mark.task("3.6", weight=0.4)
def test_the_generator_decides_what_is_kept(embeddings, rng):
    """Which words are kept, only `rng` decides."""
    sentence, counts = np.tile(np.arange(400), 10), np.full(400, 25)
    kept = assert_rng_decides(lambda own: embeddings.subsample(sentence, counts, 0.001, own), rng)
    assert 0 < len(kept) < 4000  # one draw for all of them would keep all or none
    left = iter(sentence.tolist())
    assert all(word in left for word in kept)  # in their order


@pytest.mark.task("3.6", weight=1, visible=True)
def test_windows_of_one_word_on_each_side(embeddings, rng):
    """With a window of 1, each word sees its two neighbours, and nothing beyond the ends."""
    got = embeddings.context_windows(np.array([7, 8, 9]), 1, rng)
    assert ints(got) == [[NONE, 8], [7, 9], [8, NONE]]
    assert ints(embeddings.context_windows(np.array([7]), 2, rng)) == [[NONE] * 4]


@pytest.mark.task("3.6", weight=2.2)
def test_reach_of_the_windows(embeddings, rng):
    """Each place draws its own reach from 1 to the window, evenly, and sees alike on both sides."""
    T, window = 3000, 4
    sentence = np.arange(T) + 10
    rows = np.array(ints(embeddings.context_windows(sentence, window, rng)))
    offsets = np.array([-4, -3, -2, -1, 1, 2, 3, 4])
    inner = rows[window:-window]
    seen = inner != NONE
    reach = seen.sum(axis=1) // 2
    assert (seen == (abs(offsets) <= reach[:, None])).all()
    centres = sentence[window:-window, None]
    assert (inner == np.where(seen, centres + offsets, NONE)).all()
    assert frequencies(Counter(reach.tolist()), dict.fromkeys((1, 2, 3, 4), 1 / window))
    pairs = [(a, b) for a in range(1, 5) for b in range(1, 5)]  # of a place and the next one
    beside = Counter(zip(reach[::2].tolist(), reach[1::2].tolist(), strict=True))
    assert frequencies(beside, dict.fromkeys(pairs, 1 / window**2))


def seen_with(sentence, place, window, reach):
    """The row of a place that looks so far."""
    offsets = [*range(-window, 0), *range(1, window + 1)]
    seen = [abs(o) <= reach and 0 <= place + o < len(sentence) for o in offsets]
    return [sentence[place + o] if s else NONE for o, s in zip(offsets, seen, strict=True)]


@pytest.mark.task("3.6", weight=0.3)
def test_windows_near_the_ends(embeddings, rng):
    """A side that ends early, in a sentence of any length, changes neither reach nor other side."""
    for T, window in ((9, 4), (4, 5), (2, 7), (3, 3)):
        sentence = rng.permutation(T)  # word 0 is a word like all others
        rows = ints(embeddings.context_windows(sentence, window, rng))
        assert len(rows) == T
        for place, row in enumerate(rows):
            reaches = range(1, window + 1)
            assert row in [seen_with(sentence.tolist(), place, window, r) for r in reaches]
    some = [ints(embeddings.context_windows(np.arange(9), 4, rng)) for _ in range(30)]
    for place in (0, 8):  # by chance, the same reach 30 times for one seed in 10**17
        assert len({rows[place].count(NONE) for rows in some}) > 1


@pytest.mark.task("3.6", weight=0.4)
def test_the_generator_decides_the_reach(embeddings, rng):
    """How far each place looks, only `rng` decides."""
    rows = assert_rng_decides(lambda own: embeddings.context_windows(np.arange(300), 5, own), rng)
    assert len({row.count(NONE) for row in rows[5:-5]}) > 1  # no reach of one draw for all


@pytest.mark.task("3.6", weight=0.75, visible=True)
def test_noise_by_hand(embeddings):
    """Words seen 16 times and once are noise 8 to 1."""
    assert close(embeddings.noise_distribution(np.array([16, 1])), [8 / 9, 1 / 9])


@pytest.mark.task("3.6", weight=1.25)
def test_noise_of_any_counts(embeddings, rng):
    """The probabilities go with the power of the counts, and sum to 1."""
    counts = rng.choice(np.arange(1, 500), size=9, replace=False)
    for power in (0.75, 1.0, 0.0, 0.4):
        expected = counts**power / sum(count**power for count in counts)
        assert close(embeddings.noise_distribution(counts, power), expected)


@pytest.mark.task("3.6", weight=0.2)
def test_words_are_whole_numbers(embeddings, rng):
    """What is kept, even if it is nothing, and what windows hold are whole numbers, as ids are."""
    sentence, counts = np.array([0, 1, 1, 0]), np.array([5, 5])
    kept = [embeddings.subsample(sentence, counts, t, rng) for t in (0.5, 1e-30)]
    assert list(map(ints, kept)) == [[0, 1, 1, 0], []]
    some = [*kept, embeddings.context_windows(sentence, 1, rng)]
    for each in some:  # a list of whole numbers will do
        assert type(each) in (list, tuple) or np.asarray(each).dtype.kind == "i"


@pytest.mark.task("3.6", weight=0.1)
def test_an_empty_sentence(embeddings, rng):
    """An empty sentence has nothing to keep, and no windows."""
    nothing, counts = np.array([], dtype=int), np.array([3, 1])
    assert ints(embeddings.subsample(nothing, counts, 0.1, rng)) == []
    some = embeddings.context_windows(np.array([7, 8]), 1, rng)
    assert ints(some) == [[NONE, 8], [7, NONE]]
    assert len(embeddings.context_windows(nothing, 3, rng)) == 0


@pytest.mark.task("3.6", weight=0.1)
def test_frequent_words_with_capitals(embeddings):
    """A word with capital letters is another word."""
    sentences = [["The", "the", "THE", "the"], ["Hen", "THE", "THE"]]
    counts = embeddings.frequent_words(sentences)
    assert list(counts.items()) == [("THE", 3), ("the", 2), ("Hen", 1), ("The", 1)]
