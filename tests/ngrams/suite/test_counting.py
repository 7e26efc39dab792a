"""Tests of tasks 2.1 to 2.5: counting, perplexity. Leaves out speed of models."""

import math
from functools import partial

import numpy as np
import pytest

from examiner.suite import near, ship, student_module
from tests.ngrams.suite import oracles as plain
from tests.ngrams.suite.common import as_plain

BOS, EOS = "<s>", "</s>"

ngrams = student_module("ngrams")


@ship
def sizes_of_tables(count_ngrams, sentences):
    """Count up to 5-grams; the sum and the number of each table's counts. The tables stay there."""
    tables = [[row.values() for row in table.values()] for table in count_ngrams(sentences, 5)]
    return [(sum(map(sum, rows)), sum(map(len, rows))) for rows in tables]


@pytest.mark.task("2.1", weight=0.8, visible=True)
def test_padding_of_a_short_sentence(ngrams):
    """There are n - 1 begin symbols before the sentence and one end symbol after it."""
    for n in (1, 2, 4):
        assert list(ngrams.pad(["sit", "down"], n)) == [BOS] * (n - 1) + ["sit", "down", EOS]


@pytest.mark.task("2.1", weight=1.2, visible=True)
def test_padding_of_a_tuple(ngrams):
    """A tuple of words is padded as a list of them."""
    for n in (2, 4):
        assert list(ngrams.pad(("sit", "down"), n)) == [BOS] * (n - 1) + ["sit", "down", EOS]


@pytest.mark.task("2.1", weight=1)
def test_padding_of_characters_and_of_nothing(ngrams, rng):
    """A string is padded as a list of its characters, and an empty sentence is padded, too."""
    text = "".join(rng.choice(list("nextword"), size=7))
    assert list(ngrams.pad(text, 3)) == [BOS, BOS, *text, EOS]
    assert list(ngrams.pad([], 2)) == [BOS, EOS]


@pytest.mark.task("2.1", weight=1, visible=True)
def test_windows_of_a_short_sequence(ngrams):
    """Four words hold four unigrams, three bigrams, one 4-gram and no 5-gram."""
    words = ["the", "goat", "ate", "bread"]
    assert list(ngrams.windows(words, 1)) == [("the",), ("goat",), ("ate",), ("bread",)]
    bigrams = [("the", "goat"), ("goat", "ate"), ("ate", "bread")]
    assert list(ngrams.windows(words, 2)) == bigrams
    assert list(ngrams.windows(words, 4)) == [tuple(words)]
    assert list(ngrams.windows(words, 5)) == []


@pytest.mark.task("2.1", weight=2)
def test_windows_of_any_sequence(ngrams, rng):
    """Each window starts one token after the one before it, in lists and in strings."""
    numbers = rng.permutation([*range(9), 0, 1, 2]).tolist()  # 0 is a token like others
    for tokens in ("".join(rng.choice(list("abc"), size=12)), numbers):
        for n in (2, 5):
            expected = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
            assert list(ngrams.windows(tokens, n)) == expected


@pytest.mark.task("2.1", weight=0.3)
def test_windows_of_hardly_anything(ngrams):
    """No tokens, or far fewer than n, hold no n-gram."""
    assert list(ngrams.windows("ab", 1)) == [("a",), ("b",)]
    assert list(ngrams.windows([], 1)) == list(ngrams.windows("a", 5)) == []


@pytest.mark.task("2.1", weight=0.3)
def test_padding_of_words_that_are_no_texts(ngrams, rng):
    """Words may be numbers, and stay so; what looks padded already is padded like the rest."""
    words = rng.integers(9, size=4).tolist()
    assert list(ngrams.pad(words, 2)) == [BOS, *words, EOS]
    assert list(ngrams.pad([BOS, *words, EOS], 3)) == [BOS, BOS, BOS, *words, EOS, EOS]


@pytest.mark.task("2.2", weight=1, visible=True)
def test_counts_of_two_sentences(ngrams):
    """The tables of the sentences (a b) and (a) are those that one counts by hand."""
    one, two = as_plain(ngrams.count_ngrams([["a", "b"], ["a"]], 2))
    assert one == {(): {"a": 2, "b": 1, EOS: 2}}
    assert two == {(BOS,): {"a": 2}, ("a",): {"b": 1, EOS: 1}, ("b",): {EOS: 1}}


@pytest.mark.task("2.2", weight=1)
def test_each_position_counts_once_in_each_table(ngrams, rng):
    """Each table sums to the number of words and sentence ends, and BOS is never counted."""
    sentences = plain.random_sentences(rng, shortest=1)
    positions, tables = sum(len(s) + 1 for s in sentences), ngrams.count_ngrams(sentences, 4)
    for k, table in zip(range(4), as_plain(tables), strict=True):
        assert {len(u) for u in table} == {k}
        assert sum(count for row in table.values() for count in row.values()) == positions
        assert not any(BOS in row for row in table.values())


