"""Two small research projects, done as the page on projects says: arms, equal budgets, seeds.

"Read again": old stories in place of new ones, for the same number of steps. "Warm-up": whether a
rate that rises slowly helps, at several rates. Only numbers are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from nextword.corpora import names
from nextword.given.batches import Ids, ids, number_words
from nextword.models import training, transformer_training
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Plan, Report

D, L, H = 32, 2, 2
SIZE = 8  # stories of a step
ASKED = 20_000  # words of other stories on which each network is measured
SEEDS = (0, 1, 2)
READ = Plan(steps=400, size=SIZE, rate=4e-3, average=0.99)
TIMES = (1, 2, 4, 8, 16)  # how often each story is read, in the arms of the first project
WARM = Plan(steps=200, size=SIZE, rate=4e-3, average=0.99)
RATES = (0.001, 0.004, 0.016, 0.064)
WARM_UPS = (0, 50)  # steps


def gap(
    course: Any, stories: Sequence[Ids], texts: names.Texts, plan: Plan, seed: int
) -> float | None:
    """Percent above the floor after a training on some stories; None where the loss blew up."""
    number = number_words(texts.vocabulary)
    model = transformer_training.built(course, course.Sizes(len(number), D, L, H), seed=seed)
    source = transformer_training.without_end(stories, plan.size, np.random.default_rng(seed))
    try:
        transformer_training.train(course, model, source, plan)
    except FloatingPointError:
        return None
    assert texts.floor is not None
    loss = transformer_training.loss(model, ids(texts.test, number))
    return round(100 * (math.exp(loss) / texts.floor - 1), 2)


def read_again(package: SimpleNamespace, report: Report) -> Trained:
    """The gap after equally many steps, in which each story was read once or up to 16 times."""
    texts = names.load("village", 600_000, ASKED)
    stories = ids(texts.train, number_words(texts.vocabulary))
    in_all = READ.steps * SIZE
    assert len(stories) >= in_all
    gaps: dict[str, list[float | None]] = {str(times): [] for times in TIMES}
    for k, seed in enumerate(SEEDS):
        order = np.random.default_rng(seed).permutation(len(stories))[:in_all]
        for j, times in enumerate(TIMES):  # all arms of a seed draw on the same ones
            chosen = [stories[i] for i in order[: in_all // times]]
            gaps[str(times)].append(gap(package.transformers, chosen, texts, READ, seed))
            report((k + (j + 1) / len(TIMES)) / len(SEEDS))
    words = sum(len(stories[i]) + 1 for i in order)
    return Trained({}, {"gaps": gaps, "words": words, "floor": texts.floor})


def warm_up(package: SimpleNamespace, report: Report) -> Trained:
    """The gap with and without a rate that rises over the first steps, at several rates."""
    texts = names.load("village", 600_000, ASKED)
    stories = ids(texts.train, number_words(texts.vocabulary))
    arms = [(rate, steps) for rate in RATES for steps in WARM_UPS]
    gaps: dict[str, dict[str, list[float | None]]] = {str(steps): {} for steps in WARM_UPS}
    for k, (rate, steps) in enumerate(arms):
        plan = replace(WARM, rate=rate, warm_up=steps)
        gaps[str(steps)][str(rate)] = [
            gap(package.transformers, stories, texts, plan, seed) for seed in SEEDS
        ]
        report((k + 1) / len(arms))
    return Trained({}, {"gaps": gaps, "floor": texts.floor})


_USES: dict[str, tuple[str, ...]] = {
    "transformers": (
        *("Sizes", "LanguageModel", "Block", "SelfAttention", "FeedForward"),
        *("initialise", "learning_rate", "train_step"),
    )
}
_SOURCES = (Path(__file__), *files(transformer_training, training))

RECIPES = (
    Recipe("transformers/read-again", read_again, _USES, _SOURCES),
    Recipe("transformers/warm-up", warm_up, _USES, _SOURCES),
)
