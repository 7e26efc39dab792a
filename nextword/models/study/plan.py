"""Which trainings the study consists of, as models that are kept: a file for a family and a size.

For each, the rate is chosen from the same few on the validation text, after two passes over the
training text; where the largest of them is the best, still larger ones are tried. Then three seeds
train for eight passes. Leaves out: one training (training.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from nextword.corpora import names
from nextword.given import batches
from nextword.models import attention_only, training, transformer_training
from nextword.models.ladder import measure
from nextword.models.ladder.climb import slug
from nextword.models.ladder.rungs import transformers as convolutions
from nextword.models.store import Recipe, Trained, files
from nextword.models.study import families
from nextword.models.study import training as study_training
from nextword.models.study.families import FAMILIES, Family
from nextword.models.study.shelf import Shelf, shelf_for
from nextword.models.study.training import Data, Found, data_of, trained

if TYPE_CHECKING:
    from nextword.models.training import Report

FOLDER = "study"  # of what was measured, among the models that the book ships
TOKENS, ASKED = 1_000_000, 100_000  # words of the training and of the test text
SIZES = {"small": 200_000, "large": 600_000}  # weights
RATES = (1e-3, 3e-3, 1e-2)
BEYOND = (3e-2, 1e-1)  # tried as long as the largest rate before was the best
SEEDS = (0, 1, 2)
CHOOSING, PASSES = 2.0, 8.0  # over the training text: to choose the rate, and to train
SOURCES = (
    Path(__file__),
    *files(families, study_training, attention_only, convolutions),
    *files(transformer_training, training, batches, measure),
)


def studied(
    family: Family, weights: int, package: SimpleNamespace, data: Data, shelf: Shelf, report: Report
) -> Trained:
    """All trainings of a family at a size: those that chose the rate, then those that count."""
    done = 0.0
    in_all = len(RATES + BEYOND) * CHOOSING + len(SEEDS) * PASSES

    def run(rate: float, seed: int, passes: float) -> Found:
        nonlocal done
        before = done

        def train() -> Found:
            net = family.sized(package, data.V, weights, seed)
            return trained(
                net, data, rate, seed, passes, lambda s: report((before + s * passes) / in_all)
            )

        name = f"{slug(family.name)}-{weights}-{rate:g}-{seed}-{passes:g}"
        found = Found.of(shelf.find(name, lambda: train().to_json()))
        done += passes
        report(done / in_all)
        return found

    tried = [run(rate, SEEDS[0], CHOOSING) for rate in RATES]
    for rate in BEYOND:
        if _best(tried) is tried[-1]:
            tried.append(run(rate, SEEDS[0], CHOOSING))
        else:
            done += CHOOSING
    best = _best(tried)
    runs = [run(best.rate, seed, PASSES) for seed in SEEDS]
    facts = {
        "family": family.name,
        "floor": data.texts.floor,
        "tried": [found.to_json() for found in tried],
        "runs": [found.to_json() for found in runs],
    }
    return Trained({}, facts)


def _best(tried: list[Found]) -> Found:
    return min(tried, key=lambda found: found.validation)


# ------------------------------------------------------------------ as models that are kept
@cache
def _data() -> Data:
    return data_of(names.load("village", TOKENS, ASKED))


def recipe(family: Family, size: str) -> Recipe:
    """What was measured of a family at a size, as a model that is kept."""
    uses = dict(family.uses)

    def train(package: SimpleNamespace, report: Report) -> Trained:
        shelf = shelf_for(package, uses, SOURCES, ("village",))
        return studied(family, SIZES[size], package, _data(), shelf, report)

    return Recipe(f"{FOLDER}/{slug(family.name)}-{size}", train, uses, SOURCES)


def recipes() -> Iterator[Recipe]:
    """All of the study, the small networks first."""
    for size in SIZES:
        for family in FAMILIES:
            yield recipe(family, size)
