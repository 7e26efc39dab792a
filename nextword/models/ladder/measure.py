"""Train one rung and measure it on the test text. Leaves out: which rungs, caching, and showing."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from nextword.corpora.names import Texts
from nextword.corpora.village.kinds import KINDS
from nextword.models.ladder.rung import Model, Rung

N_SAMPLES = 200
FEWEST_SAMPLES = 20
TOKENS_EACH = 500  # of training text for each sample: to learn from few takes less than to tell
SEED = 20_17
SCORING_PARTS = 20

Progress = Callable[[str, float], None]  # what is being done, and which share of it is done


@dataclass(frozen=True)
class RungResult:
    """What the ladder says of one rung; None where a number does not exist."""

    name: str
    perplexity: float | None  # None: infinite, some test word has probability 0
    bits_per_character: float | None
    gap_percent: float | None  # perplexity above the floor, in percent of the floor
    valid_samples: float | None  # share, 0 to 1
    parameters: int
    seconds: float  # of training
    # per kind of fact: how many bits the model loses against the truth, on average per word of
    # that kind (infinite: None); empty where the truth is not known
    excess_bits_by_kind: dict[str, float | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The result as plain values."""
        return asdict(self)


def measure(
    rung: Rung,
    package: SimpleNamespace,
    texts: Texts,
    progress: Progress,
    keep: Callable[[Model], object] = lambda model: None,
) -> RungResult:
    """Train a rung, score the test text with it and let it tell sentences of its own.

    `keep` is given the trained model. Raises whatever the package under test raises, and ValueError
    for numbers that are no log-probabilities.
    """
    start = time.perf_counter()
    model = rung.train(package, texts, lambda done: progress("training", done))
    seconds = time.perf_counter() - start
    keep(model)
    log_probs = _log_probs(model, texts, progress)
    valid = valid_share(model, texts, progress)
    surprise = -math.fsum(log_probs)
    by_kind = excess_by_kind(log_probs, texts)
    return result(rung.name, surprise, texts, valid, int(model.parameters), seconds, by_kind)


def result(
    name: str,
    surprise: float,
    texts: Texts,
    valid: float | None,
    parameters: int,
    seconds: float,
    by_kind: dict[str, float | None],
) -> RungResult:
    """The result of a model that finds the test text `surprise` nats surprising in all.

    With N predicted tokens and C characters (one sentence per line, one space between words; the
    line break stands for the end of the sentence):
    perplexity = exp(surprise / N), bits per character = surprise / (C ln 2).
    """
    finite = math.isfinite(surprise)
    perplexity = math.exp(surprise / texts.n_predictions) if finite else None
    gap = None
    if perplexity is not None and texts.floor is not None:
        gap = 100 * (perplexity / texts.floor - 1)
    bits = surprise / math.log(2) / texts.n_characters if finite else None
    return RungResult(name, perplexity, bits, gap, valid, parameters, seconds, by_kind)


def excess_by_kind(log_probs: Sequence[float], texts: Texts) -> dict[str, float | None]:
    """For each kind of fact the mean of log2(true P / model's P), in bits, over its words."""
    if texts.truth is None:
        return {}
    excess = (texts.truth - np.array(log_probs)) / math.log(2)
    kinds = np.array(texts.kinds)
    means = {kind: float(excess[kinds == kind].mean()) for kind in KINDS if kind in texts.kinds}
    return {kind: mean if math.isfinite(mean) else None for kind, mean in means.items()}


def _log_probs(model: Model, texts: Texts, progress: Progress) -> list[float]:
    """ln P of each word of the test text, and of each end of a sentence."""
    log_probs: list[float] = []
    size = -(-len(texts.test) // SCORING_PARTS)
    for part in range(SCORING_PARTS):
        log_probs += map(float, model.log_probs(texts.test[part * size : (part + 1) * size]))
        progress("scoring", (part + 1) / SCORING_PARTS)
    if len(log_probs) != texts.n_predictions:
        raise ValueError(
            f"log_probs gave {len(log_probs)} numbers for {texts.n_predictions} words and ends"
        )
    if any(not log_p <= 1e-9 for log_p in log_probs):
        raise ValueError("log_probs gave a number that is no log-probability: above 0, or NaN")
    return log_probs


def valid_share(
    model: Model, texts: Texts, progress: Progress = lambda part, share: None
) -> float | None:
    """The share of the model's own sentences that the language can say, where that is known.

    On a small text it tells fewer than N_SAMPLES: a model that has read little seldom ends one, so
    on 2,000 tokens a 3-gram took a hundred times longer to tell 200 than for all the rest.
    """
    if texts.is_valid is None:
        return None
    longest = max(len(sentence) for sentence in texts.train)
    n_tokens = sum(len(sentence) + 1 for sentence in texts.train)
    n = min(N_SAMPLES, max(FEWEST_SAMPLES, n_tokens // TOKENS_EACH))
    n_valid = 0
    samples = model.samples(n, np.random.default_rng(SEED), longest)
    for number, sentence in enumerate(samples, start=1):
        n_valid += texts.is_valid([str(word) for word in sentence])
        progress("sampling", number / n)
    return n_valid / n
