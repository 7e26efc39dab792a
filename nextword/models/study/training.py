"""One training of the study: the same batches, steps and schedule for every family.

Stories are read whole, eight at a time; AdamW; a rate that rises for a hundred steps and falls to 0
along a cosine; gradients clipped at 1. Leaves out: which trainings there are (plan.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.corpora.names import Texts
from nextword.given.batches import Ids, ids, number_words
from nextword.models import training, transformer_training
from nextword.models.ladder.measure import excess_by_kind
from nextword.models.study.families import operations
from nextword.models.training import Report
from nextword.models.transformer_training import IGNORE, Batch

BATCH = 8  # stories
WARM_UP = 100  # steps
DECAY = 0.01  # of matrices
CLIP = 1.0
# passes over the text after which the validation text is asked; those of a training count
LOOKS = (0.125, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
N_VALIDATION = 150  # stories


@dataclass(frozen=True)
class Data:
    """The texts of the study as ids."""

    texts: Texts
    train: Sequence[Ids]
    validation: Sequence[Ids]
    test: Sequence[Ids]
    V: int

    @property
    def n_words(self) -> int:
        """Words that are predicted in one pass over the training text, and ends of stories."""
        return sum(len(story) + 1 for story in self.train)

    @property
    def length(self) -> float:
        """Words of a story, its end among them, on average."""
        return self.n_words / len(self.train)


def data_of(texts: Texts) -> Data:
    """The texts as ids."""
    number = number_words(texts.vocabulary)
    validation = ids(texts.validation[:N_VALIDATION], number)
    return Data(texts, ids(texts.train, number), validation, ids(texts.test, number), len(number))


@dataclass(frozen=True)
class Found:
    """What was measured of one training.

    curve: words read, and the mean surprise of the validation text (nats per word). test: the mean
    surprise of the test text. kinds: bits lost at each kind of fact against the truth.
    """

    weights: int
    rate: float
    seed: int
    passes: float
    operations: float  # of the whole training, see `families.operations`
    seconds: float  # of the processor
    curve: tuple[tuple[int, float], ...]
    test: float
    kinds: dict[str, float | None]

    @property
    def validation(self) -> float:
        """The mean surprise of the validation text at the end."""
        return self.curve[-1][1]

    def to_json(self) -> dict[str, Any]:
        """The measures as plain values."""
        return {**vars(self), "curve": [list(point) for point in self.curve]}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Found:
        """The measures from plain values."""
        return cls(**{**kept, "curve": tuple((n, nats) for n, nats in kept["curve"])})


def cosine(peak: float, n_steps: int, warm_up: int = WARM_UP) -> training.Rate:
    """A rate that rises in a line and falls along a cosine to 0 after the last step.

    It rises for at most a quarter of the steps.

    >>> rate = cosine(1.0, n_steps=500)
    >>> [round(rate(k), 2) for k in (0, 99, 299, 499)]
    [0.01, 1.0, 0.5, 0.0]
    """
    rises = min(warm_up, max(1, n_steps // 4))

    def rate(k: int) -> float:
        done = (k + 1 - rises) / (n_steps - rises)
        return peak * min((k + 1) / rises, (1 + math.cos(math.pi * max(0.0, done))) / 2)

    return rate


def trained(
    net: nn.Module, data: Data, rate: float, seed: int, passes: float, report: Report
) -> Found:
    """Train a network for so many passes over the text, and measure it on the way and at the end.

    The seed orders the stories. FloatingPointError names a step at which the loss was no number.
    """
    began = time.process_time()
    per_pass = -(-len(data.train) // BATCH)
    n_steps = round(passes * per_pass)
    looks = {round(look * per_pass) for look in LOOKS if look < passes} | {n_steps}
    curve: list[tuple[int, float]] = []

    def after(n_done: int, loss: float) -> None:
        report(n_done / n_steps)
        if n_done in looks:
            n_read = round(n_done / per_pass * data.n_words)
            curve.append((n_read, round(surprise(net, data.validation), 5)))
            net.train()

    source = transformer_training.without_end(data.train, BATCH, np.random.default_rng(seed))
    fit(net, source, n_steps, rate, after)
    log_probs = transformer_training.log_probs(net, data.test)
    return Found(
        training.n_weights(net),
        rate,
        seed,
        passes,
        operations(net, data.length) * passes * data.n_words,
        round(time.process_time() - began, 1),
        tuple(curve),
        round(-float(np.mean(log_probs)), 5),
        excess_by_kind(log_probs, data.texts),
    )


def fit(
    net: nn.Module,
    source: Iterator[Batch],
    n_steps: int,
    rate: float,
    after: Callable[[int, float], object],
) -> None:
    """Make so many steps, by the optimizer and the schedule that all families share."""
    groups = training.parameter_groups(net, DECAY)
    optimizer = torch.optim.AdamW(groups, rate, training.BETAS, fused=True)
    loss: Callable[[Batch], Tensor] = partial(loss_of, net)
    step = training.minimise(optimizer, loss, CLIP)
    net.train()
    training.train(step, islice(source, n_steps), optimizer, cosine(rate, n_steps), after=after)
    net.eval()


def loss_of(net: nn.Module, batch: Batch) -> Tensor:
    """The mean surprise of the targets that count."""
    inputs, targets = batch
    logits: Tensor = net(inputs)[0]
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE)


def surprise(net: nn.Module, stories: Sequence[Ids]) -> float:
    """The mean surprise per word of stories, in nats."""
    return transformer_training.loss(net, stories)
