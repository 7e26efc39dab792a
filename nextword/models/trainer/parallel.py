"""Several processes that train one model together, as torch's launcher starts them.

Leaves out: models too large for one device.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch import distributed as dist

from examiner.errors import UserError


@dataclass(frozen=True)
class Place:
    """Where this process stands among all, and its device."""

    device: torch.device
    rank: int = 0
    n_processes: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process reports and writes files."""
        return self.rank == 0

    def share(self, tensor: Tensor) -> Tensor:
        """This process's rows of a batch, on its device."""
        return tensor[self.rank :: self.n_processes].to(self.device)

    def mean(self, value: float) -> float:
        """The mean of a number over all processes."""
        if self.n_processes == 1:
            return value
        total = torch.tensor([value], dtype=torch.float64, device=_device_of_sums(self.device))
        dist.all_reduce(total)
        return float(total / self.n_processes)

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model whose gradients are the mean over all processes."""
        if self.n_processes == 1:
            return model
        ids = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(model, device_ids=ids)


def device(name: str, local_rank: int = 0) -> torch.device:
    """The device of a name, `auto` for the fastest; `UserError` where there is none such here.

    >>> device("cpu")
    device(type='cpu')
    """
    here = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        name = next(kind for kind, is_here in here.items() if is_here)
    if name not in here:
        raise UserError(f"unknown device {name!r}: expected auto, {', '.join(here)}")
    if not here[name]:
        found = ", ".join(kind for kind, is_here in here.items() if is_here)
        raise UserError(f"this PyTorch finds no {name} device here: use --device {found}")
    return torch.device("cuda", local_rank) if name == "cuda" else torch.device(name)


@contextmanager
def joined(name: str) -> Iterator[Place]:
    """Inside, this process and the others that torchrun started can add up; alone it just works."""
    n_processes = int(os.environ.get("WORLD_SIZE", "1"))
    place = device(name, int(os.environ.get("LOCAL_RANK", "0")))
    if n_processes == 1:
        yield Place(place)
        return
    if place.type == "mps":
        raise UserError("several processes cannot share an mps device: use --device cpu")
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        if place.type == "cuda":
            torch.cuda.set_device(place)
        yield Place(place, dist.get_rank(), n_processes)
    finally:
        dist.destroy_process_group()


def _device_of_sums(place: torch.device) -> torch.device:
    return place if place.type == "cuda" else torch.device("cpu")
