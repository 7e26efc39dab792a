"""Pictures of chapter 3: arrows, maps of words, a tree, agreement. Leaves out: computing positions.

What is drawn as lines or written as a table is in `charts` and `texts`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    FLOOR,
    INK,
    MARKERS,
    MUTED,
    SMALL,
    drawn,
    panel,
)

Point = tuple[float, float]


@drawn
def arrows(vectors: Mapping[str, Point], *, x: str, y: str) -> Figure:
    """Draw vectors of two numbers as arrows from the origin, each with its name at the tip."""
    fig, ax = panel(3.2)
    for k, (name, tip) in enumerate(vectors.items()):
        colour = COLOURS[k % len(COLOURS)]
        ax.annotate("", tip, xytext=(0, 0), arrowprops={"arrowstyle": "->", "color": colour,
                    "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0})  # fmt: skip
        ax.annotate(name, tip, xytext=(4, 3), textcoords="offset points", color=colour)
        ax.scatter(tip[0], tip[1], s=1, color=colour)
    ends = np.array(list(vectors.values()))
    ax.set_xlim(0, 1.3 * ends[:, 0].max())
    ax.set_ylim(0, 1.15 * ends[:, 1].max())
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    return fig


def _name_words(
    ax: Axes, words: Sequence[str], points: Mapping[str, Point], to_left: set[str], colour: str
) -> None:
    """Write the names of words beside their points; those of words at one place side by side."""
    for names, point in _together(words, points):
        left = any(word in names for word in to_left)
        ax.annotate(names, point, xytext=(-5 if left else 5, -3), textcoords="offset points",
                    ha="right" if left else "left", color=colour, fontsize=SMALL)  # fmt: skip


@drawn
def word_map(
    points: Mapping[str, Point],
    kinds: Mapping[str, Sequence[str]],
    *,
    links: Sequence[tuple[str, str]] = (),
    named: Sequence[str] = (),
    title: str = "",
    height: float = 3.9,
) -> Figure:
    """Draw words as points, one colour and marker per kind, whose name stands in the middle of it.

    links: pairs of words that are joined by a line. named: words whose own name is written.
    """
    fig, ax = panel(height)
    for first, second in links:
        (x0, y0), (x1, y1) = points[first], points[second]
        ax.plot([x0, x1], [y0, y1], color=MUTED, linewidth=0.9, zorder=1)
    labels: list[Point] = []
    crowded = 0.08 * np.ptp(np.array(list(points.values())), axis=0).max()
    for k, (kind, words) in enumerate(kinds.items()):
        place = np.array([points[word] for word in words if word in points])
        colour = COLOURS[k % len(COLOURS)]
        ax.scatter(
            place[:, 0],
            place[:, 1],
            s=16,
            color=colour,
            marker=MARKERS[k % len(MARKERS)],
            linewidths=0,
        )
        if not set(words) & set(named):
            label = _middle(place)
            above = all(np.hypot(*np.subtract(label, other)) > crowded for other in labels)
            labels.append(label)
            ax.annotate(kind, label, xytext=(0, 6 if above else -14), textcoords="offset points",
                        ha="center", color=colour, fontsize=SMALL, weight="bold")  # fmt: skip
        linked = {one for one, _ in links}  # to the left of their point, away from the line
        _name_words(ax, [word for word in words if word in named], points, linked, colour)
    if title:
        ax.set_title(title, fontsize=10, color=INK)
    ax.margins(0.25 if links else 0.1, 0.1)
    ax.set_xticks([])
    ax.set_yticks([])
    return fig


def _together(words: Sequence[str], points: Mapping[str, Point]) -> list[tuple[str, Point]]:
    """The names to write, and where: words that lie on one another share a line."""
    near = 0.03 * np.ptp(np.array(list(points.values())), axis=0).max()
    groups: list[list[str]] = []
    for word in words:
        for group in groups:
            if np.hypot(*np.subtract(points[group[0]], points[word])) < near:
                group.append(word)
                break
        else:
            groups.append([word])
    return [(", ".join(group), points[group[0]]) for group in groups]


def _middle(place: np.ndarray) -> Point:
    """The point of a group that is nearest to the group's median."""
    away = np.linalg.norm(place - np.median(place, axis=0), axis=1)
    x, y = place[int(away.argmin())]
    return float(x), float(y)


