"""Tests of tasks 1.1 to 1.8: vocabulary, chain rule, measures, languages, candidates."""

import math

import numpy as np
import pytest

from nextword.corpora import tongues
from tests.suites.language_models import oracles as plain
from tests.suites.language_models.common import near, numbers

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = 0, 1, 2


@pytest.fixture
def lm(coursework):
    return coursework.language_models


# ---------------------------------------------------------------- 1.1


@pytest.mark.task("1.1", weight=1, visible=True)
def test_vocabulary_of_two_sentences(lm):
    """Special symbols, then words by count, equal counts by alphabet; rare words are left out."""
    sentences = [["the", "goat", "saw", "the", "hen"], ["the", "hen", "slept"]]
    words = ["the", "hen", "goat", "saw", "slept"]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, *words]
    assert list(lm.build_vocabulary(sentences, 2)) == [*SPECIAL, "the", "hen"]


@pytest.mark.task("1.1", weight=1)
def test_vocabulary_of_any_text(lm, rng):
    """Words and characters are listed in order for every minimum count."""
    for min_count in (1, 2, 4):
        sentences = plain.random_sentences(rng)
        assert list(lm.build_vocabulary(sentences, min_count)) == plain.vocabulary(
            sentences, min_count
        )
    assert list(lm.build_vocabulary(["abba", "bob"], 2)) == [*SPECIAL, "b", "a"]


@pytest.mark.task("1.1", weight=1)
def test_special_symbols_are_listed_once(lm):
    """A special symbol that stands in the text already is not listed a second time."""
    sentences = [["a", "<unk>", "<unk>", "b"], ["<s>", "b", "</s>"]]
    assert list(lm.build_vocabulary(sentences)) == [*SPECIAL, "b", "a"]


@pytest.mark.task("1.1", weight=1, visible=True)
def test_words_to_ids_and_back(lm):
    """A word's id is its place in the vocabulary; a word that is not there gets the id of <unk>."""
    vocabulary = [*SPECIAL, "the", "hen"]
    assert list(lm.to_ids(["the", "zebra", "hen", "</s>"], vocabulary)) == [3, UNK, 4, EOS]
    assert list(lm.to_words([4, UNK, 3], vocabulary)) == ["hen", "<unk>", "the"]


@pytest.mark.task("1.1", weight=1)
def test_any_words_to_ids_and_back(lm, rng):
    """Known words come back from their ids as they were, all others as <unk>."""
    vocabulary = [*SPECIAL, *rng.permutation(plain.WORDS[3:]).tolist()]
    words = rng.choice(plain.WORDS, size=30).tolist()
    ids = list(lm.to_ids(words, vocabulary))
    assert ids == [vocabulary.index(w) if w in vocabulary else UNK for w in words]
    back = list(lm.to_words(ids, vocabulary))
    assert back == [w if w in vocabulary else "<unk>" for w in words]
    assert list(lm.to_ids([], vocabulary)) == list(lm.to_words([], vocabulary)) == []


# ---------------------------------------------------------------- 1.2


@pytest.mark.task("1.2", weight=1, visible=True)
def test_inputs_and_targets_of_a_sentence(lm):
    """Inputs begin with BOS, targets end with EOS, and each target is the next input."""
    inputs, targets = lm.inputs_and_targets([5, 3, 8])
    assert (list(inputs), list(targets)) == ([BOS, 5, 3, 8], [5, 3, 8, EOS])


@pytest.mark.task("1.2", weight=1)
def test_inputs_and_targets_of_any_sentence(lm, rng):
    """A sentence of any length, also an empty one, has one more prediction than words."""
    for size in (0, 1, 9):
        ids = rng.integers(3, 50, size=size).tolist()
        inputs, targets = lm.inputs_and_targets(ids)
        assert (list(inputs), list(targets)) == ([BOS, *ids], [*ids, EOS])


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
    for B, T in ((1, 1), (1, 22), (5, 4), (4, 5), (3, 1)):
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
    for shape in ((7,), (3, 5), (2, 3, 4), (4, 1)):
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


@pytest.mark.task("1.4", weight=2)
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
    for N, V in ((1, 4), (9, 3), (3, 9)):
        log_probs = np.log(rng.dirichlet([1.0] * V, size=N))
        targets = rng.integers(V, size=N)
        right = [float(log_probs[i, w]) for i, w in enumerate(targets)]
        assert float(lm.cross_entropy(log_probs, targets)) == near(-math.fsum(right) / N)


