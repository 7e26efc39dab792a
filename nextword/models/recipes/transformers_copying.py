"""The tiny example of chapter 6: letters said again and again, and a network of two blocks for it.

Leaves out: looking into the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from nextword.given.batches import BOS, EOS
from nextword.models import transformer_training as training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.transformer_training import IGNORE, Batch, Plan

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # their ids follow EOS
FEWEST, MOST, LONGEST = 4, 20, 40  # letters of a row until it repeats, and in all
SIZES = {"V": EOS + 1 + len(LETTERS), "D": 64, "L": 2, "H": 2}
PLAN = Plan(steps=1500, size=32, rate=3e-3)
BETWEEN = 25  # steps over which losses are averaged
SGD_STEPS, SGD_RATES = 400, (0.1, 0.3, 1.0)  # of plain gradient descent, for comparison


def repeated(size: int, rng: torch.Generator) -> Batch:
    """Rows of different letters, said again and again; targets count where they can be known.

    >>> inputs, targets = repeated(2, torch.Generator().manual_seed(0))
    >>> inputs.shape, bool((targets[:, : FEWEST + 1] == IGNORE).all())
    (torch.Size([2, 40]), True)
    """
    k = torch.randint(FEWEST, MOST + 1, (size, 1), generator=rng)
    letters = EOS + 1 + torch.rand(size, len(LETTERS), generator=rng).argsort(-1)
    rows = letters.gather(1, torch.arange(LONGEST) % k)
    # the first letter said again cannot be known: it may be a new one
    targets = rows.where(torch.arange(LONGEST) > k, torch.tensor(IGNORE))
    return torch.cat([torch.full((size, 1), BOS), rows[:, :-1]], dim=1), targets


def without_end(size: int, rng: torch.Generator) -> Iterator[Batch]:
    """Batches of such rows, one after the other."""
    while True:
        yield repeated(size, rng)


def averaged(losses: Sequence[float]) -> list[float]:
    """The mean of each BETWEEN losses in turn."""
    return [round(float(mean), 4) for mean in np.array(losses).reshape(-1, BETWEEN).mean(1)]


def by_plain_descent(course: Any, rate: float) -> list[float]:
    """The losses of a network that learns by plain gradient descent."""
    model = training.built(course, course.Sizes(**SIZES))
    optimizer = torch.optim.SGD(model.parameters(), rate)
    source = without_end(PLAN.size, torch.Generator().manual_seed(0))
    return [
        course.train_step(model, optimizer, [next(source)], PLAN.clip) for _ in range(SGD_STEPS)
    ]


def trained(course: Any, sizes: dict[str, int]) -> tuple[nn.Module, list[float]]:
    """A network that learned with AdamW, and its losses."""
    model = training.built(course, course.Sizes(**sizes))
    source = without_end(PLAN.size, torch.Generator().manual_seed(0))
    return model, averaged(training.train(course, model, source, PLAN))


def copier(package: SimpleNamespace, report: Report) -> Trained:
    """Train two blocks; the losses show the steps in which they learn to look things up.

    For comparison also one block, and plain gradient descent.
    """
    course, plain = package.transformers, {}
    for rate in SGD_RATES:
        plain[str(rate)] = averaged(by_plain_descent(course, rate))
    report(0.3)
    _, one_block = trained(course, SIZES | {"L": 1})
    report(0.6)
    model, losses = trained(course, SIZES)
    facts = {"steps_between": BETWEEN, "losses": losses, "one_block": one_block, "sgd": plain}
    return Trained({name: t.half() for name, t in model.state_dict().items()}, facts)


RECIPES = (
    Recipe(
        name="transformers/copier",
        train=copier,
        uses={
            "transformers": (
                "Sizes",
                "LanguageModel",
                "initialise",
                "learning_rate",
                "train_step",
            )
        },
        sources=(Path(__file__), Path(training.__file__)),
    ),
)
