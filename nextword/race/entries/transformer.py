"""The transformer of chapter 6, read word by word: with a cache, linear attention or a convolution.

Pre-norm blocks, rotary positions, GELU, the words' vectors tied to the output. Which mixer a block
has, the names of its weights tell. Leaves out: training.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from safetensors.torch import load_file
from torch import Tensor

from nextword.given.batches import BOS, number_words

H = 2  # heads of a block
ROOM = 64  # words for which room is made at a time


class Model:
    """A state for each block, and the place of the next word."""

    def __init__(self, weights: dict[str, Tensor], vocabulary: tuple[str, ...]) -> None:
        self.w = {name: weight.float() for name, weight in weights.items()}
        number = number_words(vocabulary)
        self.ids = torch.tensor([number[word] for word in vocabulary])
        self.words = self.w["embed.words.weight"]  # (ids, D)
        self.L = sum(name.endswith("norm1.weight") for name in weights)
        self.K = self.words.shape[1] // H
        self.speeds = 10000 ** (-torch.arange(0, self.K, 2) / self.K)

    def begin(self, n: int) -> Tensor:
        """Return the rows of the first words of n stories."""
        self.states: list[dict[str, Tensor]] = [{} for _ in range(self.L)]
        self.t = 0
        return self.step(torch.full((n,), BOS))

    def next(self, words: np.ndarray) -> Tensor:
        """Hear a word of each story; return the rows of the words after them."""
        return self.step(self.ids[torch.from_numpy(words)])

    def step(self, tokens: Tensor) -> Tensor:
        """tokens (n,) -> rows (n, V)."""
        x = self.words[tokens]
        for k, state in enumerate(self.states):
            name = f"blocks.{k}"
            x = x + self.mix(f"{name}.mixer", self.norm(f"{name}.norm1", x), state)
            y = F.gelu(self.linear(f"{name}.feed.up", self.norm(f"{name}.norm2", x)))
            x = x + self.linear(f"{name}.feed.down", y)
        self.t += 1
        return (self.norm("norm", x) @ self.words[self.ids].T).softmax(-1)

    def mix(self, name: str, x: Tensor, state: dict[str, Tensor]) -> Tensor:
        """Let the new words look at those before: x (n, D) -> (n, D)."""
        if f"{name}.a" in self.w:  # a convolution of the word with the two before
            one, two = (state.get(old, torch.zeros_like(x)) for old in ("one", "two"))
            state["one"], state["two"] = x, one
            x = x + self.w[f"{name}.a"] * one + self.w[f"{name}.b"] * two
            name = f"{name}.attention"
        q, k, v = self.linear(f"{name}.W_qkv", x).view(len(x), 3, H, self.K).unbind(1)
        look: Any = self.linear_attention if f"{name}.W_a.weight" in self.w else self.attention
        return self.linear(f"{name}.W_o", look(name, x, q, k, v, state).flatten(1))

    def attention(
        self, name: str, x: Tensor, q: Tensor, k: Tensor, v: Tensor, state: dict[str, Tensor]
    ) -> Tensor:
        """q, k, v (n, H, K) -> answers (n, H, K); keys and values of old words are kept."""
        if self.t % ROOM == 0:  # for many words: to copy all old ones at each would be slow
            old = [state["kept"]] if self.t else []
            state["kept"] = torch.cat([*old, q.new_empty(2, len(q), H, ROOM, self.K)], dim=3)
        kept = state["kept"]  # keys and values, (2, n, H, words and room, K)
        kept[:, :, :, self.t] = torch.stack([self.rotate(k), v])
        k, v = kept[:, :, :, : self.t + 1]
        return F.scaled_dot_product_attention(self.rotate(q)[:, :, None], k, v)

    def linear_attention(
        self, name: str, x: Tensor, q: Tensor, k: Tensor, v: Tensor, state: dict[str, Tensor]
    ) -> Tensor:
        """The same with a state S (n, H, K, K): S = a S + k v^T, y = S^T q, and a norm."""
        a = (self.linear(f"{name}.W_a", x) + self.w[f"{name}.forget"]).sigmoid()
        old = state.get("S", torch.zeros(*k.shape, self.K))
        state["S"] = a[:, :, None, None] * old + k[..., :, None] * v[..., None, :]
        y = (q / self.K**0.5)[..., None, :] @ state["S"]
        return F.rms_norm(y[..., 0, :], (self.K,))

    def rotate(self, x: Tensor) -> Tensor:
        """Rotate the pairs of numbers of each row by angles that grow with the place."""
        c, s = (self.t * self.speeds).cos(), (self.t * self.speeds).sin()
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)

    def norm(self, name: str, x: Tensor) -> Tensor:
        """Return the layer norm of each vector."""
        return F.layer_norm(x, x.shape[-1:], self.w[f"{name}.weight"], self.w[f"{name}.bias"])

    def linear(self, name: str, x: Tensor) -> Tensor:
        """Return W x + b."""
        return F.linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the weights."""
    return Model(load_file(folder / "weights.safetensors"), vocabulary)
