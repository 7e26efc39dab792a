"""The rungs of chapter 6: a transformer, and one whose attention is linear.

Leaves out: training them (nextword.transformer_training).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import torch
from torch import nn

from nextword import store, training, transformer_training
from nextword.corpora.batches import ids, number_words
from nextword.corpora.names import Sentences, Texts
from nextword.ladder.rung import Rung
from nextword.training import Plan, Report, half, n_weights

SIZES = {"D": 64, "L": 3, "H": 2}  # V is the text's
PLAN = Plan(steps=6000, size=8, rate=3e-3, average=0.998)
LINEAR = Plan(steps=2000, size=8, rate=3e-3, average=0.995)
TRAINED_WITH = ("initialise", "learning_rate", "train_step", "generate")


class Transformer:
    """A trained transformer as a model of the ladder."""

    def __init__(self, course: ModuleType, model: nn.Module, number: dict[str, int]):
        self.course, self.model, self.number = course, model, number
        self.words = list(number)

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return n_weights(self.model)

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        return transformer_training.log_probs(self.model, ids(sentences, self.number))

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences from the chapter's own `generate`, all side by side."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        for row in self.course.generate(self.model, [[]] * n, max_words, generator):
            yield [self.words[k] for k in row]


def train(linear: bool, package: SimpleNamespace, texts: Texts, report: Report) -> Transformer:
    """Train on whole stories of the training text."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    course, positions = package.transformers, "none" if linear else "rotary"
    sizes = course.Sizes(V=len(number), positions=positions, **SIZES)
    model = transformer_training.built(course, sizes, linear=linear)
    stories = ids(texts.train, number)
    plan = LINEAR if linear else PLAN
    source = transformer_training.without_end(stories, plan.size, np.random.default_rng(0))
    transformer_training.train(course, model, source, plan, report)
    return Transformer(course, model, number)


def shipped_transformer(course: ModuleType, texts: Texts) -> Transformer:
    """The transformer that the book ships, as it was trained: with the reader's own network."""
    number = number_words(texts.vocabulary)
    model: nn.Module = course.LanguageModel(course.Sizes(V=len(number), **SIZES))
    tensors = store.load("ladder/transformer").tensors
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return Transformer(course, model.eval(), number)


def _rung(name: str, step: float, linear: bool, calls: tuple[str, ...]) -> Rung:
    return Rung(
        name=name,
        step=step,
        train=partial(train, linear),
        uses={"transformers": ("Sizes", "LanguageModel", *TRAINED_WITH, *calls)},
        sources=(Path(__file__), *store.files(transformer_training, training)),
        tensors=lambda model: half(model.model),
    )


RUNGS = (
    _rung("linear attention", 9.5, True, ("Block", "LinearAttention", "FeedForward")),
    _rung("transformer", 11, False, ()),
)
