"""The feed-forward network of chapter 4: the next word from a window of four."""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from nextword.given.batches import BOS, PAD, number_words


class Model:
    """E (ids, D), W (H, N D), b, U (ids, H), c: softmax of U tanh(W e + b) + c."""

    def __init__(self, weights: dict[str, Tensor], vocabulary: tuple[str, ...]) -> None:
        self.p = {name.removeprefix("p."): weight.float() for name, weight in weights.items()}
        number = number_words(vocabulary)
        self.ids = torch.tensor([number[word] for word in vocabulary])  # of the race's words
        self.N = self.p["W"].shape[1] // self.p["E"].shape[1]

    def begin(self, n: int) -> Tensor:
        """Return the rows of the first words of n stories."""
        self.window = torch.full((n, self.N), PAD)
        self.window[:, -1] = BOS
        return self.rows()

    def next(self, words: np.ndarray) -> Tensor:
        """Hear a word of each story; return the rows of the words after them."""
        heard = self.ids[torch.from_numpy(words)]
        self.window = torch.cat([self.window[:, 1:], heard[:, None]], dim=1)
        return self.rows()

    def rows(self) -> Tensor:
        """Return the rows (n, V)."""
        e = self.p["E"][self.window].flatten(1)
        h = torch.tanh(e @ self.p["W"].T + self.p["b"])
        logits = h @ self.p["U"].T + self.p["c"]
        return logits[:, self.ids].softmax(-1)


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the weights."""
    return Model(load_file(folder / "weights.safetensors"), vocabulary)
