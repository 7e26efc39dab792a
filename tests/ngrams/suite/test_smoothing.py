"""Tests of tasks 2.6 to 2.10: from interpolation to modified Kneser-Ney."""

from functools import partial

import numpy as np
import pytest

from examiner.suite import near, student_module
from tests.ngrams.suite import oracles as plain
from tests.ngrams.suite.common import as_plain

BOS, EOS = "<s>", "</s>"

ngrams = student_module("ngrams")


@pytest.mark.task("2.6", weight=1, visible=True)
def test_mixture_of_three_estimates(ngrams):
    """Uniform, unigram and bigram estimate are mixed with their own weights."""
    tables = [{(): {"a": 2, "b": 1, EOS: 1}}, {("a",): {"b": 1, EOS: 1}}]
    model = ngrams.Interpolated(tables, ["a", "b", "c", "d", EOS], [0.1, 0.3, 0.6])
    assert model.prob("b", ["a"]) == near(0.1 / 5 + 0.3 * 1 / 4 + 0.6 * 1 / 2)
    assert model.prob("c", ["a"]) == near(0.1 / 5)


@pytest.mark.task("2.6", weight=1, visible=True)
def test_mixture_where_the_context_was_never_seen(ngrams):
    """An ending that was never seen is left out, and the other weights grow to sum to 1."""
    tables = [{(): {"a": 2, "b": 1, EOS: 1}}, {("a",): {"b": 1, EOS: 1}}]
    model = ngrams.Interpolated(tables, ["a", "b", "c", "d", EOS], [0.1, 0.3, 0.6])
    assert model.prob("a", ["c"]) == near((0.1 / 5 + 0.3 * 2 / 4) / 0.4)
    assert sum(dict(model.distribution(["c"])).values()) == near(1)
    tables.append({("b", "a"): {EOS: 1}})
    model = ngrams.Interpolated(tables, ["a", "b", "c", "d", EOS], [0.1, 0.3, 0.4, 0.2])
    assert model.prob("b", ["c", "a"]) == near((0.1 / 5 + 0.3 * 1 / 4 + 0.4 * 1 / 2) / 0.8)


def assert_mixes(ngrams, rng, tables, words, contexts, mix=None):
    mix = mix or rng.dirichlet([2, 2, 2, 2]).tolist()
    model = ngrams.Interpolated(tables, words, mix)
    expected = partial(plain.interpolation, tables, words, mix)
    plain.assert_follows(rng, model, tables, expected, contexts)


@pytest.mark.task("2.6", weight=3, orders=2)
def test_interpolation_of_any_text(ngrams, rng):
    """Estimates of all orders are mixed right after contexts that were seen."""
    for tables, words in plain.random_texts(rng):
        longest = [u for u in plain.seen_contexts(rng, tables, 60) if len(u) == 2]
        assert_mixes(ngrams, rng, tables, words, longest)


@pytest.mark.task("2.6", weight=1)
def test_interpolation_after_new_contexts(ngrams, rng):
    """Endings that were never seen are left out, and so are those longer than the context."""
    uniform, bigrams = rng.uniform(0.2, 0.4, size=2).tolist()
    without_unigrams = [uniform, 0.0, bigrams, 1 - uniform - bigrams]  # a weight may be 0
    mixes = (None, without_unigrams)
    for (tables, words), mix in zip(plain.random_texts(rng), mixes, strict=True):
        shorter = [u for u in plain.seen_contexts(rng, tables) if len(u) < 2]
        assert_mixes(ngrams, rng, tables, words, shorter + plain.new_contexts(rng, tables), mix)


@pytest.mark.task("2.7", weight=1, visible=True)
def test_share_that_was_saved(ngrams):
    """Three words that give up 0.5 each save 1.5 of 6; an unseen context leaves everything."""
    model = ngrams.AbsoluteDiscounting([{(): {"a": 3, "b": 1, EOS: 2}}, {}], ["a", "b", EOS], 0.5)
    assert model.saved(()) == near(1.5 / 6)
    assert model.saved(("b",)) == near(1)


