"""Tests of tasks 1.9 to 1.11: tokens, and how a model chooses the next one."""

import math
from collections import Counter

import numpy as np
import pytest

from examiner.suite import frequencies, leave_doubt, near, ship
from tests.language_models.suite import oracles as plain
from tests.language_models.suite.common import numbers


@pytest.fixture
def lm(coursework):
    return coursework.language_models


@ship
def draws(sample, probs, rng, how_many):
    """Draw again and again from one generator."""
    return [int(sample(probs.copy(), rng)) for _ in range(how_many)]


def shares(probs):
    """Probabilities, but for what a tiny number in a denominator changes."""
    return near(probs, rel=1e-5)


def fresh(rng):
    return np.random.default_rng(int(rng.integers(2**32)))


# ---------------------------------------------------------------- 1.9


def pairs(merges):
    return [tuple(int(part) for part in pair) for pair in merges]


@pytest.mark.task("1.9", weight=0.7, visible=True)
def test_merges_by_hand(lm):
    """In low lower lowest the pair l o is merged first, then lo w, then the blank before low."""
    assert pairs(lm.train_bpe("low lower lowest", 3)) == [(108, 111), (256, 119), (32, 257)]
    assert pairs(lm.train_bpe("low lower lowest", 0)) == []


@pytest.mark.task("1.9", weight=0.7, visible=True)
def test_equally_frequent_pairs(lm):
    """Of equally frequent pairs the smaller one is merged first, not the earlier one."""
    assert pairs(lm.train_bpe("xyxy.abab", 2)) == [(97, 98), (120, 121)]


@pytest.mark.task("1.9", weight=0.7, visible=True)
def test_pairs_that_overlap(lm):
    """In aaa the pair a a occurs twice, though only one of the two can be merged."""
    assert pairs(lm.train_bpe("aaa.xy.xy", 2)) == [(97, 97), (120, 121)]
    assert pairs(lm.train_bpe("aaaa.aaaa.aaa.bab", 4)) == [(97, 97), (256, 256)]


@pytest.mark.task("1.9", weight=0.6, visible=True, seconds=5)
def test_merges_end_where_no_pair_occurs_twice(lm):
    """When every pair that is left occurs once, there are no more merges."""
    assert pairs(lm.train_bpe("abc abc", 50)) == [(97, 98), (256, 99)]
    assert pairs(lm.train_bpe("x", 5)) == []


@pytest.mark.task("1.9", weight=2, seconds=5)
def test_merges_stay_inside_chunks(lm):
    """A pair across the border of two words or signs is never merged, however frequent it is."""
    found = pairs(lm.train_bpe("a.b.a.b.a.b.c.c", 20))
    assert found == []
    assert pairs(lm.train_bpe("no. no, no! no; no? no", 9)) == [(110, 111), (32, 256)]


@pytest.mark.task("1.9", weight=5)
def test_merges_where_one_pair_leads(lm, rng):
    """Where one pair is always the most frequent, the merges follow the counts."""
    a, b, c, d, e, f, g = (chr(97 + i) for i in rng.permutation(26)[:7])
    words = [a + b + c] * 5 + [a + b] * 6 + [d + e + f] * 3 + [d + e] * 4
    words += [g * 3] * 4 + [g * 5] * 2  # 16 pairs g g, if those that overlap count
    text = ".".join(rng.permutation(words).tolist())
    assert pairs(lm.train_bpe(text, 6)) == plain.train_bpe(text, 6)


@pytest.mark.task("1.9", weight=2, orders=2)
def test_merges_of_any_text(lm, rng):
    """The merges are those of a plain count of all pairs before each merge, in any script."""
    for letters in ("ab", "aAéx🐐", "abcdefghij"):
        run = letters[0]  # 5 overlapping pairs of it against 4 others, whatever is drawn
        text = f"{run * 6}.xy.xy.xy.xy."
        assert pairs(lm.train_bpe(text, 3)) == plain.train_bpe(text, 3)
        text += plain.random_text(rng, letters=letters)
        expected = plain.train_bpe(text, 60)
        for n_merges in (7, 60):
            assert pairs(lm.train_bpe(text, n_merges)) == expected[:n_merges]


