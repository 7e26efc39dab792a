"""Measures what vectors learn of the village's geography: "paris - france + italy" and 131 others.

A plain skip-gram with negative sampling (Mikolov et al. 2013): 64 dimensions, a window that is
drawn anew at each place (one to five words on either side), five noise words by count to the power
0.75, three epochs over the standard million words. A question is solved if the word nearest by
cosine, the three words of the question aside, is the right capital.

Leaves out: subsampling of common words, and all course code.
Usage: python benchmarks/village_analogies.py [--tokens N] [--seeds N]
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import permutations

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from nextword.corpora import village

D, WINDOW, NOISE, EPOCHS = 64, 5, 5, 3
BATCH, RATE = 2048, 0.003
ENOUGH = 90  # of the 132 questions


def pairs(stories: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Every (word, neighbour) of one epoch, in random order; no pair reaches over a story's end."""
    gap = np.full(WINDOW, -1)
    flat = np.concatenate([part for story in stories for part in (story, gap)])
    reach = rng.integers(1, WINDOW + 1, len(flat))
    found = []
    for distance in range(1, WINDOW + 1):
        left, right = flat[:-distance], flat[distance:]
        inside = (left >= 0) & (right >= 0)
        for a, b, r in ((left, right, reach[:-distance]), (right, left, reach[distance:])):
            near = inside & (r >= distance)
            found.append(np.stack([a[near], b[near]], axis=1))
    return rng.permutation(np.concatenate(found))


def train(stories: list[list[str]], words: list[str], seed: int) -> torch.Tensor:
    """The vectors of the words, shape (V, D), of length one."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    number = {word: k for k, word in enumerate(words)}
    coded = [np.array([number[word] for word in story]) for story in stories]
    counts = np.bincount(np.concatenate(coded), minlength=len(words))
    noise = torch.tensor(counts**0.75)
    inner = torch.nn.Parameter(torch.randn(len(words), D) / D**0.5)
    outer = torch.nn.Parameter(torch.zeros(len(words), D))
    optimizer = torch.optim.Adam([inner, outer], RATE)
    for _ in range(EPOCHS):
        for batch in torch.from_numpy(pairs(coded, rng)).split(BATCH):
            drawn = torch.multinomial(noise, len(batch) * NOISE, replacement=True)
            others = outer[torch.cat([batch[:, 1:], drawn.view(-1, NOISE)], dim=1)]
            scores = (inner[batch[:, :1]] * others).sum(-1)  # (B, 1 + NOISE)
            loss = -F.logsigmoid(scores[:, 0]).mean() - F.logsigmoid(-scores[:, 1:]).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return F.normalize(inner.detach(), dim=1)


def solved(vectors: torch.Tensor, words: list[str]) -> int:
    """How many questions "capital of a - a + b" are answered by the capital of b."""
    number = {word: k for k, word in enumerate(words)}
    right = 0
    for a, b in permutations(village.VILLAGE.capital, 2):
        capital, wanted = village.VILLAGE.capital[a], village.VILLAGE.capital[b]
        target = vectors[number[capital]] - vectors[number[a]] + vectors[number[b]]
        nearness = vectors @ target
        nearness[[number[a], number[b], number[capital]]] = -torch.inf
        right += words[int(nearness.argmax())] == wanted
    return right


def main() -> None:
    """Train, ask and say whether enough questions are solved."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=1, help="how many trainings")
    options = parser.parse_args()
    corpus = village.split("train", options.tokens)
    words = sorted(set(corpus.tokens) - {village.EOS})
    countries = set(village.VILLAGE.capital)
    n_questions = len(countries) * (len(countries) - 1)
    with_country = np.mean([not countries.isdisjoint(story) for story in corpus.stories()])
    print(f"{100 * with_country:.0f} % of the stories name a country")
    results = []
    for seed in range(options.seeds):
        began = time.monotonic()
        vectors = train(corpus.stories(), words, seed)
        results.append(solved(vectors, words))
        seconds = time.monotonic() - began
        print(f"seed {seed}: {results[-1]} of {n_questions} questions solved, {seconds:.0f} s")
    sys.exit(0 if min(results) >= ENOUGH else 1)


if __name__ == "__main__":
    main()
