"""Checkpoints of a training: weights, the optimizer's state and all else that it goes on from.

A file is written whole or not at all, so the last good one stays. Leaves out: when to write.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from examiner.errors import UserError
from examiner.files import SHARED, write_whole
from nextword.models import store
from nextword.models.trainer import sharding

WEIGHT, STATE, DRAWS = "model.", "optimizer.", "draws."
UNFINISHED = ".*.part"  # as examiner.files calls a file that is being written


@dataclass
class Saved:
    """What a checkpoint holds."""

    notes: dict[str, Any]  # JSON values: steps done, sizes, vocabulary, losses
    tensors: dict[str, Tensor]

    def weights(self) -> dict[str, Tensor]:
        """The model's tensors by their names."""
        return store.under(WEIGHT, self.tensors)


def write(
    path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    notes: dict[str, Any],
    *,
    is_first: bool = True,
) -> None:
    """Write a checkpoint; `UserError` where that fails, and what was there before stays whole.

    All processes call it, since each may hold a part of the weights; the first one writes.
    """
    if not (is_first or sharding.is_split(model)):
        return
    tensors = {WEIGHT + name: tensor for name, tensor in model.state_dict().items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"{STATE}{number}.{key}": torch.as_tensor(v) for key, v in state.items()}
    tensors |= _draws()
    packed = {}
    for name, tensor in tensors.items():
        together = sharding.whole(tensor.detach())
        if is_first:
            packed[name] = together.cpu().contiguous().clone()
    if not is_first:
        return
    for left in path.parent.glob(UNFINISHED):  # of a process that was killed while it wrote
        left.unlink(missing_ok=True)
    try:
        data = save(packed, metadata={"notes": json.dumps(notes, ensure_ascii=False)})
        write_whole(path, data, durable=True, mode=SHARED)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        before = "; the checkpoint before it is whole" if path.is_file() else ""
        raise UserError(f"{path} cannot be written: {why}{before}") from error


def read(path: Path) -> Saved:
    """Read a checkpoint; `UserError` for one that is missing, cut off or of another kind."""
    if not path.is_file():
        raise UserError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as file:
            notes = (file.metadata() or {}).get("notes")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict
    except (OSError, SafetensorError) as error:
        raise UserError(
            f"{path} is damaged or cut off ({error}): move it away, and training begins again"
        ) from error
    if notes is None:
        raise UserError(f"{path} was not written by `nextword train`: its notes are missing")
    return Saved(json.loads(notes), tensors)


def restore(saved: Saved, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Put weights, optimizer and random draws back as they were when the checkpoint was written."""
    fill(model, saved.weights())
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in store.under(STATE, saved.tensors).items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = tensor
    weights = [p for group in optimizer.param_groups for p in group["params"]]
    split = {
        number: {key: sharding.as_in(weights[number], t) for key, t in tensors.items()}
        for number, tensors in state.items()
    }
    optimizer.load_state_dict({**optimizer.state_dict(), "state": split})
    torch.set_rng_state(saved.tensors[DRAWS + "cpu"])
    if torch.cuda.is_available() and DRAWS + "cuda" in saved.tensors:
        torch.cuda.set_rng_state(saved.tensors[DRAWS + "cuda"])


def fill(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Put weights into a model; `UserError` names the tensors that are missing or of other sizes.

    >>> fill(nn.Linear(2, 1), {"weight": torch.ones(1, 3), "bias": torch.ones(1)})
    Traceback (most recent call last):
    examiner.errors.UserError: the weights do not fit the model: weight is (1, 3), expected (1, 2)
    """
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    wrong = [
        f"{name} is {found.get(name, 'missing')}, expected {expected.get(name, 'no such tensor')}"
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    ]
    if wrong:
        more = f" (and {len(wrong) - 3} more)" if len(wrong) > 3 else ""
        raise UserError(f"the weights do not fit the model: {'; '.join(wrong[:3])}{more}")
    model.load_state_dict(
        {name: sharding.as_in(t, weights[name]) for name, t in model.state_dict().items()}
    )


def _draws() -> dict[str, Tensor]:
    """The states of the random generators, for dropout."""
    states = {DRAWS + "cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states[DRAWS + "cuda"] = torch.cuda.get_rng_state()
    return states
