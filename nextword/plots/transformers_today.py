"""Pictures of chapter 6's last page: repeated measurements of a few kinds, and how models grew."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import COLOURS, INK, MARKERS, SMALL, drawn, panel, plain_ticks

Point = tuple[float, float]  # year, billions of weights
APART = {  # where a name stands beside its point: points to the right, points up, and how aligned
    "right": (6, 0, "left", "center"),
    "left": (-6, 0, "right", "center"),
    "above": (0, 6, "center", "bottom"),
    "over": (6, 6, "right", "bottom"),
    "under": (4, -6, "right", "top"),
}


@drawn
def dots(measured: Mapping[str, Sequence[float]], *, x: str) -> Figure:
    """Draw each measurement as a dot, a row for each kind, and a line with its value at the mean.

    measured: {kind: measurements}.
    """
    fig, ax = panel(0.9 + 0.42 * len(measured))
    for k, values in enumerate(measured.values()):
        mean = fmean(values)
        ax.plot([mean, mean], [k - 0.28, k + 0.28], color=INK, linewidth=1.4)
        ax.plot(values, [k] * len(values), MARKERS[k], color=COLOURS[k], alpha=0.8)
        ax.text(mean, k - 0.3, f"{mean:.1f}", ha="center", va="bottom", fontsize=SMALL)
    ax.set_yticks(range(len(measured)), list(measured))
    ax.set_ylim(len(measured) - 0.5, -0.75)
    ax.margins(x=0.14)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(x)
    ax.grid(True, axis="x")
    return fig


@drawn
def growth(
    models: Mapping[str, Point], active: Mapping[str, Point], side: Mapping[str, str] | None = None
) -> Figure:
    """Draw the sizes of models over the years, in billions of weights on a logarithmic axis.

    active: of models that use a part of their weights for each word, how large that part is.
    side: where a name stands, a key of APART; otherwise "right".
    """
    fig, ax = panel(4.4)
    for name, (year, size) in models.items():
        ax.plot([year], [size], "o", color=COLOURS[0])
        if name in active:
            part = active[name][1]
            ax.plot([year, year], [part, size], ":", color=COLOURS[1], linewidth=1.4)
            ax.plot([year], [part], "s", color=COLOURS[1])
            label(ax, f"{part:g} active", (year, part), "left", COLOURS[1])
        label(ax, f"{name} {size:g}", (year, size), (side or {}).get(name, "right"), INK)
    ax.set_yscale("log")
    plain_ticks(ax, "y", (0.1, 1, 10, 100, 1000))
    years = [year for year, _ in models.values()]
    first, last = int(min(years)), int(max(years)) + 1
    ax.set_xticks(range(first, last + 1, 2))
    ax.set_xlim(first - 0.1, last + 0.5)
    ax.set_ylim(0.05, 2000)
    ax.set_xlabel("year")
    ax.set_ylabel("weights (billions)")
    ax.grid(True)
    return fig


def label(ax: Axes, text: str, at: Point, side: str, colour: str) -> None:
    """Write a text beside a point."""
    right, up, across, along = APART[side]
    ax.annotate(
        text,
        at,
        xytext=(right, up),
        textcoords="offset points",
        ha=across,
        va=along,
        color=colour,
        fontsize=SMALL,
    )
