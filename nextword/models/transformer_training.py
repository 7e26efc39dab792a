"""How the transformers of chapter 6 are trained: on whole stories, with averaged weights.

The chapter's own functions make the steps; their module is a parameter. Leaves out: the networks,
and one long text (nextword.models.trainer).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import BOS, EOS, Ids, batches
from nextword.models import training
from nextword.models.training import Average, Plan, Report, padded, parameter_groups

Batch = tuple[Tensor, ...]  # what the model reads, then the targets (B, T)
Layer = Callable[[Any, bool], nn.Module]  # of the sizes, and whether it is causal
IGNORE = -100  # a target that is not counted: cross_entropy leaves it out by itself
SPREAD = 0.08  # standard deviation of the first weights; the nets are narrow, about 64^-0.5 = 0.12


def block_with(course: ModuleType | Any, mixer: Layer) -> Layer:
    """The chapter's block, in which another mixer stands in place of attention."""

    def block(sizes: Any, causal: bool = True) -> nn.Module:
        made: nn.Module = course.Block(sizes, mixer(sizes, causal), course.FeedForward(sizes))
        return made

    return block


def built(
    course: ModuleType | Any, sizes: Any, block: Layer | None = None, *, seed: int = 0
) -> nn.Module:
    """A language model of the chapter with its first weights.

    sizes: the chapter's own `Sizes`. block: what it is made of; None: the chapter's own blocks.
    """
    model: nn.Module = course.LanguageModel(sizes, *([block] if block else []))
    initialised: nn.Module = course.initialise(model, torch.Generator().manual_seed(seed), SPREAD)
    return initialised


def side_by_side(stories: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Inputs (begin, words) and targets (words, end) of stories; what fills up is not counted.

    >>> side_by_side([[7, 8], [9]])
    (tensor([[1, 7, 8],
            [1, 9, 0]]), tensor([[   7,    8,    2],
            [   9,    2, -100]]))
    """
    inputs = [[BOS, *story] for story in stories]
    targets = [[*story, EOS] for story in stories]
    return padded(inputs), padded(targets, IGNORE)


def without_end(stories: Sequence[Ids], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Batches of stories of about equal lengths, pass after pass, each in another order."""
    while True:
        for chosen in batches(stories, size, rng):
            yield side_by_side(chosen)


def adamw(model: nn.Module, plan: Plan) -> torch.optim.Optimizer:
    """AdamW, as chapter 6 uses it."""
    groups = parameter_groups(model, plan.decay)
    return torch.optim.AdamW(groups, plan.rate, training.BETAS, fused=True)  # half the time


def train(
    course: ModuleType | Any,
    model: nn.Module,
    source: Iterator[Batch],
    plan: Plan,
    report: Report = lambda done: None,
    look: Callable[[int], object] = lambda step: None,
    optimizer_of: Callable[[nn.Module, Plan], torch.optim.Optimizer] = adamw,
) -> list[float]:
    """Train by the chapter's own steps; leave the averaged weights in the model; return the losses.

    course: the module with `learning_rate` and `train_step`. `look` is called
    after the steps of `plan.looks`, with the averaged weights in the model. FloatingPointError
    names the step at which a loss was no number.
    """
    optimizer = optimizer_of(model, plan)
    average = Average(model, plan.average)

    def rate(k: int) -> float:
        if not plan.falls:
            return plan.rate * min(1.0, (k + 1) / max(1, plan.warm_up))
        found: float = course.learning_rate(k, plan.rate, plan.warm_up, plan.steps)
        return found

    def step(batch: Batch) -> float:
        model.train()
        return float(course.train_step(model, optimizer, [batch], plan.clip))

    def after(n_done: int, loss: float) -> None:
        average.update()
        report(n_done / plan.steps)
        if n_done in plan.looks:
            with average.shown():
                look(n_done)

    losses = training.train(step, islice(source, plan.steps), optimizer, rate, after=after)
    average.take()
    model.eval()
    return losses


@torch.no_grad()
def log_probs(model: nn.Module, stories: Sequence[Ids], size: int = 16) -> list[float]:
    """ln P of each word and each end of the stories, in order, each read from its beginning."""
    model.eval()
    order = sorted(range(len(stories)), key=lambda k: len(stories[k]))
    found: dict[int, list[float]] = {}
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        inputs, targets = side_by_side([stories[k] for k in chosen])
        log_p = torch.log_softmax(model(inputs)[0], dim=-1)
        of_targets = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
        for k, row in zip(chosen, of_targets, strict=True):
            found[k] = row[: len(stories[k]) + 1].tolist()
    return [log_p for k in range(len(stories)) for log_p in found[k]]


def loss(model: nn.Module, stories: Sequence[Ids]) -> float:
    """The mean surprise per word of stories, in nats."""
    return -float(np.mean(log_probs(model, stories)))
