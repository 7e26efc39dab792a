"""Pictures of chapter 7's first page: what a chat teaches, and an update of low rank.

Leaves out: measurements, which are lines (charts, transformers, transformers_use).
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import Point, arrow, bare, box
from nextword.plots.style import COLOURS, FAINT, INK, MUTED, SMALL, drawn, panel


@drawn
def chat_targets(tokens: Sequence[str], learned: Sequence[bool]) -> Figure:
    """Draw each token of a row and, to its right, its target: the next token, learned or not.

    learned: one flag for each token of the row; the last token is a target only.
    """
    T = len(tokens) - 1
    fig, ax = panel(0.7 + 0.34 * T)
    for x, title in ((0.0, "the model reads"), (2.6, "its target")):
        ax.text(x, 0.75, title, ha="center", va="center", fontsize=SMALL, color=MUTED)
    for t in range(T):
        counts = learned[t + 1]
        box(ax, (0, -0.72 * t), tokens[t], width=1.7)
        arrow(ax, (0.9, -0.72 * t), (1.7, -0.72 * t), COLOURS[0] if counts else FAINT)
        if counts:
            box(ax, (2.6, -0.72 * t), tokens[t + 1], width=1.7, strong=True)
        else:
            ax.text(2.6, -0.72 * t, "not counted", ha="center", va="center", color=MUTED,
                    fontsize=SMALL)  # fmt: skip
    bare(ax, (-1.0, 3.6), (-0.72 * T + 0.2, 1.1))
    return fig


@drawn
def low_rank(n_out: int, n_in: int, R: int) -> Figure:
    """Draw a frozen matrix W and, added to it, the product of B and A, each with its shape."""
    fig, ax = panel(2.6)
    unit = 2.0 / max(n_out, n_in)  # the longer side of W is 2 long
    height, width, thin = unit * n_out, unit * n_in, max(unit * R, 0.1)
    W, B, A = width / 2, width + 1.5, width + 2.6 + width / 2  # where their middles are
    _matrix(ax, (0, 0), (width, height), frozen=True)
    _matrix(ax, (B - thin / 2, 0), (thin, height))
    _matrix(ax, (A - width / 2, height - thin), (width, thin))
    for x, y, text, colour in (
        (W, -0.15, f"W: {n_out} by {n_in}\nstays as it is", MUTED),
        (B, -0.15, f"B: {n_out} by {R}\nlearns", COLOURS[0]),
        (A, height - thin - 0.15, f"A: {R} by {n_in}\nlearns", COLOURS[0]),
    ):
        ax.text(x, y, text, ha="center", va="top", color=colour, fontsize=SMALL)
    ax.text((width + B) / 2, height / 2, "+", ha="center", va="center", color=INK)
    ax.set_aspect("equal")
    bare(ax, (W - 0.9, A + 0.9), (-0.75, height + 0.1))
    return fig


def _matrix(ax: Axes, corner: Point, size: Point, *, frozen: bool = False) -> None:
    """Draw a matrix as a rectangle; a frozen one is grey, one that learns is blue."""
    colour, face = (MUTED, FAINT) if frozen else (COLOURS[0], COLOURS[0])
    ax.add_patch(plt.Rectangle(corner, *size, facecolor=face, alpha=0.5, linewidth=0))
    ax.add_patch(plt.Rectangle(corner, *size, facecolor="none", edgecolor=colour, linewidth=1.2))