@pytest.mark.task("1.5", weight=0.7, visible=True)
def test_perplexity_of_a_die(lm):
    """The throws of a fair die have perplexity 6, however many they are."""
    assert float(lm.perplexity([math.log(1 / 6)])) == near(6)
    assert float(lm.perplexity([math.log(1 / 6)] * 500)) == near(6)


@pytest.mark.task("1.5", weight=1.3)
def test_perplexity_of_any_text(lm, rng):
    """Perplexity is one over the geometric mean of the probabilities, infinite if one is 0."""
    p = rng.uniform(0.01, 1, size=7)
    assert float(lm.perplexity(np.log(p).tolist())) == near(float(np.prod(p)) ** (-1 / 7))
    assert lm.perplexity([math.log(0.5), -math.inf]) == math.inf


@pytest.mark.task("1.5", weight=1, visible=True)
def test_bits_per_byte_by_hand(lm):
    """Two tokens of 4 bits for four bytes are 2 bits per byte: é has two bytes."""
    assert float(lm.bits_per_byte([-math.log(16)] * 2, "née")) == near(2)


@pytest.mark.task("1.5", weight=1)
def test_bits_per_byte_of_any_text(lm, rng):
    """The number of tokens does not matter, only their sum and the bytes of the text."""
    for text in ("abc", "Straße", "Привет", "🐐 goat"):
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
    assert float(lm.entropy(np.array([0.0, 1.0, 0.0]))) == near(0)


@pytest.mark.task("1.6", weight=1.1)
def test_entropy_of_any_distribution(lm, rng):
    """The surprises are averaged with their own probabilities."""
    for V in (1, 5, 9):
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


@pytest.mark.task("1.6", weight=1.4)
def test_divergence_of_any_distributions(lm, rng):
    """The mean of ln p/q over p is right, also where p is 0."""
    for zeros in (0, 2):
        p, q = plain.random_row(rng, 6, zeros), plain.random_row(rng, 6)
        assert float(lm.kl_divergence(p, q)) == near(plain.divergence(p, q))


@pytest.mark.task("1.6", weight=0.6)
def test_divergence_from_a_model_that_forbids_words(lm, rng):
    """Where only q is 0, the divergence is infinite; where both are, nothing is added."""
    p, q = plain.random_row(rng, 6), plain.random_row(rng, 6)
    assert float(lm.kl_divergence(p, q)) == near(plain.divergence(p, q))  # an error shows here, too
    q[int(p.argmax())] = 0
    assert lm.kl_divergence(p, q / q.sum()) == math.inf
    assert float(lm.kl_divergence(np.array([0.5, 0.5, 0]), np.array([0.25, 0.75, 0]))) > 0


# ---------------------------------------------------------------- 1.7


@pytest.mark.task("1.7", weight=1, visible=True)
def test_counts_of_two_texts(lm):
    """Counts do not reach from one text into the next."""
    found = lm.count_characters(["abab", "ba"], 2)
    assert {u: dict(row) for u, row in dict(found).items()} == {"a": {"b": 2}, "b": {"a": 2}}


@pytest.mark.task("1.7", weight=1)
def test_counts_of_any_texts(lm, rng):
    """Characters are counted right after contexts of every length, also the empty one."""
    for n in (1, 2, 4):
        texts = ["", *(plain.random_text(rng, 9) for _ in range(3)), "ab"]
        found = lm.count_characters(texts, n)
        found = {u: {c: k for c, k in dict(row).items() if k} for u, row in dict(found).items()}
        assert {u: row for u, row in found.items() if row} == plain.count_characters(texts, n)


@pytest.mark.task("1.7", weight=1, visible=True)
def test_adding_one_to_counts(lm):
    """After a, seen 2 times with b, the b has 3/5 if there are three characters."""
    found = float(lm.character_log_prob({"a": {"b": 2}}, "abc", n=2, V=3))
    assert found == near(math.log(3 / 5) + math.log(1 / 3))
    assert float(lm.character_log_prob({"a": {"b": 2}}, "a", n=2, V=3)) == 0


