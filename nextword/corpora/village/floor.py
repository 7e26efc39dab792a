"""The floor: the perplexity of the village itself, from a sample or by telling every story."""

from collections.abc import Iterator
from math import exp, log

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
    path: list[tuple[int, int]] = []  # at each choice of a story: which phrase, of how many
    while True:
        yield follow(world, path)
        while path and path[-1][0] == path[-1][1] - 1:
            path.pop()
        if not path:
            return
        which, n = path.pop()
        path.append((which + 1, n))


def follow(world: World, path: list[tuple[int, int]]) -> tuple[float, int]:
    """Tell the story of a path, and extend the path by the first phrase of each further choice."""
    probability, n_tokens, depth = 1.0, 0, 0
    program = story(world)
    options = next(program)
    try:
        while True:
            chance = world.phrasebook[options] if isinstance(options, str) else options
            which, n = 0, len(chance.spoken)
            if n > 1:
                if depth == len(path):
                    path.append((0, n))
                which = path[depth][0]
                depth += 1
            words, _, _, phrase = chance.spoken[which]
            probability *= chance.weights[phrase] / chance.total
            n_tokens += len(words)
            options = program.send(phrase)
    except StopIteration:
        return probability, n_tokens
