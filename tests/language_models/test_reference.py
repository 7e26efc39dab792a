"""The reference of chapter 1 against torch, tokenizers, exhaustive search and enumeration."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, trainers

from examiner.judge.modules import load_module
from examiner.suite import frequencies
from nextword.corpora import languages, pydocs, village
from tests.language_models.suite import oracles as plain
from tests.reference import reference

ROOT = Path(__file__).parents[2]
lm: Any = reference("language_models")
unchecked: Any = load_module(ROOT / "solutions" / "language_models.py", "unchecked_reference")
BOS, EOS, UNK = range(3)
COIN = unchecked.TableModel({(): [0, 0.5, 0.5]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: unchecked.build_vocabulary([]),
            "sentences must be sentences with words in them, got []",
        ),
        (lambda: unchecked.build_vocabulary([[], []]), "sentences with words in them"),
        (lambda: unchecked.build_vocabulary(["a"], 0), "min_count must be at least 1, got 0"),
        (lambda: unchecked.to_words([0, 3], ["<s>", "</s>", "<unk>"]), "between 0 and 2, got [3]"),
        (lambda: unchecked.to_words([-1], ["a"]), "ids must be between 0 and 0, got [-1]"),
        (
            lambda: unchecked.batch(np.arange(4), np.array([0]), 4),
            "T must be at least 1 and below 4",
        ),
        (
            lambda: unchecked.batch(np.arange(4), np.array([2]), 2),
            "starts must be places from 0 to 1",
        ),
        (lambda: unchecked.log_softmax(np.array([-np.inf])), "rows with a finite largest number"),
        (
            lambda: unchecked.TableModel({(1,): [1.0]}),
            "rows must be with a row for the empty tuple",
        ),
        (lambda: unchecked.TableModel({(): [0.5, 0.6]}), "the row after () must be a distribution"),
        (
            lambda: unchecked.TableModel({(): [1.0], (0,): [0.5, 0.5]}),
            "the row after (0,) must be 1 numbers",
        ),
        (
            lambda: unchecked.cross_entropy(np.zeros((1, 2)), np.array([2])),
            "between 0 and 1, got",
        ),
        (lambda: unchecked.cross_entropy(np.zeros((2, 2)), np.array([1])), "targets must be 2 ids"),
        (lambda: unchecked.perplexity([]), "log_probs must be at least one number, got []"),
        (
            lambda: unchecked.bits_per_byte([-1.0], ""),
            "text must be at least one character, got ''",
        ),
        (lambda: unchecked.entropy(np.array([0.5, 0.6])), "p must be a distribution"),
        (
            lambda: unchecked.kl_divergence(np.array([1.0]), np.array([-1.0, 2.0])),
            "q must be a distrib",
        ),
        (
            lambda: unchecked.kl_divergence(np.array([1.0]), np.array([0.5, 0.5])),
            "q must be as long as p",
        ),
        (lambda: unchecked.count_characters(["a"], 0), "n must be at least 1, got 0"),
        (
            lambda: unchecked.character_log_prob({}, "a", 1, 0),
            "n and V must be at least 1, got (1, 0)",
        ),
        (lambda: unchecked.posterior({"a": 0.0}, {"b": 1.0}), "priors must be one for each class"),
        (lambda: unchecked.posterior({"a": 0.0}, {"a": 0.5}), "priors must be a distribution"),
        (lambda: unchecked.rerank({}, -1), "weight must be at least 0, got -1"),
        (lambda: unchecked.train_bpe("", 3), "text must be at least one character, got ''"),
        (lambda: unchecked.train_bpe("a", -1), "n_merges must be at least 0, got -1"),
        (lambda: unchecked.decode([256], []), "ids must be between 0 and 255, got [256]"),
        (lambda: unchecked.decode([0], [(256, 97)]), "merge 0 must be two tokens from 0 to 255"),
        (
            lambda: unchecked.decode([0], [(1, 2), (97, 257)]),
            "merge 1 must be two tokens from 0 to 256",
        ),
        (
            lambda: unchecked.with_temperature(np.zeros(2), -0.1),
            "temperature must be at least 0",
        ),
        (lambda: unchecked.top_k(np.array([0.5, 0.5]), 3), "k must be from 1 to 2"),
        (lambda: unchecked.top_k(np.array([0.5, 0.5]), 0), "k must be from 1 to 2"),
        (
            lambda: unchecked.top_p(np.array([0.5, 0.5]), 0),
            "p must be above 0 and at most 1, got 0",
        ),
        (
            lambda: unchecked.top_p(np.array([0.5, 0.5]), 1.1),
            "p must be above 0 and at most 1, got 1.1",
        ),
        (lambda: unchecked.top_p(np.array([0.5, 0.4]), 0.5), "probs must be a distribution"),
        (lambda: unchecked.sample(np.array([2.0, 1.0]), None), "probs must be a distribution"),
        (lambda: unchecked.beam_search(COIN, [BOS], 0, 5), "width must be at least 1, got 0"),
        (lambda: unchecked.beam_search(COIN, [BOS], 1, 0), "max_tokens must be at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], Any], message: str) -> None:
    """By the module itself, whose types nobody checks when a student runs it."""
    with pytest.raises(ValueError, match=re.escape(message)) as refused:
        call()
    assert "\n" not in str(refused.value)


# ---------------------------------------------------------------- torch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("N", "V"), [(1, 1), (1, 7), (13, 3), (64, 501)])
def test_cross_entropy_is_that_of_torch(dtype: type, N: int, V: int) -> None:
    rng = np.random.default_rng(N + V)
    logits = rng.normal(scale=5, size=(N, V)).astype(dtype)
    targets = rng.integers(V, size=N)
    found = lm.log_softmax(logits)
    assert found.dtype == dtype
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    theirs = torch.log_softmax(torch.from_numpy(logits), -1).numpy()
    np.testing.assert_allclose(found, theirs, rtol=tolerance, atol=tolerance)
    expected = torch.nn.functional.cross_entropy(torch.from_numpy(logits), torch.tensor(targets))
    assert lm.cross_entropy(found, targets) == pytest.approx(float(expected), abs=10 * tolerance)


def test_divergence_and_entropy_are_those_of_torch() -> None:
    rng = np.random.default_rng(5)
    for V in (1, 2, 50):
        p, q = plain.random_row(rng, V), plain.random_row(rng, V)
        categorical = torch.distributions.Categorical(probs=torch.from_numpy(p))
        assert lm.entropy(p) == pytest.approx(float(categorical.entropy()), abs=1e-9)
        other = torch.distributions.Categorical(probs=torch.from_numpy(q))
        expected = float(torch.distributions.kl_divergence(categorical, other))
        assert lm.kl_divergence(p, q) == pytest.approx(expected, abs=1e-9)
        surprise = -float((p * np.log(q)).sum())
        assert lm.entropy(p) + lm.kl_divergence(p, q) == pytest.approx(surprise, abs=1e-9)


# ---------------------------------------------------------------- tokenizers


def as_characters(chunk: str) -> str:
    """One character, U+0000 to U+00FF, for each byte: the library's tokens are characters."""
    return chunk.encode().decode("latin-1")