@pytest.mark.task("1.9", weight=1, seconds=10, visible=True)
def test_training_takes_seconds(lm):
    """Three hundred merges on a text of four hundred thousand bytes take a few seconds."""
    rng, letters = np.random.default_rng(9), list("etaoinshrdlucmf")
    words = ["".join(rng.permutation(letters)[:n]) for n in rng.integers(2, 11, size=600)]
    # no few words are most of it: long after the first merges, much is left to count again
    part = "".join(f" {words[int(600 * u**2)]}" for u in rng.random(2000))
    found, counts = pairs(lm.train_bpe(30 * part, 300)), plain.pairs_in(part)
    assert counts[found[0]] == max(counts.values())
    assert len(set(found)) == 300


# ---------------------------------------------------------------- 1.10

LOW = [(108, 111), (256, 119), (32, 257)]  # lo, low and a blank with low


@pytest.mark.task("1.10", weight=0.5, visible=True)
def test_tokens_by_hand(lm):
    """Known pairs become tokens, from the oldest merge to the newest; other bytes stay."""
    assert list(lm.encode("slow lower", LOW)) == [115, 257, 258, 101, 114]
    assert list(lm.encode("lo w", LOW)) == [256, 32, 119]


@pytest.mark.task("1.10", weight=0.5, visible=True)
def test_text_by_hand(lm):
    """Tokens become bytes, and the bytes become text."""
    assert lm.decode([115, 257, 258, 101, 114], LOW) == "slow lower"


@pytest.mark.task("1.10", weight=0.8, visible=True)
def test_characters_of_several_bytes(lm):
    """The bytes of one character may be spread over several tokens."""
    assert lm.decode((195, 169), tuple(LOW)) == "é"  # tuples: nothing that could be changed
    assert lm.decode((230, 256, 115), ((157, 177),)) == "東s"


@pytest.mark.task("1.10", weight=0.4, visible=True)
def test_broken_characters(lm):
    """Bytes that are no character become U+FFFD."""
    assert lm.decode((256, 119), tuple(LOW)) == "low"
    assert lm.decode((108, 195), tuple(LOW)) == "l\ufffd"
    assert lm.decode((97, 195, 98, 240, 159), tuple(LOW)) == "a\ufffdb\ufffd"


@pytest.mark.task("1.10", weight=1)
def test_older_merges_go_first(lm):
    """Where two merges overlap, the one that was learned first is done first."""
    assert list(lm.encode("abcd", [(99, 100), (97, 98), (98, 99)])) == [257, 256]  # cd, ab, bc
    merges = [(98, 99), (97, 98), (97, 256), (258, 100)]  # bc, ab, a-bc, abc-d
    assert list(lm.encode("abcd", merges)) == [259]
    assert list(lm.encode("abc", merges[:2])) == [97, 256]  # no token is longer than ab
    assert list(lm.encode("ab abc", merges)) == [257, 32, 258]
    assert list(lm.encode("aaa aaaa", [(97, 97)])) == [256, 97, 32, 256, 256]
    assert list(lm.encode("ab ab", [(98, 32)])) == [97, 98, 32, 97, 98]  # b and blank: two chunks


@pytest.mark.task("1.10", weight=4, orders=2)
def test_tokens_of_any_text(lm, rng):
    """A new text has the tokens that doing all merges in their order gives."""
    assert list(lm.encode("ababab", [(97, 98)])) == [256, 256, 256]  # each of several equal pairs
    merges, text = plain.tangled(rng)
    for n_merges in (len(merges), 20, 0):
        assert list(lm.encode(text, merges[:n_merges])) == plain.encode(text, merges[:n_merges])


