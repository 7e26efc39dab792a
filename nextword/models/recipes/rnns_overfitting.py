"""What chapter 4's networks learn by heart: learning curves on few stories, with three remedies.

Leaves out: the networks of the ladder, which read many stories twice.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from nextword.corpora import names
from nextword.given import batches
from nextword.given.batches import number_words
from nextword.models import training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.training import Plan

N_STORIES, N_VALIDATION, D = 24, 50, 48
PLAN = Plan(epochs=60, size=6, chunk=64, rate=1e-2, patience=60)  # too long, on purpose
WAYS: dict[str, dict[str, Any]] = {"plain": {}, "tied": {"tied": True}, "dropout": {"dropout": 0.3}}


def overfitting(package: SimpleNamespace, report: Report) -> Trained:
    """Train an LSTM of two layers in each way; the losses of every epoch, in nats."""
    texts = names.load("village", 200 * N_STORIES, 200 * N_VALIDATION)
    number = number_words(texts.vocabulary)
    stories, others = (
        [[number[word] for word in story] for story in part]
        for part in (texts.train[:N_STORIES], texts.validation[:N_VALIDATION])
    )
    curves: dict[str, list[list[float]]] = {}
    parameters = {}
    for name, options in WAYS.items():
        torch.manual_seed(0)
        model = package.rnns.LanguageModel(len(number), D, D, L=2, **options)
        curve = training.train(
            package.rnns,
            model,
            stories,
            others,
            PLAN,
            report=lambda done: report((len(curves) + done) / len(WAYS)),
        )
        curves[name] = [[round(loss, 4) for loss in losses] for losses in curve]
        parameters[name] = sum(p.numel() for p in model.parameters())
    return Trained({}, {"curves": curves, "stories": len(stories), "parameters": parameters})


RECIPES = (
    Recipe(
        name="rnns/overfitting",
        train=overfitting,
        uses={"rnns": ("LanguageModel", "make_batch", "log_probs", "train_batch", "stop_early")},
        sources=(
            Path(__file__),
            *(Path(str(module.__file__)) for module in (training, batches)),
        ),
    ),
)
