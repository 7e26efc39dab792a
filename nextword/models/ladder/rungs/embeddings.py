"""One rung: the log-bilinear model, which guesses the next word from the vectors of the last five.

Leaves out: hidden layers (chapter 4). Trained with the reader's `softmax_loss` of chapter 3.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nextword.corpora.names import Sentences, Texts
from nextword.given.vocabulary import EOS
from nextword.models.ladder.rung import Report, Rung

CONTEXT, D = 5, 64  # words that are looked at, numbers in a vector
EPOCHS, BATCH, RATE = 2, 1024, 0.005
SEED = 3


class LogBilinear:
    """Scores of the next word: h U, where h = sum of w_k * E[word k places back] (elementwise).

    Mnih and Hinton (2007), with a vector w_k of weights for each place k instead of a matrix. The
    last column of U is met by a 1 in h: it is a score that a word has everywhere.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.words = list(vocabulary)
        self.number = {word: i for i, word in enumerate(self.words)}
        V = len(self.words)  # row V of E stands for places before the story
        generator = torch.Generator().manual_seed(SEED)
        self.E = 0.1 * torch.randn(V + 1, D, generator=generator)
        self.U = 0.1 * torch.randn(V, D + 1, generator=generator)
        self.w = torch.ones(CONTEXT, D) / CONTEXT

    @property
    def parameters(self) -> int:
        """How many weights are learned."""
        return sum(part.numel() for part in (self.E, self.U, self.w))

    def windows(self, sentences: Sentences) -> tuple[Tensor, Tensor]:
        """The ids of the last words before each prediction (N, CONTEXT), and what followed (N,)."""
        begin, contexts, targets = [len(self.words)] * CONTEXT, [], []
        for sentence in sentences:
            told = [self.number[word] for word in [*sentence, EOS]]
            padded = np.array(begin + told[:-1])
            contexts.append(np.lib.stride_tricks.sliding_window_view(padded, CONTEXT))
            targets += told
        return torch.from_numpy(np.concatenate(contexts)), torch.tensor(targets)

    def expected(self, contexts: Tensor) -> Tensor:
        """The vector h of each context, with a 1 at its end: (B, D + 1)."""
        h = (self.E[contexts] * self.w).sum(dim=1)
        return torch.cat([h, torch.ones(len(h), 1)], dim=1)

    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of sentence."""
        found = []
        for contexts, targets in zip(
            *(p.split(8192) for p in self.windows(sentences)), strict=True
        ):
            log_p = torch.log_softmax(self.expected(contexts) @ self.U.T, dim=1)
            found.append(log_p.gather(1, targets[:, None])[:, 0])
        return torch.cat(found).tolist()

    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Sentences, drawn word by word."""
        for _ in range(n):
            told = [len(self.words)] * CONTEXT
            while len(told) < CONTEXT + max_words:
                scores = self.expected(torch.tensor([told[-CONTEXT:]])) @ self.U.T
                p = torch.softmax(scores[0].double(), dim=0).numpy()
                told.append(int(rng.choice(len(p), p=p)))
                if self.words[told[-1]] == EOS:
                    told.pop()
                    break
            yield [self.words[i] for i in told[CONTEXT:]]


def fit(model: LogBilinear, course: ModuleType | Any, sentences: Sentences, report: Report) -> None:
    """Train by Adam, with the gradients that the reader's `softmax_loss` works out."""
    contexts, targets = model.windows(sentences)
    optimizer = torch.optim.Adam([model.E, model.U, model.w], lr=RATE, fused=True)
    generator = torch.Generator().manual_seed(SEED)
    order = torch.cat([torch.randperm(len(targets), generator=generator) for _ in range(EPOCHS)])
    steps = order.split(BATCH)
    for step, chosen in enumerate(steps):
        x = contexts[chosen]
        _, dh, model.U.grad = course.softmax_loss(model.expected(x), model.U, targets[chosen])
        dh = dh[:, None, :D]
        model.E.grad = torch.zeros_like(model.E).index_add_(
            0, x.flatten(), (dh * model.w).flatten(0, 1)
        )
        model.w.grad = (dh * model.E[x]).sum(dim=0)
        optimizer.param_groups[0]["lr"] = RATE * max(1 - step / len(steps), 0.02)
        optimizer.step()
        if step % 100 == 0:
            report(step / len(steps))


def train(package: SimpleNamespace, texts: Texts, report: Report) -> LogBilinear:
    """Train on the training text of the ladder."""
    model = LogBilinear(texts.vocabulary)
    fit(model, package.embeddings, texts.train, report)
    return model


RUNGS = (
    Rung(
        name="log-bilinear",
        step=6.5,  # below the feed-forward network of chapter 4
        chapters=("embeddings",),
        train=train,
        source=Path(__file__),
        calls=("softmax_loss",),
        tensors=lambda model: {"E": model.E, "U": model.U, "w": model.w},
    ),
)