@pytest.mark.task("1.10", weight=0.7)
def test_tokens_of_any_script(lm, rng):
    """Characters of several bytes are several tokens, unless their bytes were merged."""
    assert list(lm.encode("é", LOW)) == [195, 169]
    assert list(lm.encode("éé", [(169, 195), (195, 169)])) == [195, 256, 169]
    assert list(lm.encode("e\u0301", LOW)) == [101, 204, 129]  # another way to write é
    merges = plain.train_bpe(plain.random_text(rng), 60)
    for n_merges in (0, 20, len(merges)):
        text = plain.random_text(rng, 40) + "quite new: ünïcode"
        assert list(lm.encode(text, merges[:n_merges])) == plain.encode(text, merges[:n_merges])


@pytest.mark.task("1.10", weight=0.3)
def test_tokens_of_an_empty_text(lm):
    """An empty text has no tokens; blanks at the ends of a text are tokens."""
    assert list(lm.encode("so low", LOW)) == [115, 111, 258]
    assert list(lm.encode("", LOW)) == []
    assert list(lm.encode(" low\n", LOW)) == [258, 10]


@pytest.mark.task("1.10", weight=0.3)
def test_plain_english_comes_back(lm, rng):
    """A text of one-byte characters is the same after encoding and decoding."""
    text = plain.random_text(rng, letters="abcdefgh").strip()
    merges = plain.train_bpe(text, 40)
    assert lm.decode(plain.encode(text, merges), merges) == text


@pytest.mark.task("1.10", weight=1.2, orders=2)
def test_any_text_comes_back(lm, rng):
    """Any script, any emoji and any gap is the same after encoding and decoding."""
    merges = plain.train_bpe(plain.random_text(rng), 40)
    some = plain.random_text(rng, 30)  # with tokens that are made of tokens
    for text in (some, "\ufeffnaïve 東京 👩‍🌾!", " ", "\t\n  x \r\n", "Ωμέγα,\u00a0\u200bعربي", ""):
        assert lm.decode(plain.encode(text, merges), merges) == text


# ---------------------------------------------------------------- 1.11


@pytest.mark.task("1.11", weight=0.8, visible=True)
def test_temperature_by_hand(lm):
    """Half the temperature squares the probabilities."""
    logits = np.log([0.25, 0.75])
    assert numbers(lm.with_temperature(logits, 1.0)) == shares([0.25, 0.75])
    assert numbers(lm.with_temperature(logits, 0.5)) == shares([0.1, 0.9])


@pytest.mark.task("1.11", weight=0.4, visible=True)
def test_temperature_zero_by_hand(lm):
    """At temperature 0 only the largest score is left."""
    assert numbers(lm.with_temperature(np.log([0.25, 0.75]), 0.0)) == near([0, 1])
    assert numbers(lm.with_temperature(np.log([0.5, 0.25, 0.25]), 0.0)) == near([1, 0, 0])


@pytest.mark.task("1.11", weight=1.6)
def test_any_temperature(lm, rng):
    """Cool or hot, the logits are divided by the temperature."""
    logits = rng.normal(scale=3, size=6)
    for temperature in (0.3, 1.0, 2.5):
        expected = plain.with_temperature(logits.tolist(), temperature)
        assert numbers(lm.with_temperature(logits, temperature)) == shares(expected)


@pytest.mark.task("1.11", weight=0.5)
def test_freezing_and_boiling(lm, rng):
    """From hot to freezing, nothing overflows, and equal scores keep equal shares."""
    others = rng.normal(scale=3, size=5).clip(max=5)
    logits = np.array([*others, -math.inf, 6.0, 6.0]) + 1000.0
    for temperature in (0.0, 1e-6, 0.3, 1.0, 2.5, 1e6):
        expected = plain.with_temperature(logits.tolist(), temperature)
        assert numbers(lm.with_temperature(logits, temperature)) == near(expected)