@pytest.mark.task("2.7", weight=1, visible=True)
def test_discounted_unigrams_and_bigrams(ngrams):
    """A seen word keeps its count less D, and all words share what was saved, as after u'."""
    tables = [{(): {"a": 3, "b": 1, EOS: 2}}, {("a",): {"b": 1, EOS: 1}}]
    model = ngrams.AbsoluteDiscounting(tables, ["a", "b", "c", EOS], 0.5)
    unigram = {"a": 2.5 / 6 + 1.5 / 6 / 4, "b": 0.5 / 6 + 1.5 / 6 / 4, "c": 1.5 / 6 / 4}
    assert {word: model.prob(word) for word in unigram} == near(unigram)
    assert model.prob("b", ["a"]) == near(0.5 / 2 + 1 / 2 * unigram["b"])
    assert model.prob("c", ["a"]) == near(1 / 2 * unigram["c"])
    assert model.prob("c", ["b"]) == near(unigram["c"])


def assert_discounts(ngrams, rng, tables, words, contexts, D, cuts=None):
    model = ngrams.AbsoluteDiscounting(tables, words, float(D))
    if cuts and not hasattr(model, "discounts"):
        cuts = None  # a style of one's own, without the given constructor: D is all it can know
    if cuts:
        before = model.discounts  # perhaps arrays
        rows = [np.array(cut) if hasattr(before[0], "shape") else tuple(cut) for cut in cuts]
        model.discounts = np.array(rows) if hasattr(before, "shape") else rows
    expected = partial(plain.discounting, tables, words, cuts or [[0, D, D, D]] * 3)
    plain.assert_follows(rng, model, tables, expected, contexts)


@pytest.mark.task("2.7", weight=3, orders=2)
def test_discounting_of_any_text(ngrams, rng):
    """Discounted probabilities of any order are right, with any discount up to 1."""
    for (tables, words), D in zip(plain.random_texts(rng), (rng.uniform(0.1, 0.9), 1), strict=True):
        assert_discounts(ngrams, rng, tables, words, plain.seen_contexts(rng, tables), D)


@pytest.mark.task("2.7", weight=1)
def test_discounting_after_new_contexts(ngrams, rng):
    """After a context that was never seen, the next shorter one decides."""
    for tables, words in plain.random_texts(rng):
        new = plain.new_contexts(rng, tables)
        assert_discounts(ngrams, rng, tables, words, new, rng.uniform(0.1, 0.9))


@pytest.mark.task("2.7", weight=1)
def test_discounts_that_differ(ngrams, rng):
    """Counts of 1, of 2 and of 3 or more may give up different amounts, in each table others."""
    cuts = [[0.0, *np.sort(rng.uniform(0.05, 0.95, size=3)).tolist()] for _ in range(3)]
    for tables, words in plain.random_texts(rng):
        seen = plain.seen_contexts(rng, tables)
        assert_discounts(ngrams, rng, tables, words, seen, 0.5, cuts)


@pytest.mark.task("2.8", weight=1, visible=True)
def test_backing_off_to_unigrams(ngrams):
    """Unseen words share what was saved in proportion to the shorter context."""
    tables = [{(): {"a": 4, "b": 2, EOS: 2}}, {("a",): {"b": 3, EOS: 1}}]
    model = ngrams.Backoff(tables, ["a", "b", "c", "d", EOS], 0.5)
    assert model.backoff_weight(()) == near(1.5 / 8 / (2 / 5))
    assert model.prob("c") == near(1.5 / 8 / 2)
    assert model.prob("b", ["a"]) == near(2.5 / 4)
    unseen = 1 - model.prob("b") - model.prob(EOS)
    assert model.backoff_weight(("a",)) == near(1 / 4 / unseen)
    assert model.prob("a", ["a"]) == near(1 / 4 / unseen * 3.5 / 8)


