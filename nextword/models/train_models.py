"""Train what the book ships: the models of the chapters, and the rungs of the ladder."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

from examiner.errors import UserError
from nextword.corpora import names
from nextword.models import recipes, shipped
from nextword.models.checkpoints.places import RUNGS, TWICE
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.ladder import measure
from nextword.models.ladder.climb import Progress, importable, made_from
from nextword.models.ladder.rung import Model, Rung, all_rungs, listed

TOKENS = {RUNGS: 1_000_000, TWICE: 2_000_000}  # of the village, that every rung reads
ASKED = 100_000  # tokens of the test text, the same for both
# the rungs that read two million words as well; the others would take many minutes each
SECOND = (
    *(f"{n}-gram" for n in range(1, 6)),
    "attention only",
    "transformer",
    "with convolution",
)


def all_recipes() -> Sequence[Recipe]:
    """Every recipe of every file in nextword/models/recipes, by name."""
    return sorted(listed(recipes, "RECIPES"), key=lambda recipe: recipe.name)


def everything() -> Sequence[Recipe]:
    """The recipes of the chapters, then the rungs on a million words, then some on two."""
    rungs = all_rungs()
    second = (of_rung(rung, TWICE) for rung in rungs if rung.name in SECOND)
    return [*all_recipes(), *map(of_rung, rungs), *second]


def of_rung(rung: Rung, folder: str = RUNGS) -> Recipe:
    """A rung as a shipped model: what was measured of it and, where it has weights, these.

    The weights are those of a million words; of a training on two only the measures are kept.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", rung.name.lower()).strip("-")
    return Recipe(
        name=f"{folder}/{slug}",
        train=partial(_measured, rung, folder),
        uses=dict.fromkeys(rung.chapters, rung.calls),
        sources=made_from(rung),
    )


def _measured(rung: Rung, folder: str, package: SimpleNamespace, report: Report) -> Trained:
    """Train and measure a rung."""
    texts = _village(TOKENS[folder])
    kept: list[Model] = []
    row = measure.measure(rung, package, texts, lambda _, done: report(done), kept.append)
    facts = {
        "step": rung.step,
        "row": row.to_json(),
        "floor": texts.floor,
        "unknown": texts.unknown,
        **(rung.facts(kept[0]) if rung.facts else {}),
    }
    return Trained(rung.tensors(kept[0]) if rung.tensors and folder == RUNGS else {}, facts)


@cache
def _village(n_tokens: int) -> names.Texts:
    return names.load("village", n_tokens, ASKED)


def chosen(wanted: Sequence[str]) -> list[Recipe]:
    """The recipes of these names, or of a folder (`rnns`); all where none is given.

    Raises `UserError` for a name that stands for nothing.
    """
    recipes = everything()
    found = []
    for name in wanted or ("",):
        fits = [r for r in recipes if not name or r.name == name or r.name.startswith(f"{name}/")]
        if not fits:
            known = ", ".join(recipe.name for recipe in recipes)
            raise UserError(f"there is no model {name!r}: expected some of {known}")
        found += [recipe for recipe in fits if recipe not in found]
    return found


def stale(recipes: Sequence[Recipe], package: Path, folder: Path) -> Iterator[tuple[Recipe, str]]:
    """The models that must be trained, and why."""
    for recipe in recipes:
        path = folder / f"{recipe.name}.safetensors"
        if not path.is_file():
            yield recipe, "not trained yet"
            continue
        try:
            made_from = shipped.fingerprint_of(path)
        except UserError as error:
            yield recipe, str(error)
            continue
        if made_from != recipe.fingerprint(package):
            yield recipe, "its code or its text has changed since it was trained"


def train(recipe: Recipe, package: Path, folder: Path, progress: Progress) -> Path:
    """Train a model with the package's chapters and write its file; return the file's path."""
    made_from = recipe.fingerprint(package)
    began = time.perf_counter()
    with importable(package.parent, package.name):
        modules = {stem: importlib.import_module(f"{package.name}.{stem}") for stem in recipe.uses}
        trained = recipe.train(
            SimpleNamespace(**modules), partial(progress, recipe.name, "training")
        )
    seconds = round(time.perf_counter() - began, 1)
    path = folder / f"{recipe.name}.safetensors"
    shipped.write(path, replace(trained, facts={"seconds": seconds, **trained.facts}), made_from)
    return path
