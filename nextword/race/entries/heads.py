"""Layers of attention heads and nothing else, as in chapter 5; the keys and values are kept."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from safetensors.torch import load_file
from torch import Tensor

from nextword.given.batches import BOS, number_words

H = 8  # heads of a layer
ROOM = 64  # words for which room is made at a time


class Model:
    """Vectors of words and of places; each layer adds what its heads have found; logits."""

    def __init__(self, weights: dict[str, Tensor], vocabulary: tuple[str, ...]) -> None:
        self.w = {name: weight.float() for name, weight in weights.items()}
        number = number_words(vocabulary)
        self.ids = torch.tensor([number[word] for word in vocabulary])
        self.L = sum(name.endswith("W_q.weight") for name in weights)

    def begin(self, n: int) -> Tensor:
        """Return the rows of the first words of n stories."""
        self.kept = [torch.empty(0)] * self.L  # keys and values of each layer, (2, n, H, room, K)
        self.t = 0
        return self.step(torch.full((n,), BOS))

    def next(self, words: np.ndarray) -> Tensor:
        """Hear a word of each story; return the rows of the words after them."""
        return self.step(self.ids[torch.from_numpy(words)])

    def step(self, tokens: Tensor) -> Tensor:
        """tokens (n,) -> rows (n, V)."""
        places = self.w["place.weight"]
        x = self.w["embed.weight"][tokens] + places[min(self.t, len(places) - 1)]
        for k in range(self.L):
            q, key, value = (self.linear(f"layers.{k}.W_{name}", x) for name in "qkv")
            q, key, value = (part.view(len(x), H, 1, -1) for part in (q, key, value))
            found = self.look(q, torch.cat([key, value], dim=2), k).flatten(1)
            x = x + self.linear(f"layers.{k}.W_o", found)
        self.t += 1
        return self.linear("out", x)[:, self.ids].softmax(-1)

    def look(self, q: Tensor, new: Tensor, k: int) -> Tensor:
        """Keep the key and the value in `new` (n, H, 2, K), and look at all that layer k has kept.

        subtle: room is made for many words at a time; to copy all old ones at each is slow.
        """
        if self.t % ROOM == 0:
            old = [] if self.t == 0 else [self.kept[k]]
            self.kept[k] = torch.cat([*old, new.new_empty(2, *q.shape[:2], ROOM, q.shape[-1])], 3)
        kept = self.kept[k]
        kept[:, :, :, self.t] = new.permute(2, 0, 1, 3)
        key, value = kept[:, :, :, : self.t + 1]
        return F.scaled_dot_product_attention(q, key, value)

    def linear(self, name: str, x: Tensor) -> Tensor:
        """Return W x + b."""
        return F.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the weights."""
    return Model(load_file(folder / "weights.safetensors"), vocabulary)
