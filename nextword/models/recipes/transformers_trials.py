"""Two trials of chapter 6: ways to mark places, and norms before or behind the layers.

Both are tried with several seeds. Leaves out: the rung of the ladder, which trains longer.
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
from nextword.given.batches import BOS, Ids, ids, number_words
from nextword.models import training, transformer_training
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Plan, Report
from nextword.models.transformer_training import Batch

TOKENS, ASKED = 400_000, 20_000
D = 48
POSITIONS = {  # name: how places are marked, and by how much vectors of words are multiplied
    "rotary": ("rotary", 1.0),
    "ALiBi": ("alibi", 1.0),
    "learned": ("learned", 1.0),
    "none": ("none", 1.0),
    "none, √D": ("none", D**0.5),
    "waves": ("sinusoidal", 1.0),
    "waves, √D": ("sinusoidal", D**0.5),
}
SHORT, LONGEST = 64, 256  # words that are read at once in training, and at most afterwards
BORDERS = (0, 32, 64, 96, 128, 160, 192)  # of the places over which losses are averaged
PLACES = Plan(steps=900, size=12, rate=4e-3, average=0.99)

SEEDS = (0, 1, 2)  # of the trainings of each kind
DEPTH = 12  # blocks
STEEP = Plan(steps=160, size=8, rate=1e-2, warm_up=1)
GENTLE = Plan(steps=160, size=8, rate=1e-2, warm_up=80)


def pieces(stories: Sequence[Ids], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Batches of pieces of SHORT words behind a begin, every second from the start of its story."""
    long = [torch.tensor(story) for story in stories if len(story) > SHORT]
    begins = torch.full((size, 1), BOS)
    while True:
        chosen = rng.integers(len(long), size=size)
        starts = [
            int(rng.integers(len(long[k]) - SHORT)) * (row % 2) for row, k in enumerate(chosen)
        ]
        rows = torch.stack(
            [long[k][start : start + SHORT] for k, start in zip(chosen, starts, strict=True)]
        )
        yield torch.cat([begins, rows[:, :-1]], dim=1), rows


def read(texts: Texts) -> tuple[list[list[int]], list[list[int]], int]:
    """The training stories, the test stories and how many words there are."""
    number = number_words(texts.vocabulary)
    return ids(texts.train, number), ids(texts.test, number), len(number)


def by_place(model: Any, stories: Sequence[Ids], truth: np.ndarray) -> list[float]:
    """The mean excess over the truth, in nats, of the words at each range of places.

    The ends of the stories are left out: no piece had one.
    """
    found = np.array(transformer_training.log_probs(model, stories))
    end = LONGEST  # a place outside of all ranges
    place = np.concatenate([[*range(len(story)), end] for story in stories])
    edges = (*BORDERS, LONGEST)
    return [
        round(float((truth - found)[(place >= low) & (place < high)].mean()), 4)
        for low, high in pairwise(edges)
    ]


def with_places(course: Any, V: int, marked: str, factor: float, seed: int) -> nn.Module:
    """A network of two blocks; the vectors of its words are multiplied by the factor."""
    torch.manual_seed(seed)
    sizes = course.Sizes(V, D=D, L=2, H=2, T=LONGEST, positions=marked)
    model = transformer_training.built(course, sizes, seed=seed)
    words: Any = model.embed
    words.words.register_forward_hook(lambda layer, ids, x: factor * x)
    return model


def positions(package: SimpleNamespace, report: Report) -> Trained:
    """Each kind of positions learns from short pieces and is then asked about whole stories."""
    texts = names.load("village", TOKENS, ASKED)
    stories, asked, V = read(texts)
    assert texts.truth is not None
    excess: dict[str, list[list[float]]] = {}
    for name, (marked, factor) in POSITIONS.items():
        excess[name] = []
        for seed in SEEDS:
            model = with_places(package.transformers, V, marked, factor, seed)
            source = pieces(stories, PLACES.size, np.random.default_rng(seed))
            transformer_training.train(package.transformers, model, source, PLACES)
            excess[name].append(by_place(model, asked, texts.truth))
            report((len(excess) - 1 + len(excess[name]) / len(SEEDS)) / len(POSITIONS))
    return Trained({}, {"trained_on": SHORT, "from": list(BORDERS), "excess": excess})


def deep(course: Any, V: int, pre: bool, as_gpt2: bool, seed: int) -> nn.Module:
    """A deep network with GPT-2's first weights, or with torch's, which are larger."""
    torch.manual_seed(seed)
    model: nn.Module = course.LanguageModel(course.Sizes(V, D=32, L=DEPTH, H=2, pre=pre))
    if as_gpt2:
        random = torch.Generator().manual_seed(seed)
        initialised: nn.Module = course.initialise(model, random, transformer_training.SPREAD)
        return initialised
    embed: Any = model.embed
    nn.init.normal_(embed.words.weight, 0, transformer_training.SPREAD)
    return model


def norms(package: SimpleNamespace, report: Report) -> Trained:
    """Losses of deep networks while they learn: norms before or behind, with warm-up or without.

    All of it with each of two ways to begin.
    """
    stories, _, V = read(names.load("village", TOKENS // 4, 1000))
    curves: dict[str, dict[str, list[list[float]]]] = {"PyTorch": {}, "GPT-2": {}}
    kinds = [(pre, plan) for pre in (True, False) for plan in (STEEP, GENTLE)]
    for n_begun, (start, found) in enumerate(curves.items()):
        for pre, plan in kinds:
            name = f"{'pre' if pre else 'post'}-norm, {'no ' if plan is STEEP else ''}warm-up"
            found[name] = []
            for seed in SEEDS:
                model = deep(package.transformers, V, pre, start == "GPT-2", seed)
                source = pieces(stories, plan.size, np.random.default_rng(seed))
                losses = transformer_training.train(package.transformers, model, source, plan)
                means = np.array(losses).reshape(-1, 10).mean(1)
                found[name].append([round(float(mean), 3) for mean in means])
            report((n_begun + len(found) / len(kinds)) / len(curves))
    return Trained({}, {"depth": DEPTH, "steps_between": 10, "curves": curves})


def _recipe(name: str, train: Any) -> Recipe:
    called = ("Sizes", "LanguageModel", "initialise", "learning_rate", "train_step")
    return Recipe(
        name=f"transformers/{name}",
        train=train,
        uses={"transformers": called},
        sources=(Path(__file__), *files(transformer_training, training)),
    )


RECIPES = (_recipe("positions", positions), _recipe("norms", norms))
