"""How long trainings will take, said before they begin.

Models were trained on graphics cards and on processors of several kinds, so what one core of one
processor needs stands here for all that take a minute or more. For the others, a model's file says
how many seconds its training took. Leaves out: how much faster or slower the machine at hand is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from pathlib import Path

from examiner.errors import UserError
from nextword.models.store import Recipe, facts_of

# seconds of one core of two, while the other trained as well: of a study by the time of its steps,
# of the others from how far a few seconds bring them (benchmarks/training_time.py)
ON_A_CORE: dict[str, float] = {
    "study/nearest": 15_890,
    "study/last-rung": 2_760,
    "study/linear-attention-large": 2_420,
    "study/with-convolution-large": 2_280,
    "study/transformer-large": 2_030,
    "study/attention-only-large": 1_800,
    "study/gru-large": 1_550,
    "study/feed-forward-large": 1_190,
    "study/attention-only-small": 1_100,
    "study/recall-linear-attention": 1_070,
    "study/linear-attention-small": 1_070,
    "study/rnn-large": 1_060,
    "study/recall-with-convolution": 1_040,
    "study/recall-transformer": 1_010,
    "study/with-convolution-small": 960,
    "study/recall-attention-only": 960,
    "study/transformer-small": 950,
    "study/log-bilinear-large": 880,
    "study/gru-small": 780,
    "study/recall-gru": 760,
    "study/lstm-large": 710,
    "study/recall-rnn": 650,
    "after_training/reinforced": 640,
    "ladder/with-convolution": 600,
    "after_training/compared": 600,
    "race/with-convolution": 560,
    "ladder-twice/transformer": 540,
    "ladder-twice/with-convolution": 540,
    "study/rnn-small": 520,
    "ladder/transformer": 460,
    "transformers/scaling": 460,
    "study/feed-forward-small": 430,
    "study/log-bilinear-small": 400,
    "study/lstm-small": 370,
    "study/recall-lstm": 340,
    "rnns/letters": 250,
    "after_training/lora": 220,
    "transformers/positions": 210,
    "after_training/judges": 190,
    "after_training/goodhart": 190,
    "ladder-twice/attention-only": 190,
    "after_training/assistant": 180,
    "race/lstm": 160,
    "after_training/pairs": 160,
    "rnns/translator": 160,
    "transformers/translator": 150,
    "transformers/experts": 140,
    "attention/translator": 120,
    "transformers/norms": 120,
    "ladder-twice/5-gram": 110,
    "transformers/read-again": 110,
    "after_training/updates": 110,
    "after_training/thinking": 100,
    "ladder/linear-attention": 100,
    "ladder/gru": 100,
    "attention/bottleneck": 100,
    "transformers/text-to-text": 100,
    "transformers/warm-up": 90,
    "transformers/finetuning": 90,
    "attention/reader": 80,
    "ladder/lstm": 80,
    "ladder/attention-only": 80,
    "rnns/forgetting": 70,
    "rnns/overfitting": 70,
    "rnns/memory": 60,
}


def seconds(recipe: Recipe, *folders: Path) -> float | None:
    """Seconds that a model's training takes, as far as they are known; the first folder counts."""
    if recipe.name in ON_A_CORE:
        return ON_A_CORE[recipe.name]
    for folder in folders:
        try:
            return float(facts_of(recipe.path(folder))["seconds"])
        except (UserError, KeyError):
            continue
    return None


def longest_first(recipes: Iterable[Recipe], *folders: Path) -> list[Recipe]:
    """The order in which trainings side by side end soonest; those of unknown length begin it."""
    return sorted(recipes, key=lambda recipe: -(seconds(recipe, *folders) or float("inf")))


def until_all_are_done(each: Sequence[float], jobs: int) -> float:
    """Seconds until trainings are done, begun in this order, so many side by side.

    >>> until_all_are_done([50.0, 30.0, 20.0], jobs=1), until_all_are_done([50.0, 30.0, 20.0], 2)
    (100.0, 50.0)
    """
    free = [0.0] * jobs  # when each is free again
    for length in each:
        heapq.heapreplace(free, free[0] + length)
    return max(free)