@pytest.mark.task("1.11", weight=0.6, visible=True)
def test_the_two_most_likely_tokens(lm):
    """The two most likely tokens are kept and sum to 1."""
    found = numbers(lm.top_k(np.array([0.2, 0.5, 0.15, 0.1, 0.05]), 2))
    assert found == shares([2 / 7, 5 / 7, 0, 0, 0])


@pytest.mark.task("1.11", weight=0.2, visible=True)
def test_two_equally_likely_tokens(lm):
    """Of equally likely tokens, the smaller id is kept."""
    found = numbers(lm.top_k(np.array([0.2, 0.5, 0.2, 0.1]), 2))
    assert found == shares([2 / 7, 5 / 7, 0, 0])


@pytest.mark.task("1.11", weight=0.2)
def test_equally_likely_tokens(lm):
    """Every k is right where tokens are equally likely, also with zeros."""
    probs = np.array([0.125, 0.25, 0.125, 0.25, 0.25, 0])
    for k in (1, 2, 4, 6):
        expected = plain.only(probs.tolist(), plain.by_likelihood(probs.tolist())[:k])
        assert numbers(lm.top_k(probs, k)) == shares(expected)


@pytest.mark.task("1.11", weight=1)
def test_the_most_likely_tokens_of_any_distribution(lm, rng):
    """Every k is right, from 1 to the whole vocabulary."""
    probs = plain.random_row(rng, 7)
    for k in (1, 2, 4, 7):
        expected = plain.only(probs.tolist(), plain.by_likelihood(probs.tolist())[:k])
        assert numbers(lm.top_k(probs, k)) == shares(expected)


@pytest.mark.task("1.11", weight=0.6, visible=True)
def test_the_nucleus_by_hand(lm):
    """The token that reaches p is kept; all less likely ones are dropped."""
    probs = np.array([0.25, 0.5, 0.15, 0.1])
    found = [numbers(lm.top_p(probs, p)) for p in (0.6, 0.12, 0.8)]
    expected = [[1 / 3, 2 / 3, 0, 0], [0, 1, 0, 0], [0.25 / 0.9, 0.5 / 0.9, 0.15 / 0.9, 0]]
    assert found == [shares(row) for row in expected]


@pytest.mark.task("1.11", weight=0.2, visible=True)
def test_a_nucleus_that_holds_exactly_p(lm):
    """Where the kept tokens hold p exactly, no more are needed."""
    assert numbers(lm.top_p(np.array([0.25, 0.5, 0.25, 0]), 0.5)) == shares([0, 1, 0, 0])
    probs = np.array([0.125, 0.5, 0.25, 0.125])
    assert numbers(lm.top_p(probs, 0.75)) == shares([0, 2 / 3, 1 / 3, 0])


@pytest.mark.task("1.11", weight=0.3)
def test_a_nucleus_of_equally_likely_tokens(lm):
    """Of equally likely tokens, the smaller id goes first; p = 1 keeps all that are possible."""
    probs = np.array([0.125, 0.25, 0.125, 0.25, 0.25, 0])
    for p in (0.2, 0.4, 0.7, 0.8, 0.95):
        assert numbers(lm.top_p(probs, p)) == shares(plain.top_p(probs.tolist(), p))
    # ten times 0.1 is a little less than 1 where it is added up: all ten are needed, and no more
    assert numbers(lm.top_p(np.full(10, 0.1), 1.0)) == near([0.1] * 10)


@pytest.mark.task("1.11", weight=1.2)
def test_the_nucleus_of_any_distribution(lm, rng):
    """Every p is right, from nearly 0 to nearly 1, also with zeros."""
    for zeros in (0, 3):
        probs = plain.random_row(rng, 8, zeros)
        limits = (0.9, 1e-9, *rng.uniform(0.05, 0.95, size=3).tolist())
        found = [numbers(lm.top_p(probs, p)) for p in limits]
        assert found == [shares(plain.top_p(probs.tolist(), p)) for p in limits]


