"""How the loss falls with a network's size and its text: one small study, whose limit is known.

Every story is new, so that no text is read twice. Leaves out: the best rate of each size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from nextword.corpora import names
from nextword.given.batches import Ids, number_words
from nextword.models import transformer_training as training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.transformer_training import Plan

WIDTHS = (8, 16, 24, 32, 48)
LAYERS, HEAD = 2, 16  # blocks, and numbers of a head
STEPS = (60, 120, 240, 480, 960)  # after which the loss is measured
SIZE = 8  # stories of a step
ASKED = 20_000  # words of other stories that the loss is measured on
PLAN = Plan(steps=STEPS[-1], size=SIZE, rate=4e-3, average=0.99, falls=False, looks=STEPS)
POWERS = np.linspace(0.05, 1.5, 59)  # the exponents that the fit tries
RESAMPLED = 100  # times that the fit is repeated on other draws of the runs

Runs = list[dict[str, float]]


def study(package: SimpleNamespace, report: Report) -> Trained:
    """Train each size once over all stories; measure it on the way, and fit the law."""
    texts = names.load("village", 1_300_000, ASKED)
    number = number_words(texts.vocabulary)
    stories, asked = (
        [[number[word] for word in story] for story in split]
        for split in (texts.train[: STEPS[-1] * SIZE], texts.test)
    )
    assert texts.truth is not None
    floor, work = -float(texts.truth.mean()), np.cumsum([width**2 for width in WIDTHS])
    runs: Runs = []
    for width, done in zip(WIDTHS, work / work[-1], strict=True):
        runs += one_size(package.transformers, width, len(number), stories, asked)
        report(float(done))
    return Trained({}, {"runs": runs, "floor": floor, "fit": fit_with_spread(runs)})


def one_size(course: Any, width: int, V: int, stories: Sequence[Ids], asked: Sequence[Ids]) -> Runs:
    """Train one network; its loss each time when enough has been read."""
    sizes = course.Sizes(V, width, LAYERS, max(1, width // HEAD))
    model = training.built(course, sizes)
    n_weights = sum(p.numel() for p in model.parameters())
    per_step = SIZE * sum(len(story) + 1 for story in stories) / len(stories)
    found: Runs = []

    def look(step: int) -> None:
        n_tokens = step * per_step
        found.append(
            {
                "width": width,
                "parameters": n_weights,
                "tokens": round(n_tokens),
                "flops": 6.0 * n_weights * n_tokens,
                "loss": training.loss(model, asked),
            }
        )

    source = training.without_end(stories, SIZE, np.random.default_rng(0))
    training.train(course, model, source, PLAN, look=look)
    return found


def fit(N: np.ndarray, D: np.ndarray, loss: np.ndarray) -> dict[str, float]:
    """The law loss = E + A / N^a + B / D^b that is nearest to the logs of the losses.

    For given a and b the best E, A, B follow from a linear system; a and b are tried out.
    """
    n, d = N / N.max(), D / D.max()
    best: dict[str, float] = {}
    for a in POWERS:
        columns = np.stack([np.ones_like(n) / loss, n**-a / loss], axis=1)
        for b in POWERS:
            system = np.column_stack([columns, d**-b / loss])
            parts, *_ = np.linalg.lstsq(system, np.ones_like(loss), rcond=None)
            missed = float(np.square(system @ parts - 1).sum())  # relative errors
            if parts.min() >= 0 and missed < best.get("missed", math.inf):
                E, A, B = map(float, parts)
                best = {"E": E, "a": a, "b": b, "missed": missed}
                best |= {"A": A * N.max() ** a, "B": B * D.max() ** b}
    return best


def fit_with_spread(runs: Runs) -> dict[str, Any]:
    """The fit, and of each of its numbers the middle 90 % over resampled runs."""
    N, D, loss = (np.array([run[key] for run in runs]) for key in ("parameters", "tokens", "loss"))
    found: dict[str, Any] = dict(fit(N, D, loss))
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(RESAMPLED):
        k = rng.integers(len(loss), size=len(loss))
        draws.append(fit(N[k], D[k], loss[k]))
    for key in ("E", "a", "b"):
        values = [draw[key] for draw in draws if draw]
        found[f"{key}_spread"] = [float(value) for value in np.quantile(values, (0.05, 0.95))]
    found["relative_error"] = math.sqrt(found.pop("missed") / len(loss))
    return found


RECIPES = (
    Recipe(
        name="transformers/scaling",
        train=study,
        uses={"transformers": ("Sizes", "LanguageModel", "initialise", "train_step")},
        sources=(Path(__file__), Path(training.__file__)),
    ),
)
