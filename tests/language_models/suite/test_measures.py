"""Tests of tasks 1.3 to 1.6: softmax, chain rule, measures."""

import math

import numpy as np
import pytest

from examiner.suite import close, near
from tests.language_models.suite import oracles as plain
from tests.language_models.suite.common import numbers

SPECIAL = ["<s>", "</s>", "<unk>"]
BOS, EOS, UNK = 0, 1, 2


@pytest.fixture
def lm(coursework):
    return coursework.language_models


# ---------------------------------------------------------------- 1.3


@pytest.mark.task("1.3", weight=1, visible=True)
def test_log_softmax_by_hand(lm):
    """The scores 0 and ln 3 have the probabilities 1/4 and 3/4."""
    found = np.asarray(lm.log_softmax(np.array([0, math.log(3)])))
    assert close(found, np.log([1 / 4, 3 / 4]))


@pytest.mark.task("1.3", weight=2)
def test_log_softmax_of_any_shape(lm, rng):
    """The last axis is normalised, whatever axes there are before it."""
    for shape in ((2, 3, 4), (3, 5), (7,), (4, 1)):
        logits = rng.normal(scale=4, size=shape)
        rows = [plain.log_softmax(z) for z in logits.reshape(-1, shape[-1]).tolist()]
        assert close(np.asarray(lm.log_softmax(logits)), np.reshape(rows, shape))


@pytest.mark.task("1.3", weight=2)
def test_log_softmax_of_large_scores(lm, rng):
    """Scores of thousands overflow nowhere, in either precision; -inf keeps probability 0."""
    for size, precision, tolerance in (
        (5000, float, 1e-9),
        (-5000, float, 1e-9),
        (200, "f4", 1e-4),
    ):
        row = [*(size + rng.normal(size=4)).tolist(), -math.inf]
        top = 2.0 * abs(size)
        logits = np.array([row, [0.0, top, top, -math.inf, -math.inf]], dtype=precision)
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


@pytest.mark.task("1.4", weight=2.1)
def test_log_probabilities_of_any_text(lm, rng):
    """A text of any length is scored right after a history of any length."""
    table = plain.random_table(rng)
    model = lm.TableModel(table)
    for size, before in ((8, 1), (1, 3), (5, 2)):
        history = [BOS, *rng.integers(2, 4, size=before - 1).tolist()]
        text = [*rng.integers(2, 4, size=size).tolist(), EOS][: max(2, size)]
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


@pytest.mark.task("1.4", weight=0.3)
def test_texts_that_are_empty_or_go_on_after_the_end(lm):
    """An empty text has no scores, and a token after EOS has one like any other."""
    model = lm.TableModel({(): [0, 0.25, 0.25, 0.5], (EOS,): [0, 0.5, 0.5, 0]})
    for text, p in (([3, 2], [0.5, 0.25]), ([3, EOS, 2], [0.5, 0.25, 0.5]), ([], [])):
        assert list(lm.token_log_probs(model, [BOS], text)) == near([math.log(each) for each in p])


@pytest.mark.task("1.4", weight=0.3)
def test_the_history_is_taken_as_it_is(lm):
    """A history may be empty, may begin with any token, and may be a tuple: nothing is added."""
    table = {(): [0, 0.25, 0.25, 0.5], (BOS,): [0, 0, 0.5, 0.5], (2,): [0, 0.125, 0, 0.875]}
    table[BOS, 2] = [0, 0.5, 0.25, 0.25]
    model = lm.TableModel(table)
    for history in ([BOS], [BOS, 2], [], [2], (BOS,), (BOS, 2), ()):
        for text in ([3, 2], (3, 2)):
            found = list(lm.token_log_probs(model, history, text))
            assert found == near(plain.text_log_probs(table, [*history], [3, 2]))


@pytest.mark.task("1.4", weight=0.4)
def test_a_model_that_is_no_table(lm):
    """Whatever has the method `log_probs` will do; it gets the whole history."""
    found = plain.scored_by_counting(lm.token_log_probs, lm.TableModel, [BOS, 2, 3, 2], [3, 2, 1])
    assert found == near([math.log(p) for p in (1e-12 / 6, 2 / 7, 6 / 8)])


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
    p = rng.uniform(0.01, 1, size=6)[[0, 1, 2, 0, 3, 4, 5]]  # one is there twice
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


@pytest.mark.task("1.5", weight=0.2)
def test_bits_per_byte_of_blanks(lm):
    """Blanks and line ends are bytes, too, and letters are taken as they are written."""
    for text in ("a b \n", "e\u0301", "ß"):
        expected = 8 / len(bytes(text, "utf-8"))
        assert float(lm.bits_per_byte([-math.log(16)] * 2, text)) == near(expected)


@pytest.mark.task("1.5", weight=0.2)
def test_perplexity_of_rare_tokens(lm):
    """A tiny probability is not 0; a certain token counts, too; where one is 0 does not matter."""
    assert float(lm.perplexity([math.log(1e-30), math.log(1e-40)])) == near(1e35)
    assert float(lm.perplexity([math.log(1 / 4), math.log(1.0)])) == near(2)
    assert lm.perplexity([-math.inf, math.log(0.5)]) == math.inf


# ---------------------------------------------------------------- 1.6


@pytest.mark.task("1.6", weight=0.4, visible=True)
def test_entropy_of_a_coin(lm):
    """A fair coin has ln 2 nats."""
    assert float(lm.entropy(np.array([0.5, 0.5]))) == near(math.log(2), rel=1e-6)


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
        expected = -math.fsum(x * math.log(x) for x in p.tolist())
        assert float(lm.entropy(p)) == near(expected, rel=1e-6)


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


@pytest.mark.task("1.6", weight=0.2, visible=True)
def test_divergence_of_a_word_that_never_occurs(lm):
    """Where p is 0, nothing is added."""
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])
    assert float(lm.kl_divergence(p, q)) == near(math.log(2) / 2)


@pytest.mark.task("1.6", weight=0.3)
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


@pytest.mark.task("1.6", weight=0.2)
def test_rare_words(lm):
    """Words that are next to impossible count as much as they should."""
    p, q = np.array([1 - 1e-5, 9e-6, 1e-6]), np.array([0.5, 0.5 - 1e-9, 1e-9])
    expected = math.fsum(a * math.log(a / b) for a, b in zip(p.tolist(), q.tolist(), strict=True))
    assert float(lm.kl_divergence(p, q)) == near(expected, rel=1e-6)
    assert float(lm.entropy(p)) == near(-math.fsum(a * math.log(a) for a in p.tolist()))
