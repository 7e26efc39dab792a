"""Pictures of chapter 7's page on groups, clips and preferences. Leaves out: style."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from matplotlib.figure import Figure

from nextword.plots.style import COLOURS, DASHES, FLOOR, INK, SMALL, drawn, labelled, panel

Point = tuple[float, float]
GUIDE = (0, (6, 2))  # dashes of a line that guides the eye


@drawn
def runs(
    arms: Mapping[str, Sequence[Sequence[Point]]],
    *,
    x: str,
    y: str,
    start: Point | None = None,
    level: tuple[float, str] | None = None,
    limit: tuple[float, str] | None = None,
    ylim: tuple[float, float] | None = None,
) -> Figure:
    """Draw each training of each arm as a line that ends in a dot; seeds of an arm look alike.

    arms: {name: a row of points (x, y) for each seed}. start: the point of the network before.
    level, limit: a value of y or x that is marked by a dashed line, and what is written beside it.
    """
    fig, ax = panel(3.6)
    ends = {}
    for k, (name, seeds) in enumerate(arms.items()):
        colour = COLOURS[k]
        for points in seeds:
            xs, ys = zip(*points, strict=True)
            ax.plot(xs, ys, color=colour, linestyle=DASHES[k], linewidth=1.2, alpha=0.75)
            ax.plot(xs[-1], ys[-1], "o", color=colour)
        last = [points[-1] for points in seeds]
        ends[name] = (max(a for a, _ in last), fmean(b for _, b in last), colour)
    if start is not None:
        ax.plot(*start, "o", color=INK, markersize=6)
    if ylim:
        ax.set_ylim(*ylim)
    if level is not None:
        ax.axhline(level[0], color=FLOOR, linewidth=1.2, linestyle=GUIDE)
        _beside(fig, level[1], (0.99, level[0]), ("axes fraction", "data"), (0, -4))
    if limit is not None:
        ax.axvline(limit[0], color=FLOOR, linewidth=1.2, linestyle=GUIDE)
        _beside(fig, limit[1], (limit[0], 0.02), ("data", "axes fraction"), (4, 0))
    return labelled(fig, ax, x, y, ends)


def _beside(
    fig: Figure, text: str, at: Point, coords: tuple[str, str], offset: tuple[int, int]
) -> None:
    """Write what a dashed line marks: to the right of a point, or below it at the right end."""
    below = coords[0] == "axes fraction"
    fig.axes[0].annotate(
        text,
        at,
        xycoords=coords,
        xytext=offset,
        textcoords="offset points",
        ha="right" if below else "left",
        va="top" if below else "baseline",
        color=FLOOR,
        fontsize=SMALL,
    )


@drawn
def bands(series: Mapping[str, Mapping[float, Sequence[float]]], *, x: str, y: str) -> Figure:
    """Draw the mean of many draws at each x, in a band that holds the middle four fifths.

    series: {name: {x: one value of each draw}}.
    """
    fig, ax = panel(3.2)
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        xs, values = list(points), list(points.values())
        low, high = ([float(np.quantile(of_x, q)) for of_x in values] for q in (0.1, 0.9))
        means = [fmean(of_x) for of_x in values]
        ax.fill_between(xs, low, high, color=COLOURS[k], alpha=0.16, linewidth=0)
        ax.plot(xs, means, color=COLOURS[k], linestyle=DASHES[k])
        ends[name] = (xs[-1], means[-1], COLOURS[k])
    return labelled(fig, ax, x, y, ends)
