"""How the networks of chapter 5 learn: whole texts in padded batches, a step for each batch.

What is to be learned is a parameter: a loss. Leaves out: the networks, and stopping early.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import PAD, Ids, batches
from nextword.models.training import Plan, Report


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids as one tensor, filled up with PAD."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], True, PAD)


def train(
    net: nn.Module,
    stories: Sequence[Ids],
    loss_of: Callable[[nn.Module, Sequence[Ids]], Tensor],
    plan: Plan,
    report: Report,
) -> None:
    """Take a step for each batch of whole stories; `loss_of(net, stories)` is its loss.

    FloatingPointError names the step at which a loss was no number.
    """
    optimizer = torch.optim.AdamW(net.parameters(), plan.rate, (0.9, 0.98), weight_decay=0.01)
    rng, n_made = np.random.default_rng(0), 0
    n_steps = plan.epochs * -(-len(stories) // plan.size)
    net.train()
    for _ in range(plan.epochs):
        for chosen in batches(stories, plan.size, rng):
            n_made += 1
            optimizer.param_groups[0]["lr"] = plan.rate * plan.share_of_rate(n_made / n_steps)
            loss = loss_of(net, chosen)
            if not loss.isfinite():
                raise FloatingPointError(f"step {n_made}: the loss is {loss.item()}")
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), plan.clip)
            optimizer.step()
            report(n_made / n_steps)
    net.eval()


def half(net: nn.Module) -> dict[str, Tensor]:
    """A network's weights in half precision; from now on it computes with them as stored."""
    stored = {name: t.half() for name, t in net.state_dict().items()}
    net.load_state_dict({name: t.float() for name, t in stored.items()})
    return stored
