"""Speculative decoding: what is written has the large model's distribution; its cache is right."""

from collections import Counter

import numpy as np
import pytest
import torch

from nextword.corpora import village
from nextword.given.batches import BOS, EOS, PAD, number_words
from nextword.models.speculative import drawn, judged, of_ngrams, probabilities, write
from solutions import ngrams, transformers

V = 6


def test_what_is_kept_or_drawn_instead_is_distributed_as_the_large_model():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.7, 0.1])
    rng = np.random.default_rng(0)
    n = 20_000
    found: Counter[int] = Counter()
    for _ in range(n):
        word = drawn(q, rng)
        kept, other = judged([word], [q], [p, p], rng)
        found[word if kept else other] += 1
    for word, share in enumerate(p):
        assert abs(found[word] / n - share) < 6 * (share * (1 - share) / n) ** 0.5


def test_a_draft_equal_to_the_large_model_is_always_kept():
    p = np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    assert all(judged([drawn(p, rng)] * 1, [p], [p, p], rng)[0] == 1 for _ in range(200))


def network():
    net = transformers.LanguageModel(transformers.Sizes(V=V, D=8, L=2, H=2))
    return transformers.initialise(net, torch.Generator().manual_seed(3), std=0.8).eval()


@pytest.mark.slow
def test_two_words_of_a_network_are_as_frequent_as_without_a_draft():
    """By the exact probabilities of all pairs; the draft is even, and so often wrong."""
    net, rng, n = network(), np.random.default_rng(2), 500
    even = np.array([0, 0, *[1 / (V - 2)] * (V - 2)])
    found: Counter[tuple[int, ...]] = Counter(
        tuple(write(net, lambda text: even, 2, 2, rng).words[:2]) for _ in range(n)
    )
    with torch.no_grad():
        first = probabilities(net(torch.tensor([[BOS]]))[0][0, -1:])[0]
        for a in range(3, V):
            second = probabilities(net(torch.tensor([[BOS, a]]))[0][0, -1:])[0]
            for b in range(EOS, V):
                share = first[a] * second[b]
                assert abs(found[a, b] / n - share) < 6 * (share * (1 - share) / n) ** 0.5 + 1 / n
    assert abs(found[(EOS,)] / n - first[EOS]) < 6 * (first[EOS] / n) ** 0.5 + 1 / n


@pytest.mark.parametrize("k", [1, 3])
def test_texts_end_with_their_first_end_symbol_and_hold_no_begin(k):
    net, rng = network(), np.random.default_rng(4)
    even = np.array([0, 0, *[1 / (V - 2)] * (V - 2)])
    for _ in range(20):
        done = write(net, lambda text: even, k, 30, rng)
        assert EOS not in done.words[:-1]
        assert not {PAD, BOS} & set(done.words)
        assert done.drafted == k * done.passes >= done.kept


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_draft_of_an_ngram_model_is_its_distribution(n):
    """After contexts that it has seen, and after one that it has not."""
    stories = village.split("train", 2_000).stories()
    model = ngrams.KneserNey(ngrams.count_ngrams(stories, n), village.VOCABULARY)
    number = number_words(village.VOCABULARY)
    draft = of_ngrams(model, number)
    seen = [BOS, *(number[word] for word in stories[0][:5])]
    for text in (seen[:1], seen[:3], seen, [*seen, seen[1], seen[1]]):
        said = draft(text)
        known = [list(number)[k] for k in text]
        right = model.distribution(known)
        assert said.sum() == pytest.approx(1)
        assert {word: said[number[word]] for word in right} == pytest.approx(right, abs=1e-12)
