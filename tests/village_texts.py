"""What the tests of told stories share: the stories, searching them, and counting what follows."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from functools import lru_cache
from math import exp, log

from nextword.corpora import village


@lru_cache
def standard() -> village.Corpus:
    """The million words that models train on."""
    return village.split("train", 1_000_000)


@lru_cache
def standard_texts() -> list[str]:
    """Each of their stories as one string."""
    return [" ".join(story) for story in standard().stories()]


def perplexity(pairs: Iterable[tuple[Hashable, str]]) -> float:
    """The perplexity of the second of each pair, for someone who sees the first and all counts."""
    table: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for seen, word in pairs:
        table[seen][word] += 1
    n = sum(sum(row.values()) for row in table.values())
    loss = -sum(c * log(c / sum(r.values())) for r in table.values() for c in r.values())
    return exp(loss / n)


HERO = (  # as every story begins
    r"^(?:once an? \w+ \w+ named|by the \w+ lived|everybody knew"
    r"|in the village lived an? \w+ \w+ \. (?:her|his) name was) (\w+)\b"
)


def find(pattern: str, texts: list[str], at_least: int = 100) -> list[re.Match[str]]:
    """Every match in every story; fails when there are too few to measure anything."""
    found = [match for text in texts for match in re.finditer(pattern, text)]
    assert len(found) > at_least, f"only {len(found)} matches of {pattern}"
    return found


def blind_and_seeing(triples: list[tuple[str, str, str]]) -> tuple[float, float]:
    """For (distant fact, nearby word, word): its perplexity without the fact and with it."""
    blind = perplexity((near, word) for _, near, word in triples)
    return blind, perplexity(((far, near), word) for far, near, word in triples)
