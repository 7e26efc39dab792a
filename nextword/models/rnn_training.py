"""How the language models of chapter 4 are trained: in chunks of words, until they stop gaining.

The chapter's own functions make the steps and stop; their module is a parameter. Leaves out: the
recurrent networks, which are the chapter's.
"""

from collections.abc import Sequence
from types import ModuleType

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import PAD, Ids, batches
from nextword.models import training
from nextword.models.training import Plan, Report

Curve = list[tuple[float, float]]  # (training loss, validation loss) of each epoch, in nats


def train(
    rnns: ModuleType,
    model: nn.Module,
    stories: Sequence[Ids],
    validation: Sequence[Ids],
    plan: Plan,
    *,
    seed: int = 0,
    report: Report = lambda done: None,
) -> Curve:
    """Train a language model with AdamW; return its curve and leave it with its best weights.

    rnns: the module with `make_batch`, `train_batch`, `log_probs` and `stop_early`. The order of
    the stories follows from the seed. FloatingPointError names the batch at which a loss was no
    number.
    """
    rng = np.random.default_rng(seed)
    optimizer = training.adamw(model, plan.rate)
    n_in_all = training.n_batches(stories, plan)
    made: list[float] = []  # the losses of all batches

    def step(chosen: Sequence[Ids]) -> float:
        batch = rnns.make_batch(chosen)
        loss: float = rnns.train_batch(model, optimizer, batch, plan.chunk, plan.clip)
        return loss

    def epoch() -> float:
        model.train()
        losses = training.train(
            step,
            batches(stories, plan.size, rng),
            optimizer,
            training.trapezoid(plan.rate, n_in_all),
            first=len(made),
            after=lambda n_done, loss: report(n_done / n_in_all),
        )
        made.extend(losses)
        return float(np.mean(losses))

    def validate() -> float:
        return -float(np.mean(rnns.log_probs(model, validation)))

    curve: Curve = rnns.stop_early(model, epoch, validate, plan.epochs, plan.patience)
    return curve


class FeedForward(nn.Module):
    """The chapter's feed-forward model as a language model: its state is the last N - 1 words."""

    def __init__(self, rnns: ModuleType, V: int, N: int, D: int, H: int):
        super().__init__()
        self.rnns, self.N = rnns, N
        shapes = {"E": (V, D), "W": (H, N * D), "b": (H,), "U": (V, H), "c": (V,)}
        self.p = nn.ParameterDict(
            {name: torch.randn(shape) * scale(name, shape) for name, shape in shapes.items()}
        )

    def forward(self, tokens: Tensor, s: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """tokens (B, T) -> logits (B, T, V) and the last N - 1 words, in the beginning PAD."""
        before = tokens.new_full((len(tokens), self.N - 1), PAD) if s is None else s
        seen = torch.cat([before, tokens], dim=1)
        _, _, logits = self.rnns.feedforward(dict(self.p), seen.unfold(1, self.N, 1))
        return logits, seen[:, tokens.shape[1] :]


def scale(name: str, shape: tuple[int, ...]) -> float:
    """Return how far from 0 the first weights of the feed-forward model lie.

    >>> scale("b", (9,)), scale("E", (9, 4)), scale("W", (9, 4))
    (0.0, 1.0, 0.5)
    """
    if len(shape) == 1:
        return 0.0
    return 1.0 if name == "E" else float(shape[1] ** -0.5)
