"""An encoder learns words from their surroundings, then to judge: told right, or a word exchanged?

The listener of the village gives the truth. Leaves out: drawing the curves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from nextword.corpora import names, village
from nextword.given.batches import BOS, PAD, Ids, batches, number_words
from nextword.models import transformer_training as training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.transformer_training import Batch, Plan

TOKENS = 1_000_000
D, L, H = 64, 2, 4
WORDS = 24  # of each story, from its beginning
HIDING = Plan(steps=2500, size=32, rate=3e-3, average=0.995)
LABELLED = (100, 400, 1600)
SEEDS = (0, 1, 2, 3, 4)
N_ASKED = 600
TUNING = Plan(steps=0, size=32, rate=1e-3, warm_up=20, average=0.9)
FEWEST, MOST = 60, 200  # steps of a fine-tuning

Told = tuple[list[str], bool]  # the beginning of a story, and whether it is told right


def beginnings(stories: Sequence[Sequence[str]], rng: np.random.Generator) -> Iterator[Told]:
    """Each beginning, in every second a word is exchanged so that the village cannot say it."""
    words = [word for story in stories for word in story]
    for number, story in enumerate(stories):
        told = list(story[:WORDS])
        if number % 2:
            while village.score(told).left_at is None:
                told = list(story[:WORDS])
                told[int(rng.integers(len(told)))] = words[int(rng.integers(len(words)))]
        yield told, number % 2 == 0


def rows(texts: Sequence[Ids]) -> Tensor:
    """Texts as padded rows of ids with a begin, whose vector the classifier reads."""
    return pad_sequence([torch.tensor([BOS, *text]) for text in texts], True, PAD)


def hidden(
    course: Any, texts: Sequence[Ids], V: int, size: int, rng: np.random.Generator
) -> Iterator[Batch]:
    """Batches of texts with hidden words, without end."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    while True:
        for chosen in batches(texts, size, rng):
            yield course.mask_words(rows(chosen), V, generator)


def pretrained(course: Any, texts: Sequence[Ids], V: int, report: Report) -> nn.Module:
    """The encoder after it has guessed hidden words of the training text."""
    encoder: nn.Module = new_encoder(course, V, 0)
    source = hidden(course, texts, V, HIDING.size, np.random.default_rng(0))
    training.train(course, encoder, source, HIDING, report)
    return encoder


def new_encoder(course: Any, V: int, seed: int) -> nn.Module:
    """An encoder with its first weights."""
    rng = torch.Generator().manual_seed(seed)
    encoder = course.Encoder(course.Sizes(V, D, L, H))
    found: nn.Module = course.initialise(encoder, rng, training.SPREAD)
    return found


@torch.no_grad()
def guessed(course: Any, encoder: nn.Module, texts: Sequence[Ids], V: int) -> float:
    """The share of hidden words that the encoder guesses."""
    inputs, targets = course.mask_words(rows(texts), V, torch.Generator().manual_seed(0))
    chosen = targets >= 0
    return float((encoder(inputs)[0].argmax(-1)[chosen] == targets[chosen]).float().mean())


def tuned(
    course: Any, encoder: nn.Module, texts: Sequence[Ids], labels: Tensor, seed: int
) -> nn.Module:
    """A classifier on top of a copy of the encoder; all of its weights learn."""
    torch.manual_seed(seed)
    classifier: nn.Module = course.Classifier(deepcopy(encoder), D, 2)
    rng = np.random.default_rng(seed)

    def source() -> Iterator[Batch]:
        while True:
            for chosen in np.array_split(
                rng.permutation(len(texts)), -(-len(texts) // TUNING.size)
            ):
                yield rows([texts[k] for k in chosen]), labels[torch.from_numpy(chosen)]

    steps = min(MOST, max(FEWEST, 8 * len(texts) // TUNING.size))
    training.train(course, classifier, source(), replace(TUNING, steps=steps))
    return classifier


@torch.no_grad()
def share_right(classifier: nn.Module, texts: Sequence[Ids], labels: Tensor) -> float:
    """The share of texts that are judged as the listener does."""
    said = torch.cat(
        [classifier(rows(texts[k : k + 100]))[0].argmax(-1) for k in range(0, len(texts), 100)]
    )
    return round(float((said == labels).float().mean()), 4)


def finetuning(package: SimpleNamespace, report: Report) -> Trained:
    """Train the encoder, then classifiers with it and from scratch on ever more labelled texts."""
    course, rng = package.transformers, np.random.default_rng(0)
    village_texts = names.load("village", TOKENS, 10)
    number = number_words((*village_texts.vocabulary, "<mask>"))
    plain = [[number[word] for word in story[:WORDS]] for story in village_texts.train]
    encoder = pretrained(course, plain, len(number), lambda done: report(0.5 * done))
    unread = village.split("validation", 170 * (LABELLED[-1] * len(SEEDS) + N_ASKED)).stories()
    told = list(beginnings(unread, rng))
    texts = [[number[word] for word in text] for text, _ in told]
    labels = torch.tensor([int(right) for _, right in told])
    asked, judged = texts[:N_ASKED], labels[:N_ASKED]
    found: dict[str, list[list[float]]] = {"pretrained": [], "scratch": []}
    for done, n in enumerate(LABELLED):
        for kind, shares in found.items():
            shares.append([])
            for seed in SEEDS:
                start = N_ASKED + seed * LABELLED[-1]
                first = encoder if kind == "pretrained" else new_encoder(course, len(number), seed)
                now = slice(start, start + n)
                classifier = tuned(course, first, texts[now], labels[now], seed)
                shares[-1].append(share_right(classifier, asked, judged))
        report(0.5 + 0.5 * (done + 1) / len(LABELLED))
    facts = {
        "labels": list(LABELLED),
        **found,
        "guessed": guessed(course, encoder, plain[:500], len(number)),
        "words": list(number),
        "sizes": [len(number), D, L, H],
    }
    return Trained({name: t.half() for name, t in encoder.state_dict().items()}, facts)


RECIPES = (
    Recipe(
        name="transformers/finetuning",
        train=finetuning,
        uses={
            "transformers": (
                *("Sizes", "Encoder", "Classifier", "initialise", "mask_words"),
                *("learning_rate", "train_step"),
            )
        },
        sources=(Path(__file__), Path(training.__file__)),
    ),
)
