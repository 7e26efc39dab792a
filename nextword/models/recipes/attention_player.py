"""The player of chapter 5: two small layers of heads that predict the next word of Shakespeare.

It reads pieces of plays and poems, and learns from the late words of each piece alone, which have
many others to look at. Leaves out: what its heads look at, which the page counts.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own custom
from torch import Tensor

from nextword.corpora import shakespeare
from nextword.given.batches import BOS
from nextword.models import attention_only, training
from nextword.models.attention_only import AttentionOnly, AttentionSizes
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report, half, n_weights

KNOWN = 2000  # words; all others are one symbol
UNKNOWN = 3  # after padding, begin and end
STEPS, PIECES, LENGTH, RATE = 1000, 16, 48, 4e-3
LATE = LENGTH // 2  # from this word of a piece on it learns
SIZES = AttentionSizes(KNOWN + UNKNOWN + 1, D=64, H=4, longest=64, causal=True)


def numbers() -> dict[str, int]:
    """The ids of the words that are known, the most frequent of the training text first."""
    sentences = shakespeare.sentences("train", lower=True)
    counts = Counter(word for sentence in sentences for word in sentence)
    return {word: k for k, (word, _) in enumerate(counts.most_common(KNOWN), UNKNOWN + 1)}


def ids_of(split: str, number: Mapping[str, int]) -> Tensor:
    """The sentences of a split as one row of ids, each after a begin symbol."""
    sentences = shakespeare.sentences(split, lower=True)
    return torch.tensor(
        [i for words in sentences for i in (BOS, *(number.get(w, UNKNOWN) for w in words))]
    )


def pieces(text: Tensor, n: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """n pieces of a text, and the word that follows each of their words: both (n, LENGTH).

    >>> inputs, targets = pieces(torch.arange(100), 2, torch.Generator().manual_seed(0))
    >>> inputs.shape, bool((targets == inputs + 1).all())
    (torch.Size([2, 48]), True)
    """
    starts = torch.randint(len(text) - LENGTH, (n, 1), generator=rng)
    at = starts + torch.arange(LENGTH)
    return text[at], text[at + 1]


def player(package: SimpleNamespace, report: Report) -> Trained:
    """Train two layers of heads on pieces of Shakespeare, a thousand steps long."""
    torch.manual_seed(0)
    rng = torch.Generator().manual_seed(0)
    number = numbers()
    text = ids_of("train", number)
    net = AttentionOnly(package.attention, SIZES)
    optimizer = torch.optim.Adam(net.parameters())
    with attention_only.fused_attention(net):
        for step in range(STEPS):
            optimizer.param_groups[0]["lr"] = RATE * (1 - step / STEPS)
            inputs, targets = pieces(text, PIECES, rng)
            late = net.vectors(inputs)[-1][:, LATE:].flatten(0, 1)
            loss = F.cross_entropy(net.out(late), targets[:, LATE:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            report((step + 1) / STEPS)
    facts = {"words": list(number), "tokens": len(text), "parameters": n_weights(net)}
    return Trained(half(net), facts)


RECIPES = (
    Recipe(
        name="attention/player",
        train=player,
        uses={"attention": ("MultiHead", "causal_mask")},
        sources=(Path(__file__), *files(attention_only, training)),
        corpora=("shakespeare",),
    ),
)
