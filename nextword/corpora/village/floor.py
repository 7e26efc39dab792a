"""The floor: the perplexity of the village itself, from a large sample or by telling every story."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log

import numpy as np

from nextword.corpora.village.seeds import Rng
from nextword.corpora.village.story import story
from nextword.corpora.village.telling import sample
from nextword.corpora.village.world import VILLAGE, World


def floor(n_tokens: int = 1_000_000, rng: Rng = 0, world: World = VILLAGE) -> float:
    """The perplexity per token of the village, exp(-mean log-probability) of a large sample."""
    return sample(n_tokens, rng, world).perplexity


def exact_floor(world: World) -> float:
    """The perplexity per token of a cut-down world, from every story it can tell.

    exp(H / L) with the entropy H = -Σ p(s) ln p(s) and the mean length L = Σ p(s) |s| of a story s.
    """
    entropy = length = 0.0
    for probability, n_tokens in all_stories(world):
        entropy -= probability * log(probability)
        length += probability * n_tokens
    return exp(entropy / length)


def all_stories(world: World) -> Iterator[tuple[float, int]]:
    """Every story of a world: its probability and its number of tokens."""
    path: list[list[int]] = []  # for each choice of the story: which phrase, of how many
    while True:
        probability, n_tokens, depth = 1.0, 0, 0
        program = story(world)
        phrase = None
        while True:
            try:
                options = program.send(phrase)
            except StopIteration:
                break
            if isinstance(options, str):
                options = world.phrasebook[options]
            which = 0
            if len(options.spoken) > 1:
                if depth == len(path):
                    path.append([0, len(options.spoken)])
                which = path[depth][0]
                depth += 1
            words, _, phrase = options.spoken[which]
            probability *= options.weights[phrase] / options.total
            n_tokens += len(words)
        yield probability, n_tokens
        while path and path[-1][0] == path[-1][1] - 1:
            path.pop()
        if not path:
            return
        path[-1][0] += 1
