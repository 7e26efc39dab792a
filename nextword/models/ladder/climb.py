"""Measure every rung that the package under test can build, or read what was measured before."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from examiner.errors import UserError
from nextword.corpora import names
from nextword.corpora.names import Texts
from nextword.models import store
from nextword.models.ladder import measure
from nextword.models.ladder.measure import RungResult
from nextword.models.ladder.rung import Model, Rung, all_rungs
from nextword.models.store import Recipe, Trained, TrainingError

if TYPE_CHECKING:
    from nextword.models.training import Report

KEPT = Path(".nextword") / "ladder"  # in a course folder: what was measured there

Progress = Callable[[str, str, float], None]  # the rung, what is being done, the share done


@dataclass(frozen=True)
class Ladder:
    """The measured rungs above the floor, and why the others could not be measured."""

    corpus: str
    floor: float | None
    unknown: float  # share of the test words that are <unk>
    rows: tuple[RungResult, ...]
    missing: dict[str, str]
    shipped: tuple[str, ...] = ()  # the rungs that were not measured on this computer

    def label(self, row: RungResult) -> str:
        """A rung's name, with a star if it was measured here and others were not."""
        return f"{row.name}*" if self.shipped and row.name not in self.shipped else row.name

    @property
    def origin(self) -> str:
        """Who measured, in words; nothing where all was measured here."""
        if not self.shipped:
            return ""
        if len(self.shipped) == len(self.rows):
            return "as it was measured when the book was made"
        return "* measured here; the others when the book was made"

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values; `shipped` only where some were not measured here."""
        return {
            "corpus": self.corpus,
            "floor": self.floor,
            "rungs": [row.to_json() for row in self.rows],
            **({"shipped": list(self.shipped)} if self.shipped else {}),
        }


def ladder_of(
    corpus: str,
    measured: Sequence[dict[str, Any]],
    missing: Mapping[str, str] | None = None,
    shipped: tuple[str, ...] = (),
) -> Ladder:
    """The ladder from the facts of rungs that were trained on the same texts."""
    floor, unknown = None, 0.0
    if measured:
        floor, unknown = measured[0]["floor"], measured[0]["unknown"]
    rows = tuple(RungResult(**facts["row"]) for facts in measured)
    return Ladder(corpus, floor, unknown, rows, dict(missing or {}), shipped)


def climb(
    root: Path,
    package: str,
    corpus: str,
    n_tokens: int,
    progress: Progress = lambda rung, doing, share: None,
    wanted: Collection[str] = (),
    begin: Callable[[Sequence[str]], object] = lambda rungs: None,
) -> Ladder:
    """Every rung on about `n_tokens` tokens of a corpus, scored on a tenth as many test tokens.

    `package` is a folder of the course folder `root`, such as "coursework". What was measured
    before with the same package, corpus and sizes is read from `root/.nextword/ladder`. `wanted`
    are the names of the rungs that are climbed, if not all. `begin` is told which are trained now.
    """
    folder = folder_of(package, corpus, n_tokens)
    texts = cache(partial(names.load, corpus, n_tokens, max(1, n_tokens // 10)))
    measured: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    recipes = {
        rung.name: recipe_of(
            rung, folder, texts, corpus=corpus, progress=partial(progress, rung.name)
        )
        for rung in _standing(root, package, wanted)
    }
    old = {each.name for each, _ in store.stale(recipes.values(), root / package, root / KEPT)}
    begin([name for name, recipe in recipes.items() if recipe.name in old])
    for name, recipe in recipes.items():
        try:
            measured.append(_facts(recipe, root / package, root / KEPT))
        except TrainingError as error:
            missing[name] = str(error)
    return ladder_of(corpus, measured, missing)


def folder_of(package: str, corpus: str, n_tokens: int) -> str:
    """Where the measures of a package's rungs are kept, in the folder of all that was measured.

    >>> folder_of("coursework", "village", 1000)
    'coursework/village-1000'
    """
    return f"{package}/{slug(corpus)}-{n_tokens}"


def _facts(recipe: Recipe, package: Path, kept: Path) -> dict[str, Any]:
    """What was measured of a rung: before, with the same code and text, or now."""
    if not list(store.stale([recipe], package, kept)):
        return store.facts_of(recipe.path(kept))
    made_from = recipe.fingerprint(package)
    trained = store.train(recipe, package, lambda done: None)
    with suppress(UserError):  # a folder that cannot be written costs time, not the ladder
        store.write(recipe.path(kept), trained, made_from)
    return trained.facts


def _no_texts() -> Texts:
    raise AssertionError("a recipe without texts cannot train")


def recipe_of(
    rung: Rung,
    folder: str,
    texts: Callable[[], Texts] = _no_texts,
    *,
    corpus: str = "village",
    with_weights: bool = False,
    progress: measure.Progress | None = None,
) -> Recipe:
    """A rung as a model that is kept: what was measured of it and, if asked for, its weights.

    progress: is told what is being done; by default the recipe's own report hears of all alike.
    """

    def train(package: SimpleNamespace, report: Report) -> Trained:
        doing = progress or (lambda _, done: report(done))
        doing("reading", 0.0)
        loaded = texts()
        kept: list[Model] = []
        result = measure.measure(rung, package, loaded, doing, kept.append)
        facts = {
            "step": rung.step,
            "row": result.to_json(),
            "floor": loaded.floor,
            "unknown": loaded.unknown,
            **(rung.facts(kept[0]) if rung.facts else {}),
        }
        return Trained(rung.tensors(kept[0]) if rung.tensors and with_weights else {}, facts)

    return Recipe(
        name=f"{folder}/{slug(rung.name)}",
        train=train,
        uses=rung.uses,
        sources=(*rung.sources, *store.files(measure, names)),
        corpora=(corpus,),
    )


def slug(name: str) -> str:
    """A name as that of a file.

    >>> slug("attention only")
    'attention-only'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def rungs_of(asked: Sequence[str] = ()) -> list[Rung]:
    """The rungs of these names, which may be written as "lstm" or "attention-only"; else all.

    Raises `UserError`, with the names that there are, for one that there is not.
    """
    every = {slug(rung.name): rung for rung in all_rungs()}
    for name in asked:
        if slug(name) not in every:
            known = ", ".join(rung.name for rung in every.values())
            raise UserError(f"there is no rung {name!r}: expected some of {known}")
    chosen = set(map(slug, asked)) or every.keys()
    return [rung for name, rung in every.items() if name in chosen]


def require_package(root: Path, package: str) -> None:
    """Raise `UserError` where a course folder has no such package."""
    if not (root / package).is_dir():
        raise UserError(
            f"there is no package {package!r} in {root}: expected a folder with chapters"
        )


def _standing(root: Path, package: str, wanted: Collection[str]) -> list[Rung]:
    """The rungs whose chapters are files of the package; those `wanted`, if any are."""
    require_package(root, package)
    asked = [rung for rung in all_rungs() if not wanted or rung.name in wanted]
    lacking = {rung.name: _lacking(root / package, rung) for rung in asked}
    found = [rung for rung in asked if not lacking[rung.name]]
    if wanted and len(found) < len(asked):
        name = next(name for name, files in lacking.items() if files)
        raise UserError(f"{package} has no {', '.join(lacking[name])}, which {name} is built from")
    if not found:
        wanted_files = sorted({file for files in lacking.values() for file in files})
        raise UserError(
            f"{package} has none of the chapters on the ladder: {', '.join(wanted_files)}"
        )
    return found


def _lacking(package: Path, rung: Rung) -> list[str]:
    """The files of a rung's chapters that a package lacks."""
    return [f"{stem}.py" for stem in rung.uses if not (package / f"{stem}.py").is_file()]
