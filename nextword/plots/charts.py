"""Charts that every chapter uses: lines, bars of next words, the ladder. Leaves out: the style."""

import math
from collections.abc import Collection, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    FLOOR,
    MUTED,
    SMALL,
    drawn,
    look,
    name_lines,
    panel,
    plain_ticks,
    plainly,
)


@drawn
def lines(
    series: Mapping[str, Mapping[float, float]],
    *,
    x: str,
    y: str,
    log: str = "",
    floor: float | None = None,
    xticks: Sequence[float] = (),
    yticks: Sequence[float] = (),
    ylim: tuple[float, float] | None = None,
) -> Figure:
    """Draw measured values, one line per series {x: y}; infinite values are left out.

    x, y: what the axes show, with the unit. log: "x", "y" or "xy" for logarithmic axes. floor: the
    perplexity that no model can beat. xticks, yticks: plain numbers that label a logarithmic axis.
    ylim: the lowest and the highest y; a line that leaves is named where it does.
    """
    fig, ax = panel(3.2)
    finite = {
        name: {a: b for a, b in points.items() if math.isfinite(b)}
        for name, points in series.items()
    }
    for k, (name, points) in enumerate(finite.items()):
        ax.plot(list(points), list(points.values()), label=name, **look(name, k))
    _scales(ax, log, sorted({a for points in series.values() for a in points}), xticks, yticks)
    if ylim:
        ax.set_ylim(*ylim)
    if floor is not None:
        floor_line(ax, floor)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    if len(series) > 1:
        low, high = ax.get_ylim()
        ends = {}
        for k, (name, points) in enumerate(finite.items()):
            a, b = last_inside(points, low, high)
            ends[name] = (a, b, look(name, k)["color"])
        name_lines(fig, ax, ends)
    return fig


def _scales(
    ax: Axes, log: str, xs: Sequence[float], xticks: Sequence[float], yticks: Sequence[float]
) -> None:
    """Make the axes logarithmic as asked, and label what is measured on the others."""
    if "x" in log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(plainly)
        if xticks:
            plain_ticks(ax, "x", xticks)
    elif len(xs) <= 9:
        ax.set_xticks(xs)
    if "y" in log:
        ax.set_yscale("log")
        if yticks:
            plain_ticks(ax, "y", yticks)


def last_inside(points: Mapping[float, float], low: float, high: float) -> tuple[float, float]:
    """Return the last point of a line between two heights, or its last point of all."""
    inside = [(a, b) for a, b in points.items() if low <= b <= high]
    return inside[-1] if inside else list(points.items())[-1]


def floor_line(ax: Axes, floor: float) -> None:
    """Draw the floor as a line with its value at the left end."""
    ax.axhline(floor, color=FLOOR, linewidth=1.3, linestyle=(0, (6, 2)))
    ax.annotate(
        f"floor {floor:.2f}",
        (0.01, floor),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=FLOOR,
        fontsize=SMALL,
    )


@drawn
def next_words(
    models: Mapping[str, Mapping[str, float]],
    words: Sequence[str],
    x: str = "probability of the next word",
) -> Figure:
    """Draw what several models say about the next word: one group of bars per word.

    Each bar ends in its value; those of the first word also in the name of their model.
    """
    thickness = 0.84 / len(models)
    fig, ax = panel(0.5 + len(words) * max(0.26, 0.165 * len(models) + 0.06))
    top = max(row.get(word, 0.0) for row in models.values() for word in words)
    for k, (name, row) in enumerate(models.items()):
        places = [i - 0.42 + (k + 0.5) * thickness for i in range(len(words))]
        values = [row.get(word, 0.0) for word in words]
        colour = look(name, k)["color"]
        ax.barh(places, values, 0.88 * thickness, color=colour)
        for i, (place, value) in enumerate(zip(places, values, strict=True)):
            named = f"{value:.2f} {name}" if i == 0 else f"{value:.2f}" if value else "0"
            ax.annotate(
                named,
                (value, place),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                color=colour,
                fontsize=SMALL,
            )
    ax.set_yticks(range(len(words)), words)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    first = max(row.get(words[0], 0.0) for row in models.values())
    longest = max(map(len, models))
    ax.set_xlim(0, max(1.12 * top, first + top * 0.036 * (longest + 7)))
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= 1])  # beyond is room for names
    ax.set_xlabel(x)
    ax.grid(True, axis="x")
    return fig


