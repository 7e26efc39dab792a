"""Charts of several panels, and lines with the range of what was measured."""

from collections.abc import Mapping, Sequence
from math import exp, log, log10
from statistics import fmean

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import (
    INK,
    SMALL,
    WIDTH,
    drawn,
    labelled,
    look,
    name_lines,
    panel,
    plain_ticks,
)

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@drawn
def small_multiples(
    panels: Mapping[str, Mapping[str, Mapping[float, float]]],
    *,
    x: str,
    xticks: Sequence[float],
    yticks: Sequence[float],
) -> Figure:
    """Draw the same series measured in several ways, one panel below the other, with one x axis.

    panels: {what a panel shows, with the unit: {name of a line: {x: y}}}; all axes are logarithmic.
    """
    fig, axes = plt.subplots(
        len(panels),
        figsize=(WIDTH, 0.4 + 1.75 * len(panels)),
        layout="constrained",
        sharex=True,
        squeeze=False,
    )
    for ax, (title, series) in zip(axes[:, 0], panels.items(), strict=True):
        for k, (name, points) in enumerate(series.items()):
            ax.plot(list(points), list(points.values()), **look(name, k))
        ax.set_xscale("log")
        ax.set_yscale("log")
        plain_ticks(ax, "x", xticks)
        low, high = ax.get_ylim()
        plain_ticks(ax, "y", [tick for tick in yticks if low <= tick <= high])
        ax.set_ylim(low, high)
        ax.set_title(title, fontsize=SMALL, color=INK, loc="left")
        ax.grid(True)
    axes[-1, 0].set_xlabel(x)
    for ax, series in zip(axes[:, 0], panels.values(), strict=True):
        ends = {
            name: (*list(points.items())[-1], look(name, k)["color"])
            for k, (name, points) in enumerate(series.items())
        }
        name_lines(fig, ax, ends)
    return fig


def _power(value: float) -> str:
    """A power of ten as it is written: 1, 10, 10⁻³."""
    exponent = round(log10(value))
    return str(10**exponent) if exponent in (0, 1) else "10" + str(exponent).translate(RAISED)


@drawn
def ranges(
    series: Mapping[str, Mapping[float, Sequence[float]]],
    *,
    x: str,
    y: str,
    yticks: Sequence[float],
) -> Figure:
    """Draw the geometric mean of several measurements at each x, in a band from least to most.

    series: {name: {x: measurements, all above 0}}; the axis of y is logarithmic.
    """
    fig, ax = panel(3.2)
    ends = _with_bands(ax, series)
    ax.set_yscale("log")
    plain_ticks(ax, "y", yticks)
    ax.yaxis.set_major_formatter(lambda value, _: _power(value))
    return labelled(fig, ax, x, y, ends)


@drawn
def ranges_in_panels(
    panels: Mapping[str, Mapping[str, Mapping[float, Sequence[float]]]],
    *,
    x: str,
    y: str,
    xticks: Mapping[float, str],
    yticks: Sequence[float],
) -> Figure:
    """Draw groups of series as `ranges` does, one panel below the other, with the same axes.

    panels: {what a panel shows: {name: {x: measurements, all above 0}}}; all axes are logarithmic.
    xticks: {place: what is written there}.
    """
    fig, axes = plt.subplots(
        len(panels),
        figsize=(WIDTH, 0.5 + 2.2 * len(panels)),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    ends = {}
    for ax, (title, series) in zip(axes[:, 0], panels.items(), strict=True):
        ends[ax] = _with_bands(ax, series)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_title(title, fontsize=SMALL, color=INK, loc="left")
        ax.grid(True)
    for ax in ends:
        plain_ticks(ax, "x", list(xticks))
        ax.xaxis.set_major_formatter(lambda value, _: xticks.get(value, ""))
        plain_ticks(ax, "y", yticks)
    fig.supylabel(y, fontsize="medium", color=INK)
    axes[-1, 0].set_xlabel(x)
    for ax, of_lines in ends.items():
        name_lines(fig, ax, of_lines)
    return fig


def _with_bands(
    ax: Axes, series: Mapping[str, Mapping[float, Sequence[float]]]
) -> dict[str, tuple[float, float, str]]:
    """Draw each line's geometric mean in a band from least to most; return where it ends."""
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        style = look(name, k)
        xs = list(points)
        means = [exp(fmean(map(log, values))) for values in points.values()]
        ax.fill_between(xs, [min(v) for v in points.values()], [max(v) for v in points.values()],
                        color=style["color"], alpha=0.16, linewidth=0)  # fmt: skip
        ax.plot(xs, means, color=style["color"], linestyle=style["linestyle"])
        ends[name] = (xs[-1], means[-1], style["color"])
    return ends
