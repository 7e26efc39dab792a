"""Vectors for words that a trained network did not have. Leaves out: which words these are."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

SPREAD = 0.02  # of the noise that tells the vectors of new words apart


def longer(old: Tensor, shape: Sequence[int], rng: torch.Generator) -> Tensor:
    """A tensor of this shape: the old rows, then the mean of them with a little noise.

    >>> longer(torch.ones(2, 3), (4, 3), torch.Generator()).round().tolist()[2:]
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if tuple(old.shape) == tuple(shape):
        return old
    noise = torch.randn(shape[0] - len(old), *shape[1:], generator=rng)
    return torch.cat([old, old.mean(0) + SPREAD * noise])
