"""A trained network as a model of the ladder. Leaves out: which networks there are (rungs)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import nn

from nextword.corpora.names import Sentences
from nextword.given.batches import Ids, ids
from nextword.models.training import n_weights

LogProbs = Callable[[Sequence[Ids]], Sequence[float]]  # ln P of each word and end of some stories
Generate = Callable[[int, torch.Generator, int], Iterable[Ids]]  # n stories of so many words


class Network:
    """A network, the ids of its words, and how it scores and writes rows of them."""

    def __init__(
        self, model: nn.Module, number: Mapping[str, int], log_probs: LogProbs, generate: Generate
    ):
        self.model, self.number, self.words = model, number, list(number)
        self._log_probs, self._generate = log_probs, generate
        self.curve: list[tuple[int, float]] = []  # words read, nats per word of validation text

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return n_weights(self.model)

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        return self._log_probs(ids(sentences, self.number))

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences that the network writes, all side by side."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        for row in self._generate(n, generator, max_words):
            yield [self.words[k] for k in row]