def library(text: str, n_merges: int) -> Tokenizer:
    trainer = trainers.BpeTrainer(
        vocab_size=256 + n_merges,
        min_frequency=2,
        initial_alphabet=[chr(byte) for byte in range(256)],
        show_progress=False,
    )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator(map(as_characters, lm.chunks(text)), trainer)
    return tokenizer


EMOJI = "🐐 und 👩‍🌾, noch einmal 🐐 und 👩‍🌾: naïve Größen in Ελληνικά, 東京 und 東京都. " * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n_merges"), [("village", 400), ("docs", 1500), ("tongues", 900), ("emoji", 500)]
)
def test_merges_and_tokens_are_those_of_the_library(name: str, n_merges: int) -> None:
    """In the same order, also among the many pairs that are equally frequent."""
    texts = {
        "village": " ".join(village.split("train", 8_000).tokens),
        "docs": pydocs.characters("train")[:120_000],
        "tongues": "\n".join(line for line, _ in languages.labelled("train")),
        "emoji": EMOJI,
    }
    merges, theirs = lm.train_bpe(texts[name], n_merges), library(texts[name], n_merges)
    ids = theirs.get_vocab()
    found = json.loads(theirs.to_str())["model"]["merges"]
    assert merges == [(ids[left], ids[right]) for left, right in found]
    assert len(merges) == n_merges or name == "emoji"
    new = (
        pydocs.characters("test")[:20_000] + EMOJI + "".join(languages.sentences("swedish", "test"))
    )
    tokens = lm.encode(new, merges)
    assert tokens == theirs.encode([*map(as_characters, lm.chunks(new))], is_pretokenized=True).ids
    assert lm.decode(tokens, merges) == new


MERGES = lm.train_bpe(EMOJI, 300)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.text())
def test_any_text_goes_there_and_back(text: str) -> None:
    assert "".join(lm.chunks(text)) == text
    tokens = lm.encode(text, MERGES)
    assert lm.decode(tokens, MERGES) == text
    assert len(tokens) <= len(text.encode())


