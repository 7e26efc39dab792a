"""LoRA beside all matrices of a transformer's blocks. The layer itself is chapter 7's."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

LAYERS = ("W_qkv", "W_o", "up", "down")  # all matrices of a block
SCALE = 2.0  # alpha / R, the same at every rank
EMBEDDING = "embed.words"


def with_lora(course: Any, model: nn.Module, R: int, n_old: int) -> list[nn.Parameter]:
    """Put a LoRA beside every matrix of the blocks; the vectors of new words learn as well.

    The first n_old words are old. The embedding is one tensor, so a hook sets the gradients of its
    old rows to 0. Returns what learns.
    """
    learned: list[nn.Parameter] = course.add_lora(model, LAYERS, R, SCALE * R)
    words: Any = model.get_submodule(EMBEDDING)
    if n_old == len(words.weight):
        return learned
    words.weight.requires_grad_(True)

    def only_new(grad: Tensor) -> Tensor:
        return torch.cat([torch.zeros_like(grad[:n_old]), grad[n_old:]])

    words.weight.register_hook(only_new)
    return [*learned, words.weight]


def merge(course: Any, model: nn.Module) -> nn.Module:
    """Replace every LoRA of a model by one plain layer that gives the same answers; in place."""
    found = [
        (path.rpartition("."), layer)
        for path, layer in model.named_modules()
        if isinstance(layer, course.LoRA)
    ]
    for (parent, _, name), layer in found:
        setattr(model.get_submodule(parent), name, layer.merged())
    return model
