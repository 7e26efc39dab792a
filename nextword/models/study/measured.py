"""What was measured of a family in the study, as the pages show it. Leaves out: training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nextword.models import checkpoints
from nextword.models.ladder.climb import slug
from nextword.models.study.plan import FOLDER
from nextword.models.study.training import Found


@dataclass(frozen=True)
class Measured:
    """The trainings of a family at a size, one for each seed.

    floor: perplexity of the text's own distribution on the test text.
    """

    family: str
    floor: float
    runs: tuple[Found, ...]

    @property
    def gaps(self) -> list[float]:
        """Percent by which the perplexity of the test text is above the floor, of each training."""
        return [100 * (float(np.exp(run.test)) / self.floor - 1) for run in self.runs]

    @property
    def bits(self) -> dict[str, list[float]]:
        """Bits lost at each kind of fact against the truth, of each training."""
        return {
            kind: [lost for run in self.runs if (lost := run.kinds[kind]) is not None]
            for kind in self.runs[0].kinds
        }


def load(family: str, size: str = "small") -> Measured:
    """What was measured of a family, such as "LSTM", at a size: "small" or "large"."""
    facts = checkpoints.load(f"{FOLDER}/{slug(family)}-{size}").facts
    return Measured(facts["family"], facts["floor"], tuple(map(Found.of, facts["runs"])))
