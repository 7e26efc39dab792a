"""What chapter 5 ships: the translator that looks back, and a reader that sees both sides.

The translator learns from the very pairs of chapter 4's, so that their curves stand in one figure.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor, nn

from nextword import attentive, training
from nextword.attentive import Heads, Sizes, padded
from nextword.checkpoints.recipe import Recipe, Report, Trained
from nextword.corpora import dialect, village
from nextword.corpora.batches import BOS, EOS, PAD, Ids, number_words
from nextword.models import rnns
from nextword.models.rnns import N_PAIRS, Words, by_length
from nextword.training import Plan

W, D, A = 40, 88, 56  # numbers in a word, a state, a score: a megabyte in half precision
TRANSLATING = Plan(epochs=6, size=64, rate=6e-3)

TOKENS = 1_000_000  # of the village, that the reader reads
READING = Plan(epochs=2, size=4, rate=2e-3)
HIDDEN = BOS  # stands in place of a word that the reader must guess; no story has it inside
SHARE = 0.15  # of the words, that are hidden


def half(net: nn.Module) -> dict[str, Tensor]:
    """A network's weights in half precision; from now on it computes with them as stored."""
    stored = {name: t.half() for name, t in net.state_dict().items()}
    net.load_state_dict({name: t.float() for name, t in stored.items()})
    return stored


def translator(package: SimpleNamespace, report: Report) -> Trained:
    """Train the decoder that attends with teacher forcing, and measure it by length."""
    torch.manual_seed(0)
    pairs = dialect.pairs("train", N_PAIRS)
    words = Words(pairs)
    sizes = (len(words.source), len(words.target), W, D, A)
    net = package.attention.Translator(*sizes)
    target_of = {
        tuple(words.source[w] for w in source): [words.target[w] for w in target]
        for source, target in pairs
    }

    def loss_of(net: nn.Module, sources: Sequence[Ids]) -> Tensor:
        targets = [target_of[tuple(source)] for source in sources]
        logits, _ = net(padded(sources), padded([[BOS, *row] for row in targets]))
        right = padded([[*row, EOS] for row in targets])
        return F.cross_entropy(logits.mT, right, ignore_index=PAD)

    attentive.train(net, [list(row) for row in target_of], loss_of, TRANSLATING, report)
    tensors = half(net)
    facts = {
        "pairs": len(pairs),
        "sizes": sizes,
        "words": [list(words.source), list(words.target)],
        "parameters": sum(p.numel() for p in net.parameters()),
        "by_length": by_length(net, words, "test"),
    }
    return Trained(tensors, facts)


def guess_loss(rng: torch.Generator, net: nn.Module, stories: Sequence[Ids]) -> Tensor:
    """The mean of -ln P of words that are hidden, all others in view."""
    words = padded(stories)
    hidden = (torch.rand(words.shape, generator=rng) < SHARE) & (words != PAD)
    seen = words.masked_fill(hidden, HIDDEN)
    return F.cross_entropy(net(seen).mT, words.masked_fill(~hidden, PAD), ignore_index=PAD)


def reader(package: SimpleNamespace, report: Report) -> Trained:
    """Train two layers of heads to guess hidden words of stories from both sides."""
    torch.manual_seed(0)
    number = number_words(village.VOCABULARY)
    net = Heads(package.attention, Sizes(len(number), causal=False))
    stories = [[number[w] for w in story] for story in village.split("train", TOKENS).stories()]
    loss_of = partial(guess_loss, torch.Generator().manual_seed(0))
    attentive.train(net, stories, loss_of, READING, report)
    tensors = half(net)
    held_out = village.split("test", TOKENS // 20).stories()
    with torch.no_grad():
        rng = torch.Generator().manual_seed(1)
        told = [
            guess_loss(rng, net, [[number[w] for w in story] for story in held_out[k : k + 16]])
            for k in range(0, len(held_out), 16)
        ]
    facts = {
        "words": list(number),
        "parameters": sum(p.numel() for p in net.parameters()),
        "perplexity": float(torch.stack(told).mean().exp()),
    }
    return Trained(tensors, facts)


RECIPES = (
    Recipe(
        name="attention/translator",
        train=translator,
        uses={"attention": ("Translator",)},
        sources=(
            *(Path(str(module.__file__)) for module in (attentive, training, rnns, dialect)),
            Path(__file__),
        ),
    ),
    Recipe(
        name="attention/reader",
        train=reader,
        uses={"attention": ("MultiHead",)},
        sources=(Path(attentive.__file__), Path(training.__file__), Path(__file__)),
    ),
)
