"""The families of networks that the study compares, each at any size.

A network takes ids (B, T) and returns the logits of each next word (B, T, V) and what the chapters'
networks keep for the words after. Those of chapters 3 and 4 are built from torch's own layers,
which compute the same and twice as fast; those of chapters 5 and 6 from the reader's classes.
Leaves out: n-grams, which are not trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.given.batches import BOS
from nextword.models import attention_only, transformer_training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.ladder.rungs.transformers import convolved
from nextword.models.training import n_weights
from nextword.models.transformer_training import block_with

WINDOW = 4  # words that the networks with a window see
BEFORE_HIDDEN = 64  # numbers in the vector of a word, before the hidden layer of a window
BLOCKS = 3  # of a transformer
OPEN = 2.0  # the bias with which an LSTM's forget gates begin: sigmoid(2) = 0.88

Build = Callable[[SimpleNamespace, int, int], nn.Module]  # from chapters, ids, and the width


@dataclass(frozen=True)
class Family:
    """Networks that differ in their size alone."""

    name: str
    build: Build
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # as in a `Recipe`
    multiple: int = 1  # of what a width must be

    def sized(self, package: SimpleNamespace, V: int, wanted: int, seed: int) -> nn.Module:
        """The network whose number of weights is nearest to `wanted`, with its first weights."""

        def made(k: int) -> nn.Module:
            torch.manual_seed(seed)
            return self.build(package, V, k * self.multiple)

        low, high = 1, 2
        while n_weights(made(high)) <= wanted:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if n_weights(made(middle)) <= wanted else (low, middle)
        return min((made(low), made(high)), key=lambda net: abs(n_weights(net) - wanted))


# ------------------------------------------------------------------ windows
class Window(nn.Module):
    """The next word from the last WINDOW words: log-bilinear, or with a hidden layer.

    Log-bilinear (Mnih and Hinton 2007, with a diagonal matrix for each place): h is the sum of the
    words' vectors, each weighted by its place. Feed-forward (Bengio et al. 2003): h = tanh(W [..]).
    """

    def __init__(self, V: int, D: int, H: int = 0) -> None:
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.hidden = nn.Linear(WINDOW * D, H) if H else None
        if not H:
            self.places = nn.Parameter(torch.full((WINDOW, D), 1 / WINDOW))
        self.out = nn.Linear(H or D, V)

    def forward(self, tokens: Tensor) -> tuple[Tensor, None]:
        """tokens (B, T) -> logits (B, T, V); before a story stand begin symbols."""
        x = self.embed(F.pad(tokens, (WINDOW - 1, 0), value=BOS))  # (B, T + WINDOW - 1, D)
        seen = x.unfold(1, WINDOW, 1)  # (B, T, D, WINDOW)
        if isinstance(self.hidden, nn.Linear):
            return self.out(self.hidden(seen.flatten(2)).tanh()), None
        return self.out((seen * self.places.T).sum(-1)), None


# ------------------------------------------------------------------ states
class Recurrent(nn.Module):
    """One layer of cells over the whole story, and an output of its own.

    spread: standard deviation of the words' first vectors. tied: the output uses these vectors.
    """

    def __init__(
        self,
        kind: Callable[..., nn.RNNBase],
        V: int,
        H: int,
        spread: float = 1.0,
        tied: bool = False,
    ) -> None:
        super().__init__()
        self.embed = nn.Embedding(V, H)
        nn.init.normal_(self.embed.weight, std=spread)
        self.net = kind(H, H, batch_first=True)
        self.out = nn.Linear(H, V)
        if tied:
            self.out.weight = self.embed.weight
        if isinstance(self.net, nn.LSTM):  # torch adds two biases: one is set, the other is 0
            with torch.no_grad():
                self.net.get_parameter("bias_ih_l0")[H : 2 * H] = OPEN
                self.net.get_parameter("bias_hh_l0").zero_()

    def forward(self, tokens: Tensor) -> tuple[Tensor, Any]:
        """tokens (B, T) -> logits (B, T, V) and the last state."""
        h, last = self.net(self.embed(tokens))
        return self.out(h), last


# ------------------------------------------------------------------ attention
class Heads(nn.Module):
    """Two layers of heads of chapter 5 and nothing else."""

    def __init__(self, package: SimpleNamespace, V: int, D: int) -> None:
        super().__init__()
        self.net = AttentionOnly(package.attention, AttentionSizes(V, D, H=8))
        for layer in self.net.layers:
            layer.look = attention_only.fused  # type: ignore[assignment]

    def forward(self, tokens: Tensor) -> tuple[Tensor, None]:
        """tokens (B, T) -> logits (B, T, V)."""
        return self.net(tokens), None


def heads_of(width: int) -> int:
    """Two heads in a narrow network, four in a wide one: each has about 30 numbers.

    >>> heads_of(64), heads_of(120)
    (2, 4)
    """
    return 2 if width < 96 else 4


def transformer(mixer: str, package: SimpleNamespace, V: int, width: int) -> nn.Module:
    """Three blocks of chapter 6, with what mixes the words: "attention", "linear" or "convolved".

    Linear attention is told nothing of places.
    """
    course: Any = package.transformers
    blocks = {"attention": lambda: None, "convolved": lambda: convolved(course)}
    blocks["linear"] = lambda: block_with(course, course.LinearAttention)
    places = {"positions": "none"} if mixer == "linear" else {}
    sizes = course.Sizes(V=V, D=width, L=BLOCKS, H=heads_of(width), **places)
    seed = int(torch.randint(2**31, ()))  # so that the weights follow from torch's seed
    return transformer_training.built(course, sizes, blocks[mixer](), seed=seed)


# ------------------------------------------------------------------ operations
def operations(net: nn.Module, length: float) -> float:
    """Operations to train on a word: 6 for each weight that multiplies (Kaplan et al. 2020).

    A vector that is looked up multiplies nothing, unless it is the output's as well. To this comes
    what attention compares and mixes: 12 operations for each number of a word's vector in each
    layer and each of the words before, of which there are half of a story (`length`) on average;
    with linear attention for each number of the state.
    """
    ends = {id(m.weight) for m in net.modules() if isinstance(m, nn.Linear)}
    vectors = [m for m in net.modules() if isinstance(m, nn.Embedding)]
    tied = getattr(getattr(net, "sizes", None), "tied", False)
    looked_up = 0 if tied else sum(m.weight.numel() for m in vectors if id(m.weight) not in ends)
    return 6.0 * (n_weights(net) - looked_up) + 12.0 * _compared(net, length)


def _compared(net: nn.Module, length: float) -> float:
    """Numbers that a word's attention compares, and then mixes, in all layers."""
    sizes: Any = getattr(getattr(net, "net", net), "sizes", None)
    if sizes is None:
        return 0.0
    if getattr(sizes, "positions", "") == "none":  # linear attention: a state of D x D / H numbers
        return float(sizes.L * sizes.D * sizes.D / sizes.H)
    return float(sizes.L * sizes.D * length / 2)


# ------------------------------------------------------------------ all of them
def _recurrent(name: str, kind: Callable[..., nn.RNNBase]) -> Family:
    return Family(name, lambda package, V, width: Recurrent(kind, V, width))


def _of_blocks(name: str, mixer: str, *parts: str) -> Family:
    called = ("Sizes", "LanguageModel", "initialise", "Block", "FeedForward", *parts)
    return Family(name, partial(transformer, mixer), {"transformers": called}, multiple=8)


FAMILIES = (
    Family("log-bilinear", lambda package, V, width: Window(V, width)),
    Family("feed-forward", lambda package, V, width: Window(V, BEFORE_HIDDEN, width)),
    _recurrent("RNN", nn.RNN),
    _recurrent("LSTM", nn.LSTM),
    _recurrent("GRU", nn.GRU),
    _of_blocks("linear attention", "linear", "LinearAttention"),
    Family("attention only", Heads, {"attention": ("MultiHead", "causal_mask")}, multiple=8),
    _of_blocks("transformer", "attention", "SelfAttention"),
    _of_blocks("with convolution", "convolved", "SelfAttention"),
)
