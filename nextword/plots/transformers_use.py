"""Pictures of chapter 6's later pages and of the last page: spreads, work, facts by rung.

Leaves out: the network itself (transformers), and what goes on inside (transformers_inside).
"""

from collections.abc import Mapping, Sequence
from math import log10
from statistics import fmean, stdev

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from nextword.plots.charts import floor_line
from nextword.plots.style import (
    COLOURS,
    DASHES,
    INK,
    MARKERS,
    SMALL,
    drawn,
    look,
    name_lines,
    panel,
    plain_ticks,
)

STRONG = 5.0  # bits
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@drawn
def with_spread(
    series: Mapping[str, Mapping[float, Sequence[float]]],
    *,
    x: str,
    y: str,
    xticks: Sequence[float],
) -> Figure:
    """Draw the mean of several measurements at each x, with a bar of one standard deviation.

    series: {name: {x: measurements}}; the axis of x is logarithmic, with these numbers on it.
    """
    fig, ax = panel(3.2)
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        means = [fmean(values) for values in points.values()]
        spreads = [stdev(values) if len(values) > 1 else 0.0 for values in points.values()]
        style = look(name, k)
        ax.errorbar(list(points), means, spreads, capsize=3, elinewidth=1.2, **style)
        ends[name] = (list(points)[-1], means[-1], style["color"])
    ax.set_xscale("log")
    plain_ticks(ax, "x", xticks)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    name_lines(fig, ax, ends)
    return fig


@drawn
def by_work(
    series: Mapping[str, Mapping[float, float]],
    floor: float,
    *,
    yticks: Sequence[float] = (2, 3, 4, 6, 10, 20),
) -> Figure:
    """Draw perplexity against the work of training, a line per size of network, and the floor."""
    fig, ax = panel(3.6)
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        i = k % len(COLOURS)
        ax.plot(
            list(points),
            list(points.values()),
            color=COLOURS[i],
            linestyle=DASHES[i],
            marker=MARKERS[i],
        )
        ends[name] = (list(points)[-1], list(points.values())[-1], COLOURS[i])
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: "10" + str(round(log10(value))).translate(RAISED))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_yscale("log")
    plain_ticks(ax, "y", yticks)
    ax.set_ylim(bottom=0.93 * floor)
    floor_line(ax, floor)
    ax.set_xlabel("work of training (operations)")
    ax.set_ylabel("perplexity")
    ax.grid(True)
    name_lines(fig, ax, ends)
    return fig


@drawn
def by_rung(excess: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw a table of what each rung loses on each kind of fact: the more, the stronger the colour.

    excess: {rung: {kind: bits}}, the same kinds for every rung; a value that is not finite is left
    out. From STRONG bits on the colour is the same.
    """
    rungs, kinds = list(excess), list(next(iter(excess.values())))
    fig, ax = panel(1.5 + 0.26 * len(kinds))
    for i, rung in enumerate(rungs):
        for k, kind in enumerate(kinds):
            bits = max(excess[rung][kind], 0.0)
            if bits == float("inf"):
                continue
            strength = 0.55 * min(bits / STRONG, 1.0)
            ax.add_patch(
                plt.Rectangle(
                    (i - 0.5, k - 0.5), 1, 1, facecolor=COLOURS[0], alpha=strength, linewidth=0
                )
            )
            written = f"{bits:.1f}" if bits < 9.95 else f"{bits:.0f}"  # no room for four signs
            ax.text(i, k, written, ha="center", va="center", color=INK, fontsize=SMALL)
    ax.set_xlim(-0.5, len(rungs) - 0.5)
    ax.set_ylim(len(kinds) - 0.5, -0.5)
    ax.set_xticks(range(len(rungs)), rungs, rotation=90)
    ax.set_yticks(range(len(kinds)), kinds)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)
    return fig
