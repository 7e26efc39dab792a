"""Proves that the village separates the models of the course: trains torch.nn models on it.

Prints the ladder of perplexities: feed-forward net over four words, RNN, LSTM, three-layer
transformer, and the floor. Leaves out: the n-grams, unless the package `solutions` stands, and all
course code.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - torch's own custom

from nextword.corpora import village

PAD = 0  # also stands before the first word of a story; never predicted


@dataclass(frozen=True)
class Size:
    """The sizes of a model and of its training."""

    width: int  # of embeddings and hidden states
    layers: int = 1
    heads: int = 4
    epochs: float = 3.0  # passes through the training text
    batch: int = 16  # stories
    rate: float = 2e-3  # the highest learning rate


class FeedForward(nn.Module):
    """The next word from the four words before it."""

    def __init__(self, n_words: int, size: Size):
        super().__init__()
        self.embed = nn.Embedding(n_words, size.width)
        self.hidden = nn.Linear(4 * size.width, 4 * size.width)
        self.project = nn.Linear(4 * size.width, size.width)
        self.out = nn.Linear(size.width, n_words)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(F.pad(tokens, (3, 0), value=PAD))
        T = tokens.shape[1]
        window = torch.cat([x[:, k : k + T] for k in range(4)], dim=-1)
        return self.out(F.relu(self.project(F.relu(self.hidden(window)))))


class Recurrent(nn.Module):
    """An RNN or LSTM over the whole story."""

    def __init__(self, n_words: int, size: Size, kind: type[nn.RNNBase]):
        super().__init__()
        self.embed = nn.Embedding(n_words, size.width)
        self.net = kind(size.width, size.width, size.layers, batch_first=True)
        self.out = nn.Linear(size.width, n_words)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.net(self.embed(tokens))[0])


class Block(nn.Module):
    """Self-attention with rotary positions and a feed-forward layer, each on a normalised input."""

    def __init__(self, size: Size):
        super().__init__()
        D, self.heads = size.width, size.heads
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.merge = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D, bias=False)
        self.wide, self.narrow = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x: Tensor, turn: Tensor) -> Tensor:
        B, T, D = x.shape
        qkv = self.qkv(self.norm1(x)).view(B, T, 3, self.heads, D // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = rotate(q, turn), rotate(k, turn)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.merge(mixed.transpose(1, 2).reshape(B, T, D))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


def rotate(x: Tensor, turn: Tensor) -> Tensor:
    """Turn each pair of coordinates by an angle that grows with the position."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = turn[0, : x.shape[-2]], turn[1, : x.shape[-2]]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


class Transformer(nn.Module):
    """A decoder-only transformer with rotary positions, pre-norm, and tied embeddings."""

    def __init__(self, n_words: int, size: Size, longest: int = 512):
        super().__init__()
        self.embed = nn.Embedding(n_words, size.width)
        nn.init.normal_(self.embed.weight, std=size.width**-0.5)
        self.blocks = nn.ModuleList([Block(size) for _ in range(size.layers)])
        self.norm = nn.LayerNorm(size.width)
        pairs = size.width // size.heads // 2
        angles = torch.arange(longest)[:, None] * 1000.0 ** (-torch.arange(pairs) / pairs)
        self.register_buffer("turn", torch.stack([angles.cos(), angles.sin()]))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens) * self.embed.embedding_dim**0.5
        for block in self.blocks:
            x = block(x, self.turn)
        return self.norm(x) @ self.embed.weight.T


def encode(corpus: village.Corpus) -> list[Tensor]:
    """Each story as a row of word numbers: PAD, its words, and `</s>`."""
    number = {word: k + 1 for k, word in enumerate(village.VOCABULARY)}
    return [
        torch.tensor([PAD] + [number[w] for w in [*story, village.EOS]])
        for story in corpus.stories()
    ]


def batches(stories: list[Tensor], size: int, rng: np.random.Generator) -> Iterator[Tensor]:
    """Whole stories in batches of similar lengths, padded at the end; in random order."""
    jitter = rng.uniform(0, 10, len(stories))
    order = np.argsort([len(s) + j for s, j in zip(stories, jitter, strict=True)])
    chunks = [order[k : k + size] for k in range(0, len(order), size)]
    for k in rng.permutation(len(chunks)):
        yield nn.utils.rnn.pad_sequence([stories[i] for i in chunks[k]], True, PAD)


def loss_of(model: nn.Module, batch: Tensor, reduction: str = "mean") -> Tensor:
    """Cross-entropy of every real token of the stories (and of their `</s>`)."""
    targets = batch[:, 1:]
    return F.cross_entropy(
        model(batch[:, :-1]).flatten(0, 1), targets.flatten(), ignore_index=PAD, reduction=reduction
    )


def train(model: nn.Module, stories: list[Tensor], size: Size, seed: int = 0) -> None:
    """AdamW with warm-up and cosine, gradients clipped at 1."""
    rng = np.random.default_rng(seed)
    steps = int(size.epochs * math.ceil(len(stories) / size.batch))
    optimizer = torch.optim.AdamW(model.parameters(), size.rate, (0.9, 0.98), weight_decay=0.01)
    warm = min(100, steps // 10 + 1)

    def schedule(step: int) -> float:
        return min(step / warm, 0.5 + 0.5 * math.cos(math.pi * step / steps)) + 1e-3

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, schedule)
    done = 0
    while done < steps:
        for batch in batches(stories, size.batch, rng):
            loss = loss_of(model, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            done += 1
            if done % 200 == 0:
                print(
                    f"   step {done} loss {loss.item():.4f} {time.process_time():.0f}", flush=True
                )
            if done == steps:
                break


@torch.no_grad()
def perplexity(model: nn.Module, stories: list[Tensor]) -> float:
    """exp(mean cross-entropy per token), each story read from its beginning."""
    total = n_tokens = 0.0
    for batch in batches(stories, 32, np.random.default_rng(0)):
        total += loss_of(model, batch, "sum").item()
        n_tokens += int((batch[:, 1:] != PAD).sum())
    return math.exp(total / n_tokens)


def models() -> dict[str, tuple[Size, type[nn.Module] | object]]:
    """Each model with its size."""
    return {
        "feed-forward": (Size(128), FeedForward),
        "rnn": (Size(256, rate=1e-3), lambda n, s: Recurrent(n, s, nn.RNN)),
        "lstm": (Size(256, rate=4e-3), lambda n, s: Recurrent(n, s, nn.LSTM)),
        "transformer": (Size(128, layers=3), Transformer),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--json")
    args = parser.parse_args()
    test = village.split("test", 100_000)
    stories, held_out = encode(village.split("train", args.tokens)), encode(test)
    rows = []
    print("floor", test.perplexity, flush=True)
    for name, (size, make) in models().items():
        if args.only and name not in args.only:
            continue
        size = replace(
            size, **{k: type(getattr(size, k))(v) for k, v in (x.split("=") for x in args.set)}
        )
        torch.manual_seed(0)
        model = make(len(village.VOCABULARY) + 1, size)
        start, cpu = time.perf_counter(), time.process_time()
        train(model, stories, size)
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        value = perplexity(model, held_out)
        n = sum(p.numel() for p in model.parameters())
        gap = 100 * (value / test.perplexity - 1)
        rows.append(
            {
                "name": name,
                "perplexity": value,
                "gap_percent": gap,
                "parameters": n,
                "seconds": seconds,
            }
        )
        print(
            f"{name:14} {value:8.4f} gap {gap:6.2f} % {n:9} {seconds:6.1f} s cpu {cpu:.1f}",
            size,
            flush=True,
        )
    if args.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
