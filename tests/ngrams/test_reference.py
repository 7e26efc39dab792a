"""The reference of chapter 2 against values by hand, the papers, KenLM, nltk. Leaves out: speed."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examiner.judge.modules import load_module
from nextword.given.vocabulary import BOS, EOS, UNK, build_vocabulary, replace_unknown
from tests.ngrams.suite import oracles as plain
from tests.reference import reference

ROOT = Path(__file__).parents[2]
KENLM = ROOT / "tests" / "data" / "kenlm"
TEXT = [line.split() for line in (KENLM / "text.txt").read_text("utf-8").splitlines()]
SPELLED = ["_".join(sentence) for sentence in TEXT]

ngrams: Any = reference("ngrams")
# for what asks a hundred thousand times
unchecked: Any = load_module(ROOT / "solutions" / "ngrams.py", "unchecked_ngrams")
near = partial(pytest.approx, rel=1e-9, abs=1e-12)


def all_models(tables: list, words: list) -> dict[str, Any]:
    n = len(tables)
    weights = [0.1, *[0.9 / n] * n]
    return {
        "mle": ngrams.MLE(tables, words),
        "additive": ngrams.Additive(tables, words, alpha=0.3),
        "interpolated": ngrams.Interpolated(tables, words, weights),
        "absolute": ngrams.AbsoluteDiscounting(tables, words, discount=0.6),
        "backoff": ngrams.Backoff(tables, words, discount=0.6),
        "kneser_ney": ngrams.KneserNey(tables, words, discount=0.6),
        "modified": ngrams.ModifiedKneserNey(tables, words),
    }


# ---------------------------------------------------------------- by hand


def test_kneser_ney_by_hand() -> None:
    """San Francisco: a word that is frequent, but only after one other, is unlikely elsewhere."""
    sentences = [["san", "francisco"]] * 4 + [["the", "glasses"], ["my", "glasses"]]
    tables, words = ngrams.count_ngrams(sentences, 2), build_vocabulary(sentences)
    model = ngrams.KneserNey(tables, words, discount=0.5)
    # bigram types: BOS-san, BOS-the, BOS-my, san-francisco, the-glasses, my-glasses, 2 with EOS
    saved = 6 * 0.5 / 8 / 6  # what each of the six words gets from the uniform distribution
    assert model.prob("francisco") == near(0.5 / 8 + saved)
    assert model.prob("glasses") == near(1.5 / 8 + saved)
    assert model.prob("glasses", ["the"]) == near(0.5 / 1 + 0.5 / 1 * (1.5 / 8 + saved))
    assert model.prob("san", [BOS]) == near(3.5 / 6 + 1.5 / 6 * (0.5 / 8 + saved))


def test_a_text_by_hand() -> None:
    tables = ngrams.count_ngrams(["ab", "aa"], 2)
    model = ngrams.MLE(tables, ["a", "b", EOS])
    assert model.log_probs(["ab"]) == near([0, math.log(1 / 3), 0])
    assert ngrams.perplexity(model.log_probs(["ab"])) == near(3 ** (1 / 3))
    assert ngrams.perplexity(model.log_probs(["ba"])) == math.inf


def test_unknown_words() -> None:
    train = [["a", "b", "a"], ["b", "c"]]
    words = build_vocabulary(train, min_count=2)
    assert words == [EOS, UNK, "a", "b"]
    tables = ngrams.count_ngrams(replace_unknown(train, words), 2)
    for name, model in all_models(tables, words).items():
        assert model.prob("c") == 0, name
        assert model.prob(UNK) > 0, name
        assert model.prob("a", ["zebra"]) == model.prob("a", ["zebra", "zoo"]), name
        assert ngrams.perplexity(model.log_probs([["zebra"]])) == math.inf, name


def test_only_the_last_words_of_a_context_count() -> None:
    for model in all_models(ngrams.count_ngrams(TEXT, 3), build_vocabulary(TEXT)).values():
        long = ["so", "it", "was", "that", "the", "goat"]
        assert model.distribution(long) == model.distribution(["the", "goat"])
        assert model.prob("ate", long) == model.prob("ate", ("the", "goat"))


def test_what_comes_in_stays_as_it_is() -> None:
    tables = ngrams.count_ngrams(TEXT, 3)
    all_models(tables, build_vocabulary(TEXT))
    counts = ngrams.continuation_counts(tables)
    counts[-1][("the", "goat")]["ate"] += 100
    assert tables == ngrams.count_ngrams(TEXT, 3)


TABLES = [{(): {"a": 1, EOS: 1}}]
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ngrams.pad("ab", 0), "n must be at least 1, got 0"),
        (lambda: ngrams.windows("ab", -1), "n must be at least 1, got -1"),
        (lambda: ngrams.count_ngrams(["ab"], 0), "n must be at least 1, got 0"),
        (lambda: ngrams.count_ngrams([], 2), "sentences must be a non-empty list, got []"),
        (lambda: ngrams.count_ngrams("ab", 2), "sentences must be a non-empty list, got 'ab'"),
        (lambda: build_vocabulary(["ab"], 0), "min_count must be at least 1, got 0"),
        (lambda: ngrams.MLE([], ["a"]), "tables must be as count_ngrams returns them, got 'none'"),
        (lambda: ngrams.MLE(TABLES, ["a", EOS, BOS]), f"that can be predicted, got '{BOS}'"),
        (lambda: ngrams.MLE(TABLES, [EOS]), "vocabulary: see nextword.given.vocabulary, got {'a'}"),
        (lambda: ngrams.perplexity([]), "log_probs must be at least one number, got 'none'"),
        (lambda: ngrams.Additive(TABLES, ["a", EOS], 0), "alpha must be above 0, got 0"),
        (lambda: ngrams.Interpolated(TABLES, ["a", EOS], [1]), "weights must be 2 numbers"),
        (lambda: ngrams.Interpolated(TABLES, ["a", EOS], [0.5, 0.6]), "sum 1"),
        (lambda: ngrams.Interpolated(TABLES, ["a", EOS], [0, 1]), "the first above 0"),
        (lambda: ngrams.Interpolated(TABLES, ["a", EOS], [1.5, -0.5]), r"got \[1.5, -0.5\]"),
        (lambda: ngrams.AbsoluteDiscounting(TABLES, ["a", EOS], 1.1), "at most 1, got 1.1"),
        (lambda: ngrams.KneserNey(TABLES, ["a", EOS], 0), "discount must be above 0"),
        (lambda: ngrams.Backoff(TABLES, ["a", EOS], 1), "above 0 and below 1, got 1"),
        (lambda: ngrams.generate(ngrams.MLE(TABLES, ["a", EOS]), RNG, 0), "max_words must be"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[]", r"\[\]")):
        call()


# ---------------------------------------------------------------- properties and the papers


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.text("abc", max_size=6), min_size=1, max_size=12),
    st.integers(1, 4),
    st.lists(st.text("abcd", max_size=5), min_size=1, max_size=5),
)
def test_probabilities_sum_to_one(sentences: list[str], n: int, contexts: list[str]) -> None:
    tables = ngrams.count_ngrams(sentences, n)
    for words in ([*"abcd", EOS], build_vocabulary(sentences)):
        for name, model in all_models(tables, words).items():
            if name == "mle":
                continue
            for u in contexts:
                row = model.distribution(u)
                assert sum(row.values()) == near(1), name
                assert min(row.values()) >= 0, name
                if name in ("additive", "interpolated", "absolute", "backoff", "kneser_ney"):
                    assert min(row.values()) > 0, name


@pytest.mark.slow
@pytest.mark.parametrize("text", [TEXT, SPELLED], ids=["words", "characters"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_models_follow_their_equations(text: Sequence[Sequence[str]], n: int) -> None:
    tables, words = ngrams.count_ngrams(text, n), [*build_vocabulary(text), "new"]
    assert tables == plain.count(text, n)
    counts = plain.continuations(tables)
    modified = [(0, *plain.discounts(table)) for table in counts]
    one = [(0, 0.6, 0.6, 0.6)] * n
    expected = {
        "mle": partial(plain.shares, tables, words, 0),
        "additive": partial(plain.shares, tables, words, 0.3),
        "interpolated": partial(plain.interpolation, tables, words, [0.1, *[0.9 / n] * n]),
        "absolute": partial(plain.discounting, tables, words, one),
        "backoff": partial(plain.backoff, tables, words, 0.6),
        "kneser_ney": partial(plain.discounting, counts, words, one),
        "modified": partial(plain.discounting, counts, words, modified),
    }
    rng = np.random.default_rng(7)
    for name, model in all_models(tables, words).items():
        plain.assert_follows(rng, model, tables, expected[name])


@pytest.mark.slow
def test_generated_text_has_the_frequencies_of_the_model() -> None:
    tables = unchecked.count_ngrams(TEXT, 3)
    model = unchecked.ModifiedKneserNey(tables, build_vocabulary(TEXT))
    rng = np.random.default_rng(3)
    first = [(unchecked.generate(model, rng, 1) or [EOS])[0] for _ in range(4000)]
    for word, p in model.distribution([BOS, BOS]).items():
        assert first.count(word) / 4000 == pytest.approx(p, abs=5 * math.sqrt(p / 4000) + 1e-3)


# ---------------------------------------------------------------- KenLM


def read_arpa(path: Path) -> Callable[[str, tuple[str, ...]], float]:
    """Return the query of an ARPA file: the base-10 logarithm of P(word | context)."""
    probs: dict[tuple[str, ...], float] = {}
    weights: dict[tuple[str, ...], float] = {}
    for line in path.read_text("utf-8").splitlines():
        if "\t" in line:
            prob, gram, *weight = line.split("\t")
            probs[tuple(gram.split(" "))] = float(prob)
            weights[tuple(gram.split(" "))] = float(weight[0]) if weight else 0.0

    def query(word: str, context: tuple[str, ...]) -> float:
        if (*context, word) in probs:
            return probs[(*context, word)]
        return weights.get(context, 0.0) + query(word, context[1:])

    return query


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "fallback"),
    [
        ("words-1.arpa", TEXT, [False]),
        ("words-4.arpa", TEXT, [False] * 4),
        ("characters-4.arpa", SPELLED, [False] * 4),
        ("few-3.arpa", TEXT[:3], [False, False, True]),
    ],
)
def test_modified_kneser_ney_gives_the_numbers_of_kenlm(
    file: str, text: Sequence[Sequence[str]], fallback: list[bool]
) -> None:
    query, n = read_arpa(KENLM / file), len(fallback)
    words = [*build_vocabulary(text), UNK]  # KenLM always has a place for unknown words
    model = ngrams.ModifiedKneserNey(ngrams.count_ngrams(text, n), words)
    assert [d[1:] == ngrams.FALLBACK_DISCOUNTS for d in model.discounts] == fallback
    found: list[tuple[float, float]] = []
    for u in sorted({gram[:-1] for s in text for gram in ngrams.windows(ngrams.pad(s, n), n)}):
        kenlm_u = (BOS, *(w for w in u if w != BOS)) if BOS in u else u  # it has one BOS only
        found += [(math.log10(p), query(w, kenlm_u)) for w, p in model.distribution(u).items()]
    assert len(found) > 40
    ours, kenlm = np.array(found).T
    np.testing.assert_allclose(ours, kenlm, rtol=0, atol=2e-6)  # KenLM computes with 32 bits


# ---------------------------------------------------------------- nltk


NLTK_UNK = "<UNK>"


@pytest.fixture(scope="module")
def nltk_models() -> Any:
    """What is imported only where these tests have their turn."""
    from nltk.lm import models

    return models


def fit(model: Any, tables: list, words: list) -> Any:
    """Give an nltk model the n-grams of our tables: it would pad with more than one EOS itself."""
    grams = [
        (*u, w)
        for table in tables
        for u, row in table.items()
        for w, count in row.items()
        for _ in range(count)
    ]
    model.vocab.update(w for w in words if w != NLTK_UNK)
    model.counts.update([grams])  # `fit` would put <UNK> in the place of BOS
    return model


CASES = [(text, n) for text in (TEXT, SPELLED) for n in (1, 2, 3)]


def contexts_of(tables: list) -> list[tuple[str, ...]]:
    return [u for table in tables for u in table] + [("never", "seen")[: len(tables) - 1]]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "n"), CASES)
def test_mle_and_additive_are_those_of_nltk(
    nltk_models: Any, text: Sequence[Sequence[str]], n: int
) -> None:
    tables, words = ngrams.count_ngrams(text, n), [*build_vocabulary(text), NLTK_UNK]
    pairs = [
        (ngrams.MLE(tables, words), fit(nltk_models.MLE(n), tables, words)),
        (ngrams.Additive(tables, words, 0.3), fit(nltk_models.Lidstone(0.3, n), tables, words)),
    ]
    for ours, theirs in pairs:
        for u in contexts_of(tables):
            for word in words:
                assert ours.prob(word, u) == near(theirs.unmasked_score(word, u or None))


@pytest.mark.slow
@pytest.mark.parametrize(("text", "n"), CASES)
def test_absolute_discounting_is_that_of_nltk(
    nltk_models: Any, text: Sequence[Sequence[str]], n: int
) -> None:
    """nltk leaves the unigrams as they are; from the bigrams on, the models are the same."""
    tables, words = ngrams.count_ngrams(text, n), build_vocabulary(text)
    ours = ngrams.AbsoluteDiscounting(tables, words, 0.6)
    theirs = fit(nltk_models.AbsoluteDiscountingInterpolated(n, discount=0.6), tables, words)
    theirs.estimator.unigram_score = ours.prob
    for u in contexts_of(tables):
        for word in words:
            assert ours.prob(word, u) == near(theirs.unmasked_score(word, u))


@pytest.mark.slow
@pytest.mark.parametrize(("text", "n"), [case for case in CASES if case[1] > 1])
def test_kneser_ney_is_that_of_nltk_within_sentences(
    nltk_models: Any, text: Sequence[Sequence[str]], n: int
) -> None:
    """Beside the unigrams (see above), nltk differs after BOS: it has no rule for the beginning."""
    tables, words = ngrams.count_ngrams(text, n), build_vocabulary(text)
    ours = ngrams.KneserNey(tables, words, 0.6)
    theirs = fit(nltk_models.KneserNeyInterpolated(n, discount=0.6), tables, words)
    for word in words:  # without smoothing, the unigrams are continuation counts in both
        share = ours.row(()).get(word, 0) / ours.total(())
        assert share == near(theirs.unmasked_score(word, ()))
    theirs.estimator.unigram_score = ours.prob
    differences = {True: 0.0, False: 0.0}
    for u in contexts_of(tables):
        for word in words:
            difference = abs(ours.prob(word, u) - theirs.unmasked_score(word, u))
            differences[BOS in u] = max(differences[BOS in u], difference)
    assert differences[False] < 1e-12
    assert (differences[True] > 1e-3) == (n > 2)  # the longest n-grams keep their counts in both
