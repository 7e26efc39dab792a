"""The true similarity of the village's words in its two halves, for all pairs of some words.

Leaves out: the two together, for one pair (`village.similarity`).
"""

from collections.abc import Sequence

import numpy as np

from examiner.errors import UserError
from nextword.corpora.village import likeness


def halves(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """How alike words are in what can stand in their place, and in what can follow them.

    Returns two symmetric tables with a row for each word, 1 - JSD(B_v, B_w) and 1 - JSD(A_v, A_w):
    `village.similarity` is their mean. They are rounded to nine places, so that pairs which share
    nothing have 0 and no dust of rounding, which a rank correlation would take for an order.
    Raises UserError for a word that the village does not have.

    >>> place, after = halves(["goats", "ewes", "bread"])
    >>> bool(place[0, 2] == 0.0 < place[0, 1] < after[0, 1])
    True
    """
    number = likeness.numbers()
    for word in words:
        if word not in number:
            raise UserError(f"the village has no word {word!r}: see village.VOCABULARY")
    rows = [number[word] for word in words]
    before, after = likeness.contexts()
    return _alike(before[rows]), _alike(after[rows])


def _alike(rows: np.ndarray) -> np.ndarray:
    """One minus the Jensen-Shannon divergence, in bits, of each pair of rows."""
    own = _entropies(rows)
    mixed = np.array([_entropies((rows + row) / 2) for row in rows])
    return np.clip(1 - mixed + (own[:, None] + own) / 2, 0, 1).round(9)


def _entropies(rows: np.ndarray) -> np.ndarray:
    """The entropy of each row, in bits."""
    return -(rows * np.log2(np.where(rows > 0, rows, 1))).sum(axis=-1)
