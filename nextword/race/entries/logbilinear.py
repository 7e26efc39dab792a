"""The log-bilinear model of chapter 3: the next word from the vectors of the last five."""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor


class Model:
    """E (V + 1, D), the last row stands before a story; w (5, D); U (V, D + 1)."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.E, self.U, self.w = (weights[name].float() for name in ("E", "U", "w"))

    def begin(self, n: int) -> Tensor:
        """Return the rows of the first words of n stories."""
        self.last = torch.full((n, len(self.w)), len(self.E) - 1)
        return self.rows()

    def next(self, words: np.ndarray) -> Tensor:
        """Hear a word of each story; return the rows of the words after them."""
        self.last = torch.cat([self.last[:, 1:], torch.from_numpy(words)[:, None]], dim=1)
        return self.rows()

    def rows(self) -> Tensor:
        """h = sum of w_k * E[word k places back], then softmax of h U with a 1 at the end of h."""
        h = (self.E[self.last] * self.w).sum(dim=1)
        h = torch.cat([h, torch.ones(len(h), 1)], dim=1)
        return (h @ self.U.T).softmax(-1)


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the weights."""
    return Model(load_file(folder / "weights.safetensors"))
