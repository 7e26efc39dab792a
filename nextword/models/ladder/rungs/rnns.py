"""Four rungs: the networks of chapter 4, from the window to the GRU. Leaves out: training them."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora.names import Sentences, Texts
from nextword.given import batches
from nextword.given.batches import number_words
from nextword.models import training
from nextword.models.ladder.rung import Report, Rung
from nextword.models.training import Plan, Window

VALIDATION = 200  # stories on which training decides when to stop
PROBE = 50  # of them, on which the learning curve is measured
PLACES = tuple(np.geomspace(0.005, 1, 16))  # shares of the training at which it is
OPEN = 2.0  # the bias with which forget gates begin: sigmoid(2) = 0.88
TRAINED_WITH = ("make_batch", "log_probs", "train_batch", "stop_early", "generate")
Build = Callable[[ModuleType, int], nn.Module]  # from the chapter and the number of ids


class Network:
    """A trained network of chapter 4 as a model of the ladder."""

    def __init__(self, rnns: ModuleType, model: nn.Module, number: dict[str, int]):
        self.rnns, self.model, self.number = rnns, model, number
        self.words = list(number)
        self.curve: list[tuple[int, float]] = []  # words read, nats per word of validation text

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return sum(p.numel() for p in self.model.parameters())

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, each read from its own beginning."""
        found: Sequence[float] = self.rnns.log_probs(self.model, ids(sentences, self.number))
        return found

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences from the chapter's own `generate`, all side by side."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        for row in self.rnns.generate(self.model, n, generator, max_words):
            yield [self.words[k] for k in row]


def ids(sentences: Sentences, number: dict[str, int]) -> list[list[int]]:
    """The sentences as rows of ids."""
    return [[number[word] for word in sentence] for sentence in sentences]


def feedforward(rnns: ModuleType, V: int) -> nn.Module:
    """The words of a window of four, as far as the 5-gram model sees."""
    return Window(rnns, V, N=4, D=32, H=192)


def recurrent(cell: str, rnns: ModuleType, V: int, bias: float = OPEN) -> nn.Module:
    """One layer of cells over the whole story; `bias` is where an LSTM's forget gates begin."""
    D, H = 64, 128
    model: nn.Module = rnns.LanguageModel(V, D, H, getattr(rnns, cell))
    if cell == "LSTMCell":
        model.cells[0].W.bias.data[H : 2 * H] = bias  # type: ignore[index, union-attr]
    return model


def train(
    build: Build, plan: Plan, package: SimpleNamespace, texts: Texts, report: Report
) -> Network:
    """Train a network on the training text; stop when the validation text says so."""
    torch.manual_seed(0)
    number = number_words(texts.vocabulary)
    model = build(package.rnns, len(number))
    stories, others = ids(texts.train, number), ids(texts.validation[:VALIDATION], number)
    network = Network(package.rnns, model, number)
    n_read = plan.epochs * sum(len(story) + 1 for story in stories)

    def probe(done: float) -> None:
        if done > (*PLACES, math.inf)[len(network.curve)] - 1e-9:
            surprise = -float(np.mean(package.rnns.log_probs(model, others[:PROBE])))
            network.curve.append((round(done * n_read), round(surprise, 4)))
            model.train()
        report(done)

    training.train(package.rnns, model, stories, others, plan, report=probe)
    return network


def weights(network: Network) -> dict[str, Tensor]:
    """The weights, to be shipped."""
    return dict(network.model.state_dict())


def learning_curve(network: Network) -> dict[str, list[tuple[int, float]]]:
    """The learning curve, to be shipped: (words read, nats per word of validation text)."""
    return {"curve": network.curve}


def _rung(name: str, step: int, calls: tuple[str, ...], build: Build, plan: Plan) -> Rung:
    return Rung(
        name=name,
        step=step,
        chapters=("rnns",),
        train=partial(train, build, plan),
        source=Path(__file__),
        sources=tuple(Path(str(module.__file__)) for module in (training, batches)),
        calls=(*TRAINED_WITH, *calls),
        tensors=weights,
        facts=learning_curve,
    )


RUNGS = (
    _rung("feed-forward", 6, ("feedforward",), feedforward, Plan(2, 16, 256, 4e-3)),
    *(
        _rung(name, step, ("LanguageModel", cell), partial(recurrent, cell), plan)
        for name, step, cell, plan in (
            ("RNN", 7, "ElmanCell", Plan(2, 16, 64, 4e-3)),
            ("LSTM", 8, "LSTMCell", Plan(2, 16, 64, 8e-3)),
            ("GRU", 9, "GRUCell", Plan(2, 16, 64, 6e-3)),
        )
    ),
)
