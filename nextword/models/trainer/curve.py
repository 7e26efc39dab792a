"""The learning curve of a run: a picture beside its log, and one of block characters.

Leaves out: drawing lines (nextword.plots).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from examiner.errors import unwritable
from examiner.files import SHARED, write_whole
from nextword.models.trainer import log
from nextword.models.trainer.streams import perplexity

FILE = "curve.svg"
POINTS = 60  # of the line of training losses, each a mean of its part of the steps
BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH, HEIGHT = 60, 8  # of the curve in a terminal, in characters

Curve = dict[float, float]  # tokens read: perplexity


def curves(lines: Sequence[log.Line]) -> dict[str, Curve]:
    """The perplexities of a log by the tokens that were read: in training and in validation."""
    steps = log.steps_of(lines)
    tokens = {line["step"]: float(line["tokens"]) for line in steps}
    size = max(1, math.ceil(len(steps) / POINTS))
    parts = [steps[k : k + size] for k in range(0, len(steps), size)]
    training = {
        float(part[-1]["tokens"]): perplexity(sum(line["loss"] for line in part) / len(part))
        for part in parts
    }
    looks = [line for line in log.looks_of(lines) if line["step"] in tokens]
    validation = {tokens[line["step"]]: perplexity(line["validation"]) for line in looks}
    return {"training": training, "validation": validation}


def draw(path: Path, found: Mapping[str, Curve], floor: float | None) -> None:
    """Write the picture; floor: the perplexity that no model can beat. `UserError` if it cannot."""
    from nextword import plots

    most = max(tokens for curve in found.values() for tokens in curve)
    unit, name = (1e6, "millions") if most >= 2e6 else (1e3, "thousands")
    scaled = {
        which: {tokens / unit: value for tokens, value in curve.items()}
        for which, curve in found.items()
        if curve
    }
    values = [v for curve in found.values() for v in curve.values() if math.isfinite(v)]
    ticks = _ticks(min([*values, *([floor] if floor else [])]), max(values))
    picture = plots.lines(
        scaled, x=f"tokens read ({name})", y="perplexity", log="y", floor=floor, yticks=ticks
    )
    try:
        write_whole(path, picture.svg.encode(), mode=SHARED)
    except OSError as error:
        raise unwritable(path, error) from error


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two, few enough to be read.

    >>> _ticks(1.4, 600.0)
    [2, 5, 10, 20, 50, 100, 200, 500]
    """
    found = [
        step * 10**power
        for power in range(-2, 300)
        for step in (1, 2, 5)
        if low <= step * 10**power <= high
    ]
    return found[:: math.ceil(len(found) / 8)] if found else [round(low, 2)]


def in_characters(curve: Curve, floor: float | None, width: int = WIDTH) -> list[str]:
    """A curve as lines of block characters, on a logarithmic axis that begins at the floor.

    >>> print(in_characters({1.0: 8.0, 2.0: 4.0, 3.0: 2.0}, None, width=3)[-1])
        2.00 └─── 3 tokens
    """
    points = [(tokens, value) for tokens, value in sorted(curve.items()) if math.isfinite(value)]
    if not points:
        return []
    highest, last = max(value for _, value in points), points[-1][0]
    lowest = min(floor or math.inf, min(value for _, value in points))
    span = math.log(highest / lowest) or 1.0
    heights = [
        math.log(_at(points, last * (k + 0.5) / width) / lowest) / span for k in range(width)
    ]
    lines = []
    for row in range(HEIGHT - 1, -1, -1):
        filled = (min(8, max(0, round(8 * (HEIGHT * height - row)))) for height in heights)
        label = f"{highest:8.2f}" if row == HEIGHT - 1 else 8 * " "
        lines.append(f"{label} ┤" + "".join(BLOCKS[n] for n in filled))
    name = "floor" if floor is not None and lowest == floor else ""
    foot = f"{lowest:8.2f} └" + width * "─" + f" {last:,.0f} tokens"
    return [*lines, foot + (f"; the axis begins at the {name}" if name else "")]


def _at(points: Sequence[tuple[float, float]], tokens: float) -> float:
    """The value of a curve at a place, in logarithms on a line between its points."""
    if tokens <= points[0][0]:
        return points[0][1]
    for (a, low), (b, high) in pairwise(points):
        if tokens <= b:
            share = (tokens - a) / (b - a)
            return math.exp((1 - share) * math.log(low) + share * math.log(high))
    return points[-1][1]


def redraw(folder: Path, floor: float | None) -> dict[str, Curve]:
    """Draw the picture of a run's log beside it; return the curves."""
    found = curves(log.read(folder / log.FILE))
    if any(found.values()):
        draw(folder / FILE, found, floor)
    return found