@pytest.mark.task("2.2", weight=4, orders=2)
def test_counts_of_any_text(ngrams, rng):
    """Unigrams, bigrams, trigrams and 4-grams are counted right, of words and of characters."""
    words = plain.random_sentences(rng, shortest=1)
    for sentences in (words, ["".join(word[1] for word in sentence) for sentence in words]):
        for n in (1, 3, 4):
            assert as_plain(ngrams.count_ngrams(sentences, n)) == plain.count(sentences, n)


@pytest.mark.task("2.2", weight=1)
def test_counts_of_empty_sentences(ngrams, rng):
    """An empty sentence has an end, which follows its begin symbols."""
    word = str(rng.choice(list("abc")))
    for sentences in ([[]], [[word], [], []]):
        assert as_plain(ngrams.count_ngrams(sentences, 3)) == plain.count(sentences, 3)


@pytest.mark.task("2.2", weight=0.3)
def test_counts_of_words_that_are_no_texts(ngrams, rng):
    """Words may be numbers, or texts with spaces, and stay so in contexts and in rows."""
    numbers = [row.tolist() for row in rng.integers(3, size=(3, 4))]
    for sentences in ([["a", "b"], ["a"]], numbers, [["New York", "is"], ["in", "New York"]]):
        for n in (1, 3):
            assert as_plain(ngrams.count_ngrams(sentences, n)) == plain.count(sentences, n)


@pytest.mark.task("2.2", weight=1, seconds=1)
def test_counting_takes_less_than_a_second(ngrams, rng):
    """Four thousand words are counted up to 5-grams in less than a second."""
    words = rng.integers(3000, size=(50, 90)).astype(str)
    words[:, :6] = words[0, :6]  # so that some n-grams of each length occur 50 times
    lengths = rng.integers(70, 91, size=50).tolist()
    sentences = [row[:size].tolist() for row, size in zip(words, lengths, strict=True)]
    found = [tuple(pair) for pair in sizes_of_tables(ngrams.count_ngrams, sentences)]
    assert found == [(sum(map(len, sentences)) + 50, n) for n in plain.different(sentences, 5)]


@ship
def looks_at_each_word(count_ngrams, n_sentences):
    """How often a table looks up a word, while bigrams of sentences of one new word are counted."""
    looks = []

    class Word(str):
        __slots__ = ()

        def __hash__(self):
            looks.append(self)
            return str.__hash__(self)

    sentences = [[Word(i)] for i in range(n_sentences)]
    count_ngrams(sentences, 2)
    return len(looks) / n_sentences


@pytest.mark.task("2.2", weight=0.3)
def test_counting_goes_on_from_sentence_to_sentence(ngrams):
    """What was counted is not counted again with each further sentence."""
    sentences = [["a"], ["a"], ["b"]]
    assert as_plain(ngrams.count_ngrams(sentences, 2)) == plain.count(sentences, 2)
    # subtle: no look is seen where `pad` or `windows` is lent, since plain texts come back from it
    assert looks_at_each_word(ngrams.count_ngrams, 300) < 100


@pytest.mark.task("2.3", weight=1, visible=True)
def test_relative_frequencies(ngrams):
    """After u, a word that came in 3 of 4 cases has probability 3/4."""
    tables = [{(): {"a": 4, "b": 5, EOS: 1}}, {("a",): {"b": 3, EOS: 1}, ("b",): {"a": 2}}]
    model = ngrams.MLE(tables, ["a", "b", EOS])
    assert model.prob("b", ["a"]) == near(3 / 4)
    assert model.prob("a", ["a"]) == 0
    assert model.prob("b", []) == near(5 / 10)


@pytest.mark.task("2.3", weight=1, visible=True)
def test_the_end_of_a_running_text(ngrams):
    """The last word of a text has no follower: #(u•), not #(u), is in the denominator."""
    tables = [{(): {"a": 3, "b": 2}}, {("a",): {"b": 2}, ("b",): {"a": 2}}]  # of the text ababa
    model = ngrams.MLE(tables, ["a", "b"])
    assert [model.prob("b", ["a"]), model.prob("b")] == near([1, 2 / 5])


@pytest.mark.task("2.3", weight=1)
def test_a_context_that_was_never_seen(ngrams):
    """After a context that was never seen, every word has probability 0."""
    tables = plain.count([["x", "y"], ["y"]], 3)
    model = ngrams.MLE(tables, ["x", "y", EOS])
    assert dict(model.distribution(["x"])) == near({"x": 0, "y": 1, EOS: 0})
    assert dict(model.distribution(["y", "x"])) == {"x": 0, "y": 0, EOS: 0}


