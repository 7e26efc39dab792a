"""What all pictures of the book share: sizes, colours, looks, labels. Leaves out: any picture.

A picture is drawn as wide as a phone's column, so its letters can be read there; a larger screen
shows it larger. Colours follow those of Okabe and Ito, which colour-blind readers can tell apart,
darkened on light pages and lightened on dark ones (in `book.css`) until letters in them can be
read. Markers and dashes differ as well, and lines carry their names: colour alone says nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from textwrap import wrap
from typing import Any, ParamSpec

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from nextword.plots.svg import Picture, picture

P = ParamSpec("P")

INK, MUTED, FAINT, FLOOR = "#22292b", "#56605f", "#d9d6ce", "#a84a14"
COLOURS = ("#005f96", "#b34700", "#00704f", "#9c3f79", "#855c00", "#1b6f9c", "#555b5a", "#6a4aa3")
NAMES = {INK: "ink", MUTED: "muted", FAINT: "faint", FLOOR: "floor"} | {
    colour: f"line-{k}" for k, colour in enumerate(COLOURS)
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", "-", "--", "-.", ":")
# One look per model, the same in all pictures of the book; other names take looks in turn.
LOOKS = {
    "maximum likelihood": 6,
    "additive": 5,
    "fixed mixture": 3,
    "absolute discounting": 4,
    "back-off": 7,
    "Kneser-Ney": 1,
    "modified Kneser-Ney": 0,
    "village": 0,
    "Python documentation": 1,
    "5-gram": 6,
    "feed-forward": 4,
    "RNN": 1,
    "Elman": 1,
    "LSTM": 0,
    "GRU": 2,
}
WIDTH = 4.2  # inches
LEADER = {"arrowstyle": "-", "linewidth": 0.6, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 3}
SMALL = 9.5  # points; no letter of a picture is smaller
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # measures the letters; the page's font draws them
    "font.size": 10,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "next word",  # the same file on every run
}


def look(name: str, position: int = 0) -> dict[str, Any]:
    """Return colour, marker and line style of a series: fixed for a known name, else by position.

    >>> look("Kneser-Ney") == look("Kneser-Ney", position=5)
    True
    """
    i = LOOKS.get(name, position) % len(COLOURS)
    return {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": DASHES[i]}


def drawn(draw: Callable[P, Figure]) -> Callable[P, Picture]:
    """Run a drawing function in the book's style, close its figure and return it as a picture."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> Picture:
        with plt.rc_context(STYLE):
            figure = draw(*args, **kwargs)
            plt.close(figure)
            return picture(figure, NAMES)

    return styled


def panel(height: float) -> tuple[Figure, Axes]:
    """Return a new figure of this height, in inches, with one set of axes."""
    return plt.subplots(figsize=(WIDTH, height), layout="constrained")


def plainly(value: float, _: float | None = None) -> str:
    """Write a number of an axis: 1,000,000 and not 1e+06."""
    return f"{value:,.12g}"


def plain_ticks(ax: Axes, which: str, values: Sequence[float]) -> None:
    """Label a logarithmic axis with these plain numbers instead of powers of ten."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_formatter(plainly)
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(list(values))


def labelled(
    figure: Figure, ax: Axes, x: str, y: str, ends: Mapping[str, tuple[float, float, str]]
) -> Figure:
    """Finish a picture of named lines: labels for the axes, a grid, and `name_lines`; return it."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    name_lines(figure, ax, ends)
    return figure


def name_lines(figure: Figure, ax: Axes, ends: Mapping[str, tuple[float, float, str]]) -> None:
    """Write each line's name to the right of its end, and move names apart where lines meet.

    ends: {name: (x, y, colour)}. Call it last: it needs the final limits of the axes.
    """
    texts = {name: "\n".join(wrap(name, 14)) for name in ends}
    figure.draw_without_rendering()  # so that the axes know their height
    points = ax.get_window_extent().height * 72 / figure.dpi
    line = 1.25 * SMALL / points  # the height of a line of letters, as a part of the axes
    to_axes = ax.transData + ax.transAxes.inverted()
    heights = {name: to_axes.transform((x, y))[1] for name, (x, y, _) in ends.items()}
    order = sorted(ends, key=heights.__getitem__)
    sizes = [line * (texts[name].count("\n") + 1) for name in order]
    places = spread([min(max(heights[name], 0), 1) for name in order], sizes)
    for name, place in zip(order, places, strict=True):
        x, y, colour = ends[name]
        away = abs(place - heights[name]) > line / 2 or to_axes.transform((x, y))[0] < 0.95
        ax.annotate(
            texts[name],
            (x, y),
            xytext=(1.06, place),
            textcoords="axes fraction",
            va="center",
            color=colour,
            fontsize=SMALL,
            linespacing=1.1,
            arrowprops=LEADER | {"color": colour} if away else None,
        )


def spread(centres: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Move labels of these sizes apart, as little as needed, within 0 and 1 if they fit.

    centres: where each label would stand, in rising order.
    >>> spread([0.5, 0.5], [0.2, 0.2])
    [0.4, 0.6]
    """
    blocks: list[list[float]] = []  # [centre of the block, its size, number of its labels]
    for centre, size in zip(centres, sizes, strict=True):
        blocks.append([centre, size, 1])
        while (
            len(blocks) > 1
            and blocks[-1][0] - blocks[-2][0] < (blocks[-1][1] + blocks[-2][1]) / 2 - 1e-9
        ):
            upper, lower = blocks.pop(), blocks.pop()
            n = upper[2] + lower[2]
            middle = (upper[0] * upper[2] + lower[0] * lower[2]) / n
            total = upper[1] + lower[1]
            blocks.append([min(max(middle, total / 2), max(1 - total / 2, total / 2)), total, n])
    places, left = [], list(sizes)
    for middle, total, n in blocks:
        below = middle - total / 2
        for size in left[: int(n)]:
            places.append(round(below + size / 2, 6))
            below += size
        left = left[int(n) :]
    return places
