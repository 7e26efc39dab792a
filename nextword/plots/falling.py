"""The ladder as the book's first picture: stairs down to the floor. Leaves out some of the rungs.

It is written as SVG by hand, with no library's digits in it, so that it is the same file on every
machine: the README shows it from a file, the first page holds it for wide and narrow screens.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, pairwise

from nextword.plots.style import COLOURS, FAINT, FLOOR, INK, MUTED

# what each chapter brings to the picture: its name in a word or two, and its rungs
CHAPTERS: dict[str, tuple[str, ...]] = {
    "2 · counting": ("1-gram", "2-gram", "3-gram", "5-gram"),
    "3 · vectors": ("log-bilinear",),
    "4 · memory": ("RNN", "LSTM"),
    "5 · attention": ("attention only",),
    "6 · transformers": ("transformer", "with convolution"),
}
SHOWN = tuple(name for rungs in CHAPTERS.values() for name in rungs)
STEPS = (80, 58, 58, 58, 62, 56, 56, 66, 84, 92)  # pixels: as wide as what stands on each step
TICKS = (10_000, 1_000, 100, 10)  # percent above the floor
LOWEST, HIGHEST = 2.2, 14_000  # percent: where the axis ends; below it is the floor
LINE = f"var(--fig-line-0, {COLOURS[0]})"
PEN = {"ink": f"var(--fig-ink, {INK})", "muted": f"var(--fig-muted, {MUTED})",
       "faint": f"var(--fig-faint, {FAINT})", "floor": f"var(--fig-floor, {FLOOR})"}  # fmt: skip
LETTERS, SMALLER, LEADING = 14, 12.8, 15  # pixels
AXIS = "perplexity above the floor (logarithmic)"
# a file on its own has no page around it that would choose the colours
ALONE = """<style>
svg { --fig-ink: #22292b; --fig-muted: #56605f; --fig-faint: #d9d6ce; --fig-floor: #a84a14; --fig-line-0: #005f96; }
@media (prefers-color-scheme: dark) {
  svg { --fig-ink: #dfe3df; --fig-muted: #a3adab; --fig-faint: #4a5559; --fig-floor: #f0a070; --fig-line-0: #62b7ee; }
}
</style>
"""  # noqa: E501 - a rule of a style sheet is one line


@dataclass(frozen=True)
class Ladder:
    """What the picture shows: percent above the floor of each model, and the floor's perplexity."""

    above: Mapping[str, float]
    floor: float

    @property
    def alt(self) -> str:
        """The picture in words, with all its numbers."""
        steps = ", ".join(f"{name} {percent(self.above[name])}" for name in SHOWN)
        return (
            "Stairs that lead down to a floor, a step for each model. How far its perplexity lies "
            f"above the floor, on a logarithmic scale: {steps}. "
            f"The floor is the perplexity {self.floor:.2f}, which no model can beat."
        )


def percent(value: float) -> str:
    """A distance from the floor as a person reads it.

    >>> percent(10864.9), percent(88.6), percent(4.75)
    ('10,865 %', '89 %', '4.8 %')
    """
    return f"{value:,.0f} %" if value >= 10 else f"{value:.1f} %"


def wide(ladder: Ladder, *, alone: bool = False) -> str:
    """The stairs from left to right, for a page's column. alone: as a file of its own."""
    left, top, bottom = 74, 40, 352
    edges = list(accumulate(STEPS, initial=left))
    right, ground = edges[-1], bottom + 12
    rungs = dict(zip(SHOWN, pairwise(edges), strict=True))
    ys = {name: top + (bottom - top) * _depth(ladder.above[name]) for name in SHOWN}
    parts = [_text(4, 18, AXIS, "muted", "start")]
    for tick in TICKS:
        y = top + (bottom - top) * _depth(tick)
        parts.append(_line(left, y, right, y, "faint", 1))
        parts.append(_text(left - 8, y + 4, f"{tick:,} %", "muted", "end"))
    points = [(x, ys[name]) for name, both in rungs.items() for x in both]
    parts.append(_stairs([(left, ground), *points, (right, ground)], points))
    for name, (x0, x1) in rungs.items():
        lines = [percent(ladder.above[name]), *_broken(name)]
        # above its step a label has room, but for the first one, which stands at the top
        y = ys[name] - 7 - LEADING * (len(lines) - 1) if name != SHOWN[0] else ys[name] + 20
        parts += _label((x0 + x1) / 2, y, lines)
    parts.append(_line(left, ground, right, ground, "floor", 4))
    told = f"{_floor(ladder)}, which no model can beat"
    parts.append(_text(left + 6, ground - 7, told, "floor", "start", LETTERS))
    for title, names in CHAPTERS.items():
        x0, x1 = rungs[names[0]][0] + 3, rungs[names[-1]][1] - 3
        number, _, word = title.partition(" · ")
        parts.append(_line(x0, ground + 12, x1, ground + 12, "muted", 1.5))
        parts.append(_text((x0 + x1) / 2, ground + 30, f"chapter {number}", "muted"))
        parts.append(_text((x0 + x1) / 2, ground + 47, word, "ink"))
    return _svg(right + 6, ground + 58, parts, ladder.alt, alone)


def narrow(ladder: Ladder) -> str:
    """The stairs from the top down, for a phone: a line for each model, the floor at the left."""
    left, right, top, row = 16, 330, 30, 38
    xs = {name: right - (right - left) * _depth(ladder.above[name]) for name in SHOWN}
    bottom = top + row * len(SHOWN)
    parts = []
    for tick in TICKS:
        x = right - (right - left) * _depth(tick)
        parts.append(_line(x, top, x, bottom, "faint", 1))
        parts.append(_text(x, bottom + 17, f"{tick:,} %", "muted"))
    points = [(xs[name], top + y * row) for k, name in enumerate(SHOWN) for y in (k, k + 1)]
    parts.append(_stairs([(left, top), *points, (left, bottom)], points))
    for k, name in enumerate(SHOWN):
        text, y = f"{name}  {percent(ladder.above[name])}", top + (k + 0.5) * row + 5
        if xs[name] > (left + right) / 2:  # no room for a name at the right of the step
            parts.append(_text(xs[name] - 8, y, text, "ink", "end", LETTERS, bold=True))
        else:
            parts.append(_text(xs[name] + 8, y, text, "ink", "start", LETTERS, bold=True))
    parts.append(_line(left, top, left, bottom, "floor", 4))
    parts.append(_text(left - 2, top - 12, _floor(ladder), "floor", "start", LETTERS))
    parts.append(_text(right + 14, bottom + 36, AXIS, "muted", "end"))
    return _svg(350, bottom + 44, parts, ladder.alt, alone=False)


def _floor(ladder: Ladder) -> str:
    """What stands at the floor."""
    return f"the floor: perplexity {ladder.floor:.2f}"


def _depth(value: float) -> float:
    """How far down a model stands, from 0 at the top to 1 above the floor."""
    return math.log(HIGHEST / value) / math.log(HIGHEST / LOWEST)


def _broken(name: str) -> list[str]:
    """A name in lines that fit on a step."""
    return name.replace("log-", "log- ").split(" ")


def _label(x: float, y: float, lines: Sequence[str]) -> Iterator[str]:
    """Lines below each other, the first one in bold."""
    yield _text(x, y, lines[0], "ink", size=LETTERS, bold=True)
    for k, line in enumerate(lines[1:], start=1):
        yield _text(x, y + LEADING * k, line, "ink")


def _stairs(area: Sequence[tuple[float, float]], edge: Sequence[tuple[float, float]]) -> str:
    """The steps as a line, and a tint between them and the floor."""
    filled, drawn = (" ".join(f"{x:.1f},{y:.1f}" for x, y in points) for points in (area, edge))
    return (
        f'<polygon points="{filled}" style="fill: {LINE}; opacity: 0.13"/>'
        f'<polyline points="{drawn}" style="fill: none; stroke: {LINE}; stroke-width: 3"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, pen: str, width: float) -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} style="stroke: {PEN[pen]}; stroke-width: {width}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    pen: str,
    anchor: str = "middle",
    size: float = SMALLER,
    *,
    bold: bool = False,
) -> str:
    weight = "; font-weight: 700" if bold else ""
    style = f"fill: {PEN[pen]}; font-size: {size}px; text-anchor: {anchor}{weight}"
    return f'<text x="{x:.1f}" y="{y:.1f}" style="{style}">{escape(text)}</text>'


def _svg(width: int, height: int, parts: Sequence[str], alt: str, alone: bool) -> str:
    """The whole picture with its alternative text."""
    font = ' font-family="system-ui, -apple-system, Segoe UI, Roboto, sans-serif"' if alone else ""
    style = ALONE if alone else ""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(alt, quote=True)}"{font}>\n{style}{body}\n</svg>'
    )
