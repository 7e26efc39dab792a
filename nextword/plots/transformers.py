"""Pictures of chapter 6: curves, bars of a vector, blocks with their stream, waves, turned arrows,
the table that a cache saves, shares of a whole. Leaves out: training and use (transformers_use)."""

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import Point, arrow, bare, box
from nextword.plots.style import (
    COLOURS,
    DASHES,
    FAINT,
    INK,
    MUTED,
    SMALL,
    WIDTH,
    drawn,
    name_lines,
    panel,
)


@drawn
def curves(
    series: Mapping[str, Mapping[float, float]],
    *,
    x: str,
    y: str,
    log: str = "",
    ylim: tuple[float, float] | None = None,
) -> Figure:
    """Draw smooth curves {x: y}, one per name, without a mark at each point.

    log: "x", "y" or "xy" for logarithmic axes. ylim: the lowest and the highest y.
    """
    fig, ax = panel(3.0)
    ends = {}
    for k, (name, points) in enumerate(series.items()):
        colour = COLOURS[k]
        ax.plot(list(points), list(points.values()), color=colour, linestyle=DASHES[k])
        ends[name] = (list(points)[-1], list(points.values())[-1], colour)
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    if ylim:
        ax.set_ylim(*ylim)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    if len(series) > 1:
        name_lines(fig, ax, ends)
    return fig


@drawn
def stages(vectors: Mapping[str, Sequence[float]], y: str) -> Figure:
    """Draw the numbers of a vector as bars with their values, once for each stage."""
    fig, axes = plt.subplots(
        1, len(vectors), figsize=(WIDTH, 2.2), layout="constrained", sharey=True, squeeze=False
    )
    for ax, (title, vector) in zip(axes.flat, vectors.items(), strict=True):
        ax.axhline(0, color=MUTED, linewidth=0.8)
        ax.bar(range(1, len(vector) + 1), list(vector), color=COLOURS[0], width=0.7)
        for place, value in enumerate(vector, 1):
            ax.text(place, value, f"{value:.3g}", ha="center", va="bottom" if value >= 0 else "top",
                    fontsize=SMALL)  # fmt: skip
        ax.margins(y=0.18)
        ax.set_xticks(range(1, len(vector) + 1))
        ax.set_title(title, fontsize=SMALL, color=INK)
        ax.tick_params(axis="x", length=0)
        ax.grid(True, axis="y")
    axes[0, 0].set_ylabel(y)
    fig.supxlabel("place in the vector", fontsize=10, color=INK)
    return fig


@drawn
def two_blocks() -> Figure:
    """Draw a post-norm and a pre-norm block: the stream goes up, branches return to it."""
    fig, ax = panel(4.4)
    for x, title in ((0.0, "post-norm"), (3.4, "pre-norm")):
        post = title == "post-norm"
        ax.text(x + 0.5, -1.1, title, ha="center", va="center", color=INK)
        ax.text(x, -0.45, "x", ha="center", va="center", color=INK)
        parts = ("attention", "feed-forward")
        for part, low in zip(parts, (0.0, 3.2), strict=True):
            _branch(ax, x, low, part, norm_first=not post)
            if post:
                box(ax, (x, low + 2.5), "norm", width=0.9)
        arrow(ax, (x, 6.0 if post else 5.2), (x, 6.75), COLOURS[0], width=2)
        ax.text(x, 7.0, "to the next block", ha="center", va="center", fontsize=SMALL)
    bare(ax, (-1.2, 6.4), (-1.5, 7.3))
    return fig


def _branch(ax: Axes, x: float, low: float, part: str, *, norm_first: bool) -> None:
    """Draw one part of a block: the stream from low to low + 2, and the branch that it adds."""
    ax.plot([x, x], [low - 0.2, low + 1.72], color=COLOURS[0], linewidth=2.4)
    ax.plot(
        [x, x], [low + 2.0, low + (3.0 if norm_first else 2.2)], color=COLOURS[0], linewidth=2.4
    )
    right = x + 1.5
    ax.plot([x, right], [low, low], color=INK, linewidth=1.2)
    arrow(ax, (right, low), (right, low + 0.32))
    if norm_first:
        box(ax, (right, low + 0.5), "norm", width=0.9)
        box(ax, (right, low + 1.25), part, width=1.9, strong=True)
    else:
        box(ax, (right, low + 0.8), part, width=1.9, strong=True)
    top = low + (1.55 if norm_first else 1.1)
    ax.plot([right, right], [top, low + 1.86], color=INK, linewidth=1.2)
    arrow(ax, (right, low + 1.86), (x + 0.16, low + 1.86))
    plus = {"boxstyle": "circle,pad=0.1", "facecolor": "none", "edgecolor": INK}
    ax.text(x, low + 1.86, "+", ha="center", va="center", weight="bold", color=INK, bbox=plus)


