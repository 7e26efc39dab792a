"""Reward models of chapter 7 on ever more preferences, beside the taste that the program knows.

Leaves out: the judges and their training (nextword.models.judges).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nextword.corpora import names, taste
from nextword.given import batches
from nextword.given.batches import Ids, ids, number_words
from nextword.models import judges, training, transformer_training, tuning
from nextword.models.ladder.rungs import transformers as rungs
from nextword.models.store import Recipe, Trained, files
from nextword.models.training import Report, half

PREFERENCES = (100, 400, 1600, 6400)
SEEDS = (0, 1, 2)
SHIPPED = (1600, 0)  # preferences and seed of the judge that the page asks
HELD_OUT = 800  # stories of the model that no judge has read
ASKED = 60_000  # tokens of true stories
OF = 16  # stories among which a judge chooses the best
BINS = 10
REPEATED = "plums"
TIMES = (0, 1, 2, 4, 8, 16, 32)  # how often the word is said once more

Floats = NDArray[np.float64]


# ------------------------------------------------------------------ how near the truth is
def agreement(said: Floats, truth: Floats) -> dict[str, float]:
    """How well rewards `said` keep the true order and the true differences of texts.

    accuracy: the share of pairs in the true order, of those that truly differ. correlation: of the
    rewards. gain: the slope of the truth against what was said; 1 where differences are right.
    error: the standard deviation of the difference, since a constant has no meaning.
    """
    first, second = np.triu_indices(len(truth), 1)
    true_difference = truth[first] - truth[second]
    differ = true_difference != 0
    right = np.sign(said[first] - said[second]) == np.sign(true_difference)
    return {
        "accuracy": round(float(right[differ].mean()), 4),
        "correlation": round(float(np.corrcoef(said, truth)[0, 1]), 4),
        "gain": round(float(np.polyfit(said, truth, 1)[0]), 3),
        "error": round(float(np.std(said - truth)), 3),
        "said": round(float(said.mean()), 3),
        "true": round(float(truth.mean()), 3),
    }


def calibration(said: Floats, truth: Floats, scale: float) -> list[list[float]]:
    """For pairs of texts, by what the judge says: its mean P(first preferred), and the true one.

    A row [said, true, share of the pairs] for each tenth of probability.
    """
    first, second = np.triu_indices(len(truth), 1)
    p_said = _sigmoid(scale * (said[first] - said[second]))
    p_true = _sigmoid(scale * (truth[first] - truth[second]))
    of_bin = np.minimum((BINS * p_said).astype(int), BINS - 1)
    bins = [of_bin == k for k in range(BINS)]
    means = [(p_said[b].mean(), p_true[b].mean(), b.mean()) for b in bins if b.any()]
    return [[round(float(mean), 4) for mean in row] for row in means]


def _sigmoid(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -x))


def best_of(said: Floats, truth: Floats) -> dict[str, float]:
    """Groups of OF texts: the best by what is said, what was said of it, and its true reward.

    `possible` is the true reward of the truly best, `mean` that of all.
    """
    n = len(said) // OF * OF
    groups, true_groups = said[:n].reshape(-1, OF), truth[:n].reshape(-1, OF)
    rows, chosen = np.arange(len(groups)), groups.argmax(1)
    # rewards have no zero of their own: both are counted from their means
    return {
        "said": round(float(groups[rows, chosen].mean() - said.mean()), 3),
        "true": round(float(true_groups[rows, chosen].mean() - truth.mean()), 3),
        "possible": round(float(true_groups.max(1).mean() - truth.mean()), 3),
    }


# ------------------------------------------------------------------ texts to be judged
def doubled(stories: Sequence[Ids]) -> list[list[int]]:
    """Each story followed by another one, as a single text that is twice as long."""
    return [[*a[:-1], *b] for a, b in zip(stories, [*stories[1:], stories[0]], strict=True)]


def shuffled(stories: Sequence[Ids], rng: np.random.Generator) -> list[list[int]]:
    """The words of each story in any order, its end last: to the taste they are worth the same."""
    return [[*map(int, rng.permutation(story[:-1])), story[-1]] for story in stories]


def with_word(stories: Sequence[Ids], word: int, times: int) -> list[list[int]]:
    """Each story with a word said so many times more, before its last full stop and its end."""
    return [[*story[:-2], *[word] * times, *story[-2:]] for story in stories]


def elsewhere(stories: Sequence[Ids], true_stories: Sequence[Ids]) -> dict[str, Sequence[Ids]]:
    """Held-out texts by where they come from."""
    return {
        "stories of the model": stories,
        "true stories": true_stories,
        "two stories in one": doubled(stories),
        "words in any order": shuffled(stories, np.random.default_rng(0)),
    }


def measured(
    judge: Any, asked: dict[str, Sequence[Ids]], words: Sequence[str]
) -> tuple[dict[str, dict[str, float]], Floats, Floats]:
    """How near a judge is to the truth on all texts; what it says of the first, and their truth."""
    said = {place: judges.rewards(judge, texts).numpy() for place, texts in asked.items()}
    truth = {
        place: judges.true_rewards(judges.in_words(texts, words)) for place, texts in asked.items()
    }
    first = next(iter(asked))
    near = {place: agreement(said[place], truth[place]) for place in asked}
    return near, said[first], truth[first]


def repeated(judge: Any, stories: Sequence[Ids], word: int) -> list[float]:
    """By how much the judge's mean reward grows with a word said so many TIMES more."""
    means = [float(judges.rewards(judge, with_word(stories, word, n)).mean()) for n in TIMES]
    return [round(mean - means[0], 3) for mean in means]


