"""Transformers of attention only, built from the reader's own `MultiHead`: what they say and learn.

They serve the ladder, the shipped models and the page. The module that holds the heads is a
parameter. Leaves out: feed-forward layers and normalisation, which chapter 6 adds.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.given.batches import BOS, EOS, PAD, Ids
from nextword.models.training import padded


@dataclass(frozen=True)
class AttentionSizes:
    """The sizes of a network of heads."""

    V: int  # ids of words
    D: int = 128  # numbers in a vector
    H: int = 8  # heads in a layer
    L: int = 2  # layers
    longest: int = 400  # places with a vector of their own; all later ones share the last
    causal: bool = True  # each word sees itself and those before it; False: all words see all


class AttentionOnly(nn.Module):
    """Vectors of words and of places, layers of heads whose answers are added on, logits."""

    def __init__(self, attention: ModuleType, sizes: AttentionSizes) -> None:
        super().__init__()
        self.attention, self.sizes = attention, sizes
        self.embed = nn.Embedding(sizes.V, sizes.D)
        self.place = nn.Embedding(sizes.longest, sizes.D)
        self.layers = nn.ModuleList(attention.MultiHead(sizes.D, sizes.H) for _ in range(sizes.L))
        self.out = nn.Linear(sizes.D, sizes.V)
        nn.init.normal_(self.embed.weight, std=0.5)
        with torch.no_grad():
            self.place.weight.copy_(0.5 * waves(sizes.longest, sizes.D))

    def vectors(self, tokens: Tensor) -> list[Tensor]:
        """The vectors of all words, (B, T, D), before the first layer and after each layer."""
        T = tokens.shape[1]
        places = torch.arange(T, device=tokens.device).clamp(max=self.sizes.longest - 1)
        mask = (tokens != PAD)[:, None]
        if self.sizes.causal:  # what follows a word is hidden, padding with it
            mask = self.attention.causal_mask(T).to(tokens.device)
        found = [self.embed(tokens) + self.place(places)]
        for layer in self.layers:
            found.append(found[-1] + layer(found[-1], mask)[0])
        return found

    def forward(self, tokens: Tensor) -> Tensor:
        """The logits, (B, T, V): of the next word in a causal network."""
        logits: Tensor = self.out(self.vectors(tokens)[-1])
        return logits


def waves(n: int, D: int) -> Tensor:
    """First vectors of n places: sines and cosines of D / 2 frequencies (Vaswani et al. 2017).

    With them, to look one place back is a linear map; from random vectors it takes longer to learn.
    """
    angles = torch.arange(n)[:, None] * 10_000.0 ** (-torch.arange(0, D, 2) / D)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Look by torch's one call: at least twice as fast, but it returns no weights."""
    return F.scaled_dot_product_attention(q, k, v, mask), q.new_empty(0)


@contextmanager
def fused_attention(net: AttentionOnly) -> Iterator[None]:
    """Inside, the layers look by `fused`."""
    before = [layer.look for layer in net.layers]
    try:
        for layer in net.layers:
            layer.look = fused  # type: ignore[assignment]
        yield
    finally:
        for layer, look in zip(net.layers, before, strict=True):
            layer.look = look


def next_word_loss(net: nn.Module, stories: Sequence[Ids]) -> Tensor:
    """The mean of -ln P of all words and ends of stories."""
    inputs = padded([[BOS, *story] for story in stories])
    targets = padded([[*story, EOS] for story in stories])
    return F.cross_entropy(net(inputs).flatten(0, 1), targets.flatten(), ignore_index=PAD)


@torch.no_grad()
def log_probs(net: nn.Module, stories: Sequence[Ids], size: int = 32) -> list[float]:
    """ln P of each word and each end, in one flat list; each story from its own beginning."""
    found: list[float] = []
    for k in range(0, len(stories), size):
        chosen = stories[k : k + size]
        targets = padded([[*story, EOS] for story in chosen])
        log_p = net(padded([[BOS, *story] for story in chosen])).log_softmax(-1)
        of_targets = log_p.gather(-1, targets[:, :, None])[:, :, 0]
        found += of_targets[targets != PAD].tolist()
    return found


@torch.no_grad()
def generate(net: AttentionOnly, n: int, rng: torch.Generator, max_words: int) -> list[list[int]]:
    """Write n stories side by side, word by word, up to EOS or `max_words` words."""
    rows, of = torch.full((n, 1), BOS), torch.arange(n)
    found: list[list[int]] = [[] for _ in range(n)]
    while len(of) and rows.shape[1] <= max_words:
        chances = net.out(net.vectors(rows)[-1][:, -1]).softmax(-1)
        chances[:, [PAD, BOS]] = 0.0
        words = torch.multinomial(chances, 1, generator=rng)
        for k, word in zip(of.tolist(), words[:, 0].tolist(), strict=True):
            found[k].append(word)
        goes_on = words[:, 0] != EOS
        rows, of = torch.cat([rows, words], dim=1)[goes_on], of[goes_on]
    return found
