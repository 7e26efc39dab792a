"""The training loop of the course, and what its trainings choose from.

Every network of the book learns in `train`, one step after another. What a chapter varies is an
argument: the batches, the step (`minimise` a loss, or the reader's own function), the optimizer,
the learning rate, and what is done after a step. Leaves out: the networks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import PAD, Ids, batches

Batch = TypeVar("Batch")
Report = Callable[[float], None]  # called with the share of the work that is done, 0 to 1
Rate = Callable[[int], float]  # the learning rate of a step; steps count from 0
LossOf = Callable[[Batch], Tensor]  # the loss of a batch, which remembers its graph
BETAS = (0.9, 0.98)  # of AdamW: how long it remembers gradients and their squares


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is trained.

    Chapters 4 and 5 read their texts a number of `epochs`; chapter 6 makes a number of `steps` on
    batches without end.
    """

    epochs: int = 3  # times that every text is read
    size: int = 16  # texts side by side in a batch
    chunk: int = 64  # words of a batch that chapter 4 reads before each step
    rate: float = 4e-3  # the highest learning rate
    clip: float = 1.0  # the largest norm of the gradient
    patience: int = 2  # epochs without gain before chapter 4 stops
    steps: int = 0  # batches that chapter 6 reads
    warm_up: int = 100  # steps in which its rate rises
    falls: bool = True  # its rate falls at the end; False: it stays, so that one can look before
    decay: float = 0.1  # of its matrices
    average: float = 0.0  # share of its averaged weights that stays at each step; 0: no average
    looks: tuple[int, ...] = ()  # steps after which it is measured


# ------------------------------------------------------------------ the loop
def minimise(
    optimizer: torch.optim.Optimizer, loss_of: LossOf[Batch], clip: float
) -> Callable[[Batch], float]:
    """The usual step: the gradients of a loss, clipped, move the weights of the optimizer."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]

    def step(batch: Batch) -> float:
        loss = loss_of(batch)
        if not loss.isfinite():
            raise FloatingPointError(f"the loss is {loss.item()}")
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, clip)
        optimizer.step()
        return loss.item()

    return step


def train(
    step: Callable[[Batch], float],
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    rate: Rate | None = None,
    *,
    first: int = 0,
    after: Callable[[int, float], object] = lambda n_done, loss: None,
) -> list[float]:
    """Make a step with each batch; return the losses.

    step: lets the optimizer move the weights and returns the loss of the batch.
    rate: None leaves the optimizer's own learning rate.
    first: the number of the first step; a resumed training does not begin at 0.
    after: called after each step with the number of steps done and the loss.

    FloatingPointError names the step at which a loss was no number.

    >>> w = nn.Parameter(torch.tensor(0.0))
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> step = minimise(optimizer, lambda target: (w - target) ** 2, clip=10.0)
    >>> train(step, [4.0, 4.0, 3.0], optimizer, rate=lambda k: 0.25)
    [16.0, 4.0, 0.0]
    """
    losses: list[float] = []
    for k, batch in enumerate(batches, first):
        if rate is not None:
            for group in optimizer.param_groups:
                group["lr"] = rate(k)
        try:
            losses.append(step(batch))
        except FloatingPointError as error:
            raise FloatingPointError(f"step {k + 1}: {error}") from error
        after(k + 1, losses[-1])
    return losses


# ------------------------------------------------------------------ texts, read several times
def n_batches(texts: Sequence[Any], plan: Plan) -> int:
    """How many batches there are in all epochs of a plan."""
    return plan.epochs * -(-len(texts) // plan.size)


def trapezoid(peak: float, n_steps: int) -> Rate:
    """A rate that rises to its peak, stays there, and falls to 0 over the second half.

    >>> rate = trapezoid(1.0, n_steps=100)
    >>> [round(rate(k), 2) for k in (0, 29, 74, 99)]
    [0.5, 1.0, 0.5, 0.0]
    """

    def rate(k: int) -> float:
        done = (k + 1) / n_steps
        return peak * min(1.0, done / 0.02, 2 * (1 - done))

    return rate


def adamw(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW with a little decay of all weights, for the networks of chapters 4 and 5."""
    return torch.optim.AdamW(model.parameters(), rate, BETAS, weight_decay=0.01)


def train_on_texts(
    model: nn.Module,
    texts: Sequence[Ids],
    loss_of: LossOf[Sequence[Ids]],
    plan: Plan,
    report: Report,
) -> None:
    """Minimise a loss over all batches of some texts, each epoch in another order."""
    rng = np.random.default_rng(0)
    in_all_epochs = (batch for _ in range(plan.epochs) for batch in batches(texts, plan.size, rng))
    n_steps = n_batches(texts, plan)
    optimizer = adamw(model, plan.rate)
    model.train()
    train(
        minimise(optimizer, loss_of, plan.clip),
        in_all_epochs,
        optimizer,
        trapezoid(plan.rate, n_steps),
        after=lambda n_done, loss: report(n_done / n_steps),
    )
    model.eval()


# ------------------------------------------------------------------ batches and weights
def padded(rows: Sequence[Sequence[int]], fill: int = PAD) -> Tensor:
    """Rows of ids as one tensor, (B, T); short ones are filled up at their ends.

    >>> padded([[7, 8], [9]])
    tensor([[7, 8],
            [9, 0]])
    """
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, fill)


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


def half(model: nn.Module) -> dict[str, Tensor]:
    """A model's weights in half precision, as they are shipped."""
    return {name: weight.half() for name, weight in model.state_dict().items()}


def round_to_half(model: nn.Module) -> None:
    """From now on the model computes with its weights as half precision stores them."""
    model.load_state_dict({name: weight.float() for name, weight in half(model).items()})


def n_weights(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(p.numel() for p in model.parameters())
