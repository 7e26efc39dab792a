"""What is known of the ladder without training: what the book ships, and what was measured here.

Leaves out: training (climb.py). Where nothing was measured here, torch need not be imported.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from examiner.errors import UserError
from nextword.models import store
from nextword.models.ladder import climb
from nextword.models.ladder.climb import Ladder

CORPUS, TOKENS = "village", 1_000_000  # what the shipped rungs read

Facts = dict[str, Any]


def shipped(root: Path, corpus: str, n_tokens: int) -> dict[str, Facts]:
    """The facts of each rung that the book ships, by their names; none of other texts."""
    if (corpus, n_tokens) != (CORPUS, TOKENS):
        return {}
    files = (root / store.FOLDER / store.RUNGS).glob("*.safetensors")
    found = sorted(map(store.facts_of, files), key=lambda facts: facts["step"])
    return {facts["row"]["name"]: facts for facts in found}


def measured(root: Path, package: str, corpus: str, n_tokens: int) -> dict[str, Facts]:
    """The facts of each rung that was measured here with the package's code of today."""
    folder = climb.folder_of(package, corpus, n_tokens)
    kept = root / climb.KEPT
    if not (kept / folder).is_dir():
        return {}
    recipes = {rung.name: climb.recipe_of(rung, folder, corpus=corpus) for rung in climb.rungs_of()}
    recipes = {name: each for name, each in recipes.items() if each.path(kept).is_file()}
    recipes = {name: each for name, each in recipes.items() if each.has_chapters(root / package)}
    old = {each.name for each, _ in store.stale(recipes.values(), root / package, kept)}
    return {
        name: store.facts_of(each.path(kept))
        for name, each in recipes.items()
        if each.name not in old
    }


def ladder(
    root: Path, package: str, corpus: str, n_tokens: int, wanted: Collection[str] = ()
) -> Ladder:
    """All rungs, or those `wanted`, as they were measured here or, if they were not, shipped.

    Raises `UserError` where nothing is known of a rung, or of all.
    """
    climb.require_package(root, package)
    here = measured(root, package, corpus, n_tokens)
    known = {**shipped(root, corpus, n_tokens), **here}
    unknown = [name for name in wanted if name not in known]
    if unknown or not known:
        what = ", ".join(unknown) or "the ladder"
        raise UserError(
            f"nothing is known of {what} on {n_tokens:,} tokens of {corpus}: leave out --no-train"
        )
    chosen = [facts for name, facts in known.items() if not wanted or name in wanted]
    chosen.sort(key=lambda facts: facts["step"])
    names = [facts["row"]["name"] for facts in chosen]
    return climb.ladder_of(
        corpus, chosen, shipped=tuple(name for name in names if name not in here)
    )
