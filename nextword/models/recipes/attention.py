"""The translator of chapter 5, which looks back, and chapter 4's, which cannot, on the same pairs.

One figure shows both. Leaves out: the chapter's language models (attention_reader, the ladder).
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword.corpora import dialect
from nextword.corpora.dialect import Pair
from nextword.given.batches import BOS, EOS, PAD, Ids
from nextword.models import teaching, training
from nextword.models.checkpoints.recipe import Recipe, Report, Trained
from nextword.models.recipes import rnns
from nextword.models.recipes.rnns import Words, by_length
from nextword.models.teaching import padded
from nextword.models.training import Plan

# how many, how long at least and at most: long sentences are rare, those of 30 words most of all
PAIRS = ((20_000, 3, 40), (5_000, 20, 40), (1_500, 27, 33))
W, D, A = 40, 88, 56  # numbers in a word, a state, a score: a megabyte in half precision
TRANSLATING = Plan(epochs=5, size=64, rate=6e-3)
SQUEEZING = Plan(epochs=5, size=64, rate=4e-3)

Told = Callable[[nn.Module, Tensor, Tensor], Tensor]  # logits from a network, sources and inputs


def pairs_to_learn() -> list[Pair]:
    """Different sentences of all lengths with their translations, and more of the long ones."""
    found = [pair for asked in PAIRS for pair in dialect.pairs("train", *asked)]
    return list({" ".join(source): (source, target) for source, target in found}.values())


def learn(
    net: nn.Module, told: Told, words: Words, pairs: Sequence[Pair], plan: Plan, report: Report
) -> float:
    """Teach a network to translate with teacher forcing; return the processor's seconds."""
    begun = time.process_time()
    target_of = {
        tuple(words.source[w] for w in source): [words.target[w] for w in target]
        for source, target in pairs
    }

    def loss_of(net: nn.Module, sources: Sequence[Ids]) -> Tensor:
        targets = [target_of[tuple(source)] for source in sources]
        logits = told(net, padded(sources), padded([[BOS, *row] for row in targets]))
        right = padded([[*row, EOS] for row in targets])
        return F.cross_entropy(logits.flatten(0, 1), right.flatten(), ignore_index=PAD)

    teaching.train(net, [list(source) for source in target_of], loss_of, plan, report)
    return time.process_time() - begun


def measured(net: nn.Module, words: Words, pairs: Sequence[Pair], took: float) -> dict[str, Any]:
    """How well a network translates sentences of each length, and what it learned from."""
    return {
        "processor_seconds": round(took),  # of one, for training alone
        "pairs": len(pairs),
        "lengths": dict(sorted(Counter(len(source) - 1 for source, _ in pairs).items())),
        "parameters": sum(p.numel() for p in net.parameters()),
        "by_length": by_length(net, words, "test"),
    }


def translator(package: SimpleNamespace, report: Report) -> Trained:
    """Train the decoder that attends, and measure it by length."""
    torch.manual_seed(0)
    pairs = pairs_to_learn()
    words = Words(pairs)
    sizes = (len(words.source), len(words.target), W, D, A)
    net = package.attention.Translator(*sizes)
    took = learn(net, lambda net, *read: net(*read)[0], words, pairs, TRANSLATING, report)
    tensors = teaching.half(net)
    facts = {"sizes": sizes, "words": [list(words.source), list(words.target)]}
    return Trained(tensors, facts | measured(net, words, pairs, took))


def bottleneck(package: SimpleNamespace, report: Report) -> Trained:
    """Train chapter 4's encoder and decoder, of its size, on the same pairs; only measured."""
    torch.manual_seed(0)
    pairs = pairs_to_learn()
    words = Words(pairs)
    net = package.rnns.Seq2Seq(len(words.source), len(words.target), rnns.D, rnns.H)
    took = learn(net, lambda net, *read: net(*read), words, pairs, SQUEEZING, report)
    return Trained({}, measured(net, words, pairs, took))


SOURCES = (
    Path(__file__),
    *(Path(str(module.__file__)) for module in (teaching, training, rnns, dialect)),
)
RECIPES = (
    Recipe(
        name="attention/translator",
        train=translator,
        uses={"attention": ("Translator",)},
        sources=SOURCES,
    ),
    Recipe(
        name="attention/bottleneck",
        train=bottleneck,
        uses={"rnns": ("Seq2Seq",)},
        sources=SOURCES,
    ),
)
