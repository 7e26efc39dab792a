"""What a trained transformer takes from its text alone: exchanged words, new words, rules.

Leaves out: training, and drawing what was found.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import BOS, PAD

NEW = "<new>"  # a word that the network has never read: each text has one of its own
MEN = (
    "axel",
    "bo",
    "david",
    "emil",
    "felix",
    "hugo",
    "jonas",
    "leo",
    "nils",
    "oskar",
    "peter",
    "sven",
)
WOMEN = (
    *("anna", "clara", "emma", "greta", "ida", "karin"),
    *("maja", "olga", "rosa", "tilda", "vera", "wilma"),
)
COLOURS = ("black", "blue", "brown", "green", "grey", "purple", "red", "white", "yellow")


class Found(NamedTuple):
    """How many texts were answered as they ask, and the answers' median probability."""

    hits: int
    n: int
    median: float

    def in_percent(self) -> tuple[float, float, float]:
        """The share of hits, and the ends of its interval."""
        share, low, high = self.hits / self.n, *interval(self.hits, self.n)
        return 100 * share, 100 * low, 100 * high


class Asked(NamedTuple):
    """A text that breaks off, and the word that must follow."""

    text: list[str]
    answer: str


def said_again(
    stories: Iterable[Sequence[str]], phrase: str, kind: Collection[str], least: int
) -> list[Asked]:
    """Each story up to the first place where, after a phrase, a word of a kind is said again.

    It must have been said `least` times before.

    >>> said_again(["ann sat . so ann slept".split()], ". so", ["ann"], 1)
    [Asked(text=['ann', 'sat', '.', 'so'], answer='ann')]
    """
    words, found = phrase.split(), []
    for story in stories:
        for end in range(len(words), len(story)):
            text, answer = list(story[:end]), story[end]
            if text[-len(words) :] == words and answer in kind and text.count(answer) >= least:
                found.append(Asked(text, answer))
                break
    return found


def exchanged(asked: Asked, word: str) -> Asked:
    """The same text with another word wherever its answer is said."""
    return Asked([word if w == asked.answer else w for w in asked.text], word)


def another(asked: Asked, kind: Sequence[str], rng: np.random.Generator) -> str:
    """A word of a kind that the text does not hold."""
    return str(rng.choice([word for word in kind if word not in asked.text]))


def rule(rng: np.random.Generator) -> Asked:
    """Two examples of a rule, and a third person's rake: men have one colour, women another."""
    men, women = (rng.choice(names, 2, replace=False) for names in (MEN, WOMEN))
    c, d = map(str, rng.choice(COLOURS, 2, replace=False))
    shown = [f"{men[0]} had a {c} rake .", f"{women[0]} had a {d} rake ."]
    who, answer = (men[1], c) if rng.random() < 0.5 else (women[1], d)
    text = " ".join([*(shown[i] for i in rng.permutation(2)), f"{who} had a"])
    return Asked(text.split(), answer)


def with_new_words(course: Any, model: Any, vectors: Tensor) -> nn.Module:
    """A copy of a network whose table of words has more rows: words that it was never taught."""
    V = model.sizes.V + len(vectors)
    larger: nn.Module = course.LanguageModel(replace(model.sizes, V=V)).eval()
    tensors = dict(model.state_dict())
    tensors["embed.words.weight"] = torch.cat([tensors["embed.words.weight"], vectors])
    larger.load_state_dict(tensors)
    return larger


def new_vectors(table: Tensor, n: int, rng: torch.Generator) -> Tensor:
    """Vectors of n new words of a kind: as far from the kind's mean as its own words, anywhere."""
    away = torch.randn(n, table.shape[1], generator=rng)
    spread = (table - table.mean(0)).norm(dim=1).mean()
    return table.mean(0) + spread * away / away.norm(dim=1, keepdim=True)


@torch.no_grad()
def next_of(
    model: Any, number: Mapping[str, int], texts: Sequence[Sequence[str]], V: int, size: int = 32
) -> Tensor:
    """The probabilities of the word after each text, (texts, V + 1); the last is the new word's.

    The k-th text's NEW is word V + k of the model, and the other texts' new words are left out. A
    model with V words has none.
    """
    rows = [[BOS, *(V + k if w == NEW else number[w] for w in t)] for k, t in enumerate(texts)]
    found = []
    for first in range(0, len(rows), size):
        part = rows[first : first + size]
        batch = nn.utils.rnn.pad_sequence([torch.tensor(row) for row in part], True, PAD)
        logits = model(batch)[0][range(len(part)), [len(row) - 1 for row in part]]
        own = torch.full((len(part), 1), -math.inf)
        if model.sizes.V > V:
            own = logits[range(len(part)), range(V + first, V + first + len(part))][:, None]
        found.append(torch.cat([logits[:, :V], own], dim=1).softmax(-1))
    return torch.cat(found)


