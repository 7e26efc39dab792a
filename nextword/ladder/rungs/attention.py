"""One rung: two layers of heads and nothing else. Leaves out: its training (nextword.training)."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from nextword import attention_only, training
from nextword.attention_only import AttentionOnly, AttentionSizes
from nextword.corpora.batches import ids, number_words, until_end
from nextword.corpora.names import Sentences, Texts
from nextword.ladder.rung import Rung
from nextword.store import files
from nextword.training import Plan, Report, half, n_weights

PLAN = Plan(epochs=2, size=4, rate=4e-3)


class Network:
    """A trained network of heads as a model of the ladder."""

    def __init__(self, net: AttentionOnly, number: dict[str, int]) -> None:
        self.net, self.number = net, number
        self.words = list(number)

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return n_weights(self.net)

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        return attention_only.log_probs(self.net, ids(sentences, self.number))

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences that the network writes, all side by side."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        with attention_only.fused_attention(self.net):
            rows = attention_only.generate(self.net, n, generator, max_words)
        for row in until_end(rows):
            yield [self.words[k] for k in row]


def train(package: SimpleNamespace, texts: Texts, report: Report) -> Network:
    """Train two layers of heads on the training text."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    net = AttentionOnly(package.attention, AttentionSizes(len(number)))
    stories = ids(texts.train, number)
    with attention_only.fused_attention(net):
        next_word_loss = partial(attention_only.next_word_loss, net)
        training.train_on_texts(net, stories, next_word_loss, PLAN, report)
    return Network(net, number)


RUNGS = (
    Rung(
        name="attention only",
        step=10,
        train=train,
        uses={"attention": ("MultiHead", "causal_mask")},
        sources=(Path(__file__), *files(attention_only, training)),
        tensors=lambda model: half(model.net),
    ),
)
