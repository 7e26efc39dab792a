"""Pictures of chapter 7's last page: what changes with the distance, and what is solved by steps.

Leaves out: the figure to touch, which draws itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    FAINT,
    FLOOR,
    INK,
    MARKERS,
    MUTED,
    SMALL,
    WIDTH,
    drawn,
    labelled,
    look,
    name_lines,
    panel,
)

Points = Sequence[tuple[float, float]]
TRUE = ", true"  # after a name: the same line as it truly is


@drawn
def by_distance(
    panels: Mapping[str, Mapping[str, Points]],
    *,
    x: str,
    pairs: Collection[str] = (),
    height: float = 1.7,
) -> Figure:
    """Draw what changes with the distance, one panel below the other, with one x axis.

    panels: {what a panel shows, with the unit: {name of a line: [(x, y), ...]}}. A name in `pairs`
    and the same name with ", true" after it get one colour, the second a dashed line.
    """
    fig, axes = plt.subplots(
        len(panels),
        figsize=(WIDTH, 0.5 + height * len(panels)),
        layout="constrained",
        sharex=True,
        squeeze=False,
    )
    styles = _styles([name for series in panels.values() for name in series], pairs)
    for ax, (title, series) in zip(axes[:, 0], panels.items(), strict=True):
        for name, points in series.items():
            xs, ys = zip(*points, strict=True)
            ax.plot(xs, ys, **styles[name])
        ax.axhline(0, color=FAINT, linewidth=1, zorder=0)
        ax.set_title(title, fontsize=SMALL, color=INK, loc="left")
        ax.grid(True)
    axes[-1, 0].set_xlabel(x)
    for ax, series in zip(axes[:, 0], panels.values(), strict=True):
        name_lines(
            fig, ax, {name: (*points[-1], styles[name]["color"]) for name, points in series.items()}
        )
    return fig


def _styles(names: Sequence[str], pairs: Collection[str]) -> dict[str, dict[str, Any]]:
    """The look of each line: that of a pair's first name for both, the second dashed."""
    first = {
        name: name.removesuffix(TRUE) if name.removesuffix(TRUE) in pairs else name
        for name in names
    }
    order = list(dict.fromkeys(first.values()))
    return {
        name: {
            "color": (colour := COLOURS[order.index(base) % len(COLOURS)]),
            "marker": MARKERS[order.index(base) % len(MARKERS)],
            "linestyle": "-" if name == base else "--",
            "markerfacecolor": colour if name == base else "none",
        }
        for name, base in first.items()
    }


@drawn
def by_steps_needed(
    series: Mapping[str, Mapping[int, Sequence[float]]],
    *,
    chance: float,
    taught: int,
    x: str = "steps that a problem needs",
    y: str = "problems solved (percent)",
) -> Figure:
    """Draw the mean over seeds, with a bar from the least to the most, by steps of a problem.

    series: {name: {steps: percent of each seed}}. chance: percent that a guess solves, a dashed
    line. taught: the most steps in training; longer problems stand right of a dotted line.
    """
    fig, ax = panel(3.2)
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        means = [fmean(values) for values in points.values()]
        below = [m - min(v) for m, v in zip(means, points.values(), strict=True)]
        above = [max(v) - m for m, v in zip(means, points.values(), strict=True)]
        style = look(name, k)
        ax.errorbar(list(points), means, [below, above], capsize=3, elinewidth=1.2, **style)
        ends[name] = (list(points)[-1], means[-1], style["color"])
    ax.axhline(chance, color=FLOOR, linewidth=1.2, linestyle=(0, (6, 2)))
    ax.annotate(
        f"a guess: {chance:.0f} %",
        (0.3, chance),
        xycoords=("axes fraction", "data"),
        xytext=(0, 14),
        textcoords="offset points",
        color=FLOOR,
        fontsize=SMALL,
    )
    ax.axvline(taught + 0.5, color=MUTED, linewidth=1, linestyle=":")
    ax.annotate(
        "longer than taught",
        (taught + 0.5, 0),
        xytext=(3, 2),
        textcoords="offset points",
        color=MUTED,
        fontsize=SMALL,
    )
    ax.set_ylim(0, 104)
    ax.set_xticks(sorted({n for points in series.values() for n in points}))
    return labelled(fig, ax, x, y, ends)
