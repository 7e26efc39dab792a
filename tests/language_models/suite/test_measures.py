"""Tests of tasks 1.1 to 1.6: vocabulary, chain rule, measures."""

import math

import numpy as np
import pytest

from examiner.suite import near
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


@pytest.mark.task("1.1", weight=0.5)
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


@pytest.mark.task("1.1", weight=1.2)
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
def test_the_first_word_of_a_vocabulary(lm):
    """The first word is known, too: its id is 0."""
    assert list(lm.to_ids(["<s>", "hen", "<unk>"], [*SPECIAL, "hen"])) == [BOS, 3, UNK]
    assert list(lm.to_words([BOS, 3, UNK], [*SPECIAL, "hen"])) == ["<s>", "hen", "<unk>"]


@pytest.mark.task("1.1", weight=0.3)
def test_ids_of_words_with_capitals(lm):
    """A word with capital letters is another word, and perhaps an unknown one."""
    assert list(lm.to_ids(["hen", "goat"], [*SPECIAL, "hen"])) == [3, UNK]
    vocabulary = [*SPECIAL, "Hen", "the", "THE"]
    assert list(lm.to_ids(["hen", "THE", "The", "the", "Hen"], vocabulary)) == [UNK, 5, UNK, 4, 3]


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


@pytest.mark.task("1.2", weight=2)
def test_batches_of_any_size(lm, rng):
    """Batches of one row, of windows of one token, and of the last window are right."""
    ids = rng.integers(100, size=23)
    for B, T in ((5, 4), (4, 5), (3, 1), (1, 22), (1, 1)):
        starts = rng.integers(23 - T, size=B)
        starts[0] = 23 - T - 1  # the last place where a window and its targets fit
        x, y = lm.batch(ids, starts, T)
        assert numbers(x) == [[int(ids[s + t]) for t in range(T)] for s in starts]
        assert numbers(y) == [[int(ids[s + t + 1]) for t in range(T)] for s in starts]


# ---------------------------------------------------------------- 1.3


@pytest.mark.task("1.3", weight=1, visible=True)
def test_log_softmax_by_hand(lm):
    """The scores 0 and ln 3 have the probabilities 1/4 and 3/4."""
    found = numbers(lm.log_softmax(np.array([0, math.log(3)])))
    assert found == near([math.log(1 / 4), math.log(3 / 4)])


@pytest.mark.task("1.3", weight=2)
def test_log_softmax_of_any_shape(lm, rng):
    """The last axis is normalised, whatever axes there are before it."""
    for shape in ((2, 3, 4), (3, 5), (7,), (4, 1)):
        logits = rng.normal(scale=4, size=shape)
        found = np.array(numbers(lm.log_softmax(logits)))
        assert found.shape == shape
        rows = zip(found.reshape(-1, shape[-1]), logits.reshape(-1, shape[-1]), strict=True)
        for row, z in rows:
            assert row.tolist() == near(plain.log_softmax(z.tolist()))


@pytest.mark.task("1.3", weight=2)
def test_log_softmax_of_large_scores(lm, rng):
    """Scores of thousands overflow nowhere, in either precision; -inf keeps probability 0."""
    for size, precision, tolerance in (
        (5000, float, 1e-9),
        (-5000, float, 1e-9),
        (200, "f4", 1e-4),
    ):
        row = [*(size + rng.normal(size=4)).tolist(), -math.inf]
        logits = np.array([row, [0.0, 2.0 * abs(size), *[-math.inf] * 3]], dtype=precision)
        expected = [plain.log_softmax(z) for z in logits.astype(float).tolist()]
        found = np.array(numbers(lm.log_softmax(logits)))
        for got, right in zip(found.tolist(), expected, strict=True):
            assert got == pytest.approx(right, rel=tolerance, abs=tolerance)


# ---------------------------------------------------------------- 1.4


@pytest.mark.task("1.4", weight=1, visible=True)
def test_log_probabilities_of_a_text(lm):
    """Each token's probability is read from the row after the tokens before it."""
    rows = {(): [0, 0.25, 0.25, 0.5], (BOS,): [0, 0, 0.5, 0.5], (2,): [0, 0.125, 0, 0.875]}
    found = list(lm.token_log_probs(lm.TableModel(rows), [BOS], [2, 3, 1]))
    assert found == near([math.log(p) for p in (0.5, 0.875, 0.25)])
    assert list(lm.token_log_probs(lm.TableModel(rows), [BOS, 2], [1])) == near([math.log(0.125)])


