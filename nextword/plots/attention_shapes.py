"""More pictures of chapter 5: shapes of matrices, one word's way, steps that must be waited for.

Leaves out: tables of weights, masks and blocks (attention).
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import Point, arrow, bare, box
from nextword.plots.style import COLOURS, INK, MUTED, SMALL, drawn, panel

TIMES = "\u00d7"


def _matrix(
    ax: Axes, corner: Point, rows: int, parts: Sequence[tuple[int, int]], name: str
) -> None:
    """Draw a matrix, its middle at a height, cell by cell; parts: (columns, colour) from the left.

    Its name stands above it and its shape below.
    """
    left, middle = corner
    top, x = middle + rows / 2, left
    for columns, colour in parts:
        size = (columns, rows)
        ax.add_patch(plt.Rectangle((x, top - rows), *size, facecolor=COLOURS[colour], alpha=0.22,
                                   linewidth=0))  # fmt: skip
        for i in range(rows):
            for j in range(columns):
                ax.add_patch(plt.Rectangle((x + j, top - i - 1), 1, 1, facecolor="none",
                                           edgecolor=COLOURS[colour], linewidth=0.6))  # fmt: skip
        x += columns
    centre, width = (left + x) / 2, round(x - left)
    ax.text(centre, top + 0.3, name, ha="center", va="bottom", color=INK, fontsize=SMALL)
    ax.text(centre, top - rows - 0.3, f"{rows} {TIMES} {width}", ha="center", va="top", color=MUTED,
            fontsize=SMALL)  # fmt: skip


def _product(
    ax: Axes,
    corner: Point,
    factors: Sequence[tuple[int, Sequence[tuple[int, int]], str]],
    sign: str = "=",
) -> None:
    """Draw two matrices, a dot between them, a sign and their product: (rows, parts, name) each."""
    x, middle = corner
    for k, (rows, parts, name) in enumerate(factors):
        _matrix(ax, (x, middle), rows, parts, name)
        x += sum(columns for columns, _ in parts)
        if k < len(factors) - 1:
            mark = ("\u00b7", sign)[k]
            ax.text(x + 0.8, middle, mark, ha="center", va="center", color=INK)
            x += 1.6


@drawn
def matrix_shapes(N: int, d: int, H: int) -> Figure:
    """Draw the matrices of attention over N words of d numbers as grids, with one head or two.

    What belongs to a head has its colour; the table of weights is made by softmax from the scores.
    """
    k, rows = d // H, 3 if H == 1 else 4
    fig, ax = panel(1.42 * rows)
    plain, heads = [(d, 6)], [(k, h) for h in range(H)]
    step, middle = d + 4.6, 0.0
    _product(ax, (0, middle), [(N, plain, "X"), (d, heads, "W for q"), (N, heads, "Q")])
    ax.text(3 * d + 4, middle, "so also\nK and V", va="center", color=MUTED, fontsize=SMALL)
    wide = 9 + 3.2 + 2.4
    for line, h in ((line, h) for line in (1, 2) for h in range(H)):
        name = str(h + 1) if H > 1 else ""
        part, table = [(k, h)], [(N, h)]
        at = (h * wide, middle - line * step + (0.8 if line == 2 else 0))
        if line == 1:
            transposed = (k, [(N, h)], f"K{name} transp.")
            _product(ax, at, [(N, part, f"Q{name}"), transposed, (N, table, f"A{name}")], "→")
        else:
            _product(ax, at, [(N, table, f"A{name}"), (N, part, f"V{name}"), (N, part, f"Y{name}")])
    if H > 1:
        last = [(N, heads, "Y1 beside Y2"), (d, plain, "W for o"), (N, plain, "result")]
        _product(ax, (0, middle - 3 * step + 1.4), last)
    bare(ax, (-0.5, 3 * d + 9.5), (-(rows - 1) * step - (3.2 if H == 1 else 3.4), d / 2 + 1.9))
    ax.set_aspect("equal")
    return fig


@drawn
def way_of_one_word(words: Sequence[str], at: int) -> Figure:
    """Draw what becomes of one word: its query meets all keys, and the values are mixed."""
    fig, ax = panel(4.3)
    wide = 1.5
    top = (wide * (len(words) - 1) / 2, 6.3)
    asks = (wide * at - 0.7, 2.0)
    for j, word in enumerate(words):
        x = wide * j
        key, value = (x - 0.2, 2.0), (x + 0.3, 2.0)
        ax.text(x, -0.15, word, ha="center", va="center", color=INK)
        box(ax, (x, 0.6), f"x{j + 1}", width=0.5, strong=j == at)
        for place, name in ((key, "k"), (value, "v")):
            arrow(ax, (x, 0.92), (place[0], 1.67), MUTED, width=0.8)
            box(ax, place, f"{name}{j + 1}", width=0.42)
        arrow(ax, (key[0], 2.32), (key[0], 3.27), MUTED, width=0.8)
        arrow(ax, (value[0], 2.32), (value[0], 4.57), MUTED, width=0.8)
        ax.text(key[0] - 0.02, 3.6, f"q{at + 1}·k{j + 1}", ha="center", va="center", color=INK,
                fontsize=SMALL)  # fmt: skip
        arrow(ax, (key[0], 3.85), (key[0], 4.57), MUTED, width=0.8)
        ax.text(x + 0.05, 4.85, f"a{j + 1} v{j + 1}", ha="center", va="center", color=INK)
        arrow(ax, (x + 0.05, 5.1), (top[0] + 0.2 * (j - 1.5), 5.97), COLOURS[0])
        arrow(ax, (asks[0], 2.32), (key[0] - 0.05, 3.32), COLOURS[1])
    arrow(ax, (wide * at, 0.92), (asks[0], 1.67), COLOURS[1])
    box(ax, asks, f"q{at + 1}", width=0.42, strong=True)
    box(ax, top, f"new vector of {words[at]}", width=2.4, strong=True)
    right = wide * (len(words) - 1) + 0.75
    for y, name in ((0.6, "vectors"), (2.0, "query,\nkeys,\nvalues"), (3.6, "scores"),
                    (4.2, "softmax"), (4.85, "weight\ntimes\nvalue"), (6.3, "sum")):  # fmt: skip
        ax.text(right, y, name, va="center", color=MUTED, fontsize=SMALL, linespacing=1.05)
    bare(ax, (-0.75, right + 1.05), (-0.45, 6.7))
    return fig


@drawn
def steps_needed(n: int) -> Figure:
    """Draw a recurrent layer and one of attention, with the steps that each vector waits for."""
    fig, ax = panel(1.75)
    for left, recurrent in ((0.0, True), (n + 0.8, False)):
        for i in range(n):
            x = left + i
            ax.plot(x, 0, marker="o", markersize=5, color=MUTED)
            for j in [i] if recurrent else range(i + 1):
                ax.plot([left + j, x], [0.1, 1.45], color=MUTED, linewidth=0.8, zorder=1)
            if recurrent and i:
                arrow(ax, (x - 0.68, 1.8), (x - 0.32, 1.8), COLOURS[1])
            ax.add_patch(plt.Circle((x, 1.8), 0.33, facecolor="none", edgecolor=COLOURS[0],
                                    linewidth=1.4))  # fmt: skip
            ax.text(x, 1.8, str(i + 1 if recurrent else 1), ha="center", va="center", color=INK,
                    fontsize=SMALL)  # fmt: skip
        name = "recurrent" if recurrent else "attention"
        ax.text(left + (n - 1) / 2, 2.5, name, ha="center", color=INK)
        ax.text(left + (n - 1) / 2, -0.75, "words", ha="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-0.6, 2 * n + 0.4), (-0.85, 2.95))
    return fig
