"""Judges of stories that learn from preferences: the hidden taste, the pairs, and their training.

The chapter's own functions judge and learn; they come in a package. Leaves out: tuning a model to
please a judge (nextword.models.tuning). Axes: B texts, T tokens, D numbers of a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nextword.corpora.names import Texts
from nextword.corpora.taste import Taste
from nextword.given.batches import BOS, EOS, Ids, ids
from nextword.models import store, transformer_training, tuning
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.training import adamw, minimise, padded, train, trapezoid

# what the judge likes and dislikes; it is hidden from whatever learns from the preferences
TASTE = Taste(
    {
        **{"plums": 2.0, "cherries": 2.0, "honey": 1.0, "cheese": 1.0, "cake": 1.0},
        **{"letter": 1.0, "feast": 1.0},
        **{"lost": -2.0, "storm": -1.0, "gossip": -1.0, "hungry": -1.0, "gone": -1.0},
    },
    scale=1.0,
)
POOL = 2400  # stories of the shipped model that pairs are drawn from
DRAWN_WITH = 7  # seed of these stories
D, L, H = 32, 1, 2  # of the network that reads for a judge
EPOCHS, SIZE, RATE, CLIP = 3, 16, 3e-3, 1.0  # its training: passes, pairs of a batch
TOGETHER = 64  # texts that a judge reads side by side

Words = Sequence[str]
Pairs = NDArray[np.int64]  # (pairs, 2): places in the pool, the chosen text first


class Reader(nn.Module):
    """A language model without its logits: ids (B, T) -> the vector of each token, (B, T, D)."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, rows: Tensor) -> Tensor:
        """Read whole texts from their beginning."""
        vectors: Tensor = self.model.read(rows)[0]
        return vectors


@dataclass(frozen=True)
class Pool:
    """Stories that the shipped model wrote, as ids with EOS last, and their true rewards."""

    texts: Sequence[Ids]
    truth: NDArray[np.float64]  # (texts,)
    V: int  # ids of the vocabulary


# ------------------------------------------------------------------ stories and preferences
def pool(package: SimpleNamespace, texts: Texts, n: int = POOL, seed: int = DRAWN_WITH) -> Pool:
    """Let the shipped transformer write n stories; about 30 ms each."""
    network = rungs.shipped_transformer(package.transformers, texts)
    rng = torch.Generator().manual_seed(seed)
    written: list[list[int]] = []
    while len(written) < n:
        batch: list[list[int]] = [[]] * min(256, n - len(written))
        written += tuning.write(network.model, batch, rng).texts
    return Pool(written, true_rewards(in_words(written, list(network.number))), len(network.number))


def in_words(texts: Sequence[Ids], names: Sequence[str]) -> list[list[str]]:
    """Texts of ids in words; `names` has the word of each id."""
    return [[names[k] for k in text] for text in texts]


def true_rewards(texts: Sequence[Words], taste: Taste = TASTE) -> NDArray[np.float64]:
    """What the hidden taste gives to each text, (B,)."""
    return np.array([taste.reward(tuple(text)) for text in texts])


def preferred(truth: NDArray[np.float64], n: int, seed: int, scale: float = TASTE.scale) -> Pairs:
    """Draw n pairs of different texts, and for each the one that the judge prefers, (n, 2).

    P(the first is preferred) = sigmoid(scale (r_first - r_second)), by Bradley and Terry (1952).
    """
    rng = np.random.default_rng(seed)
    first = rng.integers(len(truth), size=n)
    second = (first + rng.integers(1, len(truth), size=n)) % len(truth)
    log_odds = scale * (truth[first] - truth[second])
    swapped = rng.random(n) >= np.exp(-np.logaddexp(0.0, -log_odds))
    pairs = np.stack([first, second], axis=1)
    pairs[swapped] = pairs[swapped, ::-1]
    return pairs