@settings(deadline=None, max_examples=60)
@given(st.text("ab é\n", min_size=1, max_size=80), st.integers(0, 30))
def test_merges_are_those_of_counting_again(text: str, n_merges: int) -> None:
    merges = lm.train_bpe(text, n_merges)
    assert merges == plain.train_bpe(text, n_merges)
    assert lm.encode(text, merges) == plain.encode(text, merges)


# ---------------------------------------------------------------- sampling and search


@pytest.mark.slow
@pytest.mark.parametrize("keep", ["all", "top-k", "top-p", "cold"])
def test_draws_follow_the_distribution(keep: str) -> None:
    rng = np.random.default_rng(11)
    probs = np.array([0.4, 0.0, 0.25, 0.2, 0.1, 0.05])
    with np.errstate(divide="ignore"):
        logits = np.log(probs)
    kept = {
        "all": probs,
        "top-k": lm.top_k(probs, 3),
        "top-p": lm.top_p(probs, 0.7),
        "cold": lm.with_temperature(logits, 0.5),
    }[keep]
    drawn = [lm.sample(kept, rng) for _ in range(20_000)]
    assert frequencies(Counter(drawn), dict(enumerate(kept.tolist())))
    assert not frequencies(Counter(drawn), dict.fromkeys(range(6), 1 / 6))


@pytest.mark.parametrize("seed", range(8))
def test_a_wide_beam_is_an_exhaustive_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = plain.random_table(rng, V=4, zeros=seed % 2)
    for alpha in (0.0, 0.5, 1.0):
        expected = plain.all_texts(table, [BOS], 5, alpha)
        found = lm.beam_search(lm.TableModel(table), [BOS], 2_000, 5, alpha)
        assert {tuple(text): score for text, score in found} == pytest.approx(
            {tuple(text): score for text, score in expected}
        )
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def test_a_wider_beam_never_finds_less() -> None:
    rng, gains = np.random.default_rng(2), 0
    for _ in range(40):
        model = lm.TableModel(plain.random_table(rng, V=5))
        best = [lm.beam_search(model, [BOS], width, 6)[0][1] for width in (1, 500)]
        assert best[0] <= best[1] + 1e-12
        gains += best[0] < best[1] - 1e-12
    assert gains >= 10, "greedy search loses often"


# ---------------------------------------------------------------- the floor and the languages


def test_the_floor_is_entropy_and_the_excess_is_divergence() -> None:
    """On village stories, place by place: cross-entropy = entropy + KL, and the mean is the floor.

    A unigram model takes the part of the model; the true rows are the listener's.
    """
    corpus = village.split("validation", 3_000)
    counts = dict.fromkeys(village.VOCABULARY, 1)
    for word in village.split("train", 30_000).tokens:
        counts[word] += 1
    total, words = sum(counts.values()), sorted(counts)
    q = np.array([counts[word] / total for word in words])
    place = {word: i for i, word in enumerate(words)}
    listener, entropies, expected = village.Listener(), [], []
    for word, log_prob in zip(corpus.tokens, corpus.log_probs, strict=True):
        row = listener.possible()
        p = np.zeros(len(words))
        p[[place[w] for w in row]] = list(row.values())
        p /= p.sum()
        assert listener.hear(word) == pytest.approx(log_prob, abs=1e-9)
        entropies.append(lm.entropy(p))
        expected.append(-float((p * np.log(q)).sum()))
        assert lm.entropy(p) + lm.kl_divergence(p, q) == pytest.approx(expected[-1], abs=1e-9)
    # the mean surprise of one draw per place comes near the mean entropy
    assert np.mean(entropies) == pytest.approx(-np.mean(corpus.log_probs), rel=0.1)
    assert np.mean(expected) > 3 * np.mean(entropies)


@pytest.mark.parametrize("n", [2, 3])
def test_languages_are_told_apart_in_forty_characters(n: int) -> None:
    train = {name: languages.sentences(name, "train") for name in languages.LANGUAGES}
    V = len({c for lines in train.values() for line in lines for c in line}) + 1
    counts = {name: lm.count_characters(lines, n) for name, lines in train.items()}
    hits = pieces = 0
    for name in train:
        text = " ".join(languages.sentences(name, "test"))
        for start in range(0, len(text) - 39, 40):
            piece = text[start : start + 40]
            scores = {k: lm.character_log_prob(counts[k], piece, n, V) for k in counts}
            shares = lm.posterior(scores, dict.fromkeys(counts, 1 / 3))
            hits, pieces = hits + (max(shares, key=shares.__getitem__) == name), pieces + 1
            assert math.isclose(sum(shares.values()), 1)
    assert pieces > 250
    assert hits >= 0.95 * pieces