@pytest.mark.task("1.11", weight=0.7, visible=True)
def test_a_draw_without_choice(lm, rng):
    """A token with probability 1 is drawn every time."""
    for token in (2, 0, 1):
        assert {int(lm.sample(np.eye(3)[token], fresh(rng))) for _ in range(10)} == {token}


@pytest.mark.task("1.11", weight=0.7)
def test_the_generator_decides(lm, rng):
    """The same state of the generator gives the same tokens, another state other tokens."""
    probs, (a, b) = np.full(500, 1 / 500), rng.integers(2**32, size=2).tolist()
    first, again, other = (
        [int(lm.sample(probs, np.random.default_rng(seed + i))) for i in range(5)]
        for seed in (a, a, b)
    )
    assert first == again != other


@pytest.mark.task("1.11", weight=2.6, seconds=20)
def test_tokens_are_drawn_as_often_as_they_are_likely(lm, rng):
    """Over many draws each token has its share, and a token of probability 0 is never drawn."""
    shares = rng.permutation([0.4, 0.3, 0.15, 0.1, 0.05]).tolist()
    for place in rng.integers(1, 5, size=3).tolist():  # the first and the last token are possible
        shares.insert(place, 0.0)
    shares = dict(enumerate(shares))
    probs, seed = np.array([*shares.values()]), int(rng.integers(2**32))
    drawn, again = (draws(lm.sample, probs, np.random.default_rng(seed), n) for n in (700, 200))
    assert drawn[:200] == again  # only the generator decides
    if leave_doubt(Counter(drawn), shares):
        # of right code, one run in 25 is looked at more closely: only this look can refuse it
        drawn = draws(lm.sample, probs, np.random.default_rng(seed), 2100)
    assert frequencies(Counter(drawn), shares)


@pytest.mark.task("1.11", weight=0.3)
def test_temperatures_next_to_zero(lm):
    """Only temperature 0 is the limit; what is nearly as large is less; nothing overflows."""
    e = math.e
    assert numbers(lm.with_temperature(np.array([1e-6, 0.0]), 1e-6)) == near(
        [e / (1 + e), 1 / (1 + e)]
    )
    assert numbers(lm.with_temperature(np.array([1.0, 1.0 + 1e-9, 0.0]), 0.0)) == near([0, 1, 0])
    assert numbers(lm.with_temperature(np.array([900.0, 1000.0, 1000.0]), 1e-306)) == near(
        [0, 0.5, 0.5]
    )


@pytest.mark.task("1.11", weight=0.4)
def test_many_equally_likely_tokens(lm, rng):
    """However many tokens are equally likely, the smaller ids are kept."""
    weights = rng.permutation([1.0] * 60 + [2.0] * 60 + [4.0] * 60)
    probs = weights / 420
    order = plain.by_likelihood(probs.tolist())
    for k in (20, 70, 130):
        expected = np.array(plain.only(probs.tolist(), order[:k]))
        assert numbers(lm.top_k(probs, k)) == shares(expected)
        p = (probs[order[:k]].sum() - 1e-4).item()
        assert numbers(lm.top_p(probs, p)) == shares(expected)


@pytest.mark.task("1.11", weight=0.2)
def test_a_nucleus_of_all_tokens(lm):
    """With p = 1 every possible token is kept, however rare."""
    probs = np.array([0.5, 2.0**-30, 0.5 - 2.0**-30, 0.0])
    assert numbers(lm.top_p(probs, 0.5)) == near([1, 0, 0, 0])
    assert numbers(lm.top_p(probs, 1.0)) == near(probs.tolist())


@pytest.mark.task("1.11", weight=0.3)
def test_a_draw_from_a_sum_that_is_nearly_one(lm, rng):
    """The probabilities are divided by their sum, about which rng.choice is strict."""
    probs = np.array([0.0, 0.5, 0.5]) * (1 + 5e-7)
    assert {*draws(lm.sample, probs, fresh(rng), 80)} == {1, 2}  # one of both alone: in 2^79 runs
