"""Pictures of chapter 6's later pages and of the last page: spreads, facts by rung.

Leaves out: the network itself (transformers), and what goes on inside (transformers_inside).
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    INK,
    SMALL,
    drawn,
    labelled,
    look,
    panel,
    plain_ticks,
)

STRONG = 5.0  # bits


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
    return labelled(fig, ax, x, y, ends)


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
