"""Proves that the village is well calibrated: plain torch.nn models, trained now, form a ladder.

A feed-forward net over four words, an RNN, an LSTM and a three-layer transformer read the same
training stories as the n-grams of `nextword ladder` and are measured like them: perplexity on the
test stories, each read from its beginning; bits per character; gap to the floor; share of their own
stories that the listener accepts; parameters; seconds of training. Then the steps are judged: each
model at least 2 % below the one before, the 4-gram at least 50 % above the floor, the transformer
at least 10 % below the LSTM and within 3 % of the floor. A second table says what each one misses.

Leaves out: all course code of the models (chapter by chapter the course builds its own).
Usage: python benchmarks/village_calibration.py [--only transformer] [--tokens N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from examiner.project import find_project
from nextword.corpora import names
from nextword.corpora.corpus import EOS
from nextword.corpora.names import Sentences, Texts
from nextword.models.ladder import by_kind, show
from nextword.models.ladder.climb import Ladder, climb
from nextword.models.ladder.measure import Row, measure
from nextword.models.ladder.rung import Report, Rung

PAD = 0  # stands before the first word and after the last; never predicted
CONTEXT = 4  # words that the feed-forward net sees
STEP = 0.02  # that each model must be below the one before
NEAR = 3.0  # percent above the floor that the transformer may be
FAR = 50.0  # percent above the floor that the 4-gram must be
LONG_STEP = 0.10  # that the transformer must be below the LSTM
MINUTES = 3  # that it may train


@dataclass(frozen=True)
class Recipe:
    """A model and how it is trained."""

    name: str
    make: Callable[[int, int], nn.Module]  # from the number of words and the width
    width: int  # D, of embeddings and hidden states
    steps: int
    rate: float  # the learning rate between warm-up and decay
    batch: int  # stories


# ------------------------------------------------------------------------------ the models


class FeedForward(nn.Module):
    """The next word from the four words before it (Bengio et al. 2003)."""

    def __init__(self, n_words: int, D: int):
        super().__init__()
        self.embed = nn.Embedding(n_words, D)
        self.layers = nn.Sequential(
            nn.Linear(CONTEXT * D, CONTEXT * D), nn.ReLU(), nn.Linear(CONTEXT * D, D), nn.ReLU()
        )
        self.out = nn.Linear(D, n_words)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (B, T) -> logits (B, T, V)."""
        x = self.embed(F.pad(tokens, (CONTEXT - 1, 0), value=PAD))
        T = tokens.shape[1]
        return self.out(self.layers(torch.cat([x[:, k : k + T] for k in range(CONTEXT)], dim=-1)))


