"""Tests of tasks 1.1 and 1.2: vocabulary, inputs and targets."""

import numpy as np
import pytest

from examiner.suite import ship
from tests.language_models.suite import oracles as plain
from tests.language_models.suite.common import numbers

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = 0, 1, 2


@pytest.fixture
def lm(coursework):
    return coursework.language_models


# ---------------------------------------------------------------- 1.1


@pytest.mark.task("1.1", weight=1, visible=True)
def test_vocabulary_of_two_sentences(lm):
    """Special symbols, then words by count; rare words are left out."""
    sentences = [["the", "goat", "saw", "the", "hen"], ["the", "hen", "slept"]]
    assert list(lm.build_vocabulary(sentences, 2)) == [*SPECIAL, "the", "hen"]
    assert list(lm.build_vocabulary([["hen", "the", "the"]])) == [*SPECIAL, "the", "hen"]


@pytest.mark.task("1.1", weight=0.3, visible=True)
def test_equally_frequent_words(lm):
    """Equally frequent words are listed by alphabet."""
    sentences = [["the", "goat", "saw", "the", "hen"], ["the", "hen", "slept"]]
    words = ["the", "hen", "goat", "saw", "slept"]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, *words]


@pytest.mark.task("1.1", weight=1)
def test_vocabulary_of_any_text(lm, rng):
    """Words and characters are listed in order for every minimum count."""
    for min_count in (4, 2, 1):
        sentences = plain.sentences_of_unequal_counts(rng)
        found = list(lm.build_vocabulary(sentences, min_count))
        assert found == plain.vocabulary(sentences, min_count)
    assert list(lm.build_vocabulary(["abba", "bob"], 2)) == [*SPECIAL, "b", "a"]


@pytest.mark.task("1.1", weight=0.5, orders=2)
def test_vocabulary_with_equal_counts(lm, rng):
    """Many words that are seen equally often stand in the order of the alphabet."""
    for min_count in (1, 2):
        sentences = plain.sentences_of_equal_counts(rng)
        found = list(lm.build_vocabulary(sentences, min_count))
        assert found == plain.vocabulary(sentences, min_count)


@pytest.mark.task("1.1", weight=0.5)
def test_special_symbols_are_listed_once(lm):
    """A special symbol that stands in the text already is not listed a second time."""
    sentences = [["a", "<unk>", "<unk>", "b"], ["<s>", "b", "</s>"]]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, "b", "a"]


@pytest.mark.task("1.1", weight=0.4)
def test_vocabulary_with_capitals(lm):
    """A word with capital letters is another word, and is counted by itself."""
    assert list(lm.build_vocabulary([["the", "hen", "the"]])) == [*SPECIAL, "the", "hen"]
    sentences = [["The", "the", "THE", "the"], ["the", "Hen", "THE", "Zoë", "Hen", "THE", "THE"]]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, "THE", "the", "Hen", "The", "Zoë"]


@pytest.mark.task("1.1", weight=0.8, visible=True)
def test_words_to_ids_and_back(lm):
    """A word's id is its place in the vocabulary; a word that is not there gets the id of <unk>."""
    vocabulary = [*SPECIAL, "the", "hen"]
    assert list(lm.to_ids(["the", "zebra", "hen", "</s>"], vocabulary)) == [3, UNK, 4, EOS]
    assert list(lm.to_words([4, UNK, 3], vocabulary)) == ["hen", "<unk>", "the"]


@pytest.mark.task("1.1", weight=1.2, orders=2)
def test_any_words_to_ids_and_back(lm, rng):
    """Known words come back from their ids as they were, all others as <unk>."""
    vocabulary = [*SPECIAL, *rng.permutation(plain.WORDS[3:]).tolist()]
    words = rng.choice(plain.WORDS, size=30).tolist()
    ids = list(lm.to_ids(words, vocabulary))
    assert ids == [vocabulary.index(w) if w in vocabulary else UNK for w in words]
    back = list(lm.to_words(ids, vocabulary))
    assert back == [w if w in vocabulary else "<unk>" for w in words]
    assert list(lm.to_ids([], vocabulary)) == list(lm.to_words([], vocabulary)) == []


@pytest.mark.task("1.1", weight=0.3)
def test_special_symbols_are_words(lm):
    """Special symbols are words like others, wherever they stand; the id of the first one is 0."""
    words, ids = ["<s>", "hen", "</s>", "hen", "<unk>"], [BOS, 3, EOS, 3, UNK]
    assert list(lm.to_ids(words, [*SPECIAL, "hen"])) == ids
    assert list(lm.to_words(ids, [*SPECIAL, "hen"])) == words


@pytest.mark.task("1.1", weight=0.3)
def test_ids_of_words_with_capitals(lm):
    """A word with capital letters is another word, and perhaps an unknown one."""
    assert list(lm.to_ids(["hen", "goat"], [*SPECIAL, "hen"])) == [3, UNK]
    vocabulary = [*SPECIAL, "Hen", "the", "THE"]
    assert list(lm.to_ids(["hen", "THE", "The", "the", "Hen"], vocabulary)) == [UNK, 5, UNK, 4, 3]


@pytest.mark.task("1.1", weight=0.2)
def test_a_vocabulary_without_words(lm):
    """Where no word is frequent enough, the special symbols are left."""
    assert list(lm.build_vocabulary([["a", "b"], ["a"]], 5)) == SPECIAL


