"""The translator of chapter 4, from the village into its dialect, and what was measured of it.

Leaves out: the chapter's language models, which are rungs of the ladder.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.corpora import dialect
from nextword.corpora.dialect import Pair
from nextword.given import batches
from nextword.given.batches import EOS, PAD, number_words
from nextword.models.checkpoints.recipe import Recipe, Report, Trained

N_PAIRS, N_PER_LENGTH = 30_000, 200
LENGTHS = (5, 10, 15, 20, 25, 30, 35)  # of about so many words; one more or less counts as well
D, H = 48, 184  # as wide as a megabyte of half-precision numbers allows
EPOCHS, SIZE, RATE, CLIP = 6, 32, 4e-3, 1.0


@dataclass(frozen=True)
class Encoded:
    """A pair as ids; it counts as long as its source."""

    source: list[int]
    target: list[int]

    def __len__(self) -> int:
        return len(self.source)


class Words:
    """The ids of both languages: the words of the training pairs, in alphabetical order."""

    def __init__(self, pairs: Sequence[Pair]):
        self.source, self.target = (
            number_words(sorted({w for pair in pairs for w in pair[k]})) for k in (0, 1)
        )
        self.target_words = list(self.target)

    def encoded(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """The pairs as ids."""
        return [
            Encoded([self.source[w] for w in source], [self.target[w] for w in target])
            for source, target in pairs
        ]

    def rows(self, pairs: Sequence[Pair]) -> tuple[Tensor, list[list[int]]]:
        """The sources as padded rows, (B, T), and the targets as lists of ids."""
        return side_by_side(self.encoded(pairs))


def side_by_side(pairs: Sequence[Encoded]) -> tuple[Tensor, list[list[int]]]:
    """The sources as padded rows, (B, T), and the targets as they are."""
    sources = [torch.tensor(pair.source) for pair in pairs]
    return nn.utils.rnn.pad_sequence(sources, True, PAD), [pair.target for pair in pairs]


def train_translator(
    rnns: ModuleType, words: Words, pairs: Sequence[Pair], report: Report
) -> nn.Module:
    """Train the chapter's encoder-decoder with teacher forcing; Adam, at a rate that falls to 0."""
    torch.manual_seed(0)
    model: nn.Module = rnns.Seq2Seq(len(words.source), len(words.target), D, H)
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    encoded = words.encoded(pairs)
    rng, n_made, n_steps = np.random.default_rng(0), 0, EPOCHS * -(-len(pairs) // SIZE)
    for _ in range(EPOCHS):
        for chosen in batches.batches(encoded, SIZE, rng):
            optimizer.param_groups[0]["lr"] = RATE * min(1.0, 2 * (1 - n_made / n_steps))
            source, rows = side_by_side(chosen)
            inputs, targets = rnns.make_batch(rows)
            loss = F.cross_entropy(model(source, inputs).mT, targets, ignore_index=PAD)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            n_made += 1
            report(n_made / n_steps)
    return model.eval()


def exact(model: Any, words: Words, pairs: Sequence[Pair]) -> float:
    """The share of sentences whose translation is right in every word."""
    n_right = 0
    for k in range(0, len(pairs), 100):
        source, targets = words.rows(pairs[k : k + 100])
        n_right += sum(
            said == right for said, right in zip(model.translate(source), targets, strict=True)
        )
    return n_right / len(pairs)


def by_length(model: Any, words: Words, split: str) -> dict[int, dict[str, float]]:
    """For sentences of about each length: the share translated exactly, and how many were asked."""
    found = {}
    for length in LENGTHS:
        pairs = dialect.pairs(split, N_PER_LENGTH, length - 1, length + 1)
        pairs = [pair for pair in pairs if known(words, pair)]
        found[length] = {"exact": exact(model, words, pairs), "sentences": len(pairs)}
    return found


def known(words: Words, pair: Pair) -> bool:
    """Whether all words of a pair occur in the training pairs."""
    return all(w in words.source for w in pair[0]) and all(w in words.target for w in pair[1])


@torch.no_grad()
def errors_by_place(
    rnns: ModuleType, model: Any, words: Words, pairs: Sequence[Pair]
) -> dict[str, list[float]]:
    """How often each word is wrong: after the true words, and after the model's own words."""
    source, targets = words.rows(pairs)
    inputs, right = rnns.make_batch(targets)
    forced = model(source, inputs).argmax(-1) != right
    free = torch.ones_like(forced)
    for row, said in enumerate(model.translate(source)):
        told = torch.tensor([*said, EOS][: right.shape[1]])
        free[row, : len(told)] = told != right[row, : len(told)]
    counted = right != PAD
    shares = {
        name: ((wrong & counted).sum(0) / counted.sum(0)).tolist()
        for name, wrong in (("teacher forcing", forced), ("free running", free))
    }
    enough = int((counted.sum(0) >= len(pairs) // 2).sum())
    return {name: [round(share, 4) for share in row[:enough]] for name, row in shares.items()}


def translator(package: SimpleNamespace, report: Report) -> Trained:
    """Train and measure; weights are stored in half precision, and measured as stored."""
    rnns = package.rnns
    pairs = dialect.pairs("train", N_PAIRS)
    words = Words(pairs)
    model = train_translator(rnns, words, pairs, report)
    model.load_state_dict({name: t.half().float() for name, t in model.state_dict().items()})
    asked = dialect.pairs("test", 300, 14, 20)
    facts = {
        "pairs": len(pairs),
        "lengths": dict(sorted(Counter(len(source) - 1 for source, _ in pairs).items())),
        "sizes": [len(words.source), len(words.target), D, H],
        "words": [list(words.source), list(words.target)],
        "parameters": sum(p.numel() for p in model.parameters()),
        "by_length": by_length(model, words, "test"),
        "by_place": errors_by_place(rnns, model, words, [p for p in asked if known(words, p)]),
    }
    return Trained({name: t.half() for name, t in model.state_dict().items()}, facts)


RECIPES = (
    Recipe(
        name="rnns/translator",
        train=translator,
        uses={"rnns": ("Seq2Seq", "make_batch")},
        sources=(
            Path(__file__),
            *(Path(str(module.__file__)) for module in (dialect, batches)),
        ),
    ),
)
