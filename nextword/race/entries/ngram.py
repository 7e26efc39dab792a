"""Kneser-Ney n-grams from a table. Leaves out: counting (nextword/race/counted.py).

For each context u of k words the table holds P(w | u) beyond what shorter contexts give, for the
words w that followed it, and the share lambda(u) that is left to the shorter ones:

    P(w | u) = kept(w, u) + lambda(u) P(w | u')
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file


class Model:
    """The last words of n stories, and the table."""

    def __init__(self, table: dict[str, np.ndarray], V: int) -> None:
        self.V, self.first = V, table["first"].astype(np.float64)
        self.orders: list[dict[str, np.ndarray]] = []
        while f"contexts.{len(self.orders) + 1}" in table:
            k = len(self.orders) + 1
            names = ("contexts", "starts", "words", "kept", "left")
            self.orders.append({name: table[f"{name}.{k}"] for name in names})

    def begin(self, n: int) -> np.ndarray:
        """Return the rows of the first words of n stories."""
        self.last = np.full((n, len(self.orders)), self.V, dtype=np.int64)  # V: before the story
        return self.rows()

    def next(self, words: np.ndarray) -> np.ndarray:
        """Hear a word of each story; return the rows of the words after them."""
        if self.orders:
            self.last = np.concatenate([self.last[:, 1:], words[:, None]], axis=1)
        return self.rows()

    def rows(self) -> np.ndarray:
        """Return the rows (n, V): from the shortest context to the longest."""
        n = len(self.last)
        p, key = np.tile(self.first, (n, 1)), np.zeros(n, dtype=np.int64)
        for k, order in enumerate(self.orders):
            key = key + self.last[:, -1 - k] * (self.V + 1) ** k
            place = np.searchsorted(order["contexts"], key).clip(max=len(order["contexts"]) - 1)
            seen = np.flatnonzero(order["contexts"][place] == key)
            place = place[seen]
            p[seen] *= order["left"][place, None]
            sizes = order["starts"][place + 1] - order["starts"][place]
            within = np.arange(sizes.sum()) - np.repeat(sizes.cumsum() - sizes, sizes)
            entries = np.repeat(order["starts"][place], sizes) + within
            p[np.repeat(seen, sizes), order["words"][entries]] += order["kept"][entries]
        return (p / p.sum(axis=1, keepdims=True)).astype(np.float32)


def load(folder: Path, vocabulary: tuple[str, ...]) -> Model:
    """Read the table."""
    return Model(load_file(folder / "weights.safetensors"), len(vocabulary))
