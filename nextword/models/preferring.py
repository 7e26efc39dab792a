"""Tuning a language model by pairs of its own texts, of which a judge preferred one (DPO).

The chapter's own functions make the loss; their module is a parameter, `course`. Leaves out:
reinforcement (nextword.models.tuning). Axes: B texts, T tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from nextword.models.training import Report
from nextword.models.tuning import IGNORE, TOGETHER, Written, adamw, by_length

Pairs = Sequence[tuple[int, int]]  # rows of some texts: the chosen one, the rejected one


@dataclass(frozen=True)
class Preferring:
    """How a model is tuned by pairs."""

    steps: int = 60  # optimizer steps
    size: int = 32  # pairs of a step
    beta: float = 0.1  # of the implicit reward
    rate: float = 1e-4  # of AdamW
    clip: float = 1.0  # the largest norm of the gradient

    def __post_init__(self) -> None:
        if self.steps < 1 or self.size < 1:
            raise ValueError(f"need steps >= 1 and size >= 1, got {self}")


class Step(NamedTuple):
    """What one step saw, before it changed the model: means over its pairs."""

    loss: float
    chosen: float  # nats that the chosen texts have gained since the reference
    rejected: float  # the same of the rejected texts
    right: float  # share of pairs in which the chosen text has the larger implicit reward


def by_reward(rewards: Tensor, n: int, rng: torch.Generator) -> Pairs:
    """n pairs of texts with different rewards; the one with the larger reward is chosen.

    >>> by_reward(torch.tensor([0.0, 1.0]), 1, torch.Generator())
    [(1, 0)]
    """
    if len(rewards.unique()) < 2:
        raise ValueError("all texts have the same reward: no pair can be told apart")
    pairs: list[tuple[int, int]] = []
    while len(pairs) < n:
        for a, b in torch.randint(len(rewards), (4 * n, 2), generator=rng).tolist():
            if rewards[a] != rewards[b] and len(pairs) < n:
                pairs.append((a, b) if rewards[a] > rewards[b] else (b, a))
    return pairs


def prefer(
    course: Any,
    model: nn.Module,
    texts: Written,
    log_reference: Tensor,
    pairs: Pairs,
    plan: Preferring,
    seed: int,
    *,
    report: Report = lambda done: None,
    after: Callable[[int, Step], object] = lambda step, log: None,
) -> list[Step]:
    """Tune the model in place on pairs of texts, in random order, pass after pass.

    log_reference: (B,), the log-probability of each text by the reference. after: called with the
    number of steps done and what the last one saw.
    """
    if not pairs:
        raise ValueError("there are no pairs to learn from")
    rng, steps = torch.Generator().manual_seed(seed), list[Step]()
    optimizer, queue = adamw(model, plan.rate), list[int]()
    for n in range(plan.steps):
        while len(queue) < plan.size:
            queue += torch.randperm(len(pairs), generator=rng).tolist()
        batch = torch.tensor([pairs[k] for k in queue[: plan.size]])
        del queue[: plan.size]
        steps.append(step(course, model, optimizer, texts, log_reference, batch, plan))
        if not math.isfinite(steps[-1].loss):
            raise FloatingPointError(f"step {n + 1}: the loss is {steps[-1].loss}")
        report((n + 1) / plan.steps)
        after(n + 1, steps[-1])
    model.eval()
    return steps


def step(
    course: Any,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    texts: Written,
    log_reference: Tensor,
    batch: Tensor,
    plan: Preferring,
) -> Step:
    """One optimizer step on pairs, as `prefer` makes them. batch: (pairs, 2), rows of the texts.

    log_reference: (texts,). Pairs of about equal lengths are read side by side.
    """
    model.train()
    optimizer.zero_grad()
    total, seen = 0.0, []
    side_by_side = texts.targets[batch].flatten(1)  # (pairs, 2 T): sorted by the rejected text
    for rows, _ in by_length(side_by_side, TOGETHER // 2):
        part = batch[rows].T.flatten()  # all chosen ones, then all rejected ones
        T = int((texts.targets[part] != IGNORE).any(0).nonzero().max()) + 1
        logits = model(texts.inputs[part, :T])[0]
        log_p = course.text_log_probs(logits, texts.targets[part, :T])
        chosen, rejected = log_p.split(len(rows))
        before_chosen, before_rejected = log_reference[part].split(len(rows))
        found = course.dpo_loss(chosen, rejected, before_chosen, before_rejected, plan.beta)
        loss = found * (len(rows) / len(batch))
        loss.backward()
        total += loss.item()
        seen.append(torch.stack([chosen - before_chosen, rejected - before_rejected]).detach())
    nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
    optimizer.step()
    gained = torch.cat(seen, dim=1)
    chosen_gain, rejected_gain = gained.mean(1).tolist()
    return Step(total, chosen_gain, rejected_gain, (gained[0] > gained[1]).float().mean().item())