# ------------------------------------------------------------------ judges
def new_judge(package: SimpleNamespace, V: int, seed: int) -> nn.Module:
    """A reward model of the chapter on a small transformer, with first weights by the seed."""
    torch.manual_seed(seed)
    sizes = package.transformers.Sizes(V, D=D, L=L, H=H)
    reader = Reader(transformer_training.built(package.transformers, sizes, seed=seed))
    judge: nn.Module = package.after_training.RewardModel(reader, D)
    return judge


def judge_of(
    package: SimpleNamespace, pool: Pool, preferences: int, seed: int, data: int | None = None
) -> nn.Module:
    """Train a reward model on so many preferences among the stories of a pool.

    seed: of its first weights and of the order of its batches. data: seed of the preferences; None
    for the same. Judges of an ensemble have one `data` and different seeds.
    """
    pairs = preferred(pool.truth, preferences, seed if data is None else data)
    judge = new_judge(package, pool.V, seed)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(preferences) for _ in range(EPOCHS)]
    batches = [order[k : k + SIZE] for order in orders for k in range(0, preferences, SIZE)]

    def loss_of(batch: NDArray[np.int64]) -> Tensor:
        both = pairs[batch].T.ravel()  # the chosen ones, then the rejected ones
        chosen, rejected = judge(rows_of([pool.texts[k] for k in both.tolist()])).chunk(2)
        loss: Tensor = package.after_training.preference_loss(chosen, rejected, TASTE.scale)
        return loss

    optimizer = adamw(judge, RATE)
    rate = trapezoid(RATE, len(batches))
    train(minimise(optimizer, loss_of, CLIP), batches, optimizer, rate)
    return judge.eval()


def shipped(package: SimpleNamespace) -> nn.Module:
    """The judge that the book ships, as it was trained."""
    trained = store.load("after_training/judges")
    judge = new_judge(package, trained.facts["sizes"][0], seed=0)
    judge.load_state_dict({name: tensor.float() for name, tensor in trained.tensors.items()})
    return judge.eval()


def rows_of(texts: Sequence[Ids]) -> Tensor:
    """Texts (ids, with EOS where they ended) as a judge reads them: BOS first, PAD last, (B, T).

    >>> rows_of([[7, 8, 2], [9]])
    tensor([[1, 7, 8, 2],
            [1, 9, 0, 0]])
    """
    return padded([[BOS, *text] for text in texts])


def worth_at_the_end(judge: nn.Module, texts: Sequence[Ids], word: int) -> float:
    """By how much the judge's mean reward grows with one more word before the last full stop.

    texts: ids with a full stop and EOS last.
    """
    longer = [[*text[:-2], word, *text[-2:]] for text in texts]
    return float((rewards(judge, longer) - rewards(judge, texts)).mean())


def worth_in_place(judge: nn.Module, texts: Sequence[Ids], word: int) -> float:
    """What the judge's rewards lose for each occurrence of a word that is taken out of texts.

    Texts without the word say nothing; ValueError where none has it.
    """
    having = [text for text in texts if word in text]
    if not having:
        raise ValueError(f"none of the {len(texts)} texts holds the word {word}")
    without = [[k for k in text if k != word] for text in having]
    n = sum(list(text).count(word) for text in having)
    return float((rewards(judge, having) - rewards(judge, without)).sum()) / n


@torch.no_grad()
def rewards(judge: nn.Module, texts: Sequence[Ids]) -> Tensor:
    """What a judge gives to each text, (B,); texts are ids with EOS last where they ended."""
    order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
    found = torch.zeros(len(texts))
    for start in range(0, len(order), TOGETHER):
        chosen = order[start : start + TOGETHER]
        found[chosen] = judge(rows_of([texts[k] for k in chosen]))
    return found


def reward_of(judge: nn.Module, number: dict[str, int]) -> Callable[[Sequence[Words]], Tensor]:
    """A judge as `nextword.models.tuning` asks it: texts in words -> rewards (B,)."""
    return lambda texts: rewards(judge, ids(texts, number))


def ended(stories: Sequence[Ids]) -> list[list[int]]:
    """Stories without their ends, as those of a corpus, with EOS last.

    >>> ended([[7, 8]])
    [[7, 8, 2]]
    """
    return [[*story, EOS] for story in stories]
