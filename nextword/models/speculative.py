"""Speculative decoding: a small model drafts words, a large one judges them all in one pass.

What is written has exactly the large model's distribution (Leviathan et al., 2023; Chen et al.,
2023). Leaves out: several texts side by side, and trees of drafts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from nextword.given.batches import BOS, EOS, PAD, Ids

Row = np.ndarray  # a probability for each word of the vocabulary
Draft = Callable[[Ids], Row]  # the words so far -> what the small model says of the next one


def judged(
    words: Ids, q: Sequence[Row], p: Sequence[Row], rng: np.random.Generator
) -> tuple[int, int]:
    """Judge drafted words; return how many are kept, and the word that follows them.

    words: k of them, each drawn from its row of q. p: k + 1 rows of the large model, one for each
    drafted word and one for the word after them.

    >>> q, p = [np.array([1.0, 0.0])], [np.array([0.0, 1.0]), np.array([0.5, 0.5])]
    >>> judged([0], q, p, np.random.default_rng(0))
    (0, 1)
    """
    for n, word in enumerate(words):
        if rng.random() * q[n][word] >= p[n][word]:  # kept with probability min(1, p / q)
            rest = np.maximum(p[n] - q[n], 0.0)
            return n, drawn(rest / rest.sum(), rng)
    return len(words), drawn(p[len(words)], rng)


def drawn(row: Row, rng: np.random.Generator) -> int:
    """A word, drawn from a row of probabilities."""
    place = int(np.searchsorted(row.cumsum(), rng.random(), side="right"))
    return min(place, len(row) - 1)


@dataclass
class Written:
    """A text, and what it took to write it."""

    words: list[int] = field(default_factory=list)
    passes: int = 0  # of the large model
    drafted: int = 0
    kept: int = 0  # of the drafted words


@torch.no_grad()
def write(model: Any, draft: Draft, k: int, most: int, rng: np.random.Generator) -> Written:
    """Write a text of at most about `most` words, k words drafted for each pass of the model.

    model(tokens, past) returns logits and the next past, as the chapter's `LanguageModel`.
    """
    text, past, done = [BOS], None, Written()
    while len(text) <= most and EOS not in text:
        words: list[int] = []
        q: list[Row] = []
        for _ in range(k):
            q.append(draft([*text, *words]))
            words.append(drawn(q[-1], rng))
        new = [*text[past[0] if past else 0 :], *words]
        logits, past = model(torch.tensor([new]), past)
        n, word = judged(words, q, probabilities(logits[0, -k - 1 :]), rng)
        text += [*words[:n], word]
        past = cut(past, len(text) - 1)  # the keys of words that were not kept are forgotten
        done.passes += 1
        done.drafted += k
        done.kept += n
    end = text.index(EOS) + 1 if EOS in text else len(text)
    done.words = text[1:end]  # a draft may go on after the end of the story
    return done


def probabilities(logits: torch.Tensor) -> Sequence[Row]:
    """Rows of probabilities; PAD and BOS are never written."""
    scores = logits.double().index_fill(-1, torch.tensor([PAD, BOS]), -torch.inf)
    return list(scores.softmax(-1).numpy())


def cut(past: tuple[int, list[Any]], n: int) -> tuple[int, list[Any]]:
    """The past of the first n tokens: what the chapter's attention keeps, cut in every block."""
    return n, [tuple(part[:, :, :n] for part in state) for state in past[1]]


def of_ngrams(model: Any, number: dict[str, int]) -> Draft:
    """The draft of an interpolated n-gram model of chapter 2. number: the ids of all words.

    What a context has not seen gets lambda(u) of what the shorter context says (2.11), so that only
    the words that it has seen are asked for, a few in place of the whole vocabulary.
    """
    words = list(number)

    @lru_cache(maxsize=20_000)
    def row(context: tuple[str, ...]) -> Row:
        found = np.zeros(len(words))
        if context:
            found = model.saved(context) * row(context[1:])
        for word in model.row(context) if context else model.vocabulary:
            found[number[word]] = model.prob(word, context)
        return found

    def draft(text: Ids) -> Row:
        found = row(tuple(words[k] for k in text[max(0, len(text) - model.n + 1) :]))
        return found / found.sum()

    return draft
