"""Trained models that are kept: what each is made from, its file, and whether it is up to date.

A file holds a model's weights, what was measured of it, and a fingerprint of the code and the text
that it was made from: where the fingerprint is another one today, the model is trained again.
Leaves out: which models there are (train_models.py, ladder).
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from examiner.errors import UserError
from examiner.files import SHARED, write_whole
from examiner.fingerprints import code_of, fingerprint
from examiner.project import find_project
from nextword.corpora import names

if TYPE_CHECKING:
    from torch import Tensor

    from nextword.models.training import Report

FOLDER = "checkpoints"  # where shipped models are, in a course folder
RUNGS = "ladder"  # in it, what was measured of each rung
TWICE = "ladder-twice"  # the same, of rungs that read twice as many words


class TrainingError(Exception):
    """A model that cannot be trained, and why, in one line for the author of the package."""


@dataclass(frozen=True)
class Trained:
    """What a training leaves: tensors by their names, and facts that a page tells (JSON values)."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Recipe:
    """A model that is trained once and kept.

    `train(package, report)` gets the package under test, with each chapter of `uses` as an
    attribute (`package.rnns`). `uses` names for each chapter the functions and classes that the
    training calls: the model is out of date when one of them, or what they use of their file,
    changes. An empty tuple stands for the whole file.
    """

    name: str  # "rnns/translator": the file in its folder
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

    def path(self, folder: Path) -> Path:
        """The model's file in a folder of models."""
        return folder / f"{self.name}.safetensors"


def files(*modules: ModuleType) -> tuple[Path, ...]:
    """The files of modules, for the sources of a recipe."""
    return tuple(Path(str(module.__file__)) for module in modules)


# ------------------------------------------------------------------ training with a package
def train(recipe: Recipe, package: Path, report: Report) -> Trained:
    """Train a model with the chapters of a package; its facts say how many `seconds` it took.

    Raises `TrainingError` where the package leaves a task open or stops with an error.
    """
    began = time.perf_counter()
    try:
        with importable(package.parent, package.name):
            chapters = {
                stem: importlib.import_module(f"{package.name}.{stem}") for stem in recipe.uses
            }
            trained = recipe.train(SimpleNamespace(**chapters), report)
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise TrainingError(reason(error)) from error
    seconds = round(time.perf_counter() - began, 1)
    return replace(trained, facts={"seconds": seconds, **trained.facts})


@contextmanager
def importable(root: Path, package: str) -> Iterator[None]:
    """Inside, `package` is the folder of this name in `root`, and its modules are read afresh.

    Whatever else is called so, in another folder or imported before, is out of sight until the end.
    """
    before = _taken_out(package)
    module = ModuleType(package)
    module.__path__ = [str(root / package)]
    sys.modules[package] = module
    importlib.invalidate_caches()
    try:
        yield
    finally:
        _taken_out(package)
        sys.modules.update(before)


def _taken_out(package: str) -> dict[str, ModuleType]:
    """Remove a package and its modules from the imported ones; return them."""
    names_in = [name for name in sys.modules if name.partition(".")[0] == package]
    return {name: sys.modules.pop(name) for name in names_in}


def reason(error: BaseException) -> str:
    """One line: the open task as its stub names it, or the error and the line it came from."""
    if isinstance(error, NotImplementedError):
        return f"open task {error}"
    place: Sequence[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(place[-1].filename).name}, line {place[-1].lineno})" if place else ""
    if isinstance(error, SyntaxError) and error.lineno:
        where = ""  # its text says where it is; the place is that of who read it
    return f"{type(error).__name__}: {error}{where}"


# ------------------------------------------------------------------ what is out of date
def stale(recipes: Iterable[Recipe], package: Path, folder: Path) -> Iterator[tuple[Recipe, str]]:
    """The models that must be trained, and why."""
    for recipe in recipes:
        path = recipe.path(folder)
        if not path.is_file():
            yield recipe, "not trained yet"
            continue
        try:
            made_from = fingerprint_of(path)
        except UserError as error:
            yield recipe, str(error)
            continue
        if made_from != recipe.fingerprint(package):
            yield recipe, "its code or its text has changed since it was trained"


def restamp(recipes: Iterable[Recipe], package: Path, folder: Path) -> list[str]:
    """Give files today's fingerprint without training; return the names of those that changed.

    For an author who has moved or renamed code and has proved that it trains the same weights.
    """
    changed = []
    for recipe in recipes:
        path = recipe.path(folder)
        made_from = recipe.fingerprint(package)
        if path.is_file() and fingerprint_of(path) != made_from:
            write(path, read(path), made_from)
            changed.append(recipe.name)
    return changed


# ------------------------------------------------------------------ files
def load(name: str, folder: Path | None = None) -> Trained:
    """The tensors and facts of a shipped model, such as "rnns/translator".

    `folder` is where the models are; by default `checkpoints` in the course folder. The facts also
    say how many `seconds` the training took. Raises `UserError` for a missing or damaged file.
    """
    return read((folder or find_project().root / FOLDER) / f"{name}.safetensors")


def read(path: Path) -> Trained:
    """The tensors and facts of a file. Raises `UserError` like `load`."""
    with _opened(path, "pt") as (file, notes):
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - no dict
    return Trained(tensors, json.loads(notes["facts"]))


def under(beginning: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors whose names begin so, by the rest of their names."""
    return {n.removeprefix(beginning): t for n, t in tensors.items() if n.startswith(beginning)}


def facts_of(path: Path) -> dict[str, Any]:
    """The facts of a file alone, without waiting for torch. Raises `UserError` like `load`."""
    with _opened(path) as (_, notes):
        facts: dict[str, Any] = json.loads(notes["facts"])
    return facts


def fingerprint_of(path: Path) -> str:
    """What the model was made from, as its file says. Raises `UserError` like `load`."""
    with _opened(path) as (_, notes):
        return notes["fingerprint"]


@contextmanager
def _opened(path: Path, framework: str = "np") -> Iterator[tuple[Any, dict[str, str]]]:
    """Open a file: it, whose tensors are read when they are asked for, and its notes.

    framework: "np" or "pt"; whoever asks for the notes alone need not wait for torch.
    """
    if not path.is_file():
        raise UserError(
            f"there is no trained model {path}: run `nextword models {_name(path)}` to train it"
        )
    try:
        with safe_open(path, framework=framework) as file:
            notes = file.metadata() or {}
            if not {"facts", "fingerprint"} <= notes.keys():
                raise UserError(
                    f"{path} was not written by `nextword models`: its notes are missing"
                )
            yield file, notes
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{path} cannot be read ({error}): `nextword models {_name(path)}` trains it again"
        ) from error


def _name(path: Path) -> str:
    """The model's name, from the last folder on."""
    return f"{path.parent.name}/{path.stem}"


def write(path: Path, trained: Trained, made_from: str) -> None:
    """Write the whole file or leave what was there; `UserError` where it cannot be written."""
    from safetensors.torch import save

    notes = {"fingerprint": made_from, "facts": json.dumps(trained.facts, ensure_ascii=False)}
    packed = {name: tensor.detach().contiguous() for name, tensor in trained.tensors.items()}
    try:
        write_whole(path, save(packed, metadata=notes), mode=SHARED)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {os.strerror(error.errno or 0)}") from error
