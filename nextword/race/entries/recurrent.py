"""One layer of recurrent cells, as in chapter 4: an Elman network, an LSTM or a GRU.

Which one it is, the shapes of the weights tell. Weights of torch's own LSTM serve as well.
"""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from nextword.given.batches import BOS, number_words

CELL = "cells.0."
TORCHS = {"weight_ih": f"{CELL}W.weight", "weight_hh": f"{CELL}U.weight"}


class Model:
    """W (G H, D) for the word, U (G H, H) for the state; G = 1, 4 or 3 gates."""

    def __init__(self, weights: dict[str, Tensor], vocabulary: tuple[str, ...]) -> None:
        w = {name: weight.float() for name, weight in weights.items()}
        if "net.weight_ih_l0" in w:
            for part, name in TORCHS.items():
                w[name] = w[f"net.{part}_l0"]
            w[f"{CELL}W.bias"] = w["net.bias_ih_l0"] + w["net.bias_hh_l0"]
        self.W, self.b, self.U = w[f"{CELL}W.weight"], w[f"{CELL}W.bias"], w[f"{CELL}U.weight"]
        self.u = w.get(f"{CELL}U.bias", torch.zeros(len(self.U)))
        number = number_words(vocabulary)
        ids = torch.tensor([number[word] for word in vocabulary])
        self.begins, self.heard = w["embed.weight"][BOS], w["embed.weight"][ids]  # (D), (V, D)
        self.out, self.bias = w["out.weight"][ids], w["out.bias"][ids]

    def begin(self, n: int) -> Tensor:
        """Return the rows of the first words of n stories."""
        H = self.U.shape[1]
        self.h, self.c = torch.zeros(n, H), torch.zeros(n, H)
        return self.step(self.begins.expand(n, -1))

    def next(self, words: np.ndarray) -> Tensor:
        """Hear a word of each story; return the rows of the words after them."""
        return self.step(self.heard[torch.from_numpy(words)])

    def step(self, x: Tensor) -> Tensor:
        """x (n, D) -> rows (n, V)."""
        a, u = x @ self.W.T + self.b, self.h @ self.U.T + self.u
        gates = len(self.U) // self.U.shape[1]
        if gates == 1:
            self.h = torch.tanh(a + u)
        elif gates == 4:
            i, f, g, o = (a + u).chunk(4, dim=-1)
            self.c = f.sigmoid() * self.c + i.sigmoid() * g.tanh()
            self.h = o.sigmoid() * self.c.tanh()
        else:
            (a_r, a_z, a_n), (u_r, u_z, u_n) = a.chunk(3, dim=-1), u.chunk(3, dim=-1)
            z = (a_z + u_z).sigmoid()
            new = torch.tanh(a_n + (a_r + u_r).sigmoid() * u_n)
            self.h = (1 - z) * new + z * self.h
        return (self.h @ self.out.T + self.bias).softmax(-1)


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the weights."""
    return Model(load_file(folder / "weights.safetensors"), vocabulary)
