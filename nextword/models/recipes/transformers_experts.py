"""A trial of chapter 6: a mixture of experts beside dense layers, in equally many steps.

Leaves out: the layer (nextword.models.experts).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from nextword.corpora import names
from nextword.given.batches import BOS, Ids, ids, number_words
from nextword.models import experts, training, transformer_training
from nextword.models.experts import Experts
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Plan, Report, n_weights

TOKENS, ASKED = 400_000, 20_000
D, L, H = 48, 2, 2
WIDTH, EXPERTS = 48, 4  # hidden numbers of an expert, and how many there are
SEEDS = (0, 1, 2)
PLAN = Plan(steps=600, size=8, rate=4e-3, average=0.99)
BETWEEN = 50  # steps over which losses are averaged
OFTEN = 100  # times that a word must occur to be told of

# name: hidden numbers of the layer, how many experts it is cut into, whether they are balanced
KINDS = {
    "dense, narrow": (WIDTH, 1, False),
    "dense, wide": (EXPERTS * WIDTH, 1, False),
    "experts": (WIDTH, EXPERTS, True),
    "experts, not balanced": (WIDTH, EXPERTS, False),
}


def built(course: Any, V: int, kind: str, seed: int) -> nn.Module:
    """A network of one of the KINDS with its first weights."""
    width, n, balanced = KINDS[kind]
    sizes = course.Sizes(V, D=D, L=L, H=H, F=width)

    def block(sizes: Any, causal: bool = True) -> nn.Module:
        feed = course.FeedForward(sizes) if n == 1 else Experts(D, width, n, balanced=balanced)
        made: nn.Module = course.Block(sizes, course.SelfAttention(sizes, causal), feed)
        return made

    torch.manual_seed(seed)
    model = course.LanguageModel(sizes, block)
    rng = torch.Generator().manual_seed(seed)
    initialised: nn.Module = course.initialise(model, rng, transformer_training.SPREAD)
    return initialised


@torch.no_grad()
def chosen(model: nn.Module, stories: Sequence[Ids]) -> list[list[Counter[int]]]:
    """For each block and each of its experts, how often it was chosen for which word."""
    counts = [[Counter[int]() for _ in range(EXPERTS)] for _ in range(L)]
    seen: list[torch.Tensor] = []
    hooks = [
        block.feed.register_forward_hook(lambda layer, x, y: seen.append(layer.gates(x[0])))
        for block in model.blocks  # type: ignore[union-attr]
    ]
    for story in stories:
        seen.clear()
        model(torch.tensor([[BOS, *story]]))
        for of_block, gates in zip(counts, seen, strict=True):
            for word, expert in zip(story, gates[0, 1:].argmax(-1).tolist(), strict=True):
                of_block[expert][word] += 1
    for hook in hooks:
        hook.remove()
    return counts


def told(counts: Sequence[Counter[int]], words: Sequence[str]) -> dict[str, Any]:
    """What the experts of a block read: their shares of all words, and words that are typical.

    Typical of an expert are the most frequent of those words of which it has nine tenths.
    """
    in_all = Counter[int]()
    for of_expert in counts:
        in_all.update(of_expert)
    typical = [
        [
            words[word]
            for word, n in of_expert.most_common()
            if n >= OFTEN and n > 0.9 * in_all[word]
        ]
        for of_expert in counts
    ]
    loads = [round(of_expert.total() / in_all.total(), 3) for of_expert in counts]
    return {"loads": loads, "typical": [row[:8] for row in typical]}


def mixture(package: SimpleNamespace, report: Report) -> Trained:
    """Train each kind with each seed; tell the losses on the way and the gap above the floor."""
    course = package.transformers
    texts = names.load("village", TOKENS, ASKED)
    number = number_words(texts.vocabulary)
    stories, asked = ids(texts.train, number), ids(texts.test, number)
    assert texts.floor is not None
    kinds: dict[str, dict[str, Any]] = {}
    for kind, (_, n, _) in KINDS.items():
        found: dict[str, Any] = {"gaps": [], "curves": [], "reads": []}
        for seed in SEEDS:
            model = built(course, len(number), kind, seed)
            source = transformer_training.without_end(
                stories, PLAN.size, np.random.default_rng(seed)
            )
            losses = transformer_training.train(course, model, source, PLAN)
            means = np.array(losses).reshape(-1, BETWEEN).mean(1)
            perplexity = math.exp(transformer_training.loss(model, asked))
            found["curves"].append([round(float(mean), 4) for mean in means])
            found["gaps"].append(round(100 * (perplexity / texts.floor - 1), 2))
            if n > 1:
                read = chosen(model, asked)
                found["reads"].append([told(of_block, list(number)) for of_block in read])
            report((len(kinds) + len(found["gaps"]) / len(SEEDS)) / len(KINDS))
        layer = model.blocks[0].feed  # type: ignore[index, union-attr]
        in_layer = n_weights(layer)
        idle = 0 if n == 1 else (n - 1) * WIDTH * (2 * D + 1)  # weights of experts not chosen
        kinds[kind] = {"in_layer": in_layer, "active": in_layer - idle, **found}
    return Trained({}, {"kinds": kinds, "steps_between": BETWEEN, "floor": texts.floor})


RECIPES = (
    Recipe(
        name="transformers/experts",
        train=mixture,
        uses={
            "transformers": (
                *("Sizes", "LanguageModel", "Block", "SelfAttention", "FeedForward"),
                *("initialise", "learning_rate", "train_step"),
            )
        },
        sources=(Path(__file__), *files(experts, transformer_training, training)),
    ),
)
