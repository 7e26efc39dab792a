"""Kneser-Ney models as tables that an entry of the race can hold. Leaves out: reading them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nextword.given.vocabulary import BOS


def table(model: Any, vocabulary: Sequence[str]) -> dict[str, np.ndarray]:
    """The table of a `KneserNey` of chapter 2, by the names that entries/ngram.py reads.

    model: offers `tables`, `total`, `discount` and `distribution`. A context's key is the sum of
    its words' numbers times (V + 1)^k, k words from its end.
    """
    number = {word: k for k, word in enumerate(vocabulary)} | {BOS: len(vocabulary)}
    row = model.distribution()
    found = {"first": np.array([row[word] for word in vocabulary], dtype=np.float32)}
    for k in range(1, model.n):
        found |= _of_order(model, k, number)
    return found


def _of_order(model: Any, k: int, number: dict[str, int]) -> dict[str, np.ndarray]:
    """The parts of the table for contexts of k words."""
    base = len(number)
    rows = []
    for context, counts in model.tables[k].items():
        key = sum(number[word] * base**j for j, word in enumerate(reversed(context)))
        total = model.total(context)
        kept = {
            number[word]: (count - model.discount(count, context)) / total
            for word, count in counts.items()
        }
        rows.append((key, kept))
    rows.sort(key=lambda each: each[0])
    sizes = [len(kept) for _, kept in rows]
    return {
        f"contexts.{k}": np.array([key for key, _ in rows], dtype=np.int64),
        f"starts.{k}": np.cumsum([0, *sizes]).astype(np.int32),
        f"words.{k}": np.array([w for _, kept in rows for w in kept], dtype=np.int16),
        f"kept.{k}": np.array([p for _, kept in rows for p in kept.values()], dtype=np.float16),
        f"left.{k}": np.array([1 - sum(kept.values()) for _, kept in rows], dtype=np.float16),
    }
