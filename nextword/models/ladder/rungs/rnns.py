"""Four rungs: the networks of chapter 4, from the window to the GRU. Leaves out: training them."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import torch
from torch import nn

from nextword.corpora.names import Texts
from nextword.given import batches
from nextword.given.batches import ids, number_words
from nextword.models import rnn_training, training
from nextword.models.ladder import network as networks
from nextword.models.ladder.network import Network
from nextword.models.ladder.rung import Rung
from nextword.models.rnn_training import FeedForward
from nextword.models.store import files
from nextword.models.training import Plan, Report

VALIDATION = 200  # stories on which training decides when to stop
PROBE = 50  # of them, on which the learning curve is measured
PLACES = tuple(np.geomspace(0.005, 1, 16))  # shares of the training at which it is
OPEN = 2.0  # the bias with which forget gates begin: sigmoid(2) = 0.88
TRAINED_WITH = ("make_batch", "log_probs", "train_batch", "stop_early", "generate")
Build = Callable[[ModuleType, int], nn.Module]  # from the chapter and the number of ids


def feedforward(rnns: ModuleType, V: int) -> nn.Module:
    """The words of a window of four, as far as the 5-gram model sees."""
    return FeedForward(rnns, V, N=4, D=32, H=192)


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
    rnns = package.rnns
    network = Network(model, number, partial(rnns.log_probs, model), partial(rnns.generate, model))
    n_read = plan.epochs * sum(len(story) + 1 for story in stories)

    def probe(done: float) -> None:
        if done > (*PLACES, math.inf)[len(network.curve)] - 1e-9:
            surprise = -float(np.mean(rnns.log_probs(model, others[:PROBE])))
            network.curve.append((round(done * n_read), round(surprise, 4)))
            model.train()
        report(done)

    rnn_training.train(rnns, model, stories, others, plan, report=probe)
    return network


def learning_curve(network: Network) -> dict[str, list[tuple[int, float]]]:
    """The learning curve, to be shipped: (words read, nats per word of validation text)."""
    return {"curve": network.curve}


def _rung(name: str, step: int, calls: tuple[str, ...], build: Build, plan: Plan) -> Rung:
    return Rung(
        name=name,
        step=step,
        train=partial(train, build, plan),
        uses={"rnns": (*TRAINED_WITH, *calls)},
        sources=(Path(__file__), *files(networks, rnn_training, training, batches)),
        tensors=lambda network: dict(network.model.state_dict()),
        facts=learning_curve,
    )


RUNGS = (
    _rung("feed-forward", 6, ("feedforward",), feedforward, Plan(epochs=2, chunk=256, rate=4e-3)),
    *(
        _rung(name, step, ("LanguageModel", cell), partial(recurrent, cell), plan)
        for name, step, cell, plan in (
            ("RNN", 7, "ElmanCell", Plan(epochs=2, rate=4e-3)),
            ("LSTM", 8, "LSTMCell", Plan(epochs=2, rate=8e-3)),
            ("GRU", 9, "GRUCell", Plan(epochs=2, rate=6e-3)),
        )
    ),
)