@pytest.mark.task("1.7", weight=1)
def test_log_probability_of_any_characters(lm, rng):
    """Seen and unseen characters and contexts have their smoothed probabilities."""
    for n in (1, 2, 3):
        counts = plain.count_characters([plain.random_text(rng, 30)], n)
        text = "né" + plain.random_text(rng, 4)
        expected = plain.character_log_prob(counts, text, n, 40)
        assert float(lm.character_log_prob(counts, text, n, 40)) == near(expected)


@pytest.mark.task("1.7", weight=1, visible=True)
def test_posterior_by_hand(lm):
    """Likelihoods 1/10 and 3/10 with priors 3/4 and 1/4 make both classes equally likely."""
    logs = {"french": math.log(0.1), "swedish": math.log(0.3)}
    found = lm.posterior(logs, {"french": 0.75, "swedish": 0.25})
    assert dict(found) == near({"french": 0.5, "swedish": 0.5})


@pytest.mark.task("1.7", weight=0.4)
def test_posterior_of_short_texts(lm, rng):
    """Each likelihood is multiplied by its prior, and the products are divided by their sum."""
    logs, priors, expected = plain.random_posterior(rng, 0)
    assert dict(lm.posterior(logs, priors)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.task("1.7", weight=0.6)
def test_posterior_of_long_texts(lm, rng):
    """Likelihoods too small for any float, or far apart, give probabilities that sum to 1."""
    for size in (0, -4000, -90000):
        logs, priors, expected = plain.random_posterior(rng, size)
        assert dict(lm.posterior(logs, priors)) == pytest.approx(expected, rel=1e-6)
    far = {"a": -5000.0, "b": -9000.0}
    assert dict(lm.posterior(far, {"a": 0.5, "b": 0.5})) == near({"a": 1.0, "b": 0.0})


@pytest.mark.task("1.7", weight=1, seconds=20)
def test_three_languages_are_told_apart(lm):
    """At least 95 of 100 pieces of 40 characters are given to their own language."""
    train = {name: tongues.sentences(name, "train")[:120] for name in tongues.LANGUAGES}
    counts = {name: dict(lm.count_characters(train[name], 2)) for name in train}
    pieces = []
    for name in train:
        text = " ".join(tongues.sentences(name, "test"))
        pieces += [(name, text[start : start + 40]) for start in range(0, 600, 40)]
    hits = 0
    for name, piece in pieces:
        scores = {each: float(lm.character_log_prob(counts[each], piece, 2, 90)) for each in counts}
        hits += max(scores, key=scores.get) == name
    assert hits >= 0.95 * len(pieces)


# ---------------------------------------------------------------- 1.8


@pytest.mark.task("1.8", weight=1, visible=True)
def test_candidates_by_hand(lm):
    """With weight 1 the sums -22, -25.5 and -31 decide, with weight 100 the channel alone."""
    candidates = {"nice beach": (-30.0, -1.0), "speech": (-20.0, -2.0), "peach": (-25.0, -0.5)}
    assert list(lm.rerank(candidates)) == ["speech", "peach", "nice beach"]
    assert list(lm.rerank(candidates, 0.0)) == ["speech", "peach", "nice beach"]
    assert list(lm.rerank(candidates, 100.0)) == ["peach", "nice beach", "speech"]


@pytest.mark.task("1.8", weight=2)
def test_candidates_of_any_scores(lm, rng):
    """The weight multiplies the channel's score alone, whatever it is."""
    for weight in (0.0, 0.3, 1.0, 4.0):
        scores = -rng.uniform(1, 30, size=(6, 2))
        candidates = {f"text {i}": tuple(row) for i, row in enumerate(scores.tolist())}
        total = {name: a + weight * b for name, (a, b) in candidates.items()}
        expected = sorted(total, key=total.get, reverse=True)
        assert list(lm.rerank(candidates, weight)) == expected


@pytest.mark.task("1.8", weight=1)
def test_candidates_with_equal_scores(lm):
    """Equal scores keep the order in which the candidates were given."""
    candidates = {"z": (-2.0, -2.0), "b": (-1.0, -2.0), "m": (-2.0, -1.0), "a": (-1.0, -2.0)}
    assert list(lm.rerank(candidates)) == ["b", "m", "a", "z"]
