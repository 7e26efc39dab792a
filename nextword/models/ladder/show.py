"""The ladder as a table for the terminal and as a picture. Leaves out: the numbers' making."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.table import Table

from nextword.models.ladder.climb import Ladder
from nextword.models.ladder.measure import RungResult

if TYPE_CHECKING:  # a table alone should not wait for matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEP_COLOUR, FLOOR_COLOUR = "#0b6e99", "#b3471d"
PADDED = 3  # places of a column beside its text: a line and two blanks


def table(ladder: Ladder, width: int = 80) -> Table:
    """One line per rung, from the top down, and the floor below them.

    width: of the terminal. Where it is too narrow for all columns, the last ones are left out: a
    number of which the end is missing would be another number.
    """
    village = ladder.floor is not None
    heads = ["model", "perplexity", "bits/\nchar"]
    heads += ["gap", "valid"] if village else []
    heads += ["para-\nmeters", "sec-\nonds"]  # 14 rungs fit into 80 columns
    rows = [[ladder.label(row), *_cells(row, village)] for row in ladder.rows]
    if ladder.floor is not None:
        floor = ["floor", f"{ladder.floor:.3f}", _floor_bits(ladder), "0.0 %", "100.0 %"]
        rows.append([*floor, "", ""])
    shown = _fitting([*(head.split("\n") for head in heads)], rows, width)
    found = Table(title=f"The ladder on {ladder.corpus}", caption=_caption(ladder))
    for head in heads[:shown]:
        found.add_column(head, justify="left" if head == "model" else "right", no_wrap=True)
    for row in rows:
        if ladder.floor is not None and row is rows[-1]:
            found.add_section()
        found.add_row(*row[:shown])
    return found


def _fitting(heads: Sequence[Sequence[str]], rows: Sequence[Sequence[str]], width: int) -> int:
    """How many columns fit into so many places, at least two.

    >>> _fitting([["model"], ["bits/", "char"]], [["bigram", "0.5"]], 80)
    2
    """
    texts = [[*head, *cells] for head, *cells in zip(heads, *rows, strict=True)]
    ends = accumulate(max(map(len, column)) + PADDED for column in texts)
    return max(2, sum(end < width for end in ends))


def _floor_bits(ladder: Ladder) -> str:
    """Bits per character of the floor: they stand to ln(perplexity) as in every row."""
    for row in ladder.rows:
        if row.perplexity and row.bits_per_character and ladder.floor:
            per_nat = row.bits_per_character / math.log(row.perplexity)
            return f"{per_nat * math.log(ladder.floor):.3f}"
    return ""


def _cells(row: RungResult, village: bool) -> list[str]:
    """The texts of one line, after the name."""
    cells = [_number(row.perplexity, ".3f"), _number(row.bits_per_character, ".3f")]
    if village:
        gap = "∞" if row.gap_percent is None else f"{_gap(row.gap_percent)} %"
        valid = "" if row.valid_samples is None else f"{100 * row.valid_samples:.1f} %"
        cells += [gap, valid]
    return [*cells, f"{row.parameters:,}", f"{row.seconds:.1f}"]


def _gap(percent: float) -> str:
    """A gap as a person reads it.

    >>> _gap(10864.92), _gap(84.04)
    ('10865', '84.0')
    """
    return f"{percent:.0f}" if percent >= 1000 else f"{percent:.1f}"


def _number(value: float | None, form: str) -> str:
    return "∞" if value is None else format(value, form)


def _caption(ladder: Ladder) -> str | None:
    """What must be known to compare these numbers with others."""
    said = [ladder.origin] if ladder.origin else []
    if ladder.floor is not None:
        said += [
            "gap: how far the perplexity is above the floor",
            "valid: share of the stories a model tells that the village could have told",
        ]
    elif ladder.unknown:
        said.append(
            f"{100 * ladder.unknown:.1f} % of the test words were too rare in training and count "
            "as <unk>, which is easier to guess than the word itself"
        )
    return "\n".join(said) or None


def plot(ladder: Ladder) -> Figure:
    """Steps down from model to model, on a logarithmic scale of perplexity, and the floor."""
    from matplotlib.figure import Figure

    heights = [row.perplexity for row in ladder.rows if row.perplexity is not None]
    known = [*heights, *([ladder.floor] if ladder.floor else [])] or [1.0]
    top = 1.9 * max(known)
    figure = Figure(figsize=(1.6 + 1.1 * len(ladder.rows), 4.2), layout="constrained")
    axes = figure.add_subplot()
    for place, row in enumerate(ladder.rows):
        if row.perplexity is not None:
            axes.hlines(row.perplexity, place - 0.42, place + 0.42, color=STEP_COLOUR, linewidth=3)
        at, offset = (0.8 * top, 0) if row.perplexity is None else (row.perplexity, 5)
        axes.annotate(
            _label(row),
            (place, at),
            (0, offset),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    axes.set_yscale("log")
    axes.set_ylim(0.85 * min(known), top)
    axes.set_yticks(_ticks(axes.get_ylim()), minor=False)
    axes.set_yticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(range(len(ladder.rows)), [ladder.label(row) for row in ladder.rows])
    axes.set_xlim(-0.6, len(ladder.rows) - 0.4)
    if ladder.floor is not None:
        _draw_floor(axes, ladder.floor)
    axes.set_ylabel("perplexity on the test text")
    axes.set_title("\n".join(filter(None, (f"The ladder on {ladder.corpus}", ladder.origin))))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_floor(axes: Axes, floor: float) -> None:
    """Draw the perplexity that no model can pass."""
    axes.axhline(floor, color=FLOOR_COLOUR, linestyle="--")
    axes.annotate(
        f"floor {floor:.2f}",
        (1, floor),
        (-4, 4),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        color=FLOOR_COLOUR,
    )


def _label(row: RungResult) -> str:
    """A model's perplexity, and below it how far it is above the floor."""
    label = "∞" if row.perplexity is None else f"{row.perplexity:.2f}"
    if row.gap_percent is not None:
        label += f"\n+{row.gap_percent:{',.0f' if row.gap_percent >= 10 else '.1f'}} %"
    return label


def _ticks(limits: Sequence[float]) -> list[float]:
    """1, 2, 5, 10, 20, 50, ... within the limits."""
    candidates = [step * 10.0**power for power in range(6) for step in (1, 2, 5)]
    return [tick for tick in candidates if limits[0] <= tick <= limits[1]]