class Recurrent(nn.Module):
    """One recurrent layer over the whole story."""

    def __init__(self, kind: type[nn.RNN] | type[nn.LSTM], n_words: int, D: int):
        super().__init__()
        self.embed = nn.Embedding(n_words, D)
        self.net = kind(D, D, batch_first=True)
        self.out = nn.Linear(D, n_words)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (B, T) -> logits (B, T, V)."""
        return self.out(self.net(self.embed(tokens))[0])


class Block(nn.Module):
    """Self-attention and a feed-forward layer, each on a normalised input, each added.

    Before attention a short causal convolution mixes in the two words before, coordinate by
    coordinate (So et al. 2021, Primer): to look up what followed a word, a head must know that.
    """

    def __init__(self, D: int, n_heads: int):
        super().__init__()
        self.n_heads = n_heads
        self.before = nn.Parameter(torch.full((2, D), 0.3))
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.merge = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D, bias=False)
        self.wide, self.narrow = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D); cos and sin (T, D / heads) turn queries and keys."""
        B, T, D = x.shape
        here = self.norm1(x)
        one, two = F.pad(here, (0, 0, 1, 0))[:, :T], F.pad(here, (0, 0, 2, 0))[:, :T]
        here = here + self.before[0] * one + self.before[1] * two
        qkv = self.qkv(here).view(B, T, 3, self.n_heads, D // self.n_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = q * cos + _turned(q) * sin, k * cos + _turned(k) * sin
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.merge(mixed.transpose(1, 2).reshape(B, T, D))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


def _turned(x: Tensor) -> Tensor:
    """Each pair of coordinates turned by a right angle."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


class Transformer(nn.Module):
    """A decoder: rotary positions (Su et al. 2021), pre-norm, embeddings tied to the output."""

    def __init__(self, n_words: int, D: int, n_layers: int = 3, n_heads: int = 2):
        super().__init__()
        self.embed = nn.Embedding(n_words, D)
        nn.init.normal_(self.embed.weight, std=D**-0.5)
        self.blocks = nn.ModuleList([Block(D, n_heads) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(D)
        pairs = D // n_heads // 2
        self.speed = 1000.0 ** (-torch.arange(pairs) / pairs)  # of turning, rad per position

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (B, T) -> logits (B, T, V)."""
        angles = torch.outer(torch.arange(tokens.shape[1]), self.speed).repeat(1, 2)
        cos, sin = angles.cos(), angles.sin()
        x = self.embed(tokens) * self.embed.embedding_dim**0.5
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.norm(x) @ self.embed.weight.T


RECIPES = (
    Recipe("feed-forward", FeedForward, width=64, steps=1500, rate=2e-3, batch=16),
    Recipe("RNN", partial(Recurrent, nn.RNN), width=192, steps=2500, rate=2e-3, batch=16),
    Recipe("LSTM", partial(Recurrent, nn.LSTM), width=192, steps=2500, rate=4e-3, batch=16),
    Recipe("transformer", Transformer, width=64, steps=5000, rate=3e-3, batch=8),
)


# ------------------------------------------------------------------------------ training


def encode(stories: Sentences, number: dict[str, int]) -> list[Tensor]:
    """Each story as a row of numbers: PAD, its words, and `</s>`."""
    return [torch.tensor([PAD] + [number[w] for w in [*story, EOS]]) for story in stories]


def batches(stories: list[Tensor], size: int, rng: np.random.Generator) -> Iterator[Tensor]:
    """Whole stories, of about equal lengths in a batch, padded at the end; in random order."""
    lengths = np.array([len(story) for story in stories]) + rng.uniform(0, 10, len(stories))
    order = np.argsort(lengths)
    chunks = [order[k : k + size] for k in range(0, len(order), size)]
    for k in rng.permutation(len(chunks)):
        yield nn.utils.rnn.pad_sequence([stories[i] for i in chunks[k]], True, PAD)


def endless(stories: list[Tensor], size: int, rng: np.random.Generator) -> Iterator[Tensor]:
    """Batches, epoch after epoch."""
    while True:
        yield from batches(stories, size, rng)


def train(recipe: Recipe, package: SimpleNamespace, texts: Texts, report: Report) -> Neural:
    """AdamW; the rate rises for 100 steps, stays, and falls to zero over the last two fifths."""
    torch.manual_seed(0)
    number = {word: k for k, word in enumerate(texts.vocabulary, start=1)}
    stories = encode(texts.train, number)
    model = recipe.make(len(number) + 1, recipe.width)
    optimizer = torch.optim.AdamW(model.parameters(), recipe.rate, (0.9, 0.98), weight_decay=0.01)

    def share_of_rate(step: int) -> float:
        return min((step + 1) / 100, 1.0, (recipe.steps - step) / (0.4 * recipe.steps))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, share_of_rate)
    source = endless(stories, recipe.batch, np.random.default_rng(0))
    for step in range(recipe.steps):
        batch = next(source)
        logits = model(batch[:, :-1]).flatten(0, 1)
        loss = F.cross_entropy(logits, batch[:, 1:].flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        report((step + 1) / recipe.steps)
    return Neural(model.eval(), number)


class Neural:
    """A trained network as the ladder uses a model."""

    def __init__(self, model: nn.Module, number: dict[str, int]):
        self.model, self.number = model, number
        self.words = list(number)

    @property
    def parameters(self) -> int:
        """How many weights there are."""
        return sum(p.numel() for p in self.model.parameters())

    @torch.no_grad()
    def log_probs(self, sentences: Sentences) -> Sequence[float]:
        """ln P of each word and each end of story, every story read from its beginning."""
        found: list[float] = []
        rows = encode(sentences, self.number)
        for k in range(0, len(rows), 32):
            batch = nn.utils.rnn.pad_sequence(rows[k : k + 32], True, PAD)
            log_p = F.log_softmax(self.model(batch[:, :-1]), dim=-1)
            told = log_p.gather(-1, batch[:, 1:, None])[..., 0]
            found += told[batch[:, 1:] != PAD].tolist()
        return found

    @torch.no_grad()
    def samples(self, n: int, rng: np.random.Generator, max_words: int) -> Iterator[list[str]]:
        """Stories told word by word, many side by side, each from its own beginning."""
        generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
        tokens = torch.full((n, 1), PAD)
        while len(tokens) and tokens.shape[1] <= max_words:
            logits = self.model(tokens)[:, -1]
            logits[:, PAD] = -torch.inf
            drawn = torch.multinomial(logits.softmax(-1), 1, generator=generator)
            ended = drawn[:, 0] == self.number[EOS]
            yield from self._read(tokens[ended])
            tokens = torch.cat([tokens, drawn], dim=1)[~ended]
        yield from self._read(tokens)

    def _read(self, rows: Tensor) -> Iterator[list[str]]:
        for row in rows.tolist():
            yield [self.words[k - 1] for k in row[1:]]


# ------------------------------------------------------------------------------ the ladder


def measured(recipe: Recipe, texts: Texts) -> Row:
    """Train and measure one model, with a line of progress in a terminal."""
    began, shown = time.monotonic(), ""

    def progress(doing: str, share: float) -> None:
        nonlocal shown
        line = f"{recipe.name}: {doing} {100 * share:3.0f} % {time.monotonic() - began:4.0f} s"
        if sys.stderr.isatty() and line != shown:
            shown = line
            sys.stderr.write(f"\r{line}   ")

    rung = Rung(recipe.name, 0, (), partial(train, recipe), Path(__file__))
    row = measure(rung, SimpleNamespace(), texts, progress)
    if shown:
        sys.stderr.write("\r" + " " * len(shown) + "   \r")
    return row


def faults(rows: Sequence[Row], floor: float) -> list[str]:
    """What is wrong with a ladder, in words."""
    found = []
    heights = [(row.name, row.perplexity or float("inf")) for row in rows] + [("floor", floor)]
    for (above, high), (below, low) in pairwise(heights):
        step = LONG_STEP if (above, below) == ("LSTM", "transformer") else STEP
        if below != "floor" and low > (1 - step) * high:
            found.append(
                f"{below} ({low:.4f}) is not {100 * step:.0f} % below {above} ({high:.4f})"
            )
    for row in rows:
        if row.name == "4-gram" and row.gap_percent is not None and row.gap_percent < FAR:
            found.append(f"the 4-gram is less than {FAR:.0f} % above the floor")
        if row.name == "transformer":
            if row.gap_percent is None or row.gap_percent > NEAR:
                found.append(f"the transformer is more than {NEAR:.0f} % above the floor")
            if row.seconds > 60 * MINUTES:
                found.append(f"the transformer trained {row.seconds:.0f} s, over {MINUTES} minutes")
    return found


def main() -> None:
    """Measure, print the table and say whether the steps hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=2_000_000, help="of the training text")
    parser.add_argument("--only", nargs="*", choices=[recipe.name for recipe in RECIPES])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(min(2, os.cpu_count() or 1))
    ngrams: tuple[Row, ...] = ()
    if not options.only:
        root = find_project(Path(__file__)).root
        ngrams = climb(root, "solutions", "village", options.tokens).rows[:CONTEXT]
    texts = names.load("village", options.tokens, options.tokens // 10)
    assert texts.floor is not None
    chosen = [each for each in RECIPES if not options.only or each.name in options.only]
    rows = [*ngrams, *(measured(recipe, texts) for recipe in chosen)]
    ladder = Ladder("the village", texts.floor, 0.0, tuple(rows), {})
    Console(width=100).print(show.table(ladder), by_kind.table(ladder))
    wrong = faults(rows, texts.floor)
    print("\n".join(wrong) or f"every step is at least {100 * STEP:.0f} %")
    if options.json:
        found = {**ladder.to_json(), "torch": torch.__version__, "faults": wrong}
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
