"""Trains word vectors with a reader's own functions of chapter 3: skip-gram and CBOW.

The functions come as a module (`course`); texts as ids, paths in a tree, batches and the loop are
here. Leaves out: vocabularies of millions of words, since each step moves all vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nextword.given.checks import require


@dataclass(frozen=True)
class Settings:
    """How word vectors are trained. The defaults read a million words in about four seconds."""

    D: int = 64  # numbers in a vector
    window: int = 5  # the farthest neighbour that a place can see
    k: int = 5  # noise words for each pair
    epochs: int = 3  # how often the text is read
    t: float | None = None  # words with a larger share of the text are thinned out; None: no word
    power: float = 0.75  # noise is drawn by count**power
    rate: float = 0.005  # the learning rate of Adam
    batch: int = 2048  # pairs in a step; for CBOW, places
    shared: int = 32  # noise words that a batch draws; together they count k for each pair
    cbow: bool = False  # learn from the mean of a window instead of from pairs


@dataclass(frozen=True)
class Vectors:
    """What a training leaves: a vector of each word, one of each neighbour, and the losses."""

    E: Tensor  # (V, D)
    U: Tensor  # (V, D)
    losses: tuple[float, ...]  # the mean of each epoch


def encode(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> list[np.ndarray]:
    """Return each sentence as an array of ids: the places of its words in the list.

    Raises ValueError for a word that is not in the list.

    >>> encode([["a", "goat"], []], ["goat", "a"])
    [array([1, 0]), array([], dtype=int64)]
    """
    ids = {word: i for i, word in enumerate(words)}
    unknown = sorted({word for sentence in sentences for word in sentence if word not in ids})
    require("words", unknown, not unknown, f"among the {len(ids)} of the vocabulary")
    return [np.array([ids[word] for word in sentence], dtype=np.int64) for sentence in sentences]


def tree_paths(codes: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return each word's forks and turns (V, L): 1 for left, -1 for right, 0 after the end.

    `codes` are those of a Huffman tree. The forks are numbered by depth, the root is 0, and short
    paths are filled up with fork 0.

    >>> forks, signs = tree_paths(["0", "10", "11"])
    >>> forks.tolist(), signs.tolist()
    ([[0, 0], [0, 1], [0, 1]], [[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    """
    starts = sorted({code[:i] for code in codes for i in range(len(code))}, key=len)
    number = {start: i for i, start in enumerate(starts)}
    forks = torch.zeros(len(codes), max(map(len, codes)), dtype=torch.long)
    signs = torch.zeros(forks.shape)
    for word, code in enumerate(codes):
        for i, bit in enumerate(code):
            forks[word, i] = number[code[:i]]
            signs[word, i] = 1 if bit == "0" else -1
    return forks, signs


def batches(
    course: Any,
    sentences: Sequence[np.ndarray],
    counts: np.ndarray,
    how: Settings,
    rng: np.random.Generator,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the shuffled batches of one epoch: words, and one neighbour or the window of each."""
    read = [sentences[i] for i in rng.permutation(len(sentences))]
    if how.t is not None:
        read = [course.subsample(sentence, counts, how.t, rng) for sentence in read]
    windows = np.concatenate([course.context_windows(each, how.window, rng) for each in read])
    places, around = np.concatenate(read), windows
    if not how.cbow:
        known = windows != course.NONE
        places, around = np.repeat(places, known.sum(axis=1)), windows[known]
    order = rng.permutation(len(places))
    shuffled = torch.from_numpy(places[order]), torch.from_numpy(around[order])
    yield from zip(*(part.split(how.batch) for part in shuffled), strict=True)


def train(
    course: Any,
    sentences: Sequence[np.ndarray],
    counts: Sequence[int],
    settings: Settings | None = None,
    seed: int = 0,
    report: Callable[[float], None] = lambda share: None,
) -> Vectors:
    """Learn vectors by negative sampling, each step with the gradients that `course` works out.

    `course` is the module with the functions of chapter 3, `counts[i]` how often word i occurs.
    `report` is told after each epoch which share of the work is done. Raises ValueError for a
    text in which no word has a neighbour.
    """
    how, rng = settings or Settings(), np.random.default_rng(seed)
    V, totals = len(counts), np.asarray(counts)
    longest = max(map(len, sentences), default=0)
    require("sentences", longest, longest > 1, "of two words or more")
    E = torch.from_numpy(rng.normal(size=(V, how.D)).astype("float32")) / how.D**0.5
    U = torch.zeros(V, how.D)
    noise = course.noise_distribution(totals, how.power)
    optimizer = torch.optim.Adam([E, U], lr=how.rate, fused=True)
    losses = []
    for epoch in range(how.epochs):
        total, n = 0.0, 0
        with _one_thread():
            for words, around in batches(course, sentences, totals, how, rng):
                drawn = torch.from_numpy(rng.choice(V, size=how.shared, p=noise))
                loss = _gradients(course, E, U, words, around, drawn, how)
                optimizer.step()
                total, n = total + loss * len(words), n + len(words)
        losses.append(total / n)
        report((epoch + 1) / how.epochs)
    return Vectors(E, U, tuple(losses))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch work in one thread: for such small steps, more of them wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _gradients(
    course: Any, E: Tensor, U: Tensor, words: Tensor, around: Tensor, drawn: Tensor, how: Settings
) -> float:
    """Put the gradients of one batch into E.grad and U.grad, and return its loss."""
    if how.cbow:
        v, hit = course.context_means(E, around), words
    else:
        v, hit = E.index_select(0, words), around
    u, n = U.index_select(0, hit), U.index_select(0, drawn)
    loss, dv, du, dn = course.negative_sampling(v, u, n, how.k)
    if how.cbow:
        E.grad = course.context_gradients(dv, around, len(E))
    else:
        E.grad = torch.zeros_like(E).index_add_(0, words, dv)
    U.grad = torch.zeros_like(U).index_add_(0, hit, du).index_add_(0, drawn, dn)
    return float(loss)