@drawn
def bars(values: Mapping[str, float], *, x: str, form: str = "{:.2f}", top: float = 1.0) -> Figure:
    """Draw one bar for each name, which ends in its value; a value of 0 or less has no bar."""
    fig, ax = panel(0.8 + 0.3 * len(values))
    names = list(values)[::-1]
    shown = [max(values[name], 0) for name in names]
    ax.barh(names, shown, height=0.64, color=COLOURS[0])
    for i, name in enumerate(names):
        ax.text(shown[i] + 0.015 * top, i, form.format(values[name]), va="center", fontsize=SMALL)
    ax.set_xlim(0, 1.12 * top)
    ax.set_xticks([0, top / 4, top / 2, 3 * top / 4, top])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(x)
    ax.grid(True, axis="x")
    return fig


@drawn
def against(
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    x: str,
    y: str,
    diagonal: bool = False,
    named: Mapping[int, str] | None = None,
) -> Figure:
    """Draw points, one value against another; `diagonal` adds the line on which both are equal.

    named: {number of a point: what is written beside it}.
    """
    fig, ax = panel(3.4)
    few = len(xs) < 50
    ax.scatter(
        xs, ys, s=24 if few else 7, color=COLOURS[0], alpha=0.8 if few else 0.5, linewidths=0
    )
    if diagonal:
        ends = [max(min(xs), min(ys)), min(max(xs), max(ys))]
        ax.plot(ends, ends, color=FLOOR, linestyle="--", linewidth=1.4)
        ax.annotate("equal", (ends[1], ends[1]), xytext=(-4, -14), textcoords="offset points",
                    color=FLOOR, fontsize=SMALL)  # fmt: skip
    for i, name in (named or {}).items():
        left = xs[i] > (min(xs) + max(xs)) / 2  # of a point on the right
        ax.annotate(name, (xs[i], ys[i]), xytext=(-6 if left else 6, 0), va="center", color=INK,
                    ha="right" if left else "left", textcoords="offset points",
                    fontsize=SMALL)  # fmt: skip
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    return fig


@drawn
def tree(codes: Mapping[str, str]) -> Figure:
    """Draw the tree of binary codes: a word at the end of each path, 0 and 1 at its branches."""
    words = sorted(codes, key=codes.__getitem__)
    column = {word: float(i) for i, word in enumerate(words)}
    depth = max(map(len, codes.values()))
    fig, ax = panel(0.5 + 0.62 * depth)

    def across(node: str) -> float:
        below = [column[word] for word in words if codes[word].startswith(node)]
        return (min(below) + max(below)) / 2

    for node in sorted({code[:i] for code in codes.values() for i in range(1, len(code) + 1)}):
        (x0, y0), (x1, y1) = (across(node[:-1]), 1.0 - len(node)), (across(node), -len(node) * 1.0)
        ax.plot([x0, x1], [y0, y1], color=MUTED, linewidth=1.2)
        side = -8 if node[-1] == "0" else 8  # beside the branch, in points
        ax.annotate(node[-1], ((x0 + x1) / 2, (y0 + y1) / 2), xytext=(side, 2), ha="center",
                    textcoords="offset points", color=COLOURS[1], fontsize=SMALL)  # fmt: skip
    for word in words:
        ax.text(column[word], -len(codes[word]) - 0.1, word, ha="center", va="top", fontsize=SMALL,
                color=COLOURS[0], weight="bold")  # fmt: skip
    ax.set_xlim(-0.6, len(words) - 0.4)
    ax.set_ylim(-depth - 0.5, 0.1)
    ax.axis("off")
    return fig