@drawn
def ladder(
    perplexities: Mapping[str, float],
    floor: float,
    new: Collection[str] = (),
    text: str = "test text",
) -> Figure:
    """Draw each model's perplexity as a bar that ends in its value, and the floor as a line.

    new: the models of the chapter at hand, in a colour of their own among those before.
    text: what the perplexities are of.
    """
    fig, ax = panel(0.8 + 0.32 * len(perplexities))
    names = list(perplexities)[::-1]
    values = [perplexities[name] for name in names]
    colours = [COLOURS[0] if name in new or not new else MUTED for name in names]
    ax.barh(names, values, height=0.62, color=colours)
    for i, value in enumerate(values):
        ax.text(1.03 * value, i, f"{value:.2f}", va="center")
    ax.axvline(floor, color=FLOOR, linewidth=1.5, linestyle=(0, (6, 2)))
    ax.text(floor * 1.03, len(names) - 0.35, f"floor {floor:.2f}", color=FLOOR)
    ax.set_xscale("log")
    ax.set_xlim(1, 2.2 * max(values))
    plain_ticks(ax, "x", [t for t in (1, 2, 5, 10, 20, 50, 100, 200) if t < 2.2 * max(values)])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"perplexity on the {text} (logarithmic)")
    ax.grid(True, axis="x")
    return fig


@drawn
def gaps(
    percent: Mapping[str, float],
    new: Collection[str] = (),
    equal: Mapping[str, Sequence[float]] | None = None,
) -> Figure:
    """Draw how far each model is above the floor, in percent, as a dot on a logarithmic axis.

    A step to the left by the same length divides what is still missing by the same number.
    new: the models to be seen first, in a colour of their own. equal: for some of the models the
    gaps of trainings on equal terms, one for each seed, drawn as rings.
    """
    equal = equal or {}
    fig, ax = panel((1.4 if equal else 0.8) + 0.32 * len(percent))
    names = list(percent)[::-1]
    values = [percent[name] for name in names]
    colours = [COLOURS[0] if name in new or not new else MUTED for name in names]
    ax.plot(values, range(len(names)), color=MUTED, linewidth=0.8, zorder=1)
    dots = ax.scatter(values, range(len(names)), s=44, color=colours, zorder=2)
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        shown = f"{value:,.1f} %" if value < 10 else f"{value:,.0f} %"
        right = max([value, *equal.get(name, ())])
        flat = i + 1 < len(values) and values[i + 1] > 8 * value  # the line would strike the text
        lower = -7 if flat else 0
        ax.annotate(shown, (right, i), xytext=(8, lower), textcoords="offset points", va="center")
    if equal:
        x, y = zip(
            *((gap, names.index(name)) for name in equal for gap in equal[name]), strict=True
        )
        rings = ax.scatter(x, y, s=26, facecolors="none", edgecolors=COLOURS[1], zorder=3)
        said = ("as its chapter trains it", "on equal terms, three seeds")
        ax.legend((dots, rings), said, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    ax.set_yticks(range(len(names)), names)
    ax.set_xscale("log")
    low, high = min(values), max(values)
    ax.set_xlim(0.7 * low, 5 * high)
    ticks = (1, 3, 10, 30, 100, 1000, 10000)
    plain_ticks(ax, "x", [tick for tick in ticks if 0.7 * low < tick < 5 * high])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("perplexity above the floor (percent, logarithmic)")
    ax.grid(True, axis="x")
    return fig
