"""Several processes that train one model together, as torch's launcher starts them.

Each holds the whole model (DistributedDataParallel) or, sharded, a part of it (fully_shard).
Leaves out: how a sharded tensor is put together (sharding.py), and several networks in a row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch import distributed as dist

from examiner.errors import UserError
from nextword.models.trainer import meeting, sharding

Found = TypeVar("Found")


@dataclass(frozen=True)
class Place:
    """Where this process stands among all, and its device."""

    device: torch.device
    rank: int = 0
    n_processes: int = 1
    shard: bool = False  # weights, gradients and the optimizer's state are split over all
    restarted: bool = False  # by torchrun, after one of the processes died

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

    def any(self, here: bool) -> bool:
        """Whether something is so in one process or more: all get the same answer."""
        return self.mean(float(here)) > 0

    def from_first(self, read: Callable[[], Found]) -> Found:
        """What `read` gives the first process, in all of them; only there it is called.

        Its `UserError` is raised in all of them, so that none waits for one that has stopped.
        """
        if self.n_processes == 1:
            return read()
        told: list[Any] = [None, None]
        if self.is_first:
            try:
                told[0] = read()
            except UserError as error:
                told[1] = str(error)
        dist.broadcast_object_list(told, device=_device_of_sums(self.device))
        found, wrong = told
        if wrong is not None:
            raise UserError(wrong)
        return found

    def place(self, model: nn.Module) -> nn.Module:
        """The model on this device, split over all processes if so asked.

        Make the optimizer after this, of the model that is returned.
        """
        model.to(self.device)
        if self.shard:
            sharding.split(model, self.device, self.n_processes)
        return model

    def wrap(self, model: nn.Module, n_parts: int = 1) -> nn.Module:
        """What a step calls: its gradients are the mean over all processes.

        n_parts: how many batches a step reads before the optimizer moves.
        """
        if self.n_processes == 1 or self.shard:
            return model
        ids = [self.device.index] if self.device.type == "cuda" else None
        return Replica(model, ids, n_parts)

    def draw_anew(self, seed: int, step: int) -> None:
        """Let dropout draw other numbers in each process, which follow from seed and step.

        A process alone goes on with the draws that its checkpoint keeps.
        """
        if self.n_processes > 1:
            (state,) = np.random.SeedSequence((seed, step, self.rank)).generate_state(1, np.uint64)
            torch.manual_seed(int(state) % 2**63)


class Replica(nn.parallel.DistributedDataParallel):
    """A model whose gradients the processes add up once in a step, however many parts it has.

    The backward pass after the last of `n_parts` calls sends the gradients of all of them.
    """

    def __init__(self, model: nn.Module, ids: list[int] | None, n_parts: int) -> None:
        super().__init__(model, device_ids=ids, gradient_as_bucket_view=True)
        self.n_parts, self.n_called = n_parts, 0

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Call the model; a call without gradients does not count."""
        if not torch.is_grad_enabled():
            return self.module(*inputs, **named)
        self.n_called = self.n_called % self.n_parts + 1
        if self.n_called == self.n_parts:
            return super().forward(*inputs, **named)
        with self.no_sync():  # torch looks at it in the forward pass, for the backward pass
            return super().forward(*inputs, **named)


def device(name: str, local_rank: int = 0) -> torch.device:
    """The device of a name, `auto` for the fastest; `UserError` where there is none such here.

    local_rank: which of the processes on this machine asks; each has a graphics card of its own.

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
    if name != "cuda":
        return torch.device(name)
    n_cards = torch.cuda.device_count()
    if local_rank >= n_cards:
        raise UserError(
            f"process {local_rank + 1} of this machine has no graphics card of its own, there are "
            f"{n_cards}: give torchrun --nproc-per-node {n_cards}, or use --device cpu"
        )
    return torch.device("cuda", local_rank)


@contextmanager
def joined(name: str, *, shard: bool = False) -> Iterator[Place]:
    """Inside, this process and the others that torchrun started can add up; alone it just works.

    shard: split the model over all processes. Raises `UserError` where that cannot be.
    """
    n_processes = int(os.environ.get("WORLD_SIZE", "1"))
    place = device(name, int(os.environ.get("LOCAL_RANK", "0")))
    if n_processes == 1:
        if shard:
            raise UserError(
                "--shard splits a model over several processes, and this is one: start them with "
                "torchrun --nproc-per-node 2 -m nextword train …, or leave it out"
            )
        yield Place(place)
        return
    if place.type == "mps":
        raise UserError("several processes cannot share an mps device: use --device cpu")
    if place.type == "cuda":
        torch.cuda.set_device(place)
    met_before = meeting.join("nccl" if place.type == "cuda" else "gloo")
    try:
        mine = Place(place, dist.get_rank(), n_processes, shard)
        yield replace(mine, restarted=mine.any(met_before))
    finally:
        dist.destroy_process_group()


def _device_of_sums(place: torch.device) -> torch.device:
    return place if place.type == "cuda" else torch.device("cpu")
