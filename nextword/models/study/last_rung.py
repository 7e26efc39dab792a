"""What the last rung loses because it has not finished learning, and what for want of text.

It is trained in two ways, with the same sizes, plan, steps and first weights: on the million words
of the ladder, which it reads again and again, and on a text without end, of which it never reads a
story twice, so that nothing can be learned by heart. What is missing after the second way has not
been learned yet; what the first way misses besides is the price of a short text. Leaves out: other
sizes, rates and numbers of steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from nextword.corpora import names, village
from nextword.corpora.names import Texts
from nextword.given import batches
from nextword.given.batches import ids, number_words
from nextword.models import store, training, transformer_training
from nextword.models.ladder import measure, network
from nextword.models.ladder.measure import excess_by_kind
from nextword.models.ladder.network import Network
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.store import Recipe, Trained, files
from nextword.models.study.plan import ASKED, FOLDER, SEEDS
from nextword.models.study.shelf import Shelf, shelf_for
from nextword.models.training import half, round_to_half
from nextword.models.transformer_training import Batch

if TYPE_CHECKING:
    from nextword.models.training import Report

NAME = f"{FOLDER}/last-rung"
PART = 1_000_000  # words of the endless text that are told together, and sorted by their length
N_STORIES = 600  # of the million words, and of the test text, on which all are asked


@dataclass(frozen=True)
class Way:
    """A way to train the last rung: on so many words of the training text, or on endless text."""

    name: str
    n_words: int | None  # None: endless


PLAN = rungs.CONVOLUTION
ONE = Way("a million words", 1_000_000)
ENDLESS = Way("endless text", None)
WAYS = (ONE, ENDLESS)


def fresh(number: dict[str, int], size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Batches of stories of about equal lengths; none was told before, or is in any split."""
    while True:
        stories = ids(village.sample(PART, rng).stories(), number)
        for chosen in batches.batches(stories, size, rng):
            yield transformer_training.side_by_side(chosen)


def trained(way: Way, course: ModuleType, texts: Texts, seed: int, report: Report) -> nn.Module:
    """The network trained in one way; its weights as half precision stores them.

    texts: whose training text is that of the way. seed: of the first weights and of the order.
    """
    number = number_words(texts.vocabulary)
    rng = np.random.default_rng(seed)
    if way.n_words is None:
        source = fresh(number, PLAN.size, rng)
    else:
        source = transformer_training.without_end(ids(texts.train, number), PLAN.size, rng)
    model = rungs.built(course, texts, rungs.convolved(course), seed)
    transformer_training.train(course, model, source, PLAN, report)
    round_to_half(model)
    return model


def above_truth(model: nn.Module, stories: Sequence[list[str]], number: dict[str, int]) -> float:
    """How far the perplexity of these stories is above the truth, in percent."""
    truth = np.concatenate([village.score([*s, village.EOS]).log_probs for s in stories])
    return _percent(truth, transformer_training.log_probs(model, ids(stories, number)))


def _percent(truth: np.ndarray, log_probs: Sequence[float]) -> float:
    return round(100 * float(np.expm1(np.mean(truth - np.array(log_probs)))), 3)


def measured(model: nn.Module, texts: Texts) -> dict[str, Any]:
    """Percent above the truth, and the bits lost at each kind of fact.

    read: on the first stories of the training text. new: on as many of the test text. test, kinds:
    on all of the test text.
    """
    assert texts.truth is not None
    number = number_words(texts.vocabulary)
    log_probs = transformer_training.log_probs(model, ids(texts.test, number))
    n_new = sum(len(story) + 1 for story in texts.test[:N_STORIES])
    truth = np.array(texts.truth)
    return {
        "read": above_truth(model, texts.train[:N_STORIES], number),
        "new": _percent(truth[:n_new], log_probs[:n_new]),
        "test": _percent(truth, log_probs),
        "kinds": excess_by_kind(log_probs, texts),
    }


def run(package: SimpleNamespace, way: Way, seed: int, report: Report) -> Trained:
    """One training: its weights, and what was measured of it."""
    texts = _texts(way.n_words)
    model = trained(way, package.transformers, texts, seed, report)
    facts = {"way": way.name, "steps": PLAN.steps, "seed": seed}
    return Trained(half(model), {**facts, **measured(model, texts)})


def split(package: SimpleNamespace, shelf: Shelf, report: Report) -> Trained:
    """Every way with every seed; of the first seed also the weights."""
    trainings = {
        f"{way.name.replace(' ', '-')}-{seed}": partial(run, package, way, seed)
        for way, seed in product(WAYS, SEEDS)
    }
    found = shelf.find_models(trainings, report)
    tensors = {
        f"{trained.facts['way']}/{name}": weight
        for trained in found
        if trained.facts["seed"] == SEEDS[0]
        for name, weight in trained.tensors.items()
    }
    return Trained(tensors, {"runs": [trained.facts for trained in found]})


def shipped(course: ModuleType, texts: Texts, way: Way) -> Network:
    """The network of one way, first seed, in the reader's own chapter 6."""
    number = number_words(texts.vocabulary)
    model = rungs.built(course, texts, rungs.convolved(course))
    of_way = store.under(f"{way.name}/", store.load(NAME).tensors)
    model.load_state_dict({name: weight.float() for name, weight in of_way.items()})
    return rungs.as_rung(course, model.eval(), number)


@cache
def _texts(n_words: int | None) -> Texts:
    return names.load("village", n_words or PART, ASKED)


# ------------------------------------------------------------------ as a model that is kept
USES = next(rung.uses for rung in rungs.RUNGS if rung.name == "with convolution")
SOURCES = (
    Path(__file__),
    *files(rungs, network, measure, transformer_training, training, batches),
)


def _train(package: SimpleNamespace, report: Report) -> Trained:
    return split(package, shelf_for(package, USES, SOURCES, ("village",)), report)


def recipe() -> Recipe:
    """The split of the last rung's gap, as a model that is kept."""
    return Recipe(NAME, _train, USES, SOURCES)
