"""How near to the floor a quarter of an hour of two cores comes, and what helps.

The last rung's network is trained with larger batches, at a rate chosen for them; then with a
second convolution in each block; then by Muon as well; and so on two million words. All make the
same number of steps with the same number of stories. Then two networks are trained side by side,
one on each core, and speak as one. Leaves out: other sizes; the choice of the rates
(benchmarks/README.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, product
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
STEPS_BESIDE = 10_500  # of each of two networks, which take a quarter of an hour on two cores


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


class AsOne(nn.Module):
    """Networks that speak as one: the logit of a word is the mean of theirs.

    So its probability goes with the geometric mean of theirs, and a word that one of them rules out
    is ruled out.
    """

    def __init__(self, *networks: nn.Module) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, tokens: Tensor, past: Any = None) -> tuple[Tensor, Any]:
        """Tokens (B, T) -> logits (B, T, V), and the past of each network."""
        pasts = past or [None] * len(self.networks)
        each = [network(tokens, own) for network, own in zip(self.networks, pasts, strict=True)]
        return torch.stack([logits for logits, _ in each]).mean(dim=0), [own for _, own in each]


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
    steps: int = PLAN.steps

    @property
    def plan(self) -> Plan:
        """How long and how fast the network is trained."""
        return replace(PLAN, rate=self.rate, decay=self.decay, steps=self.steps)


MUON = Way("and Muon", twice=True, optimizer_of=muon_and_adamw, rate=0.012)
DECAYED = replace(MUON, name="twice the decay", decay=2 * PLAN.decay)
ON_TWO = replace(MUON, name="two million words", n_words=2_000_000)
ALONE = (
    Way("one convolution", twice=False, optimizer_of=adamw, rate=0.012),
    Way("two convolutions", twice=True, optimizer_of=adamw, rate=0.024),
    MUON,
    DECAYED,
    ON_TWO,
)
BESIDE = (  # whose networks speak two by two
    replace(DECAYED, name="a million, side by side", steps=STEPS_BESIDE),
    replace(ON_TWO, name="two million, side by side", steps=STEPS_BESIDE),
)
WAYS = (*ALONE, *BESIDE)
SHIPPED = MUON  # whose first training's weights are kept


def trained(way: Way, course: ModuleType, texts: Texts, seed: int, report: Report) -> nn.Module:
    """The network trained in one way; its weights as half precision stores them."""
    plan = way.plan
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
    return Trained(half(model), {"seed": seed, **of_model(way, course, model, texts)})


def of_model(way: Way, course: ModuleType, model: nn.Module, texts: Texts) -> dict[str, Any]:
    """What was measured of a network, or of two that speak as one."""
    teller = rungs.as_rung(course, model, number_words(texts.vocabulary))
    facts = {"way": way.name, "steps": way.steps, "weights": training.n_weights(model)}
    return {**facts, **measured(model, texts), "valid": measure.valid_share(teller, texts)}


def pairs_of(way: Way, course: ModuleType, kept: Sequence[Trained]) -> list[dict[str, Any]]:
    """What was measured of each two networks of a way, as one."""
    texts = _texts(way.n_words)
    found = []
    for two in combinations(kept, 2):
        model = AsOne(*(loaded(one, course, texts) for one in two))
        seeds = [one.facts["seed"] for one in two]
        found.append({"seeds": seeds, **of_model(way, course, model, texts)})
    return found


def all_ways(package: SimpleNamespace, shelf: Shelf, report: Report) -> Trained:
    """Every way with every seed, and pairs: what was measured; and the weights of one network."""
    trainings = {
        f"{way.name.replace(' ', '-')}-{seed}": partial(run, package, way, seed)
        for way, seed in product(WAYS, SEEDS)
    }
    found = shelf.find_models(trainings, report)
    of = {way: [one for one in found if one.facts["way"] == way.name] for way in WAYS}
    pairs = [pair for way in BESIDE for pair in pairs_of(way, package.transformers, of[way])]
    facts = {"stories": PLAN.size, "runs": [one.facts for one in found], "pairs": pairs}
    return Trained(of[SHIPPED][0].tensors, facts)


def loaded(kept: Trained, course: ModuleType, texts: Texts) -> nn.Module:
    """A network of the reader's own chapter 6 with two convolutions, and the weights kept of it."""
    model = built(course, texts, twice=True, seed=0)
    model.load_state_dict({name: weight.float() for name, weight in kept.tensors.items()})
    return model.eval()


def shipped(course: ModuleType, texts: Texts) -> Network:
    """The network that was trained by Muon on a million words, in the reader's own chapter 6."""
    model = loaded(store.load(NAME), course, texts)
    return rungs.as_rung(course, model, number_words(texts.vocabulary))


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
