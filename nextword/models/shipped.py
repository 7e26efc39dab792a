"""The files of shipped models: written whole or not at all; what cannot be read says why.

Leaves out: training them (train_models.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from examiner.errors import UserError
from examiner.files import SHARED, write_whole
from examiner.project import find_project

if TYPE_CHECKING:
    from torch import Tensor

FOLDER = "checkpoints"  # where the files are, in a course folder


@dataclass(frozen=True)
class Trained:
    """What a training leaves: tensors by their names, and facts that a page tells (JSON values)."""

    tensors: dict[str, Tensor]
    facts: dict[str, Any] = field(default_factory=dict)


def load(name: str, folder: Path | None = None) -> Trained:
    """The tensors and facts of a shipped model, such as "rnns/translator".

    `folder` is where the models are; by default `checkpoints` in the course folder. The facts also
    say how many `seconds` the training took. Raises `UserError` for a missing or damaged file.
    """
    path = (folder or find_project().root / FOLDER) / f"{name}.safetensors"
    with opened(path, "pt") as (file, notes):
        tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 - no dict
    return Trained(tensors, json.loads(notes["facts"]))


def fingerprint_of(path: Path) -> str:
    """What the model was made from, as its file says. Raises `UserError` like `load`."""
    with opened(path) as (_, notes):
        return notes["fingerprint"]


@contextmanager
def opened(path: Path, framework: str = "np") -> Iterator[tuple[Any, dict[str, str]]]:
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


def write(path: Path, trained: Trained, fingerprint: str) -> None:
    """Write the whole file or leave what was there; `UserError` where it cannot be written."""
    from safetensors.torch import save

    notes = {"fingerprint": fingerprint, "facts": json.dumps(trained.facts, ensure_ascii=False)}
    packed = {name: tensor.detach().contiguous() for name, tensor in trained.tensors.items()}
    try:
        write_whole(path, save(packed, metadata=notes), mode=SHARED)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {os.strerror(error.errno or 0)}") from error
