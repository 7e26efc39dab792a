"""The reader of chapter 5: two layers of heads that guess hidden words from both sides.

Leaves out: what its vectors tell of a word's sense (nextword.models.senses).
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.corpora import village
from nextword.given.batches import BOS, PAD, Ids, number_words
from nextword.models import attentive, teaching, training
from nextword.models.attentive import Heads, Sizes
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.teaching import padded
from nextword.models.training import Plan

TOKENS = 1_000_000  # of the village, that the reader reads
READING = Plan(epochs=3, size=4, rate=4e-3)
HIDDEN = BOS  # stands in place of a word that the reader must guess; no story has it inside
SHARE = 0.15  # of the words, that are hidden


def guess_loss(rng: torch.Generator, net: nn.Module, stories: Sequence[Ids]) -> Tensor:
    """The mean of -ln P of words that are hidden, all others in view."""
    words = padded(stories)
    hidden = (torch.rand(words.shape, generator=rng) < SHARE) & (words != PAD)
    last: Any = net.vectors(words.masked_fill(hidden, HIDDEN))[-1]  # type: ignore[operator]
    return F.cross_entropy(net.out(last[hidden]), words[hidden])  # type: ignore[operator]


def reader(package: SimpleNamespace, report: Report) -> Trained:
    """Train two layers of heads to guess hidden words of stories from both sides."""
    torch.manual_seed(0)
    number = number_words(village.VOCABULARY)
    net = Heads(package.attention, Sizes(len(number), causal=False))
    stories = [[number[w] for w in story] for story in village.split("train", TOKENS).stories()]
    loss_of = partial(guess_loss, torch.Generator().manual_seed(0))
    with attentive.quick(net):
        teaching.train(net, stories, loss_of, READING, report)
    tensors = teaching.half(net)
    held_out = village.split("test", TOKENS // 20).stories()
    with torch.no_grad():
        rng = torch.Generator().manual_seed(1)
        told = [
            guess_loss(rng, net, [[number[w] for w in story] for story in held_out[k : k + 16]])
            for k in range(0, len(held_out), 16)
        ]
    facts = {
        "words": list(number),
        "parameters": sum(p.numel() for p in net.parameters()),
        "perplexity": float(torch.stack(told).mean().exp()),
    }
    return Trained(tensors, facts)


RECIPES = (
    Recipe(
        name="attention/reader",
        train=reader,
        uses={"attention": ("MultiHead",)},
        sources=(
            Path(__file__),
            *(Path(str(module.__file__)) for module in (attentive, teaching, training)),
        ),
    ),
)