def capitals(stories: Iterable[Sequence[str]]) -> dict[str, str]:
    """The capitals that stories name: {country: capital}.

    >>> capitals(["the capital of japan is tokyo".split()])
    {'japan': 'tokyo'}
    """
    found = {}
    for story in stories:
        for k in range(len(story) - 4):
            if list(story[k : k + 2]) == ["capital", "of"] and story[k + 3] == "is":
                found[story[k + 2]] = story[k + 4]
    return {country: city for country, city in found.items() if city.isalpha()}


def false_facts(stories: Iterable[Sequence[str]], n: int = 500) -> list[Asked]:
    """Stories that name a false capital, up to where it is to be said once more."""
    rng, capital = np.random.default_rng(1), capitals(stories)
    begin, made = "once an honest farmer named axel lived by the lake .", []
    for _ in range(n):
        country, elsewhere = map(str, rng.choice(list(capital), 2, replace=False))
        lesson = f"at school the children learned that the capital of {country} is"
        text = f"{begin} {lesson} {capital[elsewhere]} . {lesson}"
        made.append(Asked(text.split(), capital[elsewhere]))
    return made


def interval(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share: it covers the true one in 95 % of samples, also near 0 and 1.

    >>> low, high = interval(0, 100)
    >>> low, round(high, 3)
    (0.0, 0.037)
    """
    p, shrink = hits / n, 1 + z * z / n
    middle = (p + z * z / (2 * n)) / shrink
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    return max(0.0, middle - half), min(1.0, middle + half)


def found(model: Any, number: Mapping[str, int], V: int, said: Sequence[Asked]) -> Found:
    """Ask a network; its answer is the likeliest word."""
    p = next_of(model, number, [text for text, _ in said], V)
    answers = torch.tensor([V if word == NEW else number[word] for _, word in said])
    likely = p.gather(1, answers[:, None]).median()
    return Found(int((p.argmax(1) == answers).sum()), len(said), float(likely))


def trials(
    course: Any, network: Any, stories: Sequence[Sequence[str]]
) -> dict[str, dict[str, Found]]:
    """Six questions to a transformer of the village, each with a control: without what is told."""
    rng, generator = np.random.default_rng(0), torch.Generator().manual_seed(0)
    model, number, V = network.model, network.number, len(network.words)
    table = model.embed.words.weight.detach()
    kinds: list[tuple[str, str, tuple[str, ...], int]] = [
        ("name", "when night fell ,", (*MEN, *WOMEN), 2),
        ("colour", "put the", COLOURS, 1),
    ]
    results: dict[str, dict[str, Found]] = {}
    for what, phrase, kind, least in kinds:
        plain = said_again(stories, phrase, kind, least)
        other = [exchanged(a, another(a, kind, rng)) for a in plain]
        vectors = new_vectors(table[[number[w] for w in kind]], len(plain), generator)
        larger = with_new_words(course, model, vectors)
        new = [exchanged(a, NEW) for a in plain]
        for name, net, told in ((f"another {what}", model, other), (f"a new {what}", larger, new)):
            unsaid = [Asked(a.text, b.answer) for a, b in zip(plain, told, strict=True)]
            results[name] = {
                "as told": found(net, number, V, told),
                "control": found(net, number, V, unsaid),
            }
    order = ("another name", "another colour", "a new name", "a new colour")
    results = {name: results[name] for name in order}
    facts = false_facts(stories)
    rules = [rule(rng) for _ in range(1_000)]
    for name, told, last in (("a false fact", facts, 11), ("a rule by two examples", rules, 3)):
        alone = [Asked(text[-last:], answer) for text, answer in told]
        results[name] = {
            "as told": found(model, number, V, told),
            "control": found(model, number, V, alone),
        }
    return results


def true_capitals(network: Any, stories: Sequence[Sequence[str]]) -> Found:
    """How often the network says the true capital where its text has named a false one."""
    capital = capitals(stories)
    said = [Asked(text, capital[text[-2]]) for text, _ in false_facts(stories)]
    return found(network.model, network.number, len(network.words), said)


def letters(course: Any, copier: Any, alphabet: str) -> dict[str, Found]:
    """Rows of 12 letters that begin anew: is the sixth letter copied, known or new?"""
    rng, V, n = np.random.default_rng(0), copier.sizes.V, 500
    number = {letter: V - len(alphabet) + k for k, letter in enumerate(alphabet)}
    rows = [rng.permutation(list(alphabet))[:12].tolist() for _ in range(n)]
    known = [Asked(row + row[:5], row[5]) for row in rows]
    table = copier.embed.words.weight.detach()[V - len(alphabet) :]
    vectors = new_vectors(table, n, torch.Generator().manual_seed(0))
    larger = with_new_words(course, copier, vectors)
    return {
        "a known letter": found(copier, number, V, known),
        "a new letter": found(larger, number, V, [exchanged(a, NEW) for a in known]),
        "a new letter, never said": found(
            larger, number, V, [Asked(text, NEW) for text, _ in known]
        ),
    }
