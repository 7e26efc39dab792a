"""Two trials of chapter 6: ways to mark places, and norms before or behind the layers.

Leaves out: the rung of the ladder, which trains longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from nextword.corpora import names
from nextword.corpora.names import Texts
from nextword.given.batches import Ids, number_words
from nextword.models import transformer_training as training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.transformer_training import Batch, Plan

TOKENS, ASKED = 400_000, 20_000
POSITIONS = ("rotary", "alibi", "sinusoidal", "learned", "none")
SHORT, LONGEST = 64, 256  # words that are read at once in training, and at most afterwards
BORDERS = (0, 32, 64, 96, 128, 160, 192)  # of the places over which losses are averaged
PLACES = Plan(steps=900, size=12, rate=4e-3, average=0.99)

DEPTH, SEEDS = 12, (0, 1, 2)  # blocks, and trainings of each kind
STEEP = Plan(steps=160, size=8, rate=1e-2, warm_up=1)
GENTLE = Plan(steps=160, size=8, rate=1e-2, warm_up=80)


def pieces(stories: Sequence[Ids], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Batches of pieces of SHORT words, from anywhere in the stories; without begin and end."""
    long = [torch.tensor(story) for story in stories if len(story) > SHORT]
    while True:
        chosen = rng.integers(len(long), size=size)
        starts = [int(rng.integers(len(long[k]) - SHORT)) for k in chosen]
        rows = torch.stack(
            [long[k][start : start + SHORT + 1] for k, start in zip(chosen, starts, strict=True)]
        )
        yield rows[:, :-1], rows[:, 1:]


def read(texts: Texts) -> tuple[list[list[int]], list[list[int]], int]:
    """The training stories, the test stories and how many words there are."""
    number = number_words(texts.vocabulary)
    train, test = (
        [[number[word] for word in story] for story in split] for split in (texts.train, texts.test)
    )
    return train, test, len(number)


def by_place(model: Any, stories: Sequence[Ids], truth: np.ndarray) -> list[float]:
    """The mean excess over the truth, in nats, of the words at each range of places.

    The ends of the stories are left out: no piece had one.
    """
    found = np.array(training.log_probs(model, stories))
    end = LONGEST  # a place outside of all ranges
    place = np.concatenate([[*range(len(story)), end] for story in stories])
    edges = (*BORDERS, LONGEST)
    return [
        round(float((truth - found)[(place >= low) & (place < high)].mean()), 4)
        for low, high in pairwise(edges)
    ]


def positions(package: SimpleNamespace, report: Report) -> Trained:
    """Each kind of positions learns from short pieces and is then asked about whole stories."""
    texts = names.load("village", TOKENS, ASKED)
    stories, asked, V = read(texts)
    assert texts.truth is not None
    excess = {}
    for n_done, kind in enumerate(POSITIONS):
        torch.manual_seed(0)
        sizes = package.transformers.Sizes(V, D=48, L=2, H=2, T=LONGEST, positions=kind)
        model = training.built(package.transformers, sizes)
        source = pieces(stories, PLACES.size, np.random.default_rng(0))
        training.train(package.transformers, model, source, PLACES)
        excess[kind] = by_place(model, asked, texts.truth)
        report((n_done + 1) / len(POSITIONS))
    return Trained({}, {"trained_on": SHORT, "from": list(BORDERS), "excess": excess})


def with_torch_s_weights(course: Any, V: int, pre: bool, seed: int) -> nn.Module:
    """A deep network as torch fills it: GPT-2's smaller weights would hide what is tried here."""
    torch.manual_seed(seed)
    model = course.LanguageModel(course.Sizes(V, D=32, L=DEPTH, H=2, pre=pre))
    nn.init.normal_(model.embed.words.weight, 0, training.SPREAD)
    found: nn.Module = model
    return found


def norms(package: SimpleNamespace, report: Report) -> Trained:
    """Losses of deep networks while they learn: norms before or behind, with warm-up or without."""
    stories, _, V = read(names.load("village", TOKENS // 4, 1000))
    curves: dict[str, list[list[float]]] = {}
    kinds = [(pre, plan) for pre in (True, False) for plan in (STEEP, GENTLE)]
    for pre, plan in kinds:
        name = f"{'pre' if pre else 'post'}-norm, {'no ' if plan is STEEP else ''}warm-up"
        for seed in SEEDS:
            model = with_torch_s_weights(package.transformers, V, pre, seed)
            source = pieces(stories, plan.size, np.random.default_rng(seed))
            losses = training.train(package.transformers, model, source, plan)
            means = np.array(losses).reshape(-1, 10).mean(1)
            curves.setdefault(name, []).append([round(float(mean), 3) for mean in means])
        report(len(curves) / len(kinds))
    return Trained({}, {"depth": DEPTH, "steps_between": 10, "curves": curves})


def _recipe(name: str, train: Any) -> Recipe:
    called = ("Sizes", "LanguageModel", "initialise", "learning_rate", "train_step")
    return Recipe(
        name=f"transformers/{name}",
        train=train,
        uses={"transformers": called},
        sources=(Path(__file__), Path(training.__file__)),
    )


RECIPES = (_recipe("positions", positions), _recipe("norms", norms))