@pytest.mark.task("2.8", weight=1, visible=True)
def test_backing_off_sums_to_one(ngrams):
    """The probabilities sum to 1 after seen contexts, unseen ones, and with no word left unseen."""
    tables = [{(): {"a": 3, "b": 2, "c": 1, EOS: 4}}, {("a",): {"b": 2, EOS: 1}, ("b",): {"c": 1}}]
    model = ngrams.Backoff(tables, ["a", "b", "c", EOS], 0.7)
    assert [sum(dict(model.distribution(u)).values()) for u in ("", "a", "b", "c")] == near([1] * 4)
    assert model.prob("a") == near(3 / 10)
    assert model.backoff_weight(()) == 0
    assert model.backoff_weight(("c",)) == 1


def assert_backs_off(ngrams, rng, tables, words, contexts):
    D = float(rng.uniform(0.1, 0.9))
    model = ngrams.Backoff(tables, words, D)
    expected = partial(plain.backoff, tables, words, D)
    plain.assert_follows(rng, model, tables, expected, contexts)


@pytest.mark.task("2.8", weight=3, orders=2)
def test_backing_off_in_any_text(ngrams, rng):
    """Back-off probabilities of any order are right, with any discount below 1."""
    tables, words = plain.random_words(rng)
    assert_backs_off(ngrams, rng, tables, words, plain.seen_contexts(rng, tables))


@pytest.mark.task("2.8", weight=1)
def test_backing_off_after_new_contexts(ngrams, rng):
    """After a context that was never seen, the next shorter one decides."""
    tables, words = plain.random_words(rng)
    assert_backs_off(ngrams, rng, tables, words, plain.new_contexts(rng, tables))


@pytest.mark.task("2.8", weight=1)
def test_backing_off_from_complete_rows(ngrams, rng):
    """Where the whole vocabulary was seen, nothing is saved, and the counts stay as they are."""
    tables = plain.count(plain.random_strings(rng), 3)
    assert_backs_off(ngrams, rng, tables, [*tables[0][()]], plain.seen_contexts(rng, tables))


@pytest.mark.task("2.9", weight=2, visible=True)
def test_continuations_of_three_sentences(ngrams):
    """In ab, cb, cb the letter b comes three times, but only after two different letters."""
    bigrams = {(BOS,): {"a": 1, "c": 2}, ("a",): {"b": 1}, ("c",): {"b": 2}, ("b",): {EOS: 3}}
    tables = [{(): {"a": 1, "b": 3, "c": 2, EOS: 3}}, bigrams]
    found = as_plain(ngrams.continuation_counts(tables))
    assert found == [{(): {"a": 1, "b": 2, "c": 1, EOS: 1}}, bigrams]


@pytest.mark.task("2.9", weight=1, visible=True)
def test_contexts_that_begin_with_bos(ngrams):
    """Counts after one BOS stay as they are; contexts with two BOS are left out."""
    bigrams = {(BOS,): {"a": 3}, ("a",): {"b": 2, EOS: 1}, ("b",): {EOS: 2}}  # of ab, ab, a
    trigrams = {(BOS, BOS): {"a": 3}, (BOS, "a"): {"b": 2, EOS: 1}, ("a", "b"): {EOS: 2}}
    tables = [{(): {"a": 3, "b": 2, EOS: 3}}, bigrams, trigrams]
    found = as_plain(ngrams.continuation_counts(tables))
    assert found[0] == {(): {"a": 1, "b": 1, EOS: 2}}
    assert found[1] == {(BOS,): {"a": 3}, ("a",): {"b": 1, EOS: 1}, ("b",): {EOS: 1}}
    assert found[2] == {(BOS, "a"): {"b": 2, EOS: 1}, ("a", "b"): {EOS: 2}}


@pytest.mark.task("2.9", weight=3, orders=2)
def test_continuations_of_bigrams(ngrams, rng):
    """Below bigrams, words count by how many different words stand before; unigrams alone stay."""
    for n in (1, 2):
        for tables, _ in plain.random_texts(rng, n):
            assert as_plain(ngrams.continuation_counts(tables)) == plain.continuations(tables)


@pytest.mark.task("2.9", weight=1, orders=2)
def test_continuations_in_any_text(ngrams, rng):
    """Continuation counts of longer n-grams are right, and so is what begins with BOS."""
    for n in (3, 4):
        for tables, _ in plain.random_texts(rng, n):
            assert as_plain(ngrams.continuation_counts(tables)) == plain.continuations(tables)


