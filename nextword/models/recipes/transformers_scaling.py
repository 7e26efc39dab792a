"""How the loss falls with a network's size and its text: many trainings, and a known floor.

Each training has its own warm-up, and a cosine that ends where it ends; none reads a story twice.
Leaves out: the law (nextword.models.scaling_law), and the best rate of each size and text.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from nextword.corpora import names
from nextword.given.batches import Ids, ids, number_words
from nextword.models import scaling_law, training, transformer_training
from nextword.models.scaling_law import Law
from nextword.models.store import Recipe, Trained, files
from nextword.models.study.shelf import shelf_for
from nextword.models.training import Plan, Report

WIDTHS = (8, 16, 24, 32, 48)
LAYERS, HEAD = 2, 16  # blocks, and numbers of a head
STEPS = (60, 120, 240, 480, 960, 1920, 3840)
SEEDS = (0, 1)  # of the first weights, and of the stories that are read
TWICE_UP_TO = 240  # steps; longer trainings are made with one seed
WIDEST = (32, 48)  # that read the longest text
SIZE = 8  # stories of a step
RATE = 0.1  # the peak, times the square root of the width: the same rule for all
STORIES = 30_800  # from which each training draws its own
HALF_UP_TO = 960  # steps; such trainings draw from the first half of them
ASKED = 20_000  # words of other stories that the loss is measured on

SHORTEST_LIMIT = 240  # steps; fits are made to all runs up to this length, and to longer ones
RESAMPLED = 200  # times that a fit is repeated on other draws of the runs
WORKS = (2e10, 1e11, 5e11, 1e13)  # operations whose best sizes are told
USES: dict[str, tuple[str, ...]] = {
    "transformers": ("Sizes", "LanguageModel", "initialise", "train_step", "learning_rate")
}
TRAINED_BY = files(transformer_training, training)
Measured = dict[str, Any]  # of a training: its width, steps, seed, weights, words, work, loss


class Run(NamedTuple):
    """A training: how wide, how long, which luck."""

    width: int
    steps: int
    seed: int


RUNS = tuple(
    Run(width, steps, seed)
    for seed, steps, width in product(SEEDS, STEPS, WIDTHS)
    if (seed == 0 or steps <= TWICE_UP_TO) and (steps < STEPS[-1] or width in WIDEST)
)


class Texts(NamedTuple):
    """What all trainings have in common."""

    stories: Sequence[Ids]
    asked: Sequence[Ids]
    V: int  # how many words there are
    floor: float  # the mean surprise of the asked words by the truth, in nats


def read() -> Texts:
    """The stories, as numbers, and the floor."""
    texts = names.load("village", 170 * STORIES, ASKED)
    number = number_words(texts.vocabulary)
    stories, asked = ids(texts.train[:STORIES], number), ids(texts.test, number)
    assert texts.truth is not None
    return Texts(stories, asked, len(number), -float(texts.truth.mean()))


def plan(run: Run) -> Plan:
    """The same rule for all: a twentieth of the steps is warm-up, then a cosine falls to 0."""
    warm_up = max(10, run.steps // 20)
    return Plan(steps=run.steps, size=SIZE, rate=RATE / run.width**0.5, warm_up=warm_up)


def measured(course: Any, run: Run, texts: Texts) -> Measured:
    """Train one network on stories of its own, each read once, and measure its loss at the end."""
    began = time.process_time()
    rng = np.random.default_rng([run.seed, run.steps, run.width])
    pool = texts.stories if run.steps > HALF_UP_TO else texts.stories[: len(texts.stories) // 2]
    stories = [pool[k] for k in rng.permutation(len(pool))[: run.steps * SIZE]]
    sizes = course.Sizes(texts.V, run.width, LAYERS, max(1, run.width // HEAD))
    model = transformer_training.built(course, sizes, seed=run.seed)
    source = transformer_training.without_end(stories, SIZE, rng)
    transformer_training.train(course, model, source, plan(run))
    parameters, tokens = training.n_weights(model), sum(len(story) + 1 for story in stories)
    return {
        **run._asdict(),
        "parameters": parameters,
        "tokens": tokens,
        "flops": 6.0 * parameters * tokens,
        "loss": transformer_training.loss(model, texts.asked),
        "cpu": round(time.process_time() - began, 2),
    }


def study(package: SimpleNamespace, report: Report) -> Trained:
    """Make all trainings, each kept once it is done; fit the law to ever longer ones."""
    shelf = shelf_for(package, USES, (Path(__file__), *TRAINED_BY), ("village",))
    texts = read()
    runs: list[Measured] = []
    for k, run in enumerate(RUNS, 1):
        name = f"scaling-{run.width}-{run.steps}-{run.seed}"
        runs.append(shelf.find(name, partial(measured, package.transformers, run, texts)))
        report(k / len(RUNS))
    return Trained({}, facts(runs, texts.floor))


def facts(runs: Sequence[Measured], floor: float) -> dict[str, Any]:
    """What the page tells: the runs, and the fits with the floor free or known, by text."""
    fits = {}
    for limit in STEPS:
        if limit >= SHORTEST_LIMIT:
            kept = [run for run in runs if run["steps"] <= limit]
            fits[str(limit)] = {
                "best": min(run["loss"] for run in kept),
                "free": with_spread(kept),
                "known": with_spread(kept, floor),
            }
    seconds = round(sum(run["cpu"] for run in runs), 1)  # also of those that were kept
    return {"seconds": seconds, "runs": list(runs), "floor": floor, "fits": fits}


def with_spread(runs: scaling_law.Runs, E: float | None = None) -> dict[str, Any]:
    """A fit, what it misses, and the middle 90 % of its numbers over resampled runs."""
    law, *draws = scaling_law.resampled(runs, RESAMPLED, np.random.default_rng(0), E)
    N, D, loss = scaling_law.columns(runs)
    off = np.log(loss / law.loss(N, D))

    def middle(values: Sequence[float]) -> list[float]:
        return [float(value) for value in np.quantile(values, (0.05, 0.95))]

    def best(law: Law) -> list[float]:
        return [law.best_size(work) for work in WORKS]

    spread = {key: middle([getattr(draw, key) for draw in draws]) for key in ("E", "a", "b")}
    sizes = np.array([best(draw) for draw in draws]).T
    return {
        **vars(law),
        "spread": spread,
        "relative_error": float(np.sqrt(np.mean(off**2))),
        "sizes": dict(zip(map(str, WORKS), best(law), strict=True)),
        "sizes_spread": dict(zip(map(str, WORKS), map(middle, sizes), strict=True)),
    }


RECIPES = (
    Recipe(
        name="transformers/scaling",
        train=study,
        uses=USES,
        sources=(Path(__file__), *TRAINED_BY, *files(scaling_law)),
    ),
)
