"""Does an LSTM of the village need open forget gates? The ladder's LSTM on a quarter of its text.

It begins once with the forget bias 0 and once with that of the ladder, from two seeds each. Leaves
out: the test of memory, where the answer is another one (rnns_memory).
"""

from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from nextword.corpora import names
from nextword.given import batches
from nextword.models import training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.ladder.rungs import rnns as rungs
from nextword.models.training import Plan

TOKENS, SEEDS = 250_000, (0, 1)
PLAN = Plan(2, 16, 64, 8e-3)  # the ladder's
BIASES = (0.0, rungs.OPEN)


def forgetting(package: SimpleNamespace, report: Report) -> Trained:
    """The perplexity on validation text for each first forget bias, one number per seed."""
    texts = names.load("village", TOKENS, TOKENS // 10)
    number = batches.number_words(texts.vocabulary)
    stories, others = rungs.ids(texts.train, number), rungs.ids(texts.validation, number)
    found: dict[str, list[float]] = {}
    runs = list(product(BIASES, SEEDS))
    for k, (bias, seed) in enumerate(runs):
        torch.manual_seed(seed)
        model = rungs.recurrent("LSTMCell", package.rnns, len(number), bias)
        told = partial(share, report, k, len(runs))
        curve = training.train(package.rnns, model, stories, others, PLAN, seed=seed, report=told)
        found.setdefault(str(bias), []).append(
            round(float(np.exp(min(new for _, new in curve))), 3)
        )
    return Trained({}, {"perplexity": found, "tokens": TOKENS})


def share(report: Report, n_before: int, n_runs: int, done: float) -> None:
    """Report which share of all runs is done."""
    report((n_before + done) / n_runs)


RECIPES = (
    Recipe(
        name="rnns/forgetting",
        train=forgetting,
        uses={"rnns": ("LanguageModel", "make_batch", "log_probs", "train_batch", "stop_early")},
        sources=tuple(
            Path(str(module))
            for module in (__file__, *(m.__file__ for m in (rungs, training, batches)))
        ),
    ),
)
