"""Plausible wrong implementations, each with a sentence that says what went wrong."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from examiner.judge.marks import SuiteError

T = TypeVar("T")
KINDS = ("", "edge", "idea")


@dataclass(frozen=True)
class Misconception:
    """The reference with one attribute replaced, as a student might have written it."""

    task_id: str
    replaces: str  # qualified name in the module: "windows" or "MLE.prob"
    says: str  # the sentence a student reads
    replacement: Any
    kind: str = ""  # what a person judged it to be: one of KINDS

    @property
    def name(self) -> str:
        """The name of the replacing function or class."""
        return str(self.replacement.__name__)

    def apply(self, module: ModuleType) -> None:
        """Replace the attribute in `module`; raises SuiteError when there is none to replace."""
        *outer, last = self.replaces.split(".")
        owner: Any = module
        for name in outer:
            owner = getattr(owner, name, None)
        if not hasattr(owner, last):
            raise SuiteError(f"misconception {self.name}: there is no {self.replaces}")
        setattr(owner, last, self.replacement)


def misconception(task_id: str, *, replaces: str, says: str, kind: str = "") -> Callable[[T], T]:
    """Declare the decorated function or class a misconception of the task.

    `replaces` is the qualified name that it stands in for; `says` what the student is told; `kind`
    how much it is worth: "edge" if only a rare case shows it, "idea" if it misses what the task is
    about, "" if it is something between.
    Raises ValueError for another kind.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")

    def declare(replacement: T) -> T:
        found = Misconception(task_id, replaces, says, replacement, kind)
        replacement.__misconception__ = found  # type: ignore[attr-defined]
        return replacement

    return declare


def load_module(path: Path, name: str) -> ModuleType:
    """Execute a Python file as a fresh module; the same path gives a new module each time.

    Raises SuiteError when there is no such file.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SuiteError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while it is executed
    spec.loader.exec_module(module)
    return module


def _load_mistakes(file: Path) -> ModuleType:
    try:
        return load_module(file, f"nextword_misconceptions_{file.stem}")
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno for each in trace if each.filename == str(file)]
        where = f":{lines[-1]}" if lines else ""
        said = (str(error).splitlines() or [""])[0]
        text = f"{type(error).__name__}: {said}"
        raise SuiteError(f"tests/misconceptions/{file.name}{where}: {text}") from error


def load_misconceptions(path: Path) -> tuple[Misconception, ...]:
    """Return the misconceptions that a file, or each file of a folder, declares, in its order.

    Raises SuiteError, which says in one line what is wrong, when one of them cannot be read.
    """
    found: dict[str, Misconception] = {}
    for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
        module = _load_mistakes(file)
        declared = [getattr(value, "__misconception__", None) for value in vars(module).values()]
        for each in (value for value in declared if isinstance(value, Misconception)):
            same = found.setdefault(each.name, each)
            if (same.task_id, same.says) != (each.task_id, each.says):
                raise SuiteError(f"{file.name}: there is a misconception {each.name} already")
    return tuple(found.values())


def wrong_module(reference: Path, mistake: Misconception) -> ModuleType:
    """Return a fresh module of the reference file with the misconception in place."""
    module = load_module(reference, f"nextword_wrong_{reference.stem}_{mistake.name}")
    mistake.apply(module)
    return module
