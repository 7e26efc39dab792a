"""The rungs of chapter 6: a transformer, one with linear attention, and one with a convolution.

Leaves out: training them (nextword.models.transformer_training).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora.names import Texts
from nextword.given import batches
from nextword.given.batches import ids, number_words
from nextword.models import store, training, transformer_training
from nextword.models.ladder import network
from nextword.models.ladder.network import Network
from nextword.models.ladder.rung import Rung
from nextword.models.training import Plan, Report, half
from nextword.models.transformer_training import Layer, block_with

SIZES = {"D": 64, "L": 3, "H": 2}  # V is the text's
PLAN = Plan(steps=12_000, size=8, rate=3e-3, average=0.998)
LINEAR = Plan(steps=2000, size=8, rate=3e-3, average=0.995)
CONVOLUTION = Plan(steps=12_000, size=8, rate=3e-3, average=0.998)
FIRST = 0.3  # share of each of the two words before, when training with a convolution begins


def convolution(
    x: Tensor, a: Tensor, b: Tensor, before: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """x_t + a x_(t-1) + b x_(t-2), (B, T, D), and the last two of x, which the next words need.

    a, b: (D,). before: the two that stand before x, (B, 2, D); None: zeros, as at the beginning.

    >>> x, a, b = torch.tensor([[[1.0], [10.0], [100.0]]]), torch.tensor([2.0]), torch.tensor([3.0])
    >>> convolution(x, a, b)[0].flatten().tolist()  # 1, 10 + 2 1, 100 + 2 10 + 3 1
    [1.0, 12.0, 123.0]
    """
    if before is None:
        before = x.new_zeros(len(x), 2, x.shape[2])
    row = torch.cat([before, x], dim=1)
    return x + a * row[:, 1:-1] + b * row[:, :-2], row[:, -2:]


def shares(D: int) -> tuple[nn.Parameter, nn.Parameter]:
    """The shares of the two words before, a and b, when training begins."""
    a, b = (nn.Parameter(torch.full((D,), FIRST)) for _ in range(2))
    return a, b


class ConvolvedAttention(nn.Module):
    """Attention to x_t + a x_(t-1) + b x_(t-2), with a and b learned for each of the D numbers.

    A head that looks for what followed a word must know of each word which one stands before it.
    Without the convolution, a whole block has to find that out. So et al. (2021, Primer) put theirs
    behind the projections to queries, keys and values.
    """

    def __init__(self, D: int, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.a, self.b = shares(D)

    def forward(self, x: Tensor, past: Any = None, mask: Any = None) -> tuple[Tensor, Any]:
        """x (B, T, D) -> answers (B, T, D), and what the next words need: two vectors, k and v."""
        before, past = past or (None, None)
        x, before = convolution(x, self.a, self.b, before)
        y, past = self.attention(x, past, mask)
        return y, (before, past)


def convolved(course: ModuleType | Any) -> Layer:
    """The chapter's block, with a convolution before its attention."""
    return block_with(
        course,
        lambda sizes, causal: ConvolvedAttention(sizes.D, course.SelfAttention(sizes, causal)),
    )


def as_rung(course: ModuleType, model: nn.Module, number: dict[str, int]) -> Network:
    """A transformer that scores and writes with the chapter's own functions."""
    return Network(
        model,
        number,
        partial(transformer_training.log_probs, model),
        lambda n, rng, max_words: course.generate(model, [[]] * n, max_words, rng),
    )


def train(
    model: nn.Module, plan: Plan, course: ModuleType, texts: Texts, report: Report
) -> Network:
    """Train on whole stories of the training text."""
    number = number_words(texts.vocabulary)
    stories = ids(texts.train, number)
    source = transformer_training.without_end(stories, plan.size, np.random.default_rng(0))
    transformer_training.train(course, model, source, plan, report)
    return as_rung(course, model, number)


def built(
    course: ModuleType, texts: Texts, block: Layer | None = None, seed: int = 0, **sizes: Any
) -> nn.Module:
    """A network of the rungs' sizes with its first weights."""
    V = len(number_words(texts.vocabulary))
    return transformer_training.built(course, course.Sizes(V=V, **SIZES, **sizes), block, seed=seed)


def plain(package: SimpleNamespace, texts: Texts, report: Report) -> Network:
    """The transformer of the chapter."""
    course = package.transformers
    return train(built(course, texts), PLAN, course, texts, report)


def linear(package: SimpleNamespace, texts: Texts, report: Report) -> Network:
    """A transformer whose attention is linear; it is told nothing of places."""
    course = package.transformers
    block = block_with(course, course.LinearAttention)
    model = built(course, texts, block, positions="none")
    return train(model, LINEAR, course, texts, report)


def with_convolution(package: SimpleNamespace, texts: Texts, report: Report) -> Network:
    """A transformer in which a convolution stands before attention."""
    course = package.transformers
    return train(built(course, texts, convolved(course)), CONVOLUTION, course, texts, report)


def shipped_transformer(course: ModuleType, texts: Texts) -> Network:
    """The transformer that the book ships, as it was trained: with the reader's own network."""
    number = number_words(texts.vocabulary)
    model: nn.Module = course.LanguageModel(course.Sizes(V=len(number), **SIZES))
    tensors = store.load("ladder/transformer").tensors
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return as_rung(course, model.eval(), number)


CALLED = ("Sizes", "LanguageModel", "initialise", "learning_rate", "train_step", "generate")
SOURCES = (Path(__file__), *store.files(network, transformer_training, training, batches))
RUNGS = (
    Rung(
        name="linear attention",
        step=9.5,
        train=linear,
        uses={"transformers": (*CALLED, "Block", "LinearAttention", "FeedForward")},
        sources=SOURCES,
        tensors=lambda made: half(made.model),
    ),
    Rung(
        name="transformer",
        step=11,
        train=plain,
        uses={"transformers": CALLED},
        sources=SOURCES,
        tensors=lambda made: half(made.model),
    ),
    Rung(
        name="with convolution",
        step=12,
        train=with_convolution,
        uses={"transformers": (*CALLED, "Block", "SelfAttention", "FeedForward")},
        sources=SOURCES,
    ),
)
