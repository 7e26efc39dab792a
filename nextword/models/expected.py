"""How long trainings will take, said before they begin.

A model's file says how many seconds its training took. Those of the study were trained on graphics
cards, or put together from trainings of several days: for them stands here what one core of a
processor needs. Leaves out: how much faster or slower the machine at hand is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from pathlib import Path

from examiner.errors import UserError
from nextword.models.store import Recipe, facts_of

# seconds of one core: the time of a step, measured over 40 of them while the other core trained as
# well (benchmarks/training_time.py), times all steps of a family's trainings or of a study
ON_A_CORE: dict[str, float] = {
    "study/log-bilinear-small": 610,
    "study/feed-forward-small": 640,
    "study/rnn-small": 810,
    "study/lstm-small": 670,
    "study/gru-small": 1_380,
    "study/linear-attention-small": 1_650,
    "study/attention-only-small": 1_790,
    "study/transformer-small": 1_440,
    "study/with-convolution-small": 1_510,
    "study/log-bilinear-large": 1_630,
    "study/feed-forward-large": 2_010,
    "study/rnn-large": 1_790,
    "study/lstm-large": 1_560,
    "study/gru-large": 2_520,
    "study/linear-attention-large": 3_410,
    "study/attention-only-large": 2_780,
    "study/transformer-large": 2_990,
    "study/with-convolution-large": 3_290,
    "study/last-rung": 4_920,
    "study/nearest": 16_960,
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
