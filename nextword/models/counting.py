"""The smallest model that learns from a text: counts of what followed, mixed with shorter contexts.

Chapter 1 measures with it before chapter 2 explains such models.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

BOS = 0  # the begin symbol's id, in every vocabulary of the course


class CountModel:
    """Count what followed the last 0 to n - 1 tokens.

    After an ending u, which u' shortens by its first token:
    P(w | u) = (count of w after u + P(w | u')) / (how often u occurred + 1).
    At the very bottom, all V - 1 tokens but the begin symbol are alike.

    Example:
        >>> model = CountModel([[0, 2, 3, 1], [0, 2, 2, 1]], V=4, n=2)
        >>> np.exp(model.log_probs([0])).round(2)  # both texts begin with 2
        array([0.  , 0.11, 0.83, 0.06])
    """

    def __init__(self, texts: Iterable[Sequence[int]], V: int, n: int) -> None:
        self.V, self.n = V, n
        self.counts: dict[tuple[int, ...], dict[int, int]] = {}
        for text in texts:  # lists of ids that begin with BOS and end with EOS
            for t in range(1, len(text)):
                for k in range(min(n, t + 1)):
                    row = self.counts.setdefault(tuple(text[t - k : t]), {})
                    row[text[t]] = row.get(text[t], 0) + 1

    def log_probs(self, history: Sequence[int]) -> npt.NDArray[np.float64]:
        """Return ln P(w | history) for every w."""
        p = np.full(self.V, 1 / (self.V - 1))
        p[BOS] = 0  # it is never predicted
        for k in range(min(self.n, len(history) + 1)):
            row = self.counts.get(tuple(history[len(history) - k :]), {})
            p[list(row)] += list(row.values())
            p /= p.sum()
        with np.errstate(divide="ignore"):
            return np.log(p)