@pytest.mark.task("1.4", weight=2.4)
def test_log_probabilities_of_any_text(lm, rng):
    """A text of any length is scored right after a history of any length."""
    table = plain.random_table(rng)
    model = lm.TableModel(table)
    for size, before in ((8, 1), (1, 3), (0, 1), (5, 2)):
        history = [BOS, *rng.integers(2, 4, size=before - 1).tolist()]
        text = rng.integers(1, 4, size=size).tolist()
        found = list(lm.token_log_probs(model, history, text))
        assert found == near(plain.text_log_probs(table, history, text))
    found = list(lm.token_log_probs(model, [BOS, 2], [3, 2, 3]))  # the table has a row for 2, 3
    assert found == near(plain.text_log_probs(table, [BOS, 2], [3, 2, 3]))


@pytest.mark.task("1.4", weight=1)
def test_an_impossible_token(lm):
    """A token of probability 0 has the logarithm minus infinity; those after it keep their own."""
    model = lm.TableModel({(): [0, 0.5, 0.5, 0], (3,): [0, 0.25, 0.25, 0.5]})
    found = list(lm.token_log_probs(model, [BOS], [2, 3, 3]))
    assert found == near([math.log(0.5), -math.inf, math.log(0.5)])


# ---------------------------------------------------------------- 1.5


@pytest.mark.task("1.5", weight=0.7, visible=True)
def test_cross_entropy_by_hand(lm):
    """With 1/2 and 1/8 for the right tokens, the mean surprise is 2 ln 2."""
    log_probs = np.log([[0.5, 0.25, 0.25], [0.25, 0.125, 0.625]])
    assert float(lm.cross_entropy(log_probs, np.array([0, 1]))) == near(2 * math.log(2))


@pytest.mark.task("1.5", weight=1.3)
def test_cross_entropy_of_any_predictions(lm, rng):
    """Only the right token of each row counts, and every row counts the same."""
    for N, V in ((9, 3), (3, 9), (1, 4)):
        log_probs = np.log(rng.dirichlet([1.0] * V, size=N))
        targets = rng.integers(V, size=N)
        right = [float(log_probs[i, w]) for i, w in enumerate(targets)]
        assert float(lm.cross_entropy(log_probs, targets)) == near(-math.fsum(right) / N)


@pytest.mark.task("1.5", weight=0.3)
def test_cross_entropy_with_impossible_words(lm):
    """An impossible word changes nothing, unless it is the right one: then all is infinite."""
    with np.errstate(divide="ignore"):
        log_probs = np.log([[0.5, 0.0, 0.5], [0.0, 0.125, 0.875]])
    assert float(lm.cross_entropy(log_probs, np.array([0, 1]))) == near(2 * math.log(2))
    assert float(lm.cross_entropy(log_probs, np.array([0, 0]))) == math.inf


@pytest.mark.task("1.5", weight=0.5, visible=True)
def test_perplexity_of_a_die(lm):
    """The throws of a fair die have perplexity 6, however many they are."""
    assert float(lm.perplexity([math.log(1 / 6)])) == near(6)
    assert float(lm.perplexity([math.log(1 / 6)] * 5)) == near(6)


@pytest.mark.task("1.5", weight=1)
def test_perplexity_of_any_text(lm, rng):
    """Perplexity is one over the geometric mean of the probabilities."""
    p = rng.uniform(0.01, 1, size=7)
    assert float(lm.perplexity(np.log(p).tolist())) == near(float(np.prod(p)) ** (-1 / 7))


@pytest.mark.task("1.5", weight=0.25)
def test_perplexity_of_a_long_text(lm):
    """The length of a text does no harm, though its probability is too small for any float."""
    thrown = [math.log(1 / 6), math.log(1 / 3)] * 1000  # 500 would not do: 18^-250 is a float
    assert float(lm.perplexity(thrown)) == near(math.sqrt(18))


@pytest.mark.task("1.5", weight=0.25)
def test_perplexity_of_an_impossible_text(lm):
    """One impossible token makes the perplexity infinite."""
    assert float(lm.perplexity([math.log(0.5), math.log(0.125)])) == near(4)
    assert lm.perplexity([math.log(0.5), -math.inf]) == math.inf


