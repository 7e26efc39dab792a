"""Five rungs: Kneser-Ney models of one to five words. Leaves out: other smoothing."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from nextword.corpora.names import Sentences, Texts
from nextword.models.ladder.rung import Report, Rung

LONGEST = 5


class NGrams:
    """An n-gram model of chapter 2 as a model of the ladder."""

    def __init__(self, module: ModuleType, model: Any) -> None:
        self.module = module
        self.model = model

    @property
    def parameters(self) -> int:
        """How many counts are stored, in the tables of all orders together."""
        return sum(len(row) for table in self.model.tables for row in table.values())

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence."""
        return list(self.model.log_probs(sentences))

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences from the chapter's own `generate`."""
        # A distribution over all words is slow, and the same contexts come again and again.
        distribution = lru_cache(maxsize=20_000)(self.model.distribution)
        order = self.model.n
        self.model.distribution = lambda context=(): distribution(
            tuple(context[max(0, len(context) - order + 1) :])
        )
        try:
            for _ in range(n):
                yield list(self.module.generate(self.model, rng, max_words))
        finally:
            del self.model.distribution


def train(n: int, package: SimpleNamespace, texts: Texts, report: Report) -> NGrams:
    """Count n-grams in the training text and smooth the counts."""
    tables = package.ngrams.count_ngrams(texts.train, n)
    report(0.9)  # what is left is short
    return NGrams(package.ngrams, package.ngrams.KneserNey(tables, texts.vocabulary))


RUNGS = tuple(
    Rung(
        name=f"{n}-gram",
        step=n,
        chapters=("ngrams",),
        calls=("count_ngrams", "KneserNey", "generate"),
        train=partial(train, n),
        source=Path(__file__),
    )
    for n in range(1, LONGEST + 1)
)
