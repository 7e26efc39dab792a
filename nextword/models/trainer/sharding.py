"""Models that are split over processes, by torch's `fully_shard`: every tensor by its rows.

A checkpoint holds whole tensors, so that any number of processes can go on from it.
Leaves out: which processes there are (parallel.py), and mixed precision.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor, nn
from torch import distributed as dist

if TYPE_CHECKING:  # half a second that a process alone need not wait for
    from torch.distributed.tensor import DTensor


def split(model: nn.Module, device: torch.device, n_processes: int) -> None:
    """Keep of each weight the rows of this process only.

    Each block of a stack of layers is whole in memory only while it is computed, and so is what
    stands outside of all stacks, such as the vectors of words.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    # keys and values are views of what a block computes; nobody changes them in place
    warnings.filterwarnings("ignore", "FSDP2-wrapped module", UserWarning)
    mesh = init_device_mesh(device.type, (n_processes,))
    for stack in [each for each in model.modules() if isinstance(each, nn.ModuleList)]:
        for block in stack:
            fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)


def is_split(model: nn.Module) -> bool:
    """Whether a model's weights are split over processes.

    >>> is_split(nn.Linear(2, 1))
    False
    """
    return any(_is_part(weight) for weight in model.parameters())


def whole(tensor: Tensor) -> Tensor:
    """A tensor put together from all processes, each of which must ask for it."""
    return tensor.full_tensor() if _is_part(tensor) else tensor


def as_in(like: Tensor, tensor: Tensor) -> Tensor:
    """A whole tensor, split in the way of another one of its shape.

    >>> as_in(torch.zeros(2), torch.ones(2))
    tensor([1., 1.])
    """
    if not _is_part(like) or tensor.shape != like.shape:
        return tensor  # whole, or a number such as how many steps were made
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(tensor.to(like.device), like.device_mesh, like.placements)


def _is_part(tensor: Tensor) -> TypeGuard[DTensor]:
    """Whether a tensor holds this process's rows of a larger one."""
    if not (dist.is_available() and dist.is_initialized()):
        return False
    from torch.distributed.tensor import DTensor

    return isinstance(tensor, DTensor)