@pytest.mark.task("2.9", weight=1)
def test_kneser_ney_model(ngrams, rng):
    """With task 2.7, the counts make an interpolated Kneser-Ney model."""
    for tables, words in plain.random_texts(rng):
        D = float(rng.uniform(0.1, 0.9))
        model, counts = ngrams.KneserNey(tables, words, D), plain.continuations(tables)
        expected = partial(plain.discounting, counts, words, [[0, D, D, D]] * 3)
        few = plain.seen_contexts(rng, tables, 8)  # since 2.7 has tests of its own
        plain.assert_follows_here_and_there(rng, model, counts, expected, few, 1)


@pytest.mark.task("2.10", weight=2, visible=True)
def test_discounts_by_hand(ngrams):
    """With n1 = 4, n2 = 2, n3 = 1 and n4 = 0, Y is 1/2 and the discounts are 0.5, 1.25 and 3."""
    table = {("u",): {"a": 1, "b": 1, "c": 2, "d": 9}, ("v",): {"a": 1, "b": 2, "c": 1, "d": 3}}
    assert list(ngrams.modified_discounts(table)) == near([0.5, 1.25, 3])


@pytest.mark.task("2.10", weight=1, visible=True)
def test_discounts_of_a_tiny_table(ngrams):
    """Without any count of 3, or with a discount below 0, the fallback discounts are taken."""
    fallback = [0.5, 1.0, 1.5]
    large_enough = {(): dict(enumerate([1, 1, 2, 2, 3, 4]))}
    assert list(ngrams.modified_discounts(large_enough)) == near([1 / 3, 1.5, 5 / 3])
    assert list(ngrams.modified_discounts({(): {"a": 1, "b": 2, "c": 4}})) == near(fallback)
    negative = {(): dict(enumerate([1, 1, 1, 2, 3, 3, 3, 4]))}
    assert list(ngrams.modified_discounts(negative)) == near(fallback)


def assert_three(ngrams, rng, cases):
    for n in cases:
        table = plain.table_with(rng, *n)
        assert list(ngrams.modified_discounts(table)) == near(list(plain.discounts(table)))


@pytest.mark.task("2.10", weight=2, orders=2)
def test_discounts_of_any_table(ngrams, rng):
    """The discounts follow from how many counts are 1, 2, 3 and 4; larger counts do not matter."""
    for _ in range(3):
        a, b = (int(number) for number in rng.integers(8, 30, size=2))
        assert_three(ngrams, rng, [(a, b, 5, 3)])


@pytest.mark.task("2.10", weight=1)
def test_discounts_without_a_count_of_four(ngrams, rng):
    """No count of 4 is no reason to fall back, and neither is a discount of exactly 0."""
    a, b = (int(number) for number in rng.integers(8, 30, size=2))
    assert_three(ngrams, rng, [(a, b, 4, 0), (2, 2, 4, 1), (4, 2, 2, 3)])


@pytest.mark.task("2.10", weight=1)
def test_tables_that_are_too_regular(ngrams, rng):
    """Where n1, n2 or n3 is 0 or any discount is below 0, the fallback discounts are taken."""
    a, b = (int(number) for number in rng.integers(8, 30, size=2))
    cases = [(a, b, 5, 3), (a, 0, 3, 2), (0, b, 3, 1), (a, b, 0, 2), (a, 2, 9, 1), (a, b, 1, 9)]
    assert_three(ngrams, rng, cases)


@pytest.mark.task("2.10", weight=1)
def test_modified_kneser_ney_model(ngrams, rng):
    """With tasks 2.7 and 2.9, the discounts make a modified Kneser-Ney model."""
    tables, counts = plain.large_enough(rng)
    words = [*tables[0][()], "new"]
    model = ngrams.ModifiedKneserNey(tables, words)
    cuts = [(0, *plain.discounts(table)) for table in counts]
    expected = partial(plain.discounting, counts, words, cuts)
    few = plain.seen_contexts(rng, tables, 8)
    plain.assert_follows_here_and_there(rng, model, counts, expected, few, 3)
