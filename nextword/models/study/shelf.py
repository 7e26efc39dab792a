"""Trainings that were done before: so that a study that was ended goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from examiner.files import write_whole
from examiner.fingerprints import code_of, fingerprint
from examiner.project import find_project
from nextword.corpora import names
from nextword.models import store
from nextword.models.store import Trained

if TYPE_CHECKING:
    from nextword.models.training import Report

KEPT = Path(".nextword") / "study"  # in a course folder


class Shelf:
    """A folder with a small file for each training, of one state of code and text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, name: str, train: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What was measured of a training, now or before."""
        path = self._folder / f"{name}.json"
        if path.is_file():
            kept: dict[str, Any] = json.loads(path.read_text("utf-8"))
            return kept
        found = train()
        write_whole(path, json.dumps(found).encode())
        return found

    def find_model(self, name: str, train: Callable[[], Trained]) -> Trained:
        """The weights of a training and what was measured of it, now or before."""
        path = self._folder / f"{name}.safetensors"
        if not path.is_file():
            store.write(path, train(), name)
        return store.read(path)

    def find_models(
        self, trainings: Mapping[str, Callable[[Report], Trained]], report: Report
    ) -> list[Trained]:
        """The weights of several trainings and what was measured of them, in their order.

        trainings: by the name under which each is kept; each tells its own progress.
        """
        found: list[Trained] = []

        def tell(before: int, share: float) -> None:
            report((before + share) / len(trainings))

        for name, train in trainings.items():
            before = len(found)
            found.append(self.find_model(name, partial(train, partial(tell, before))))
            tell(before, 1.0)
        return found


def shelf_for(
    package: SimpleNamespace,
    uses: Mapping[str, tuple[str, ...]],
    sources: tuple[Path, ...],
    corpora: tuple[str, ...],
) -> Shelf:
    """The shelf of a study: another one where its code, its text or the reader's has changed."""
    parts = [*map(names.recipe, corpora), *map(code_of, sources)]
    parts += [code_of(Path(getattr(package, stem).__file__), uses[stem]) for stem in uses]
    return Shelf(find_project().root / KEPT / fingerprint(parts))
