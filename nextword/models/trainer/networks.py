"""The kinds of networks that `nextword train` trains, all of the package under test.

Each reads tokens and returns logits and what the next call takes as `past`, so that one trainer and
one writer serve all. Leaves out: how the chapters build them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from examiner.plural import count
from nextword.models import attention_only, training, transformer_training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.trainer.config import RECURRENT, Config

Parts = Sequence[tuple[Tensor, Tensor]]  # inputs and targets of a step, part by part
CELLS = {"rnn": "ElmanCell", "lstm": "LSTMCell", "gru": "GRUCell"}
CALLED = {
    "transformer": "a transformer",
    "linear-attention": "a transformer with linear attention",
    "attention": "a transformer without feed-forward layers",
    "rnn": "an RNN",
    "lstm": "an LSTM",
    "gru": "a GRU",
}
OPEN = 1.0  # the bias with which an LSTM's forget gates begin


def chapter(kind: str) -> str:
    """The chapter whose module a kind is built from.

    >>> chapter("lstm"), chapter("attention"), chapter("transformer")
    ('rnns', 'attention', 'transformers')
    """
    if kind in RECURRENT:
        return "rnns"
    return "attention" if kind == "attention" else "transformers"


class Looking(nn.Module):
    """Chapter 5's heads and nothing else, called as the other kinds: its past are the tokens."""

    def __init__(self, attention: ModuleType, sizes: AttentionSizes) -> None:
        super().__init__()
        self.net = AttentionOnly(attention, sizes)

    def forward(self, tokens: Tensor, past: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """tokens (B, T) -> logits (B, T, V), and all tokens so far."""
        rows = tokens if past is None else torch.cat([past, tokens], dim=1)
        # the net makes its places and masks where torch makes new tensors
        with attention_only.fused_attention(self.net), tokens.device:
            logits = self.net(rows)
        return logits[:, -tokens.shape[1] :], rows


def build(course: ModuleType, config: Config, V: int) -> nn.Module:
    """The reader's network of the configured kind and sizes, with its first weights."""
    if config.kind in RECURRENT:
        torch.manual_seed(config.seed)
        return _recurrent(course, config, V)
    if config.kind == "attention":
        torch.manual_seed(config.seed)
        sizes = AttentionSizes(V, config.D, config.heads, config.layers, longest=config.T)
        return Looking(course, sizes)
    return _transformer(course, config, V)


def _transformer(course: ModuleType, config: Config, V: int) -> nn.Module:
    sizes = course.Sizes(
        *(V, config.D, config.layers, config.heads),
        G=config.G,
        F=config.F,
        T=config.T,
        **{
            name: getattr(config, name)
            for name in ("positions", "feed", "norm", "pre", "tied", "bias", "dropout")
        },
    )
    if config.kind == "linear-attention":
        block = transformer_training.block_with(course, course.LinearAttention)
        model: nn.Module = course.LanguageModel(sizes, block)
    else:
        model = course.LanguageModel(sizes)
    made: nn.Module = course.initialise(model, torch.Generator().manual_seed(config.seed))
    return made


def _recurrent(course: ModuleType, config: Config, V: int) -> nn.Module:
    H = config.F or config.D
    cell = getattr(course, CELLS[config.kind])
    model: nn.Module = course.LanguageModel(
        *(V, config.D, H, cell), L=config.layers, dropout=config.dropout, tied=config.tied
    )
    if config.kind == "lstm":
        for layer in model.cells:  # type: ignore[union-attr]
            layer.W.bias.data[H : 2 * H] = OPEN
    return model


def rate(course: ModuleType, config: Config) -> Callable[[int], float]:
    """The learning rate of a step: chapter 6's own function, and its formula for other kinds."""
    chosen = getattr(course, "learning_rate", warmed_cosine)
    return partial(_rate, chosen, config)


def _rate(chosen: Callable[..., float], config: Config, step: int) -> float:
    return float(chosen(step, config.rate, config.warm_up, config.steps))


def warmed_cosine(step: int, peak: float, warm_up: int, steps: int) -> float:
    """A line up to the peak, then a cosine down to 0 at the last step.

    >>> [round(warmed_cosine(step, 1.0, 2, 6), 2) for step in range(7)]
    [0.5, 1.0, 1.0, 0.85, 0.5, 0.15, 0.0]
    """
    if step < warm_up:
        return peak * (step + 1) / warm_up
    share = min(1.0, (step - warm_up) / max(1, steps - warm_up))
    return peak * (1 + math.cos(math.pi * share)) / 2


def make_step(
    course: ModuleType,
    config: Config,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    parts: Parts,
) -> float:
    """One step of the optimizer by the chapter's own function; the mean loss, in nats."""
    if config.kind in RECURRENT:
        ((inputs, targets),) = parts
        return float(course.train_batch(model, optimizer, (inputs, targets), config.T, config.clip))
    if config.kind == "attention":  # chapter 5 has no step of its own
        return training.minimise(optimizer, partial(_mean_loss, model), config.clip)(parts)
    return float(course.train_step(model, optimizer, parts, config.clip))


def _mean_loss(model: nn.Module, parts: Parts) -> Tensor:
    losses = [F.cross_entropy(model(inputs)[0].mT, targets) for inputs, targets in parts]
    return torch.stack(losses).mean()


def sees_at_most(config: Config) -> int | None:
    """How many tokens a network is shown when it writes; None for one that carries a state on."""
    return None if config.kind in (*RECURRENT, "linear-attention") else config.T


def described(config: Config) -> str:
    """A network in words.

    >>> described(Config())
    'a transformer of 3 blocks, 2 heads, width 64'
    """
    parts = [count(config.layers, "layer" if config.kind in RECURRENT else "block")]
    if config.kind in RECURRENT:
        parts.append(f"state {config.F or config.D}")
    else:
        parts.append(count(config.heads, "head"))
    return f"{CALLED[config.kind]} of {', '.join(parts)}, width {config.D}"
