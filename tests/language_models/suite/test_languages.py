"""Tests of tasks 1.7 and 1.8: languages told apart by their characters, and candidates."""

import math

import pytest

from examiner.suite import near, ship
from nextword.corpora import languages
from tests.language_models.suite import oracles as plain


@pytest.fixture
def lm(coursework):
    return coursework.language_models


# ---------------------------------------------------------------- 1.7


@pytest.mark.task("1.7", weight=1, visible=True)
def test_counts_of_two_texts(lm):
    """Counts do not reach from one text into the next."""
    found = lm.count_characters(["abab", "ba"], 2)
    assert {u: dict(row) for u, row in dict(found).items()} == {"a": {"b": 2}, "b": {"a": 2}}


@pytest.mark.task("1.7", weight=1, orders=2)
def test_counts_of_any_texts(lm, rng):
    """Characters are counted right after contexts of every length, also the empty one."""
    for n in (2, 4, 1):
        texts = ["", *(plain.random_text(rng, 9, "abéx🐐") for _ in range(3)), "ab"]
        found = lm.count_characters(texts, n)
        found = {u: {c: k for c, k in dict(row).items() if k} for u, row in dict(found).items()}
        assert {u: row for u, row in found.items() if row} == plain.count_characters(texts, n)


@ship
def counts_of_what_is_read_once(count_characters, texts, n):
    """The counts of texts that can be gone through once, as plain dicts."""
    return {u: dict(row) for u, row in count_characters((each for each in texts), n).items()}


@pytest.mark.task("1.7", weight=0.2)
def test_counts_of_texts_that_can_be_read_once(lm):
    """The texts may come from a generator, which has no length and no places."""
    expected = {"a": {"b": 2}, "b": {"a": 1}}
    found = lm.count_characters(["aba", "ab"], 2)
    assert {u: dict(row) for u, row in dict(found).items()} == expected
    assert counts_of_what_is_read_once(lm.count_characters, ["aba", "ab"], 2) == expected


@pytest.mark.task("1.7", weight=0.5)
def test_counts_of_what_was_seen_alone(lm):
    """The table holds what was seen, as it was written: the end of a text has no row of its own."""
    found = dict(lm.count_characters(["Abc", "Ad", "ab", "Ab"], 2))
    expected = {"A": {"b": 2, "d": 1}, "b": {"c": 1}, "a": {"b": 1}}
    assert {u: dict(row) for u, row in found.items()} == expected


@pytest.mark.task("1.7", weight=1, visible=True)
def test_adding_one_to_counts(lm):
    """After a, seen 2 times with b, the b has 3/5 if there are three characters."""
    counts = {"a": {"b": 2}, "b": {"a": 1}}
    found = float(lm.character_log_prob(counts, "aba", n=2, V=3))
    assert found == near(math.log(3 / 5) + math.log(2 / 4))
    assert float(lm.character_log_prob(counts, "ac", n=2, V=3)) == near(math.log(1 / 5))
    assert float(lm.character_log_prob(counts, "a", n=2, V=3)) == 0


@pytest.mark.task("1.7", weight=0.2, visible=True)
def test_contexts_that_were_never_seen(lm):
    """After a context that was never seen, all characters are equally likely."""
    found = float(lm.character_log_prob({"a": {"b": 2}}, "abc", n=2, V=3))
    assert found == near(math.log(3 / 5) + math.log(1 / 3))


@pytest.mark.task("1.7", weight=1, orders=2)
def test_log_probability_of_any_characters(lm, rng):
    """Seen and unseen characters have their smoothed probabilities after seen contexts."""
    for n in (3, 2, 1):
        seen = plain.random_text(rng, 30)
        counts = plain.count_characters([seen], n)
        text = seen[:25] + "q"  # never seen after what stands before it
        expected = plain.character_log_prob(counts, text, n, 40)
        assert float(lm.character_log_prob(counts, text, n, 40)) == near(expected)


@pytest.mark.task("1.7", weight=0.3)
def test_log_probability_after_unseen_contexts(lm, rng):
    """Characters after contexts that were never seen count like all others."""
    for n in (2, 3):
        counts = plain.count_characters([plain.random_text(rng, 30)], n)
        text = "né" + plain.random_text(rng, 4)
        expected = plain.character_log_prob(counts, text, n, 40)
        assert float(lm.character_log_prob(counts, text, n, 40)) == near(expected)


