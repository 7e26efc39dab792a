"""The models that the book ships: those of the chapters, and the rungs of the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from examiner.errors import UserError
from nextword.corpora import names
from nextword.models import home_game, recipes, store
from nextword.models.ladder.climb import recipe_of
from nextword.models.ladder.rung import Rung, all_rungs, listed
from nextword.models.store import RUNGS, TWICE, Recipe
from nextword.models.study import last_rung, nearest, plan, recall

if TYPE_CHECKING:
    from nextword.models.training import Report

TOKENS = {RUNGS: 1_000_000, TWICE: 2_000_000}  # of the village, that every rung reads
ASKED = 100_000  # tokens of the test text, the same for both
# the rungs that read two million words as well; the others would take many minutes each
SECOND = (
    *(f"{n}-gram" for n in range(1, 6)),
    "attention only",
    "transformer",
    "with convolution",
)


def everything() -> Sequence[Recipe]:
    """The recipes of the chapters, the rungs on one and two million words, what they play, and the
    ladder's study.
    """
    chapters = sorted(listed(recipes, "RECIPES"), key=lambda recipe: recipe.name)
    rungs = all_rungs()
    second = (of_rung(rung, TWICE) for rung in rungs if rung.name in SECOND)
    studied = [*plan.recipes(), *recall.recipes(), last_rung.recipe(), nearest.recipe()]
    return [*chapters, *map(of_rung, rungs), *second, *home_game.RECIPES, *studied]


def of_rung(rung: Rung, folder: str = RUNGS) -> Recipe:
    """A rung as a shipped model; of a training on two million words only the measures are kept."""
    return recipe_of(rung, folder, partial(_village, TOKENS[folder]), with_weights=folder == RUNGS)


@cache
def _village(n_tokens: int) -> names.Texts:
    return names.load("village", n_tokens, ASKED)


def chosen(wanted: Sequence[str]) -> list[Recipe]:
    """The recipes of these names, or of a folder (`rnns`); all that is shipped where none is given.

    Raises `UserError` for a name that stands for nothing.
    """
    every = {recipe.name: recipe for recipe in everything()}
    if not wanted:
        return list(every.values())
    found: list[Recipe] = []
    for name in wanted:
        fits = [r for r in every.values() if r.name == name or r.name.startswith(f"{name}/")]
        if not fits:
            known = ", ".join(every)
            raise UserError(f"there is no model {name!r}: expected some of {known}")
        found += [recipe for recipe in fits if recipe not in found]
    return found


def train(recipe: Recipe, package: Path, folder: Path, report: Report) -> Path:
    """Train a model with the package's chapters and write its file; return the file's path.

    Raises `TrainingError` where the package stops with an error.
    """
    made_from = recipe.fingerprint(package)
    path = recipe.path(folder)
    store.write(path, store.train(recipe, package, report), made_from)
    return path
