"""The last rung: a transformer in which a convolution stands before attention.

Leaves out: training it (nextword.models.transformer_training).
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora.names import Texts
from nextword.given.batches import number_words
from nextword.models import transformer_training as training
from nextword.models.ladder.rung import Report, Rung
from nextword.models.ladder.rungs import transformers
from nextword.models.ladder.rungs.rnns import ids
from nextword.models.transformer_training import Plan

SIZES = {"D": 64, "L": 3, "H": 2}  # V is the text's
PLAN = Plan(steps=9500, size=8, rate=3e-3, decay=0.01, average=0.998)
FIRST = 0.3  # share of each of the two words before, when training begins


class Near(nn.Module):
    """Attention to x_t + a x_(t-1) + b x_(t-2), with a and b learned for each of the D numbers.

    A head that looks for what followed a word must know of each word which one stands before it.
    Without the convolution, a whole block has to find that out. So et al. (2021, Primer) put theirs
    behind the projections to queries, keys and values.
    """

    def __init__(self, D: int, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.a, self.b = (nn.Parameter(torch.full((D,), FIRST)) for _ in range(2))

    def forward(self, x: Tensor, past: Any = None, mask: Any = None) -> tuple[Tensor, Any]:
        """x (B, T, D) -> answers (B, T, D), and what the next words need: two vectors, k and v."""
        before, past = past or (x.new_zeros(len(x), 2, x.shape[2]), None)
        row = torch.cat([before, x], dim=1)
        x = x + self.a * row[:, 1:-1] + self.b * row[:, :-2]
        y, past = self.attention(x, past, mask)
        return y, (row[:, -2:], past)


def built(course: ModuleType | Any, sizes: Any, seed: int = 0) -> nn.Module:
    """A language model of the chapter whose attention is Near, with its first weights."""

    def block(sizes: Any, causal: bool = True) -> nn.Module:
        mixer = Near(sizes.D, course.SelfAttention(sizes, causal))
        made: nn.Module = course.Block(sizes, mixer, course.FeedForward(sizes))
        return made

    model: nn.Module = course.LanguageModel(sizes, block)
    rng = torch.Generator().manual_seed(seed)
    initialised: nn.Module = course.initialise(model, rng, training.SPREAD)
    return initialised


def train(package: SimpleNamespace, texts: Texts, report: Report) -> transformers.Transformer:
    """Train on whole stories of the training text."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    course = package.transformers
    model = built(course, course.Sizes(V=len(number), **SIZES))
    source = training.without_end(ids(texts.train, number), PLAN.size, np.random.default_rng(0))
    training.train(course, model, source, PLAN, report)
    return transformers.Transformer(course, model, number)


RUNGS = (
    Rung(
        name="with convolution",
        step=12,
        chapters=("transformers",),
        train=train,
        source=Path(__file__),
        sources=tuple(Path(str(m.__file__)) for m in (training, transformers)),
        calls=(
            "Sizes",
            "LanguageModel",
            "Block",
            "SelfAttention",
            "FeedForward",
            *transformers.TRAINED_WITH,
        ),
    ),
)
