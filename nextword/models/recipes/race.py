"""What the race ships beyond the ladder: an LSTM that was tuned, and the best transformer known.

The LSTM's sizes and plan are those of the one in benchmarks/village_calibration.py, cut to what a
shipped file may hold; the transformer is the ladder's last rung after two million words. Leaves
out: how an entry of the race uses them (nextword/race/entries).
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.corpora import names
from nextword.given import batches
from nextword.models import training, transformer_training
from nextword.models.ladder.rungs import transformers
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Average, Plan, Report, half

TOKENS = 2_000_000  # a second million words is worth more than a second epoch
D = 184  # numbers of a word's vector and of the state: 544,000 weights, 1.1 MB in half precision
PLAN = Plan(steps=2500, size=16, rate=4e-3, warm_up=100, decay=0.01, average=0.995)
FALL = 0.4  # share of the steps over which the learning rate falls to 0


class Recurrent(nn.Module):
    """Vectors of words, one layer of torch's LSTM, logits."""

    def __init__(self, V: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.net = nn.LSTM(D, D, batch_first=True)
        self.out = nn.Linear(D, V)

    def forward(self, tokens: Tensor) -> tuple[Tensor, None]:
        """tokens (B, T) -> logits (B, T, V); in place of a past, None."""
        logits: Tensor = self.out(self.net(self.embed(tokens))[0])
        return logits, None


def rate(k: int) -> float:
    """The learning rate of step k: it rises, stays, and falls over the last two fifths.

    >>> rate(0), rate(1000), rate(2499)
    (4e-05, 0.004, 4e-06)
    """
    rises, falls = (k + 1) / PLAN.warm_up, (PLAN.steps - k) / (FALL * PLAN.steps)
    return PLAN.rate * min(rises, 1.0, falls)


def lstm(package: SimpleNamespace, report: Report) -> Trained:
    """Train on whole stories; keep the running mean of the weights in half precision."""
    texts = names.load("village", TOKENS, 100_000)
    number = batches.number_words(texts.vocabulary)
    torch.manual_seed(0)
    model = Recurrent(len(number))
    groups = training.parameter_groups(model, PLAN.decay)
    optimizer = torch.optim.AdamW(groups, PLAN.rate, training.BETAS, fused=True)
    average = Average(model, PLAN.average)

    def loss_of(batch: tuple[Tensor, ...]) -> Tensor:
        inputs, targets = batch
        return F.cross_entropy(model(inputs)[0].flatten(0, 1), targets.flatten())

    def after(n_done: int, loss: float) -> None:
        average.update()
        report(n_done / PLAN.steps)

    stories = batches.ids(texts.train, number)
    source = transformer_training.without_end(stories, PLAN.size, np.random.default_rng(0))
    step = training.minimise(optimizer, loss_of, PLAN.clip)
    training.train(step, islice(source, PLAN.steps), optimizer, rate, after=after)
    average.take()
    training.round_to_half(model)
    surprise = transformer_training.loss(model, batches.ids(texts.validation, number))
    return Trained(half(model), {"perplexity": round(float(np.exp(surprise)), 4), "D": D})


def with_convolution(package: SimpleNamespace, report: Report) -> Trained:
    """Train the ladder's last rung on two million words; keep its weights in half precision."""
    texts = names.load("village", TOKENS, 1000)
    return Trained(half(transformers.with_convolution(package, texts, report).model))


RECIPES = (
    Recipe(
        name="race/lstm",
        train=lstm,
        uses={},
        sources=(Path(__file__), *files(transformer_training, training, batches)),
    ),
    Recipe(
        name="race/with-convolution",
        train=with_convolution,
        uses={"transformers": (*transformers.CALLED, "Block", "SelfAttention", "FeedForward")},
        sources=(Path(__file__), *transformers.SOURCES),
    ),
)
