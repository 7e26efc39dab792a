"""How the transformers of chapter 6 read the village: whole stories, and averaged weights.

The chapter's own functions do the steps; their module is a parameter. Leaves out: the networks, and
one long text (nextword.models.trainer).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from nextword.given.batches import BOS, EOS, PAD, Ids, batches

Report = Callable[[float], None]  # told now and then which share of the work is done, 0 to 1
Batch = tuple[Tensor, ...]  # what the model reads, then the targets (B, T)
IGNORE = -100  # a target that is not counted: cross_entropy leaves it out by itself
BETAS = (0.9, 0.98)
SPREAD = 0.08  # standard deviation of the first weights; the nets are narrow, about 64^-0.5 = 0.12


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is trained."""

    steps: int
    size: int = 8  # stories of a step
    rate: float = 3e-3  # the highest learning rate
    warm_up: int = 100  # steps
    decay: float = 0.1  # of the matrices
    clip: float = 1.0  # the largest norm of the gradient
    average: float = 0.0  # share of the averaged weights that stays at each step; 0: no average
    falls: bool = True  # the rate falls at the end; False: it stays, so that one can look before
    looks: tuple[int, ...] = ()  # steps after which the caller looks at the model


def parameter_groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    """The groups of torch's AdamW: matrices decay; biases and the gains of norms do not.

    >>> [len(group["params"]) for group in parameter_groups(nn.Linear(2, 1), 0.1)]
    [1, 1]
    """
    several, one = (
        [p for p in model.parameters() if (p.ndim > 1) == decays] for decays in (True, False)
    )
    return [{"params": several, "weight_decay": decay}, {"params": one, "weight_decay": 0.0}]


class Average:
    """The running mean of a model's weights, which is often better than the last of them."""

    def __init__(self, model: nn.Module, share: float):
        self.weights, self.share = [p.data for p in model.parameters()], share
        self.means = [p.clone() for p in self.weights] if share else []
        self.n_seen = 0

    def update(self) -> None:
        """Move the mean towards the weights of now; in the beginning faster, to forget chance."""
        self.n_seen += 1
        if self.share:
            stays = min(self.share, self.n_seen / (self.n_seen + 9))
            torch._foreach_lerp_(self.means, self.weights, 1 - stays)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Inside, the model has the mean weights."""
        before = [p.clone() for p in self.weights]
        self.take()
        yield
        for p, old in zip(self.weights, before, strict=True):
            p.copy_(old)

    def take(self) -> None:
        """Give the model the mean weights for good."""
        for p, mean in zip(self.weights, self.means, strict=bool(self.share)):
            p.copy_(mean)


def built(
    course: ModuleType | Any, sizes: Any, *, linear: bool = False, seed: int = 0
) -> nn.Module:
    """A language model of the chapter with its first weights; `linear`: with linear attention.

    sizes: the chapter's own `Sizes`.
    """

    def block(sizes: Any, causal: bool = True) -> nn.Module:
        made: nn.Module = course.Block(
            sizes, course.LinearAttention(sizes, causal), course.FeedForward(sizes)
        )
        return made

    model: nn.Module = course.LanguageModel(sizes, *([block] if linear else []))
    initialised: nn.Module = course.initialise(model, torch.Generator().manual_seed(seed), SPREAD)
    return initialised


def side_by_side(stories: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Inputs (begin, words) and targets (words, end) of stories; what fills up is not counted.

    >>> side_by_side([[7, 8], [9]])
    (tensor([[1, 7, 8],
            [1, 9, 0]]), tensor([[   7,    8,    2],
            [   9,    2, -100]]))
    """
    inputs = [torch.tensor([BOS, *story]) for story in stories]
    targets = [torch.tensor([*story, EOS]) for story in stories]
    return pad_sequence(inputs, True, PAD), pad_sequence(targets, True, IGNORE)


def without_end(stories: Sequence[Ids], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Batches of stories of about equal lengths, pass after pass, each in another order."""
    while True:
        for chosen in batches(stories, size, rng):
            yield side_by_side(chosen)


def train(
    course: ModuleType | Any,
    model: nn.Module,
    source: Iterator[Batch],
    plan: Plan,
    report: Report = lambda done: None,
    look: Callable[[int], object] = lambda step: None,
) -> list[float]:
    """Train by the chapter's own steps; leave the averaged weights in the model; return the losses.

    course: the module with `learning_rate` and `train_step`. `look` is called
    after the steps of `plan.looks`, with the averaged weights in the model. FloatingPointError: a
    loss was no number.
    """
    groups = parameter_groups(model, plan.decay)
    optimizer = torch.optim.AdamW(groups, plan.rate, BETAS, fused=True)  # half the time
    average, losses = Average(model, plan.average), []
    for step in range(plan.steps):
        rate = plan.rate * min(1.0, (step + 1) / max(1, plan.warm_up))
        if plan.falls:
            rate = course.learning_rate(step, plan.rate, plan.warm_up, plan.steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        model.train()
        losses.append(float(course.train_step(model, optimizer, [next(source)], plan.clip)))
        average.update()
        report((step + 1) / plan.steps)
        if step + 1 in plan.looks:
            with average.shown():
                look(step + 1)
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
        told = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
        for k, row in zip(chosen, told, strict=True):
            found[k] = row[: len(stories[k]) + 1].tolist()
    return [log_p for k in range(len(stories)) for log_p in found[k]]


def loss(model: nn.Module, stories: Sequence[Ids]) -> float:
    """The mean surprise per word of stories, in nats."""
    return -float(np.mean(log_probs(model, stories)))
