"""A source of text small enough to know by heart: its probabilities stand in a table.

Leaves out: words. Tokens are numbered; the number is the place in a row of probabilities.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from nextword.corpora.checks import require, require_distribution


class TableModel:
    """Gives P(w | h) by looking it up: rows[u][w], where u is an ending of the history h.

    rows: from tuples of ids to rows of V probabilities. The longest ending of the history that is
        in the table counts; the empty tuple must be there, for all other histories. A row that is
        no distribution, or has another length: ValueError.

    >>> model = TableModel({(): [0.5, 0.5], (1,): [0.25, 0.75]})
    >>> np.exp(model.log_probs([0, 0, 1])).round(4).tolist()
    [0.25, 0.75]
    """

    def __init__(self, rows: Mapping[tuple[int, ...], Sequence[float]]) -> None:
        self.rows = {tuple(u): np.asarray(row, float) for u, row in rows.items()}
        require("rows", sorted(self.rows), () in self.rows, "with a row for the empty tuple")
        V = len(self.rows[()])
        for u, row in self.rows.items():
            require_distribution(f"the row after {u}", row)
            require(f"the row after {u}", row, len(row) == V, f"{V} numbers, as after ()")

    def log_probs(self, history: Sequence[int]) -> np.ndarray:
        """Return ln P(w | h) for every w: one row of V numbers, -inf where P is 0."""
        endings = (tuple(history[start:]) for start in range(len(history) + 1))  # longest first
        with np.errstate(divide="ignore"):
            return np.log(self.rows[next(u for u in endings if u in self.rows)])