@pytest.mark.task("1.5", weight=0.75, visible=True)
def test_bits_per_byte_by_hand(lm):
    """Two tokens of 4 bits for four bytes are 2 bits per byte: é has two bytes."""
    assert float(lm.bits_per_byte([-math.log(16)] * 2, "née")) == near(2)
    assert float(lm.bits_per_byte([-math.log(2)] * 3, "né")) == near(1)


@pytest.mark.task("1.5", weight=1.25)
def test_bits_per_byte_of_any_text(lm, rng):
    """The number of tokens does not matter, only their sum and the bytes of the text."""
    for text in ("🐐 goat", "abc", "Straße", "Привет"):
        logs = np.log(rng.uniform(0.01, 1, size=rng.integers(1, 9)))
        bits = -math.fsum(logs) / math.log(2)
        found = float(lm.bits_per_byte(logs.tolist(), text))
        assert found == near(bits / len(bytes(text, "utf-8")))


# ---------------------------------------------------------------- 1.6


@pytest.mark.task("1.6", weight=0.4, visible=True)
def test_entropy_of_a_coin(lm):
    """A fair coin has ln 2 nats."""
    assert float(lm.entropy(np.array([0.5, 0.5]))) == near(math.log(2))


@pytest.mark.task("1.6", weight=0.2, visible=True)
def test_entropy_of_certainty(lm):
    """A certain event has no entropy."""
    assert float(lm.entropy(np.array([0.25, 0.75]))) == near(2 * math.log(2) - 0.75 * math.log(3))
    assert float(lm.entropy(np.array([0.0, 1.0, 0.0]))) == near(0)


@pytest.mark.task("1.6", weight=1.1)
def test_entropy_of_any_distribution(lm, rng):
    """The surprises are averaged with their own probabilities."""
    for V in (9, 5, 1):
        p = plain.random_row(rng, V, 0)
        assert float(lm.entropy(p)) == near(-math.fsum(x * math.log(x) for x in p.tolist()))


@pytest.mark.task("1.6", weight=0.3)
def test_entropy_with_impossible_words(lm, rng):
    """Impossible words add nothing."""
    p = plain.random_row(rng, 9, 3)
    assert float(lm.entropy(p)) == near(-math.fsum(x * math.log(x) for x in p.tolist() if x > 0))


@pytest.mark.task("1.6", weight=1, visible=True)
def test_divergence_by_hand(lm):
    """From a fair coin to one with 1/4 and 3/4 it is half of ln 4/3, and to itself 0."""
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert float(lm.kl_divergence(p, q)) == near(math.log(4 / 3) / 2)
    assert float(lm.kl_divergence(q, q)) == near(0)


@pytest.mark.task("1.6", weight=1.1)
def test_divergence_of_any_distributions(lm, rng):
    """The mean of ln p/q over p is right."""
    for V in (6, 9):
        p, q = plain.random_row(rng, V), plain.solid_row(rng, V)
        assert float(lm.kl_divergence(p, q)) == near(plain.divergence(p, q), rel=1e-6)


@pytest.mark.task("1.6", weight=0.5)
def test_divergence_of_words_that_never_occur(lm, rng):
    """A word with p = 0 adds nothing, whatever q is."""
    p, q = plain.random_row(rng, 6, 2), plain.solid_row(rng, 6)
    assert float(lm.kl_divergence(p, q)) == near(plain.divergence(p, q), rel=1e-6)
    p, q = np.array([0.5, 0.5, 0]), np.array([0.25, 0.75, 0])
    assert float(lm.kl_divergence(p, q)) == near(math.log(4 / 3) / 2)
    certain = np.array([0.0, 1.0, 0.0])
    assert float(lm.kl_divergence(certain, certain)) == near(0)


@pytest.mark.task("1.6", weight=0.6)
def test_divergence_from_a_model_that_forbids_words(lm, rng):
    """Where only q is 0, the divergence is infinite."""
    p, q = plain.random_row(rng, 6), plain.solid_row(rng, 6)
    expected = near(plain.divergence(p, q), rel=1e-6)
    assert float(lm.kl_divergence(p, q)) == expected  # an error shows here, too
    q[int(p.argmax())] = 0
    assert lm.kl_divergence(p, q / q.sum()) == math.inf
