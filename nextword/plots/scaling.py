"""Pictures of section 6.15: what a fitted law misses, and the floors that fits find.

Leaves out: the losses themselves (charts.lines), and every fit (nextword.models.scaling_law).
"""

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    FLOOR,
    MUTED,
    SMALL,
    drawn,
    labelled,
    look,
    panel,
    plain_ticks,
)


@drawn
def off_the_law(
    series: Mapping[str, Mapping[float, Sequence[float]]],
    *,
    x: str,
    xticks: Sequence[float],
    yticks: Sequence[float],
) -> Figure:
    """Draw losses over those of a law: a dot for each training, a line through their means.

    series: {name: {x: ratios}}; both axes are logarithmic, so that a half is as far from 1 as 2.
    """
    fig, ax = panel(3.4)
    ax.axhline(1.0, color=FLOOR, linewidth=1.3, linestyle=(0, (6, 2)))
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        style = look(name, k)
        means = {a: geometric_mean(ratios) for a, ratios in points.items()}
        dots = [(a, ratio) for a, ratios in points.items() for ratio in ratios]
        places, heights = zip(*dots, strict=True)
        ax.scatter(places, heights, s=9, color=style["color"], alpha=0.6)
        ax.plot(list(means), list(means.values()), label=name, **style)
        ends[name] = (*list(means.items())[-1], style["color"])
    ax.set_xscale("log")
    plain_ticks(ax, "x", xticks)
    ax.set_yscale("log")
    plain_ticks(ax, "y", yticks)
    return labelled(fig, ax, x, "loss measured, over the law's", ends)


@drawn
def floors_found(
    fits: Mapping[str, tuple[float, float, float, float]], floor: float, *, xticks: Sequence[float]
) -> Figure:
    """Draw the floor that each fit finds, with its interval, against how near its runs came.

    fits: {name: (best loss over the floor, fitted floor, low, high)}. The axis runs down to 1,
    where a run would have reached the floor.
    """
    fig, ax = panel(3.2)
    ax.axhline(floor, color=FLOOR, linewidth=1.3, linestyle=(0, (6, 2)))
    for name, (near, found, low, high) in fits.items():
        ax.plot([near, near], [low, high], color=COLOURS[0], linewidth=2)
        ax.plot([near], [found], color=COLOURS[0], marker="o", linestyle="none")
        ax.annotate(
            name,
            (near, high),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            color=MUTED,
            fontsize=SMALL,
        )
    ax.annotate(
        f"true floor {floor:.3f}",
        (0.99, floor),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        color=FLOOR,
        fontsize=SMALL,
    )
    farthest = max(near for near, *_ in fits.values())
    ax.set_xscale("log")
    ax.set_xlim(1.25 * farthest, 1.0)
    plain_ticks(ax, "x", xticks)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("best loss of the runs, over the true floor")
    ax.set_ylabel("fitted E (nats a word)")
    ax.grid(True)
    return fig
