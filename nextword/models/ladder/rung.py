"""What a rung of the ladder is, and where the rungs are found. Leaves out: measuring them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nextword.corpora.names import Sentences, Texts
from nextword.models.ladder import rungs

if TYPE_CHECKING:
    from torch import Tensor

Report = Callable[[float], None]  # told now and then which share of the work is done, 0 to 1


class Model(Protocol):
    """A trained language model as the ladder uses it."""

    @property
    def parameters(self) -> int:
        """How many numbers the model stores: counts or weights."""

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence, in order, in one flat list."""

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterable[list[str]]:
        """`n` sentences drawn from the model, one by one, each cut after `max_words` words."""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder: a model of the book and how to train it.

    `train(package, texts, report)` gets the package under test, with each chapter of `chapters` as
    an attribute (`package.ngrams`), trains on `texts.train` and nothing else, and returns a model.
    """

    name: str
    step: float  # the place on the ladder, from the top; 6.5 stands between 6 and 7
    chapters: tuple[str, ...]  # the modules of the package under test that it needs
    train: Callable[[SimpleNamespace, Texts, Report], Model]
    source: Path  # the file that defines it: a changed file is measured again
    sources: tuple[Path, ...] = ()  # other files that its numbers depend on
    calls: tuple[str, ...] = ()  # what it uses of its chapters; empty: all that is there
    tensors: Callable[[Any], dict[str, Tensor]] | None = None  # a model's weights, to be shipped
    facts: Callable[[Any], dict[str, Any]] | None = None  # what else a page tells of the model


def all_rungs() -> tuple[Rung, ...]:
    """Every rung of every file in `rungs/`, from the top of the ladder down."""
    return tuple(sorted(listed(rungs, "RUNGS"), key=lambda rung: rung.step))


def listed(package: ModuleType, name: str) -> list[Any]:
    """What the files of a package list under a name, such as RUNGS, all together."""
    files = [file for _, file, _ in pkgutil.iter_modules(package.__path__)]
    modules = [importlib.import_module(f"{package.__name__}.{file}") for file in files]
    return [each for module in modules for each in getattr(module, name)]
