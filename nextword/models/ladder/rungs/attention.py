"""One rung: two layers of heads and nothing else.

Leaves out: its training (nextword.models.training).
"""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import torch

from nextword.corpora.names import Texts
from nextword.given import batches
from nextword.given.batches import ids, number_words, until_end
from nextword.models import attention_only, training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.ladder import network
from nextword.models.ladder.network import Network
from nextword.models.ladder.rung import Rung
from nextword.models.store import files
from nextword.models.training import Plan, Report, half

PLAN = Plan(epochs=2, size=4, rate=4e-3)


def train(package: SimpleNamespace, texts: Texts, report: Report) -> Network:
    """Train two layers of heads on the training text."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    net = AttentionOnly(package.attention, AttentionSizes(len(number)))
    stories = ids(texts.train, number)
    with attention_only.fused_attention(net):
        next_word_loss = partial(attention_only.next_word_loss, net)
        training.train_on_texts(net, stories, next_word_loss, PLAN, report)

    def generate(n: int, rng: torch.Generator, max_words: int) -> list[list[int]]:
        with attention_only.fused_attention(net):
            return until_end(attention_only.generate(net, n, rng, max_words))

    return Network(net, number, partial(attention_only.log_probs, net), generate)


RUNGS = (
    Rung(
        name="attention only",
        step=10,
        train=train,
        uses={"attention": ("MultiHead", "causal_mask")},
        sources=(Path(__file__), *files(network, attention_only, training, batches)),
        tensors=lambda made: half(made.model),
    ),
)
