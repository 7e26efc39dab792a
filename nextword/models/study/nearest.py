"""How near to the floor a quarter of an hour of two cores comes, and what helps.

The last rung's network is trained with larger batches, at a rate chosen for them; then with a
second convolution in each block; then by Muon as well; and so on two million words. All make the
same number of steps with the same number of stories. Leaves out: other sizes; the choice of the
rates (benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.corpora import names
from nextword.corpora.names import Texts
from nextword.given import batches
from nextword.given.batches import ids, number_words
from nextword.models import muon, store, training, transformer_training
from nextword.models.ladder import measure, network
from nextword.models.ladder.network import Network
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.muon import muon_and_adamw
from nextword.models.store import Recipe, Trained, files
from nextword.models.study import last_rung
from nextword.models.study.last_rung import measured
from nextword.models.study.plan import ASKED, FOLDER, SEEDS
from nextword.models.study.shelf import Shelf, shelf_for
from nextword.models.training import Plan, half, round_to_half
from nextword.models.transformer_training import adamw

if TYPE_CHECKING:
    from nextword.models.training import Report

NAME = f"{FOLDER}/nearest"
PLAN = Plan(steps=9_000, size=16, average=0.998)


# ------------------------------------------------------------------ the network
class ConvolvedTwice(nn.Module):
    """A block of chapter 6 whose feed-forward layer reads the two words before as well.

    Its mixer may have a convolution of its own, as that of the last rung has. Allen-Zhu (2025)
    calls such convolutions, before all layers, Canon layers.
    """

    def __init__(self, block: Any, D: int) -> None:
        super().__init__()
        self.block = block
        self.a, self.b = rungs.shares(D)

    def forward(self, x: Tensor, past: Any = None, mask: Any = None) -> tuple[Tensor, Any]:
        """x (B, T, D) -> the same, and what the next words need: two vectors, the mixer's past."""
        before, past = past or (None, None)
        y, past = self.block.mixer(self.block.norm1(x), past, mask)
        x = x + y
        reads, before = rungs.convolution(self.block.norm2(x), self.a, self.b, before)
        return x + self.block.feed(reads), (before, past)


def built(course: ModuleType, texts: Texts, twice: bool, seed: int) -> nn.Module:
    """The last rung's network with its first weights, with one convolution in a block or two."""
    once = rungs.convolved(course)

    def block(sizes: Any, causal: bool = True) -> nn.Module:
        return ConvolvedTwice(once(sizes, causal), sizes.D) if twice else once(sizes, causal)

    return rungs.built(course, texts, block, seed)


# ------------------------------------------------------------------ the ways
@dataclass(frozen=True)
class Way:
    """A way to train: with one convolution or two, an optimizer, its highest rate, its decay."""

    name: str
    twice: bool
    optimizer_of: Callable[[nn.Module, Plan], torch.optim.Optimizer]
    rate: float
    n_words: int = 1_000_000
    decay: float = PLAN.decay


WAYS = (
    Way("one convolution", twice=False, optimizer_of=adamw, rate=0.012),
    Way("two convolutions", twice=True, optimizer_of=adamw, rate=0.024),
    Way("and Muon", twice=True, optimizer_of=muon_and_adamw, rate=0.012),
    Way("twice the decay", True, muon_and_adamw, rate=0.012, decay=2 * PLAN.decay),
    Way("two million words", True, muon_and_adamw, rate=0.012, n_words=2_000_000),
)
SHIPPED = WAYS[2]  # whose first training's weights are kept


def trained(way: Way, course: ModuleType, texts: Texts, seed: int, report: Report) -> nn.Module:
    """The network trained in one way; its weights as half precision stores them."""
    plan = replace(PLAN, rate=way.rate, decay=way.decay)
    stories = ids(texts.train, number_words(texts.vocabulary))
    source = transformer_training.without_end(stories, plan.size, np.random.default_rng(seed))
    model = built(course, texts, way.twice, seed)
    transformer_training.train(course, model, source, plan, report, optimizer_of=way.optimizer_of)
    round_to_half(model)
    return model


def run(package: SimpleNamespace, way: Way, seed: int, report: Report) -> Trained:
    """One training: its weights, and what was measured of it."""
    texts, course = _texts(way.n_words), package.transformers
    model = trained(way, course, texts, seed, report)
    teller = rungs.as_rung(course, model, number_words(texts.vocabulary))
    facts = {"way": way.name, "seed": seed, "weights": training.n_weights(model)}
    return Trained(
        half(model),
        {**facts, **measured(model, texts), "valid": measure.valid_share(teller, texts)},
    )


def all_ways(package: SimpleNamespace, shelf: Shelf, report: Report) -> Trained:
    """Every way with every seed: what was measured; and the weights of one network."""
    trainings = {
        f"{way.name.replace(' ', '-')}-{seed}": partial(run, package, way, seed)
        for way, seed in product(WAYS, SEEDS)
    }
    found = shelf.find_models(trainings, report)
    runs = [trained.facts for trained in found]
    kept = next(k for k in found if (k.facts["way"], k.facts["seed"]) == (SHIPPED.name, SEEDS[0]))
    return Trained(kept.tensors, {"steps": PLAN.steps, "stories": PLAN.size, "runs": runs})


def shipped(course: ModuleType, texts: Texts) -> Network:
    """The network that was trained by Muon on a million words, in the reader's own chapter 6."""
    model = built(course, texts, SHIPPED.twice, SEEDS[0])
    tensors = store.load(NAME).tensors
    model.load_state_dict({name: weight.float() for name, weight in tensors.items()})
    return rungs.as_rung(course, model.eval(), number_words(texts.vocabulary))


# ------------------------------------------------------------------ as a model that is kept
@cache
def _texts(n_words: int) -> Texts:
    return names.load("village", n_words, ASKED)


USES: dict[str, tuple[str, ...]] = {
    "transformers": (*rungs.CALLED, "Block", "SelfAttention", "FeedForward")
}
SOURCES = (
    Path(__file__),
    *files(last_rung, rungs, network, muon, transformer_training, training, batches, measure),
)


def recipe() -> Recipe:
    """What was measured of the ways, as a model that is kept."""

    def train(package: SimpleNamespace, report: Report) -> Trained:
        return all_ways(package, shelf_for(package, USES, SOURCES, ("village",)), report)

    return Recipe(NAME, train, USES, SOURCES)
