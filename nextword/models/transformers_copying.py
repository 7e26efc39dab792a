"""The tiny example of chapter 6: letters said again and again, and a network of two blocks for it.

Leaves out: looking into the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from nextword import transformer_training as training
from nextword.checkpoints.recipe import Recipe, Report, Trained
from nextword.corpora import transformer_parts
from nextword.corpora.batches import BOS, EOS
from nextword.corpora.transformer_parts import IGNORE, Sizes
from nextword.transformer_training import Batch, Plan

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # their ids follow EOS
FEWEST, MOST, LONGEST = 4, 20, 40  # letters of a row until it repeats, and in all
SIZES = Sizes(V=EOS + 1 + len(LETTERS), D=64, L=2, H=2)
PLAN = Plan(steps=1500, size=32, rate=3e-3)
BETWEEN = 20  # steps over which losses are averaged


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


def copier(package: SimpleNamespace, report: Report) -> Trained:
    """Train the network; its losses show the steps in which it learns to look things up."""
    course = package.transformers
    model = training.built(course, SIZES)
    source = without_end(PLAN.size, torch.Generator().manual_seed(0))
    losses = training.train(course, model, source, PLAN, report)
    means = np.array(losses).reshape(-1, BETWEEN).mean(1)
    facts = {"steps_between": BETWEEN, "losses": [round(float(mean), 4) for mean in means]}
    return Trained({name: t.half() for name, t in model.state_dict().items()}, facts)


RECIPES = (
    Recipe(
        name="transformers/copier",
        train=copier,
        uses={"transformers": ("LanguageModel", "initialise", "learning_rate", "train_step")},
        sources=(Path(__file__), Path(training.__file__), Path(transformer_parts.__file__)),
    ),
)