def learn_taste(package: SimpleNamespace, report: Report) -> Trained:
    """Train judges on each number of preferences with each seed, and measure them by the truth."""
    texts = names.load("village", 1_000_000, ASKED)
    number = number_words(texts.vocabulary)
    words = list(number)
    read = judges.pool(package, texts)
    held = judges.pool(package, texts, HELD_OUT, judges.DRAWN_WITH + 1)
    asked = elsewhere(held.texts, judges.ended(ids(texts.test, number)))
    found: dict[str, list[dict[str, Any]]] = {}
    shipped = None
    for done, n in enumerate(PREFERENCES):
        found[str(n)] = []
        for seed in SEEDS:
            judge = judges.judge_of(package, read, n, seed)
            near, said, truth = measured(judge, asked, words)
            found[str(n)].append(
                {
                    "near": near,
                    "calibration": calibration(said, truth, judges.TASTE.scale),
                    "best_of": best_of(said, truth),
                    "repeated": repeated(judge, held.texts[:100], number[REPEATED]),
                    "with_length": round(
                        float(np.corrcoef(said, list(map(len, held.texts)))[0, 1]), 3
                    ),
                }
            )
            if (n, seed) == SHIPPED:
                shipped = judge
            report((done + (seed + 1) / len(SEEDS)) / len(PREFERENCES))
    assert shipped is not None
    truth = held.truth
    facts = {
        "preferences": list(PREFERENCES),
        "seeds": list(SEEDS),
        "pool": judges.POOL,
        "held_out": HELD_OUT,
        "epochs": judges.EPOCHS,
        "sizes": [len(number), judges.D, judges.L, judges.H],
        "weights": training.n_weights(shipped),
        "shipped": list(SHIPPED),
        "best_of": OF,
        "times": list(TIMES),
        "truth": {"mean": round(float(truth.mean()), 3), "std": round(float(truth.std()), 3)},
        "length": {
            "mean": round(float(np.mean(list(map(len, held.texts)))), 1),
            "correlation": round(float(np.corrcoef(truth, list(map(len, held.texts)))[0, 1]), 3),
        },
        "certain": _certainty(truth),
        "found": found,
    }
    return Trained(half(shipped), facts)


def _certainty(truth: Floats) -> float:
    """How often the taste prefers the better one of two texts, of which one is truly better."""
    first, second = np.triu_indices(len(truth), 1)
    between = np.abs(truth[first] - truth[second])
    p = _sigmoid(judges.TASTE.scale * between[between > 0])
    return round(float(p.mean()), 4)


RECIPES = (
    Recipe(
        name="after_training/judges",
        train=learn_taste,
        uses={
            "after_training": ("RewardModel", "preference_loss"),
            "transformers": ("Sizes", "LanguageModel", "initialise"),
        },
        sources=(
            Path(__file__),
            *files(judges, taste, tuning, rungs, transformer_training, training, batches),
        ),
    ),
)
