"""A language so short that all its texts can be listed: expectations are exact sums.

Leaves out: sampling and training. Dimension key: N texts, P prefixes, C choices (words, then end).
"""

from dataclasses import dataclass
from itertools import product
from math import isfinite

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Text = tuple[str, ...]
MOST_NUMBERS = 10_000_000  # in the table of choices: 80 MB


@dataclass(frozen=True)
class Language:
    """All texts of at most `longest` words. A policy is a table of logits, shape [P, C].

    A text ends where the end is chosen, or by itself after `longest` words.
    """

    words: tuple[str, ...]
    texts: tuple[Text, ...]
    prefixes: tuple[Text, ...]
    choices: Floats  # [N, P, C]: 1 where a text makes this choice after this prefix, else 0

    def log_probabilities(self, logits: Floats) -> Floats:
        """The log-probability (nats) of each text, shape [N].

        >>> language = enumerable(("yes", "no"), longest=1)
        >>> np.exp(language.log_probabilities(np.log([[2.0, 1.0, 1.0]]))).round(2).tolist()
        [0.25, 0.5, 0.25]
        """
        return np.einsum("npc,pc->n", self.choices, _log_softmax(self._checked(logits)))

    def gradient(self, logits: Floats, rewards: Floats) -> Floats:
        """The exact gradient of the expected reward with respect to the logits, shape [P, C].

        sum over texts x of pi(x) r(x) d log pi(x) / d logits (Williams 1992), without a sample.
        """
        rewards = self._finite(rewards)
        probabilities = np.exp(self.log_probabilities(logits))
        made = np.einsum("n,npc->pc", probabilities * rewards, self.choices)
        return made - made.sum(1, keepdims=True) * np.exp(_log_softmax(logits))

    def tilted(self, logits: Floats, rewards: Floats, beta: float) -> Floats:
        """Log-probabilities (nats, shape [N]) of the optimum pi* with a leash of strength beta.

        pi* is proportional to pi exp(r / beta): it alone maximizes E[r] - beta KL(pi* || pi).
        """
        if not (isfinite(beta) and beta > 0):
            raise ValueError(f"beta={beta} must be a finite number above 0")
        scores = self.log_probabilities(logits) + self._finite(rewards) / beta
        return _log_softmax(scores)

    def _checked(self, logits: Floats) -> Floats:
        expected = self.choices.shape[1:]
        if logits.shape != expected:
            raise ValueError(f"logits have shape {logits.shape}; this language needs {expected}")
        if not np.isfinite(logits).all():
            raise ValueError("every logit must be finite")
        return logits

    def _finite(self, rewards: Floats) -> Floats:
        if rewards.shape != (len(self.texts),):
            raise ValueError(
                f"rewards have shape {rewards.shape}; one for each text is {(len(self.texts),)}"
            )
        if not np.isfinite(rewards).all():
            raise ValueError("every reward must be finite")
        return rewards


def enumerable(words: tuple[str, ...], longest: int) -> Language:
    """The language of all texts of 0 to `longest` of these words, the shorter ones first.

    >>> enumerable(("yes", "no"), longest=1).texts
    ((), ('yes',), ('no',))
    """
    if not words or len(set(words)) < len(words):
        raise ValueError(f"words={words} must be one or more, each given once")
    if longest < 1:
        raise ValueError(f"longest={longest} must be at least 1")
    n_prefixes = sum(len(words) ** length for length in range(longest))
    n_texts = n_prefixes + len(words) ** longest
    if n_texts * n_prefixes * (len(words) + 1) > MOST_NUMBERS:
        raise ValueError(f"{n_texts} texts are too many: use fewer words or a smaller longest")
    texts = tuple(text for length in range(longest + 1) for text in product(words, repeat=length))
    prefixes = texts[:n_prefixes]
    place = {prefix: row for row, prefix in enumerate(prefixes)}
    choices = np.zeros((n_texts, n_prefixes, len(words) + 1))
    for n, text in enumerate(texts):
        for position, word in enumerate(text):
            choices[n, place[text[:position]], words.index(word)] = 1
        if text in place:
            choices[n, place[text], -1] = 1
    return Language(words, texts, prefixes, choices)


def divergence(log_p: Floats, log_q: Floats) -> float:
    """KL(p || q) in nats, from finite log-probabilities of the same texts in the same order."""
    if log_p.shape != log_q.shape:
        raise ValueError(f"p has shape {log_p.shape} and q {log_q.shape}: they must be equal")
    return float(np.exp(log_p) @ (log_p - log_q))


def _log_softmax(scores: Floats) -> Floats:
    """Log-probabilities along the last axis."""
    # subtract the maximum: exp overflows above 709
    shifted = scores - scores.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))
