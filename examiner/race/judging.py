"""What an entry's answers are worth: numbers with intervals over texts, and two checks of honesty.

Leaves out asking (heat.py) and who is before whom (ranks.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from examiner.race.rows import total_variation
from examiner.race.rules import Ground, OutError, Rules

RESAMPLES, SEED = 1000, 0  # of the bootstrap; its generator is the same for all
LEVEL = (2.5, 97.5)  # percent: a 95 % interval
Z = 1.959964  # of the normal distribution, for 95 %
NEAR = 1e-3  # total variation below which a row is the true one
NEARLY_ALL = 0.9  # share of the open places at which that is no accident
KEEPS = "keeps something between texts: asked again about the same one, it says something else"
DIFFERS = "says different things to two processes"


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval; infinity where a word came that had probability 0."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """Return it as plain values; None is infinite."""
        return {k: v if math.isfinite(v) else None for k, v in asdict(self).items()}


@dataclass(frozen=True)
class Scores:
    """What is said of an entry that was judged."""

    surprise: Estimate  # nats per word
    above: Estimate  # percent by which exp(surprise) is above that of the truth, on the same texts
    by_kind: dict[str, Estimate]  # bits above the truth per word of each kind
    accepted: Estimate  # share of its own texts that the language can say, 0 to 1
    seconds: float  # of processor
    words: int  # in these seconds
    impossible: int  # words that came and had probability 0
    true_share: float  # of its rows at open places, that are the true ones

    @property
    def knows(self) -> bool:
        """Whether it says what the program says that tells the texts: it has not learned that."""
        return self.true_share >= NEARLY_ALL

    def to_json(self) -> dict[str, Any]:
        """Return them as plain values."""
        return {
            "surprise": self.surprise.to_json(),
            "above_percent": self.above.to_json(),
            "excess_bits_by_kind": {kind: each.to_json() for kind, each in self.by_kind.items()},
            "accepted": self.accepted.to_json(),
            "seconds": round(self.seconds, 2),
            "words": self.words,
            "impossible": self.impossible,
            "true_share": round(self.true_share, 4),
            "knows_the_program": self.knows,
        }


def scores(
    ground: Ground,
    surprises: Mapping[int, np.ndarray],
    accepted: tuple[int, int],
    seconds: float,
    true_share: float,
) -> Scores:
    """Judge the surprises of all texts. accepted: how many of how many written texts."""
    every = [surprises[k] for k in range(len(ground.texts))]
    words = np.array([len(text) for text in ground.texts], dtype=np.float64)
    model = np.array([each.sum() for each in every])
    truth = -np.array([each.sum() for each in ground.log_probs])
    counts = _resampled(len(words))
    surprise = _mean(model, words, counts)
    gap = _mean(model - truth, words, counts)
    by_kind = {}
    for number, kind in enumerate(ground.kind_names):
        asked = [each == number for each in ground.kinds]
        n = np.array([each.sum() for each in asked], dtype=np.float64)
        if n.sum():
            lost = [
                (s + t)[here].sum() / math.log(2)
                for s, t, here in zip(every, ground.log_probs, asked, strict=True)
            ]
            by_kind[kind] = _mean(np.array(lost), n, counts)
    return Scores(
        surprise=surprise,
        above=Estimate(*(_percent(each) for each in (gap.value, gap.low, gap.high))),
        by_kind=by_kind,
        accepted=share(*accepted),
        seconds=seconds,
        words=ground.words,
        impossible=int(sum(np.isinf(each).sum() for each in every)),
        true_share=true_share,
    )


def _percent(nats: float) -> float:
    """Return by how many percent exp(nats) is above 1; infinite also where it overflows."""
    return 100 * math.expm1(nats) if nats < 700 else math.inf


def _resampled(n: int) -> np.ndarray:
    """Return how often each of n texts is in each sample with replacement: (RESAMPLES, n)."""
    rng = np.random.default_rng(SEED)
    return rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)


def _mean(total: np.ndarray, n: np.ndarray, counts: np.ndarray) -> Estimate:
    """Return sum(total) / sum(n) over texts, with the interval of the resamples."""
    if not np.isfinite(total).all():
        return Estimate(math.inf, math.inf, math.inf)
    below = counts @ n
    drawn = (counts @ total)[below > 0] / below[below > 0]
    low, high = np.percentile(drawn, LEVEL)
    return Estimate(float(total.sum() / n.sum()), float(low), float(high))


def share(good: int, n: int) -> Estimate:
    """Return good / n with Wilson's interval, which is of use for 0 and for all, too.

    >>> found = share(0, 200)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.0, 0.0, 0.019)
    """
    p, z2 = good / n, Z * Z
    middle, width = p + z2 / (2 * n), Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low, high = (middle - width) / (1 + z2 / n), (middle + width) / (1 + z2 / n)
    return Estimate(p, max(0.0, low), min(1.0, high))


# ------------------------------------------------------------------------------ honesty


def require_the_same(
    first: Mapping[int, np.ndarray],
    company: Mapping[int, np.ndarray],
    alone: Mapping[int, np.ndarray],
    rules: Rules,
) -> None:
    """Raise OutError where a text was not told the same in another company, process or alone.

    first: rows by text of the first process. company, alone: those of the second one, which was
    asked about more texts at once, and about a few by themselves.
    """
    if any(_apart(company[k], rows) > rules.apart for k, rows in alone.items()):
        raise OutError(KEEPS)
    if any(_apart(first[k], rows) > rules.apart for k, rows in company.items()):
        raise OutError(DIFFERS)


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(total_variation(one.astype(np.float64), other.astype(np.float64)).max())


def true_share(ground: Ground, rows: Mapping[int, np.ndarray]) -> float:
    """Return at which share of the open places a model's rows are the true ones.

    A place is open where more than one word can come. A row counts also if it is the true one with
    something mixed in evenly, to hide it: what words get that cannot come is first taken off all.
    A model that has learned is never that near at many places.
    """
    near = n = 0
    for k, said in rows.items():
        truth = ground.true_rows(ground.texts[k]).astype(np.float64)
        can = truth > 0
        is_open = can.sum(axis=1) > 1
        n_outside = np.maximum((~can).sum(axis=1, keepdims=True), 1)
        even = np.where(can, 0.0, said).sum(axis=1, keepdims=True) / n_outside
        inside = np.where(can, np.maximum(said - even, 0.0), 0.0)
        whole = inside.sum(axis=1, keepdims=True)
        inside = inside / np.where(whole > 0, whole, 1.0)
        near += int((total_variation(inside, truth) < NEAR)[is_open].sum())
        n += int(is_open.sum())
    return near / n if n else 0.0