@pytest.mark.task("1.1", weight=0.2)
def test_vocabulary_of_sentences_that_repeat(lm):
    """Each sentence counts, also one that was there before."""
    assert list(lm.build_vocabulary([["a"], ["b"], ["b"]])) == [*SPECIAL, "b", "a"]


@pytest.mark.task("1.1", weight=0.2)
def test_vocabulary_of_blanks_and_signs(lm):
    """Blanks, signs and numbers are words like others."""
    assert list(lm.build_vocabulary(["a a, a", "ab "])) == [*SPECIAL, "a", " ", ",", "b"]
    sentences = [["New York", "is", "New York"], ["is", "7", "New York"]]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, "New York", "is", "7"]


@ship
def ids_of_what_is_read_once(to_ids, words, vocabulary):
    """The ids of words that can be gone through once."""
    return list(to_ids((word for word in words), vocabulary))


@pytest.mark.task("1.1", weight=0.2)
def test_ids_of_words_that_can_be_read_once(lm):
    """The words may come from a generator, which has no length and no places."""
    vocabulary = [*SPECIAL, "the", "hen"]
    assert list(lm.to_ids(["hen", "zebra", "the"], vocabulary)) == [4, UNK, 3]
    assert ids_of_what_is_read_once(lm.to_ids, ["hen", "zebra", "the"], vocabulary) == [4, UNK, 3]


@pytest.mark.task("1.1", weight=0.2)
def test_ids_of_blanks(lm):
    """A blank is a character like others."""
    assert list(lm.to_ids("a b", [*SPECIAL, "a", " "])) == [3, 4, UNK]


# ---------------------------------------------------------------- 1.2


@pytest.mark.task("1.2", weight=0.8, visible=True)
def test_inputs_and_targets_of_a_sentence(lm):
    """Inputs begin with BOS, targets end with EOS, and each target is the next input."""
    inputs, targets = lm.inputs_and_targets([5, 3, 8])
    assert (list(inputs), list(targets)) == ([BOS, 5, 3, 8], [5, 3, 8, EOS])


@pytest.mark.task("1.2", weight=1.2)
def test_inputs_and_targets_of_any_sentence(lm, rng):
    """A sentence of any length has one more prediction than words."""
    for size in (1, 2, 9):
        ids = rng.integers(3, 50, size=size).tolist()
        inputs, targets = lm.inputs_and_targets(ids)
        assert (list(inputs), list(targets)) == ([BOS, *ids], [*ids, EOS])


@pytest.mark.task("1.2", weight=0.2)
def test_inputs_and_targets_of_any_sequence(lm):
    """A tuple of ids becomes two lists as well; BOS and EOS are added whatever the text holds."""
    for ids in ([5, 3], (5, 3), (BOS, 5), (5, EOS)):
        inputs, targets = lm.inputs_and_targets(ids)
        assert (list(inputs), list(targets)) == ([BOS, *ids], [*ids, EOS])


@pytest.mark.task("1.2", weight=0.3)
def test_inputs_and_targets_of_an_empty_sentence(lm):
    """After the beginning of an empty sentence, its end is predicted."""
    inputs, targets = lm.inputs_and_targets([])
    assert (list(inputs), list(targets)) == ([BOS], [EOS])


@pytest.mark.task("1.2", weight=1, visible=True)
def test_a_batch_of_two_windows(lm):
    """Each row is a window of the text, and its targets are the same window one place later."""
    x, y = lm.batch(np.array([5, 6, 7, 8, 9]), np.array([2, 0]), 2)
    assert numbers(x) == [[7, 8], [5, 6]]
    assert numbers(y) == [[8, 9], [6, 7]]


def assert_windows(batch, rng, B, T):
    """Cut windows out of a random text; the first one is the last that fits."""
    ids = rng.integers(100, size=23)
    starts = rng.integers(23 - T, size=B)
    starts[0] = 23 - T - 1
    x, y = batch(ids, starts, T)
    assert numbers(x) == [[int(ids[s + t]) for t in range(T)] for s in starts]
    assert numbers(y) == [[int(ids[s + t + 1]) for t in range(T)] for s in starts]


@pytest.mark.task("1.2", weight=1.2)
def test_batches_of_any_size(lm, rng):
    """Windows of any length, as many as there are starts, in their order, are right."""
    for B, T in ((5, 4), (4, 5), (2, 21)):
        assert_windows(lm.batch, rng, B, T)


@pytest.mark.task("1.2", weight=0.6)
def test_batches_of_one_row_or_column(lm, rng):
    """A batch of one window, or of windows of one token, has two axes as well."""
    for B, T in ((2, 3), (3, 1), (1, 22), (1, 1)):
        assert_windows(lm.batch, rng, B, T)


@pytest.mark.task("1.2", weight=0.3)
def test_batches_of_whole_numbers(lm):
    """Inputs and targets are whole numbers, as ids are."""
    x, y = lm.batch(np.array([5, 6, 7, 8]), np.array([1, 0]), 2)
    assert numbers(x) == [[6, 7], [5, 6]]
    assert [np.asarray(each).dtype.kind for each in (x, y)] == ["i", "i"]
