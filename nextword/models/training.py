"""How the networks of chapter 4 are trained: epochs, a rate that rises and falls, early stopping.

The chapter's own functions do the work; their module is a parameter. Leaves out: the networks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import PAD, Ids, batches

Report = Callable[[float], None]  # told now and then which share of the work is done, 0 to 1
Curve = list[tuple[float, float]]  # (training loss, validation loss) of each epoch, in nats


@dataclass(frozen=True)
class Plan:
    """How long and how fast a network is trained."""

    epochs: int = 3  # times that every story is read
    size: int = 16  # stories side by side
    chunk: int = 64  # words read before each step
    rate: float = 4e-3  # the highest learning rate
    clip: float = 1.0  # the largest norm of the gradient
    patience: int = 2  # epochs without gain before training stops

    def share_of_rate(self, done: float) -> float:
        """Return the part of the rate when a share of all epochs is done: up, level, down to 0.

        >>> [round(Plan().share_of_rate(done), 2) for done in (0.01, 0.3, 0.75, 1.0)]
        [0.5, 1.0, 0.5, 0.0]
        """
        return min(1.0, done / 0.02, 2 * (1 - done))


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
    the stories follows from the seed. FloatingPointError names the step at which a loss was no
    number.
    """
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.AdamW(model.parameters(), plan.rate, (0.9, 0.98), weight_decay=0.01)
    per_epoch = -(-len(stories) // plan.size)
    n_made = 0

    def epoch() -> float:
        nonlocal n_made
        model.train()
        losses = []
        for chosen in batches(stories, plan.size, rng):
            n_made += 1
            share = n_made / (plan.epochs * per_epoch)
            optimizer.param_groups[0]["lr"] = plan.rate * plan.share_of_rate(share)
            try:
                batch = rnns.make_batch(chosen)
                losses.append(rnns.train_batch(model, optimizer, batch, plan.chunk, plan.clip))
            except FloatingPointError as error:
                raise FloatingPointError(f"batch {n_made}: {error}") from error
            report(share)
        return float(np.mean(losses))

    def validate() -> float:
        return -float(np.mean(rnns.log_probs(model, validation)))

    curve: Curve = rnns.stop_early(model, epoch, validate, plan.epochs, plan.patience)
    return curve


class Window(nn.Module):
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
