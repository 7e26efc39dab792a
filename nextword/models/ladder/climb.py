"""Measure every rung that the package under test can build, or read what was measured before."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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

Progress = Callable[[str, str, float], None]  # the rung, what is being done, the share done


@dataclass(frozen=True)
class Ladder:
    """The measured rungs above the floor, and why the others could not be measured."""

    corpus: str
    floor: float | None
    unknown: float  # share of the test words that are <unk>
    rows: tuple[RungResult, ...]
    missing: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """The ladder as plain values."""
        return {
            "corpus": self.corpus,
            "floor": self.floor,
            "rungs": [row.to_json() for row in self.rows],
        }


def ladder_of(
    corpus: str, measured: Sequence[dict[str, Any]], missing: Mapping[str, str] | None = None
) -> Ladder:
    """The ladder from the facts of rungs that were trained on the same texts."""
    floor, unknown = None, 0.0
    if measured:
        floor, unknown = measured[0]["floor"], measured[0]["unknown"]
    rows = tuple(RungResult(**facts["row"]) for facts in measured)
    return Ladder(corpus, floor, unknown, rows, dict(missing or {}))


def climb(
    root: Path,
    package: str,
    corpus: str,
    n_tokens: int,
    progress: Progress = lambda rung, doing, share: None,
) -> Ladder:
    """Every rung on about `n_tokens` tokens of a corpus, scored on a tenth as many test tokens.

    `package` is a folder of the course folder `root`, such as "coursework". What was measured
    before with the same package, corpus and sizes is read from `root/.nextword/ladder`.
    """
    folder = f"{package}/{slug(corpus)}-{n_tokens}"
    texts = cache(partial(names.load, corpus, n_tokens, max(1, n_tokens // 10)))
    measured: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    for rung in _standing(root, package):
        recipe = recipe_of(
            rung, folder, texts, corpus=corpus, progress=partial(progress, rung.name)
        )
        try:
            measured.append(_facts(recipe, root / package, root / ".nextword" / "ladder"))
        except TrainingError as error:
            missing[rung.name] = str(error)
    return ladder_of(corpus, measured, missing)


def _facts(recipe: Recipe, package: Path, kept: Path) -> dict[str, Any]:
    """What was measured of a rung: before, with the same code and text, or now."""
    if not list(store.stale([recipe], package, kept)):
        return store.facts_of(recipe.path(kept))
    made_from = recipe.fingerprint(package)
    trained = store.train(recipe, package, lambda done: None)
    with suppress(UserError):  # a folder that cannot be written costs time, not the ladder
        store.write(recipe.path(kept), trained, made_from)
    return trained.facts


def recipe_of(
    rung: Rung,
    folder: str,
    texts: Callable[[], Texts],
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


def _standing(root: Path, package: str) -> list[Rung]:
    """The rungs whose chapters are files of the package."""
    if not (root / package).is_dir():
        raise UserError(
            f"there is no package {package!r} in {root}: expected a folder with chapters"
        )
    found = [
        rung
        for rung in all_rungs()
        if all((root / package / f"{stem}.py").is_file() for stem in rung.uses)
    ]
    if not found:
        wanted = sorted({f"{stem}.py" for rung in all_rungs() for stem in rung.uses})
        raise UserError(f"{package} has none of the chapters on the ladder: {', '.join(wanted)}")
    return found
