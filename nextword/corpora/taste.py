"""A judge whose hidden taste the program knows: preferences by Bradley and Terry (1952).

Leaves out: judges that differ from each other, and ties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite

import numpy as np

Text = tuple[str, ...]


@dataclass(frozen=True)
class Preference:
    """Of two answers, the one that the judge chose and the other."""

    chosen: Text
    rejected: Text


@dataclass(frozen=True)
class Taste:
    """A text's true reward is the sum of its words' worth; a word not named is worth 0."""

    worth: Mapping[str, float]
    scale: float  # how sure the judge is: nats of log-odds for each unit of reward

    def __post_init__(self) -> None:
        if not all(isfinite(worth) for worth in self.worth.values()):
            raise ValueError("every word's worth must be finite")
        if not (isfinite(self.scale) and self.scale >= 0):
            raise ValueError(f"scale={self.scale} must be a finite number of at least 0")

    def reward(self, text: Text) -> float:
        """The true reward of a text.

        >>> Taste({"plums": 2.0, "mud": -1.0}, scale=1.0).reward(("plums", "and", "mud"))
        1.0
        """
        return float(sum(self.worth.get(word, 0.0) for word in text))

    def probability(self, first: Text, second: Text) -> float:
        """P(first is chosen) = sigmoid(scale (r(first) - r(second))).

        >>> round(Taste({"plums": 2.0}, scale=0.5).probability(("plums",), ("mud",)), 3)
        0.731
        """
        odds = self.scale * (self.reward(first) - self.reward(second))
        small = exp(-abs(odds))  # exp of a large positive number would overflow
        return 1 / (1 + small) if odds >= 0 else small / (1 + small)

    def judge(
        self, pairs: Sequence[Sequence[Text]], rng: np.random.Generator
    ) -> tuple[Preference, ...]:
        """One preference for each pair of answers, drawn with `probability`.

        A pair without exactly two different answers raises ValueError.
        """
        for row, pair in enumerate(pairs):
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ValueError(f"pair {row} needs two different answers, got {pair}")
        return tuple(
            Preference(first, second)
            if rng.random() < self.probability(first, second)
            else Preference(second, first)
            for first, second in pairs
        )
