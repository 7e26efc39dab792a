"""The game on the book's first page: stories of the test text, and what each model bets there.

The models are those of the ladder, so this recipe is made after them. Their rows are computed here,
once and exactly: for these stories a page that ran the transformer itself would show the same
numbers, and would load 400 KB for it. Leaves out: playing (explorables/home.js).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from nextword.corpora import names, village
from nextword.models.ladder.rungs import ngrams, transformers
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report

NAME = "home/game"
TOKENS, ASKED = 1_000_000, 100_000  # of the training text and of the test text
STORIES = 12
LONGEST = 112  # words of a story: they fit on a phone's screen beside the bets
FIRST = 10  # words that are told before the first question
FACTS, OPEN = 6, 2  # questions of a story: what is decided by what was told, and what is not
CHOICES = 5  # words to choose from
APART = 3  # words between two questions
IN_DOUBT = 0.75  # asked is where the n-gram model, or for open questions the truth, gives less

Row = dict[str, float]
Models = dict[str, Callable[[Sequence[str]], Row]]


@dataclass(frozen=True)
class Place:
    """A word of a story that could be asked: what may stand there, and what the models think."""

    place: int
    kind: str
    answer: str
    possible: Row  # the true probability of each word that the village can say here
    guesses: dict[str, Row]  # of each model

    @property
    def is_fact(self) -> bool:
        """What was told before decides it."""
        return len(self.possible) == 1

    def asked(self) -> dict[str, Any]:
        """The question as the page reads it: shares of the bets on these few words alone."""
        choices = self.choices()
        rows = {**self.guesses, "village": self.possible}
        return {
            "place": self.place,
            "kind": village.KINDS[self.kind].partition(":")[0],
            "answer": self.answer,
            "choices": choices,
            "bets": {n: shares([row.get(w, 0.0) for w in choices]) for n, row in rows.items()},
        }

    def choices(self) -> list[str]:
        """All that is possible, then what the models think likeliest, one after the other."""
        favourites = [sorted(row, key=lambda w: -row[w])[:20] for row in self.guesses.values()]
        mixed = [word for pair in zip(*favourites, strict=True) for word in pair]
        words = dict.fromkeys([*self.possible, *filter(str.isalpha, mixed)])
        return sorted(list(words)[:CHOICES])


def shares(weights: Sequence[float]) -> list[float]:
    """Each weight as a share of their sum.

    >>> shares([1.0, 3.0])
    [0.25, 0.75]
    """
    total = sum(weights)
    return [weight / total for weight in weights]


def places(story: Sequence[str], models: Models) -> Iterator[Place]:
    """Where a story can be asked about: few words are possible, the n-gram model is in doubt."""
    listener = village.Listener()
    for place, word in enumerate(story):
        possible, kind = listener.possible(), listener.kind
        few = len(possible) < CHOICES and all(each.isalpha() for each in possible)
        if place >= FIRST and few and (len(possible) > 1 or kind not in ("phrase", "choice")):
            found = Place(place, kind, word, possible, {})
            found.guesses.update((name, row(story[:place])) for name, row in models.items())
            doubt = next(iter(found.guesses.values())) if found.is_fact else possible
            if doubt[word] < IN_DOUBT:
                yield found
        listener.hear(word)


def chosen(found: Sequence[Place]) -> list[Place]:
    """Facts of as many kinds as there are, and open questions among them; none where too few are.

    A fact is asked first, so that whoever has read the two lines above it can be right.
    """
    taken: list[Place] = []
    for wanted, is_fact in ((FACTS, True), (OPEN, False)):
        first = min((each.place for each in taken), default=0)
        left = [each for each in found if each.is_fact == is_fact and each.place > first]
        for _ in range(wanted):
            free = [p for p in left if all(abs(p.place - q.place) > APART for q in taken)]
            if not free:
                return []
            kinds = [each.kind for each in taken]
            taken.append(min(free, key=lambda p: (kinds.count(p.kind), p.place)))
    return sorted(taken, key=lambda each: each.place)


def worth(questions: Sequence[Place]) -> int:
    """How varied the questions of a story are: the kinds of fact, and the places of the answer."""
    return len({each.kind for each in questions}) + len({each.answer for each in questions})


def game(stories: Sequence[Sequence[str]], models: Models, report: Report) -> list[dict[str, Any]]:
    """The most varied of the short stories, no two about the same person; the shortest first."""
    short = [story for story in stories if len(story) <= LONGEST]
    found = []
    for done, story in enumerate(short):
        if questions := chosen(list(places(story, models))):
            found.append((story, questions))
        report(0.5 + 0.5 * (done + 1) / len(short))
    found.sort(key=lambda each: -worth(each[1]))
    about: dict[str, tuple[Sequence[str], list[Place]]] = {}
    for story, questions in found:
        person = next(word for word in story if word in village.VILLAGE.names.weights)
        about.setdefault(person, (story, questions))
    varied = sorted(list(about.values())[:STORIES], key=lambda each: len(each[0]))
    return [
        {"words": list(story), "questions": [each.asked() for each in questions]}
        for story, questions in varied
    ]


def models_of(package: Any, texts: names.Texts, report: Report) -> Models:
    """The 5-gram model and the shipped transformer of the ladder: {name: a row for a beginning}."""
    five = ngrams.train(5, package, texts, report).model
    net = transformers.shipped_transformer(package.transformers, texts)
    return {"5-gram": five.distribution, "transformer": lambda said: next_row(net, said)}


def next_row(net: transformers.Network, said: Sequence[str]) -> Row:
    """The transformer's probabilities of the next word."""
    import torch

    begun = torch.tensor([[net.number[word] for word in ("<s>", *said)]])
    with torch.no_grad():
        logits = net.model(begun)[0][0, -1].double()
    return dict(zip(net.words, torch.softmax(logits, 0).tolist(), strict=True))


def train(package: SimpleNamespace, report: Report) -> Trained:
    """Choose the stories of the game, and let the models bet."""
    texts = names.load("village", TOKENS, ASKED)
    models = models_of(package, texts, lambda done: report(0.5 * done))
    stories = game(texts.test, models, report)
    bits = {
        name: -float(np.mean([np.log2(q["bets"][name][q["choices"].index(q["answer"])])
                              for story in stories for q in story["questions"]]))
        for name in (*models, "village")
    }  # fmt: skip
    return Trained({}, {"stories": stories, "bits": bits})


RECIPES = (
    Recipe(
        name=NAME,
        train=train,
        uses={"ngrams": ("count_ngrams", "KneserNey"), "transformers": transformers.CALLED},
        sources=(Path(__file__), *files(ngrams), *transformers.SOURCES),
    ),
)
