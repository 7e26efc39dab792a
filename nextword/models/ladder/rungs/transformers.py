"""The rungs of chapter 6: a transformer, and one whose attention is linear.

Leaves out: training them (nextword.models.transformer_training).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora.names import Sentences, Texts
from nextword.given.batches import number_words
from nextword.models import transformer_training as training
from nextword.models.ladder.rung import Report, Rung
from nextword.models.ladder.rungs.rnns import ids
from nextword.models.transformer_training import Plan

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
        return sum(p.numel() for p in self.model.parameters())

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        return training.log_probs(self.model, ids(sentences, self.number))

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
    model = training.built(course, sizes, linear=linear)
    stories = ids(texts.train, number)
    plan = LINEAR if linear else PLAN
    source = training.without_end(stories, plan.size, np.random.default_rng(0))
    training.train(course, model, source, plan, report)
    return Transformer(course, model, number)


def shipped(course: ModuleType, texts: Texts) -> Transformer:
    """The transformer that the book ships, as it was trained: with the reader's own network."""
    from nextword.models import shipped

    number = number_words(texts.vocabulary)
    model: nn.Module = course.LanguageModel(course.Sizes(V=len(number), **SIZES))
    tensors = shipped.load("ladder/transformer").tensors
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    return Transformer(course, model.eval(), number)


def weights(model: Transformer) -> dict[str, Tensor]:
    """The weights, to be shipped."""
    return {name: t.half() for name, t in model.model.state_dict().items()}


def _rung(name: str, step: float, linear: bool, calls: tuple[str, ...]) -> Rung:
    return Rung(
        name=name,
        step=step,
        chapters=("transformers",),
        train=partial(train, linear),
        source=Path(__file__),
        sources=(Path(training.__file__),),
        calls=("Sizes", "LanguageModel", *TRAINED_WITH, *calls),
        tensors=weights,
    )


RUNGS = (
    _rung("linear attention", 9.5, True, ("Block", "LinearAttention", "FeedForward")),
    _rung("transformer", 11, False, ()),
)
