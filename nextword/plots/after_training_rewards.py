"""Pictures of chapter 7's second page: probabilities side by side, noise by baseline, the frontier.

Leaves out: curves and means with their spread, which all chapters share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    DASHES,
    FLOOR,
    INK,
    MARKERS,
    MUTED,
    SMALL,
    WIDTH,
    drawn,
    labelled,
    panel,
)

Point = tuple[float, float]
BESIDE = {  # where a name stands beside its point: points to the right, points up, how aligned
    "above": (8, 4, "left"),
    "left": (-8, -15, "right"),
    "right": (8, -15, "left"),
}


@drawn
def side_by_side(columns: Mapping[str, Mapping[str, float]], *, x: str) -> Figure:
    """Draw the probabilities of the same texts in several columns, each bar with its value.

    columns: {title: {text: probability}}; the first one is in grey, as what the others began from.
    """
    texts = list(next(iter(columns.values())))
    top = max(p for column in columns.values() for p in column.values())
    fig, axes = plt.subplots(
        1,
        len(columns),
        figsize=(WIDTH, 0.9 + 0.26 * len(texts)),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for k, (ax, (title, column)) in enumerate(zip(axes[0], columns.items(), strict=True)):
        values = [column[text] for text in texts]
        ax.barh(range(len(texts)), values, 0.7, color=COLOURS[0] if k else MUTED)
        for row, value in enumerate(values):
            ax.annotate(
                f"{value:.2f}",
                (value, row),
                xytext=(2, 0),
                textcoords="offset points",
                va="center",
                fontsize=SMALL,
            )
        ax.set_xlim(0, 1.75 * top)
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.set_title(title, fontsize=SMALL, color=INK, loc="left")
    axes[0, 0].set_yticks(range(len(texts)), texts)
    axes[0, 0].invert_yaxis()
    fig.supxlabel(x, fontsize=10, color=INK)
    return fig


@drawn
def by_baseline(
    noise: Mapping[float, float],
    marked: Mapping[str, Point],
    side: Mapping[str, str],
    *,
    x: str,
    y: str,
) -> Figure:
    """Draw the noise of a gradient against the baseline, and some baselines by their names.

    noise: {baseline: variance}. marked: {name: (baseline, variance)}. side: {name: a place of
    BESIDE}, by default "above".
    """
    fig, ax = panel(3.0)
    ax.plot(list(noise), list(noise.values()), color=COLOURS[0])
    ax.set_ylim(bottom=0)
    for k, (name, (b, variance)) in enumerate(marked.items()):
        right, up, aligned = BESIDE[side.get(name, "above")]
        ax.plot([b], [variance], MARKERS[k], color=COLOURS[1], markersize=7)
        ax.annotate(
            f"{name}: {variance:.2f}",
            (b, variance),
            xytext=(right, up),
            textcoords="offset points",
            ha=aligned,
            fontsize=SMALL,
            color=COLOURS[1],
        )
    ax.margins(x=0.02)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    return fig


@drawn
def frontier(
    best: Sequence[Point],
    named: Mapping[str, Point],
    others: Mapping[str, Sequence[Point]],
    *,
    x: str,
    y: str,
) -> Figure:
    """Draw the most reward that each KL allows, and where other policies lie below it.

    best: points (KL, reward) of the frontier, in order. named: points on it with their names.
    others: {kind: points (KL, reward)}, in markers of their own, named at their last point.
    """
    fig, ax = panel(3.3)
    ax.plot(*zip(*best, strict=True), color=COLOURS[0])
    for name, point in named.items():
        ax.plot(*point, "o", color=COLOURS[0])
        ax.annotate(
            name,
            point,
            xytext=(-5, 5),
            textcoords="offset points",
            ha="right",
            fontsize=SMALL,
            color=COLOURS[0],
        )
    ax.set_xlim(left=-0.2 * best[-1][0])  # room for names
    ends = {"best possible": (*best[-1], COLOURS[0])}
    for k, (kind, points) in enumerate(others.items(), 1):
        few = len(points) < 20
        ax.plot(
            *zip(*points, strict=True),
            MARKERS[k],
            color=COLOURS[k],
            alpha=0.9 if few else 0.4,
            markersize=5 if few else 2.5,
        )
        ends[kind] = (*points[-1], COLOURS[k])
    return labelled(fig, ax, x, y, ends)


@drawn
def calibration(rows: Mapping[str, Sequence[Point]], *, x: str, y: str) -> Figure:
    """Draw true probabilities against those that were said, and the line on which both are equal.

    rows: {name: points (said, true)}.
    """
    fig, ax = panel(3.2)
    ax.plot([0, 1], [0, 1], color=FLOOR, linewidth=1.3, linestyle=(0, (6, 2)))
    ax.annotate("equal", (0.8, 0.8), xytext=(-30, 8), textcoords="offset points", color=FLOOR,
                fontsize=SMALL)  # fmt: skip
    ends = {}
    for k, (name, points) in enumerate(rows.items()):
        ax.plot(
            *zip(*points, strict=True), color=COLOURS[k], marker=MARKERS[k], linestyle=DASHES[k]
        )
        ends[name] = (*points[-1], COLOURS[k])
    return labelled(fig, ax, x, y, ends)
