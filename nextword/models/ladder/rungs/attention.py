"""One rung: two layers of heads and nothing else.

Leaves out: its training (nextword.models.teaching).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import Tensor

from nextword.corpora.names import Sentences, Texts
from nextword.given.batches import number_words, until_end
from nextword.models import attentive, teaching, training
from nextword.models.attentive import Heads, Sizes
from nextword.models.ladder.rung import Report, Rung
from nextword.models.ladder.rungs.rnns import ids
from nextword.models.training import Plan

PLAN = Plan(epochs=2, size=4, rate=4e-3)


class Looking:
    """A trained network of heads as a model of the ladder."""

    def __init__(self, net: Heads, number: dict[str, int]) -> None:
        self.net, self.number = net, number
        self.words = list(number)

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return sum(p.numel() for p in self.net.parameters())

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        return attentive.log_probs(self.net, ids(sentences, self.number))

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences that the network writes, all side by side."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        with attentive.quick(self.net):
            rows = attentive.generate(self.net, n, generator, max_words)
        for row in until_end(rows):
            yield [self.words[k] for k in row]


def train(package: SimpleNamespace, texts: Texts, report: Report) -> Looking:
    """Train two layers of heads on the training text."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    net = Heads(package.attention, Sizes(len(number)))
    stories = ids(texts.train, number)
    with attentive.quick(net):
        teaching.train(net, stories, attentive.next_word_loss, PLAN, report)
    return Looking(net, number)


def weights(model: Looking) -> dict[str, Tensor]:
    """The weights in half precision, to be shipped."""
    return {name: t.half() for name, t in model.net.state_dict().items()}


RUNGS = (
    Rung(
        name="attention only",
        step=10,
        chapters=("attention",),
        train=train,
        source=Path(__file__),
        sources=tuple(Path(str(module.__file__)) for module in (attentive, teaching, training)),
        calls=("MultiHead", "causal_mask"),
        tensors=weights,
    ),
)