@pytest.mark.task("2.3", weight=2, orders=2)
def test_relative_frequencies_of_any_text(ngrams, rng):
    """Each word's share of its row is its probability, for contexts of every length."""
    for tables, words in plain.random_texts(rng):
        model, seen = ngrams.MLE(tables, words), plain.seen_contexts(rng, tables)
        plain.assert_follows(rng, model, tables, partial(plain.shares, tables, words, 0), seen)


@pytest.mark.task("2.3", weight=0.3)
def test_two_models_of_the_same_words(ngrams):
    """Each model answers from its own tables."""
    words = ["a", "b", EOS]
    one, other = (ngrams.MLE([{(): {"a": n, "b": 4 - n, EOS: 4}}], words) for n in (1, 3))
    assert [one.prob("a"), other.prob("a"), one.prob("b")] == near([1 / 8, 3 / 8, 3 / 8])


@pytest.mark.task("2.4", weight=0.6, visible=True)
def test_perplexity_of_a_die(ngrams):
    """The throws of a fair die have perplexity 6, however many they are."""
    assert ngrams.perplexity([math.log(1 / 6)]) == near(6)
    assert ngrams.perplexity([math.log(1 / 6)] * 500) == near(6)


@pytest.mark.task("2.4", weight=2, orders=2)
def test_perplexity_of_any_text(ngrams, rng):
    """Perplexity is one over the geometric mean of the probabilities."""
    p = rng.uniform(0.01, 1, size=7)
    assert ngrams.perplexity(np.log(p).tolist()) == near(float(np.prod(p)) ** (-1 / 7))


@pytest.mark.task("2.4", weight=0.4)
def test_perplexity_of_an_impossible_word(ngrams):
    """Perplexity is infinite as soon as one probability is 0."""
    assert ngrams.perplexity([math.log(0.5), math.log(0.125)]) == near(4)
    assert ngrams.perplexity([math.log(0.5), -math.inf]) == math.inf


@pytest.mark.task("2.4", weight=1, visible=True)
def test_log_probs_of_a_sentence(ngrams):
    """Each word and the end of the sentence get a natural logarithm, given the word before."""
    rows = {(BOS,): {"a": 0.5}, ("a",): {"b": 0.25}, ("b",): {EOS: 0.125}}
    model = ngrams.NGramModel([{}, rows], ["a", "b", EOS])
    assert list(model.log_probs([["a", "b"]])) == near([math.log(p) for p in (0.5, 0.25, 0.125)])


@pytest.mark.task("2.4", weight=3, orders=2)
def test_log_probs_of_several_sentences(ngrams, rng):
    """The sentences follow each other in one list, each after begin symbols of its own."""
    start, after_a, after_b, end = rng.dirichlet([2, 2, 2, 2])
    rows = {(BOS, BOS): {"a": start}, (BOS, "a"): {"b": after_a, EOS: end}}
    rows |= {("a", "b"): {"a": after_b}, ("b", "a"): {EOS: end}}
    model = ngrams.NGramModel([{}, {}, rows], ["a", "b", EOS])
    expected = np.log([start, after_a, after_b, end, start, end]).tolist()
    assert list(model.log_probs(["aba", "a"])) == near(expected)


@pytest.mark.task("2.4", weight=1)
def test_log_of_probability_zero(ngrams):
    """Where the probability is 0, the logarithm is minus infinity, and the others stay."""
    model = ngrams.NGramModel([{(): {"a": 0.5, EOS: 0.5}}], ["a", "b", EOS])
    logs = [math.log(0.5), -math.inf, -math.inf, math.log(0.5)]
    assert list(model.log_probs([["a", "b", "unknown"]])) == near(logs)


@pytest.mark.task("2.4", weight=0.5)
def test_log_probs_of_sentences_that_repeat(ngrams, rng):
    """Each sentence counts where it stands, also an empty one, and one that was there before."""
    start, after_a, end = rng.dirichlet([2, 2, 2])
    rows = {(BOS,): {"a": start, EOS: end}, ("a",): {"a": after_a, EOS: end}}
    model = ngrams.NGramModel([{}, rows], ["a", EOS])
    expected = [start, end, end, start, after_a, end, start, end]
    found = model.log_probs([["a"], [], ["a", "a"], ["a"]])
    assert list(found) == near(np.log(expected).tolist())


@ship
def log_probs_once(model, sentences):
    """What a model says of sentences that can be gone through once."""
    return model.log_probs(sentence for sentence in sentences)


@pytest.mark.task("2.4", weight=0.2)
def test_log_probs_of_what_can_be_read_once(ngrams):
    """The sentences may come from a generator, which has no length: go through them only once."""
    model = ngrams.NGramModel([{(): {"a": 0.75, EOS: 0.25}}], ["a", EOS])
    expected = near([math.log(p) for p in (0.75, 0.25, 0.25)])
    assert list(model.log_probs([["a"], []])) == expected
    assert list(log_probs_once(model, [["a"], []])) == expected