@drawn
def whole_model(n_layers: int) -> Figure:
    """Draw the decoder-only model, from the words at the bottom to the scores at the top."""
    fig, ax = panel(3.6)
    parts = [
        "words",
        "rows of E, positions",
        f"{n_layers} blocks",
        "norm",
        "rows of E again",
        "scores",
    ]
    for k, part in enumerate(parts):
        plain = k in (0, len(parts) - 1)
        if plain:
            ax.text(0, k, part, ha="center", va="center", color=INK)
        else:
            box(ax, (0, k), part, width=2.6, strong=part.endswith("blocks"))
        if k:
            arrow(ax, (0, k - (0.75 if k == 1 else 0.66)), (0, k - 0.34))
    for start, end in (((1.3, 1.0), (2.0, 1.0)), ((1.3, 4.0), (2.0, 4.0))):
        ax.plot(*zip(start, end, strict=True), color=MUTED, linewidth=1)
    ax.plot([2.0, 2.0], [1.0, 4.0], color=MUTED, linewidth=1)
    ax.text(2.1, 2.5, "the same\nmatrix (tied)", va="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-1.6, 3.8), (-0.4, 5.4))
    return fig


@drawn
def waves(table: Sequence[Sequence[float]], shown: Sequence[int], digits: int = 0) -> Figure:
    """Draw columns of a table of positions as curves, one above the other; values are -1 to 1.

    digits: so many binary digits of the place are drawn above them, as steps, the last digit first.
    """
    fig, ax = panel(0.8 + 0.45 * (len(shown) + digits))
    places = range(len(table))
    levels = [-2.4 * k for k in range(digits + len(shown))]
    for k, level in enumerate(levels[:digits]):
        steps = [level - 0.8 + 1.6 * (place >> k & 1) for place in places]
        ax.step(places, steps, where="post", color=MUTED, linewidth=1)
    for column, level in zip(shown, levels[digits:], strict=True):
        ax.axhline(level, color=FAINT, linewidth=0.7)
        ax.plot(places, [level + row[column] for row in table], color=COLOURS[column % 2])
    names = [f"digit for {2**k}" for k in range(digits)]
    names += [f"{'cos' if c % 2 else 'sin'}, hand {c // 2}" for c in shown]
    ax.set_yticks(levels, names)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("position (words)")
    ax.set_xlim(0, len(table) - 1)
    ax.spines["left"].set_visible(False)
    return fig


@drawn
def turned(angles: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw a query and a key as two arrows in each of several circles, with the angle between.

    angles: {title: (angle of the query, angle of the key)}, in radians.
    """
    fig, axes = plt.subplots(
        1, len(angles), figsize=(WIDTH, 1.9), layout="constrained", squeeze=False
    )
    for ax, (title, (query, key)) in zip(axes.flat, angles.items(), strict=True):
        ax.add_patch(plt.Circle((0, 0), 1, facecolor="none", edgecolor=FAINT))
        for name, angle, colour in (("q", query, COLOURS[0]), ("k", key, COLOURS[1])):
            end: Point = (math.cos(angle), math.sin(angle))
            arrow(ax, (0, 0), end, colour, width=1.8)
            ax.text(1.22 * end[0], 1.22 * end[1], name, ha="center", va="center", color=colour)
        ax.set_title(title, fontsize=SMALL, color=INK)
        ax.set_aspect("equal")
        bare(ax, (-1.4, 1.4), (-1.4, 1.4))
    return fig


@drawn
def cached(words: Sequence[str], n_new: int) -> Figure:
    """Draw the table of scores of a text: what is known already, what the last words add."""
    T = len(words)
    fig, ax = panel(0.9 + 0.42 * T)
    for i in range(T):
        for j in range(i + 1):
            new = i >= T - n_new
            corner = (j, -i - 1)
            ax.add_patch(plt.Rectangle(corner, 0.92, 0.92, linewidth=0, alpha=0.6 if new else 1,
                                       facecolor=COLOURS[0] if new else FAINT))  # fmt: skip
        ax.text(-0.2, -i - 0.5, words[i], ha="right", va="center", color=INK)
        ax.text(i + 0.46, 0.3, words[i], ha="center", va="center", color=INK)
    ax.text(-1.1, -T / 2, "queries", rotation=90, ha="center", va="center", fontsize=SMALL)
    ax.text(T / 2, 1.1, "keys and values", ha="center", va="center", fontsize=SMALL)
    ax.text(T + 0.3, -T + n_new / 2, "computed now", va="center", color=COLOURS[0], fontsize=SMALL)
    ax.text(T + 0.3, -1.2, "old queries: done", va="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-1.6, T + 3.8), (-T - 0.2, 1.5))
    return fig


@drawn
def shares(wholes: Mapping[str, Mapping[str, float]], x: str) -> Figure:
    """Draw what parts make up each whole, in percent: one bar per whole, from left to right.

    wholes: {name: {part: amount}}, with the same parts in the same order everywhere.
    """
    fig, ax = panel(1.3 + 0.42 * len(wholes))
    names = list(wholes)[::-1]
    left = [0.0] * len(names)
    for k, part in enumerate(next(iter(wholes.values()))):
        widths = [100 * wholes[name][part] / sum(wholes[name].values()) for name in names]
        ax.barh(names, widths, left=left, height=0.62, color=COLOURS[k], label=part, linewidth=0.8,
                edgecolor=FAINT)  # fmt: skip
        left = [start + width for start, width in zip(left, widths, strict=True)]
    ax.set_xlim(0, 100)
    ax.set_xlabel(x)
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, fontsize=SMALL, frameon=False)
    return fig
