"""Pictures of chapter 6's page on what goes on inside: two stacks, shares with their intervals.

Leaves out: a network of one stack (transformers), spreads (transformers_use), laws (scaling).
"""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import arrow, bare, box
from nextword.plots.style import COLOURS, INK, MARKERS, MUTED, SMALL, drawn, panel

Share = tuple[float, float, float]  # measured, and the ends of its interval


@drawn
def shares_with_intervals(rows: Mapping[str, Mapping[str, Share]], *, x: str) -> Figure:
    """Draw shares in percent as points with their intervals: a row for each question.

    rows: {question: {condition: (share, low, high)}}, the same conditions in every row; each point
    has its value beside it.
    """
    conditions = list(next(iter(rows.values())))
    fig, ax = panel(0.9 + 0.5 * len(rows))
    for k, condition in enumerate(conditions):
        for i, row in enumerate(rows.values()):
            share, low, high = row[condition]
            y = i + 0.3 * (k - (len(conditions) - 1) / 2)
            ax.plot([low, high], [y, y], color=COLOURS[k], linewidth=2)
            ax.plot(
                [share],
                [y],
                color=COLOURS[k],
                marker=MARKERS[k],
                linestyle="none",
                label=condition if i == 0 else None,
            )
            right = high < 85  # of the point is room for its value
            ax.annotate(
                f"{share:.1f}".removesuffix(".0"),
                (high if right else low, y),
                xytext=(7 if right else -7, 0),
                textcoords="offset points",
                ha="left" if right else "right",
                va="center",
                color=INK,
                fontsize=SMALL,
            )
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(-3, 103)
    ax.set_xlabel(x)
    ax.tick_params(axis="y", length=0)
    fig.legend(loc="outside lower center", ncols=len(conditions), frameon=False)
    return fig


@drawn
def two_stacks(source: str, inputs: str, targets: str) -> Figure:
    """Draw the first transformer whole, as Figure 1 of its paper: an encoder and a decoder."""
    fig, ax = panel(5.6)
    left, right = 0.0, 3.7
    _stack(ax, left, -1, ["self-attention,\nboth sides", "feed-forward"])
    _stack(ax, right, 1, ["self-attention,\nonly back", "cross-attention", "feed-forward"])
    for x, text, name in ((left, source, "encoder"), (right, inputs, "decoder")):
        ax.text(x, -2.55, text, ha="center", va="center", color=INK)
        arrow(ax, (x, -2.3), (x, -1.82))
        box(ax, (x, -1.5), "embedding,\npositions", width=2.1)
        arrow(ax, (x, -1.2), (x, -0.32))
        side = -1.0 if x == left else 1.0
        ax.text(
            x + 0.2 * -side,
            -0.78,
            name,
            ha="left" if side < 0 else "right",
            va="center",
            color=MUTED,
            fontsize=SMALL,
        )
    box(ax, (left, 3.9), "vectors m", width=1.5, strong=True)
    arrow(ax, (left, 2.85), (left, 3.58))
    ax.plot([0.77, 1.85, 1.85], [3.9, 3.9, 1.85], color=COLOURS[0], linewidth=1.6)
    arrow(ax, (1.85, 1.85), (right - 1.07, 1.85), COLOURS[0], width=1.6)
    ax.text(0.2, 4.42, "keys, values", color=COLOURS[0], fontsize=SMALL, va="center")
    arrow(ax, (right, 4.7), (right, 5.5))
    box(ax, (right, 5.8), "linear, softmax", width=2.1)
    arrow(ax, (right, 6.1), (right, 6.55))
    ax.text(right, 6.8, targets, ha="center", va="center", color=INK)
    bare(ax, (-2.05, 5.75), (-2.8, 7.05))
    return fig


def _stack(ax: Axes, x: float, side: int, parts: Sequence[str]) -> None:
    """Draw a block: each part, what goes around it on one side, and the sum with its norm."""
    top = 1.85 * len(parts) - 0.58
    corner, height = (x - (1.6 if side < 0 else 1.25), -0.6), top + 0.6
    ax.add_patch(
        plt.Rectangle(
            corner, 2.85, height, facecolor="none", edgecolor=MUTED, linestyle="--", linewidth=0.8
        )
    )
    ax.text(
        x + 1.83 * side,
        top / 2,
        "6 \N{MULTIPLICATION SIGN}",
        ha="center",
        va="center",
        color=MUTED,
        fontsize=SMALL,
    )
    for k, part in enumerate(parts):
        y = 1.85 * k
        box(ax, (x, y), part, width=2.1, strong=part == "cross-attention")
        box(ax, (x, y + 0.82), "add, norm", width=2.1)
        ax.plot([x, x], [y + 0.3, y + 0.52], color=INK, linewidth=1.2)
        around = x + 1.4 * side
        low = y - 0.46
        ax.plot([x, around, around], [low, low, y + 0.82], color=INK, linewidth=1.2)
        arrow(ax, (around, y + 0.82), (x + 1.05 * side, y + 0.82))
        if k:
            arrow(ax, (x, y - 0.73), (x, y - 0.3))
