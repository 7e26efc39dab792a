"""A trial with one thing to learn: which value stood behind a key, some words ago.

A text names n pairs of a key and a value, goes on with words that mean nothing, and then asks for
some of the keys. Nothing but what was read can tell the answers, so every family has the same fact
to keep, over a distance and in a number that the trial sets. As in Arora et al. (2023), "Zoology".
Leaves out: language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from nextword.given.batches import BOS
from nextword.models import training, transformer_training
from nextword.models.ladder.climb import slug
from nextword.models.store import Recipe, Trained, files
from nextword.models.study import families
from nextword.models.study import training as study_training
from nextword.models.study.families import FAMILIES, Family
from nextword.models.study.plan import FOLDER, RATES, SEEDS
from nextword.models.study.shelf import Shelf, shelf_for
from nextword.models.study.training import fit
from nextword.models.transformer_training import IGNORE, Batch

if TYPE_CHECKING:
    from nextword.models.training import Report

N_KEYS = N_VALUES = 32  # words that are keys, words that are values
N_IDLE = 16  # words that mean nothing
PAIRS = (1, 2, 4, 8, 16)  # that a text names
GAPS = (0, 10, 30, 90)  # idle words between the pairs and the questions
QUESTIONS = 4  # at most, each for another key
WEIGHTS = 200_000
TEXTS, STEPS, CHOOSING = 32, 6_000, 2_000  # in a batch; batches; batches to choose the rate
ASKED = 400  # texts of each kind that are asked in the end
FIRST_KEY = 3  # ids: what fills up, begin, end, then keys, values and idle words
FIRST_VALUE = FIRST_KEY + N_KEYS
FIRST_IDLE = FIRST_VALUE + N_VALUES
V = FIRST_IDLE + N_IDLE
# those with a window see at most four words: they could not even try
TRIED = tuple(family for family in FAMILIES if family.name not in ("log-bilinear", "feed-forward"))


def texts(n: int, pairs: int, gap: int, rng: np.random.Generator) -> Batch:
    """n texts as inputs and targets (B, T); only the answers are targets.

    >>> inputs, targets = texts(1, pairs=2, gap=3, rng=np.random.default_rng(0))
    >>> inputs.shape, int((targets != IGNORE).sum())  # begin, 2 pairs, 3 idle words, 2 questions
    (torch.Size([1, 12]), 2)
    """
    keys = rng.permuted(np.tile(np.arange(N_KEYS), (n, 1)), axis=1)[:, :pairs]
    values = rng.integers(N_VALUES, size=(n, pairs))
    idle = FIRST_IDLE + rng.integers(N_IDLE, size=(n, gap))
    asked = rng.permuted(np.tile(np.arange(pairs), (n, 1)), axis=1)[:, :QUESTIONS]
    named = np.stack([FIRST_KEY + keys, FIRST_VALUE + values], axis=-1)  # (n, pairs, 2)
    questions = np.take_along_axis(named, asked[..., None], axis=1).reshape(n, -1)
    row = np.hstack([np.full((n, 1), BOS), named.reshape(n, -1), idle, questions])
    targets = np.full_like(row, IGNORE)
    targets[:, -questions.shape[1] :: 2] = questions[:, 1::2]  # behind each key that is asked
    return torch.from_numpy(row), torch.from_numpy(targets)


def stream(seed: int) -> Iterator[Batch]:
    """Batches without end, each of texts of one kind: no text comes twice."""
    rng = np.random.default_rng(seed)
    while True:
        yield texts(TEXTS, int(rng.choice(PAIRS)), int(rng.choice(GAPS)), rng)


@torch.no_grad()
def share_right(net: nn.Module, batch: Batch) -> float:
    """The share of the questions whose right answer has the highest score."""
    inputs, targets = batch
    found: Tensor = net(inputs)[0].argmax(-1)
    counts = targets != IGNORE
    return float((found == targets)[counts].float().mean())


def asked(net: nn.Module, seed: int, part: int) -> dict[str, dict[str, float]]:
    """The share of right answers by the number of pairs and by the gap, on texts of its own."""
    rng = np.random.default_rng([seed, part])
    return {
        str(pairs): {
            str(gap): round(share_right(net, texts(ASKED, pairs, gap, rng)), 4) for gap in GAPS
        }
        for pairs in PAIRS
    }


def mean_of(right: dict[str, dict[str, float]]) -> float:
    """The mean over all kinds of texts."""
    return float(np.mean([share for row in right.values() for share in row.values()]))


def tried(family: Family, package: SimpleNamespace, shelf: Shelf, report: Report) -> Trained:
    """Choose the rate by fewer steps, then train three seeds, and ask them."""
    done, in_all = 0, len(RATES) * CHOOSING + len(SEEDS) * STEPS

    def run(rate: float, seed: int, n_steps: int) -> dict[str, Any]:
        nonlocal done
        before = done

        def train() -> dict[str, Any]:
            net = family.sized(package, V, WEIGHTS, seed)
            told = lambda n_done, loss: report((before + n_done) / in_all)  # noqa: E731
            fit(net, stream(seed), n_steps, rate, told)
            measured = {"weights": training.n_weights(net), "right": asked(net, seed, n_steps)}
            return {"rate": rate, "seed": seed, "steps": n_steps, **measured}

        name = f"recall-{slug(family.name)}-{rate:g}-{seed}-{n_steps}"
        found = shelf.find(name, train)
        done += n_steps
        return found

    chosen = max((run(rate, SEEDS[0], CHOOSING) for rate in RATES), key=_how_right)
    runs = [run(chosen["rate"], seed, STEPS) for seed in SEEDS]
    return Trained({}, {"family": family.name, "runs": runs})


def _how_right(found: dict[str, Any]) -> float:
    return mean_of(found["right"])


SOURCES = (Path(__file__), *files(families, study_training, transformer_training, training))


def recipe(family: Family) -> Recipe:
    """What a family recalls, as a model that is kept."""
    uses = dict(family.uses)

    def train(package: SimpleNamespace, report: Report) -> Trained:
        return tried(family, package, shelf_for(package, uses, SOURCES, ()), report)

    return Recipe(f"{FOLDER}/recall-{slug(family.name)}", train, uses, SOURCES, corpora=())


def recipes() -> Iterator[Recipe]:
    """The trial of each family that has a memory."""
    return map(recipe, TRIED)