@pytest.mark.task("1.7", weight=0.3)
def test_log_probability_of_a_long_text(lm):
    """The length of a text does no harm, though its probability is too small for any float."""
    found = float(lm.character_log_prob({"a": {"a": 2}}, "a" * 2001, n=2, V=40))
    assert found == near(2000 * math.log(3 / 42))


@pytest.mark.task("1.7", weight=0.8, visible=True)
def test_posterior_by_hand(lm):
    """Likelihoods 1/10 and 3/10 with priors 3/5 and 2/5 make the second class twice as likely."""
    logs = {"french": math.log(0.1), "swedish": math.log(0.3)}
    found = lm.posterior(logs, {"french": 0.6, "swedish": 0.4})
    assert dict(found) == near({"french": 1 / 3, "swedish": 2 / 3})


@pytest.mark.task("1.7", weight=0.6, orders=2)
def test_posterior_of_short_texts(lm, rng):
    """Each likelihood is multiplied by its prior, and the products are divided by their sum."""
    logs, priors, expected = plain.random_posterior(rng, 0)
    assert dict(lm.posterior(logs, priors)) == near(expected, rel=1e-6)


@pytest.mark.task("1.7", weight=0.6)
def test_posterior_of_long_texts(lm, rng):
    """Likelihoods too small for any float, or far apart, give probabilities that sum to 1."""
    for size in (0, -4000, -90000):
        logs, priors, expected = plain.random_posterior(rng, size)
        assert dict(lm.posterior(logs, priors)) == near(expected, rel=1e-6)
    far = {"a": -5000.0, "b": -9000.0}
    assert dict(lm.posterior(far, {"a": 0.5, "b": 0.5})) == near({"a": 1.0, "b": 0.0})


@pytest.mark.task("1.7", weight=0.3)
def test_posterior_by_name(lm, rng):
    """Priors belong to classes by name, in whatever order they are given."""
    logs, priors, expected = plain.random_posterior(rng, 0)
    turned = dict(reversed(priors.items()))
    assert dict(lm.posterior(logs, turned)) == near(expected, rel=1e-6)


@pytest.mark.task("1.7", weight=0.6, seconds=20)
def test_three_languages_are_told_apart(lm):
    """At least 95 of 100 pieces of 40 characters are given to their own language."""
    train = {name: languages.sentences(name, "train")[:60] for name in languages.LANGUAGES}
    counts = {name: dict(lm.count_characters(train[name], 2)) for name in train}
    pieces = []
    for name in train:
        text = " ".join(languages.sentences(name, "test"))
        pieces += [(name, text[start : start + 40]) for start in range(0, 600, 40)]
    hits = 0
    for name, piece in pieces:
        scores = {each: float(lm.character_log_prob(counts[each], piece, 2, 90)) for each in counts}
        hits += max(scores, key=scores.get) == name
    assert hits >= 0.95 * len(pieces)


@pytest.mark.task("1.7", weight=0.3)
def test_counts_of_texts_that_repeat(lm):
    """Each text counts, also one that was there before."""
    found = lm.count_characters(["ab", "ab", "b", "ab"], 2)
    assert {u: dict(row) for u, row in dict(found).items()} == {"a": {"b": 3}}


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
        scores = -rng.uniform(1, 30, size=(40, 2))
        candidates = {f"text {i}": tuple(row) for i, row in enumerate(scores.tolist())}
        total = {name: a + weight * b for name, (a, b) in candidates.items()}
        expected = sorted(total, key=total.get, reverse=True)
        assert list(lm.rerank(candidates, weight)) == expected


@pytest.mark.task("1.8", weight=1, orders=2)
def test_candidates_with_equal_scores(lm):
    """Equal scores keep the order in which the candidates were given."""
    candidates = {"z": (-2.0, -2.0), "b": (-1.0, -2.0), "m": (-2.0, -1.0), "a": (-1.0, -2.0)}
    assert list(lm.rerank(candidates)) == ["b", "m", "a", "z"]
    many = {f"text {i}": (-1.0 - i % 3, -3.0 + i % 2) for i in range(60)}
    total = {name: a + b for name, (a, b) in many.items()}
    assert list(lm.rerank(many)) == sorted(total, key=total.get, reverse=True)
