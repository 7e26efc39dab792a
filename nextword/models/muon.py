"""Muon (Jordan et al. 2024): an optimizer whose steps turn a matrix in all directions alike.

torch.optim.Muon does the same with one matrix after the other, in bfloat16. Here all matrices of a
shape are one product, in their own precision, which on a processor costs a tenth of the time.
Leaves out: a learning rate of its own; a step is as large as one of AdamW's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from nextword.models import training

N_STEPS = 5  # of Newton and Schulz; as published
A, B, C = 3.4445, -4.7750, 2.0315  # of its polynomial a x + b x^3 + c x^5; as published
MOMENTUM = 0.95  # share of the mean gradient that stays at each step
AS_ADAMW = 0.2  # root mean square of AdamW's usual step, in units of the rate (Liu et al. 2025)


def orthogonal(matrices: Tensor) -> Tensor:
    """The nearest orthogonal matrix of each, (N, R, C), about: its singular values are near 1.

    Newton and Schulz' iteration comes as near as 0.7 to 1.2 in five steps.

    >>> around = torch.tensor([[[0.0, -2.0], [0.1, 0.0]]])  # a quarter turn, stretched
    >>> orthogonal(around).sign().int().tolist()
    [[[0, -1], [1, 0]]]
    """
    tall = matrices.shape[1] > matrices.shape[2]
    X = matrices.mT if tall else matrices
    X = X / (X.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(N_STEPS):
        S = X @ X.mT
        X = A * X + (B * S + C * S @ S) @ X
    return X.mT if tall else X


class Muon(torch.optim.Optimizer):
    """Moves matrices along the orthogonal part of their mean gradient.

    A step has the root mean square of AdamW's, so that both can share a rate and its schedule.
    """

    def __init__(
        self, matrices: Iterable[nn.Parameter], rate: float, weight_decay: float = 0.0
    ) -> None:
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Make a step with each matrix that has a gradient."""
        for group in self.param_groups:
            alike: dict[tuple[int, ...], list[nn.Parameter]] = {}
            for p in group["params"]:
                if p.grad is not None:
                    alike.setdefault(tuple(p.shape), []).append(p)
            for shape, matrices in alike.items():
                means = [self._mean(p) for p in matrices]
                size = AS_ADAMW * math.sqrt(max(shape)) * group["lr"]
                for p, way in zip(matrices, orthogonal(torch.stack(means)), strict=True):
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                    p.sub_(way, alpha=size)

    def _mean(self, p: nn.Parameter) -> Tensor:
        """The mean gradient, looked at one step ahead (Nesterov)."""
        assert p.grad is not None
        mean: Tensor = self.state[p].setdefault("mean", torch.zeros_like(p))
        mean.lerp_(p.grad, 1 - MOMENTUM)
        return p.grad.lerp(mean, MOMENTUM)


class Together(torch.optim.Optimizer):
    """Optimizers of different weights as one; their groups, and so their rates, are shared."""

    def __init__(self, *parts: torch.optim.Optimizer) -> None:
        self.parts = parts
        super().__init__([group for part in parts for group in part.param_groups], {})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Make a step of each."""
        for part in self.parts:
            part.step()


def muon_and_adamw(model: nn.Module, plan: training.Plan) -> torch.optim.Optimizer:
    """Muon for the matrices inside a network; AdamW for all else, the vectors of words among it.

    A word's vector is a row that is looked up: no matrix that turns another vector.
    """
    looked_up = {id(m.weight) for m in model.modules() if isinstance(m, nn.Embedding)}
    inside = [p for p in model.parameters() if p.ndim == 2 and id(p) not in looked_up]
    chosen = set(map(id, inside))
    groups = [
        {**group, "params": rest}
        for group in training.parameter_groups(model, plan.decay)
        if (rest := [p for p in group["params"] if id(p) not in chosen])
    ]
    adamw = torch.optim.AdamW(groups, plan.rate, training.BETAS, fused=True)
    return Together(Muon(inside, plan.rate, plan.decay), adamw)
