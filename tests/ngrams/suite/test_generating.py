"""Tests of task 2.11: drawing sentences."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from examiner.suite import frequencies, leave_doubt, ship, student_module

BOS, EOS = "<s>", "</s>"

ngrams = student_module("ngrams")


@pytest.mark.task("2.11", weight=1, visible=True, orders=2)
def test_a_text_without_choice(ngrams, rng):
    """Where each word has one possible successor, the only possible sentence comes out."""
    rows = {(BOS, BOS): {"m": 1}, (BOS, "m"): {"o": 1}, ("m", "o"): {"o": 1}, ("o", "o"): {EOS: 1}}
    model = ngrams.NGramModel([{}, {}, rows], ["m", "o", EOS])
    assert list(ngrams.generate(model, rng)) == ["m", "o", "o"]


@pytest.mark.task("2.11", weight=1, visible=True, seconds=5, orders=2)
def test_a_text_without_end(ngrams, rng):
    """A sentence that does not end is cut after max_words words."""
    model = ngrams.NGramModel([{}, {(BOS,): {"ha": 1}, ("ha",): {"ha": 1}}], ["ha", EOS])
    assert list(ngrams.generate(model, rng, max_words=7)) == ["ha"] * 7


@ship
def sentences_of(generate, model, seeds):
    """A sentence for each seed of a generator."""
    return [list(generate(model, np.random.default_rng(seed))) for seed in seeds]


@pytest.mark.task("2.11", weight=5, seconds=20)
def test_words_come_as_often_as_they_are_likely(ngrams, rng):
    """Over many sentences, words come about as often as their probabilities say."""
    shares = rng.permutation([0.12, 0.78]).tolist()
    rows = {(u,): {"a": p, "b": 0.9 - p, EOS: 0.1} for u, p in zip("ab", shares, strict=True)}
    model = ngrams.NGramModel([{}, {(BOS,): {"a": 0.5, "b": 0.5}} | rows], ["a", "b", EOS])
    seeds = rng.integers(2**32, size=175).tolist()
    few, many = seeds[:45], seeds[45:]
    texts = sentences_of(ngrams.generate, model, [*few, *few[:9]])
    assert texts[:9] == texts[45:]  # only the generator decides
    counts = first_draws(texts[:45], 90)
    if any(not counts[u] or leave_doubt(counts[u], rows[u,]) for u in "ab"):
        # of right code, one run in eight is looked at more closely: only this look can refuse it
        counts = first_draws(sentences_of(ngrams.generate, model, many), 260)
        for u in "ab":
            # There are 650 draws after u on average: fewer than 260 come with a chance of 1e-13
            # (its draws in a sentence are 0, or geometric).
            assert counts[u]
            assert frequencies(counts[u], rows[u,])


def first_draws(texts, n):
    """How often each word was among the first n draws after a and b; {} where there are fewer.

    The first n are independent of each other.
    """
    after = {"a": [], "b": []}
    for text in texts:
        assert set(text) <= {"a", "b"}
        for u, word in pairwise([*text, EOS]):
            after[u].append(word)
    return {u: Counter(drawn[:n] if len(drawn) >= n else ()) for u, drawn in after.items()}


@pytest.mark.task("2.11", weight=1, seconds=5, repeats=True)
def test_the_generator_decides(ngrams, rng):
    """The same state of the generator gives the same sentence, another state another one."""
    words = {f"w{i}": 0.02 for i in range(50)}
    model = ngrams.NGramModel([{(): words}], [*words, EOS])
    a, b = rng.integers(2**32, size=2).tolist()
    generators = [np.random.default_rng(seed) for seed in (a, b, a)]
    first, other, again = (list(ngrams.generate(model, g, max_words=20)) for g in generators)
    assert first == again != other


@ship
def sentences_in_turn(generate, model, seed, times):
    """Sentences drawn with one generator that goes on."""
    rng = np.random.default_rng(seed)
    return [list(generate(model, rng)) for _ in range(times)]


@pytest.mark.task("2.11", weight=0.8, seconds=15)
def test_sentences_that_end_at_once(ngrams, rng):
    """One generator goes on from sentence to sentence; the first word, too, may be the end."""
    rows = {(BOS,): {"a": 0.4, "b": 0.2, EOS: 0.4}, ("a",): {EOS: 1.0}, ("b",): {EOS: 1.0}}
    model = ngrams.NGramModel([{}, rows], ["a", "b", EOS])

    def counted(n):
        told = sentences_in_turn(ngrams.generate, model, int(rng.integers(2**32)), n)
        return Counter(sentence[0] if sentence else EOS for sentence in told)

    if leave_doubt(counted(150), rows[BOS,]):  # right code: in one run of 16
        assert frequencies(counted(400), rows[BOS,])


@ship
def told_by_formula(generate, kind, tables, vocabulary, seed):
    """The sentence of a model whose formula gives another one than its tables: a, and the end."""

    class Formula(kind):
        def estimate(self, word, context):
            return float(word == ("a" if context[-1] == "<s>" else "</s>"))

        def prob(self, word, context):
            return self.estimate(word, context)

        def distribution(self, context):
            return {word: self.prob(word, context) for word in vocabulary}

    return list(generate(Formula(tables, vocabulary), np.random.default_rng(seed)))


@pytest.mark.task("2.11", weight=0.3)
def test_what_the_model_makes_of_its_tables(ngrams, rng):
    """The model's probabilities decide, not its tables; it sees n - 1 words, however many."""
    tables, seed = [{(): {"b": 1}}, {(BOS,): {"b": 1}, ("b",): {EOS: 1}}], int(rng.integers(2**32))
    kind, words = ngrams.NGramModel, ["a", "b", EOS]
    assert told_by_formula(ngrams.generate, kind, tables, words, seed) == ["a"]
    rows = {(BOS, BOS, BOS): {"a": 1}, (BOS, BOS, "a"): {"b": 1}, (BOS, "a", "b"): {"a": 1}}
    model = kind([{}, {}, {}, rows | {("a", "b", "a"): {EOS: 1}}], words)
    assert list(ngrams.generate(model, rng)) == ["a", "b", "a"]


@pytest.mark.task("2.11", weight=0.3)
def test_words_that_are_no_texts(ngrams, rng):
    """Words stay what they are: a number that is drawn is that number, and no text."""
    for one, two in (("a", "b"), (7, 0)):
        rows = {(BOS,): {one: 1}, (one,): {two: 1}, (two,): {EOS: 1}}
        model = ngrams.NGramModel([{}, rows], [one, two, EOS])
        assert list(ngrams.generate(model, rng)) == [one, two]
        assert list(ngrams.generate(ngrams.NGramModel([{(): {one: 1}}], [one, EOS]), rng, 1)) == [
            one
        ]


@pytest.mark.task("2.11", weight=0.3, seconds=5)
def test_sentences_longer_than_fifty_words(ngrams, rng):
    """`max_words` may be more than 50."""
    model = ngrams.NGramModel([{(): {"ha": 1}}], ["ha", EOS])
    assert list(ngrams.generate(model, rng, max_words=70)) == ["ha"] * 70
