"""The curve of a tuning, a picture beside its log: what was measured at each look, by steps."""

from __future__ import annotations

import math
from pathlib import Path

from examiner.errors import unwritable
from examiner.files import SHARED, write_whole
from nextword.models.tuner.run import Tuned

FILE = "curve.svg"
# what is drawn, of what was measured, each in a panel of its own
SHOWN = {
    "validation": "loss of held-out texts (nats)",
    "followed": "requests followed (share)",
    "right": "held-out pairs in order (share)",
    "reward": "reward",
    "kl": "KL from the start (nats)",
    "words": "words of a text",
    "gap": "above the floor (percent)",
}


def draw(tuned: Tuned) -> Path:
    """Draw the picture; return its file. `UserError` if it cannot be written."""
    from nextword import plots

    panels = {
        title: {tuned.plan.way: points}
        for key, title in SHOWN.items()
        if len(points := _points(tuned, key)) > 1
    }
    path = tuned.folder / FILE
    try:
        write_whole(path, plots.by_distance(panels, x="steps").svg.encode(), mode=SHARED)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def _points(tuned: Tuned, key: str) -> list[tuple[float, float]]:
    """What was measured at each look."""
    found = [(float(look["step"]), look[key]) for look in tuned.looks if key in look]
    return [(step, value) for step, value in found if math.isfinite(value)]
