"""The reader of chapter 5: two layers of heads that guess hidden words from both sides.

Leaves out: what its vectors tell of a word's sense (nextword.models.word_senses).
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
from nextword.given.batches import BOS, PAD, Ids, ids, number_words
from nextword.models import attention_only, training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Plan, Report, half, n_weights, padded, round_to_half

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
    net = AttentionOnly(package.attention, AttentionSizes(len(number), causal=False))
    stories = ids(village.split("train", TOKENS).stories(), number)
    loss_of = partial(guess_loss, torch.Generator().manual_seed(0), net)
    with attention_only.fused_attention(net):
        training.train_on_texts(net, stories, loss_of, READING, report)
    round_to_half(net)
    held_out = ids(village.split("test", TOKENS // 20).stories(), number)
    with torch.no_grad():
        rng = torch.Generator().manual_seed(1)
        losses = [guess_loss(rng, net, held_out[k : k + 16]) for k in range(0, len(held_out), 16)]
    facts = {
        "words": list(number),
        "parameters": n_weights(net),
        "perplexity": float(torch.stack(losses).mean().exp()),
    }
    return Trained(half(net), facts)


RECIPES = (
    Recipe(
        name="attention/reader",
        train=reader,
        uses={"attention": ("MultiHead",)},
        sources=(Path(__file__), *files(attention_only, training)),
    ),
)
