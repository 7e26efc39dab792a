"""What a shipped model is made from. Leaves out: making it (train_models.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from examiner.fingerprints import code_of, fingerprint
from nextword.corpora import names
from nextword.models.shipped import Trained

__all__ = ["Recipe", "Report", "Trained"]

Report = Callable[[float], None]  # told now and then which share of the work is done, 0 to 1


@dataclass(frozen=True)
class Recipe:
    """A model that is trained once and shipped.

    `train(package, report)` gets the package under test, with each chapter of `uses` as an
    attribute (`package.rnns`). `uses` names for each chapter the functions and classes that the
    training calls: the model is out of date when one of them, or what they use of their file,
    changes. An empty tuple stands for the whole file.
    """

    name: str  # "rnns/translator": the file in the folder `checkpoints`
    train: Callable[[SimpleNamespace, Report], Trained]
    uses: dict[str, tuple[str, ...]]
    sources: tuple[Path, ...]  # the file of the recipe, and others that the training depends on
    corpora: tuple[str, ...] = ("village",)

    def has_chapters(self, package: Path) -> bool:
        """Tell whether the chapters that the training calls are in a package."""
        return all((package / f"{stem}.py").is_file() for stem in self.uses)

    def fingerprint(self, package: Path) -> str:
        """A hash of the code and the data that the model is made from."""
        parts = [self.name, *(names.recipe(corpus) for corpus in self.corpora)]
        parts += [code_of(path) for path in self.sources]
        parts += [code_of(package / f"{stem}.py", called) for stem, called in self.uses.items()]
        return fingerprint(parts)