@pytest.mark.task("2.4", weight=0.15)
def test_log_of_a_word_that_is_not_in_the_vocabulary(ngrams):
    """Whatever the model gives words that it never saw, others have probability 0."""
    model = ngrams.Additive([{(): {"a": 2, EOS: 1}}], ["a", "b", EOS], 1)
    seen = "a" if model.prob("b") else "b"  # both are possible
    found = list(model.log_probs([[seen, "unknown"]]))
    assert found[1] == -math.inf
    assert found[2] > -math.inf


@pytest.mark.task("2.4", weight=0.15)
def test_log_of_a_rare_word(ngrams):
    """A tiny probability is not 0, and has its own logarithm; that of a certain word is 0."""
    rows = {(BOS,): {"a": 1.0}, ("a",): {"a": 1e-14, EOS: 1 - 1e-14}}
    model = ngrams.NGramModel([{}, rows], ["a", EOS])
    first_two = list(model.log_probs([["a", "a"]]))[:2]
    assert first_two == near([0, math.log(1e-14)])
    assert ngrams.perplexity([-math.inf, math.log(0.5)]) == math.inf
    assert ngrams.perplexity([math.log(1e-30), math.log(1e-40)]) == near(1e35)


@pytest.mark.task("2.5", weight=1, visible=True)
def test_adding_one_and_adding_a_half(ngrams):
    """A row with the counts 3 and 1 and a vocabulary of four words is smoothed as by hand."""
    tables = [{(): {"a": 4, "b": 2, EOS: 1}}, {("a",): {"b": 3, EOS: 1}}]
    laplace = ngrams.Additive(tables, ["a", "b", "c", EOS], 1)
    assert [laplace.prob(word, ["a"]) for word in ("b", EOS, "c")] == near([4 / 8, 2 / 8, 1 / 8])
    half = ngrams.Additive(tables, ["a", "b", "c", EOS], 0.5)
    assert half.prob("b", ["a"]) == near(3.5 / 6)


@pytest.mark.task("2.5", weight=1)
def test_ratios_of_smoothed_counts(ngrams, rng):
    """Two words after the same context are as likely as their counts plus alpha."""
    alpha, (a, b, c) = float(rng.uniform(0.2, 3)), rng.permutation([1, 3, 8]).tolist()
    tables = [{(): {"a": a, "b": b, "c": c, EOS: 2}}, {("a",): {"b": b, "c": c}}]
    model = ngrams.Additive(tables, ["a", "b", "c", "d", EOS], alpha)
    b_after, c_after, d_after = (float(model.prob(word, ["a"])) for word in "bcd")
    assert [b_after * (c + alpha), b_after * alpha] == near(
        [c_after * (b + alpha), d_after * (b + alpha)]
    )
    assert 0 < d_after < min(b_after, c_after) <= max(b_after, c_after) < 1


@pytest.mark.task("2.5", weight=1, orders=2)
def test_additive_of_any_text(ngrams, rng):
    """Any alpha is added to every count, and the probabilities after a context sum to 1."""
    for tables, words in plain.random_texts(rng):
        alpha, seen = float(rng.uniform(0.01, 3)), plain.seen_contexts(rng, tables)
        model = ngrams.Additive(tables, words, alpha)
        plain.assert_follows(rng, model, tables, partial(plain.shares, tables, words, alpha), seen)


@pytest.mark.task("2.5", weight=4, orders=2)
def test_additive_with_a_large_vocabulary(ngrams, rng):
    """Of 400 words each gets its share, to a hundredth: one word more or less is little."""
    alpha, words = float(rng.uniform(0.3, 0.6)), [*(f"w{i}" for i in range(399)), EOS]
    row = dict(zip(words[:30], rng.integers(1, 4, size=30).tolist(), strict=True))
    model = ngrams.Additive([{(): row}, {("w0",): row}], words, alpha)
    whole = sum(row.values()) + alpha * 400
    for word in ("w0", "w7", "w29", "w30", EOS):
        expected = (row.get(word, 0) + alpha) / whole
        assert model.prob(word, ["w0"]) == near(expected, rel=0.01)


@pytest.mark.task("2.5", weight=1)
def test_additive_after_new_contexts(ngrams, rng):
    """After a context that was never seen, each word has 1/V."""
    tables, words = plain.random_words(rng)
    alpha, new = float(rng.uniform(0.01, 3)), plain.new_contexts(rng, tables)
    model = ngrams.Additive(tables, words, alpha)
    plain.assert_follows(rng, model, tables, partial(plain.shares, tables, words, alpha), new)
