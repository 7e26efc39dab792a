"""Pictures of chapter 5: a look back, tables of weights and masks, shared heads, tiles, windows."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import arrow, bare, box
from nextword.plots.style import COLOURS, FAINT, INK, MUTED, SMALL, WIDTH, drawn, panel

Table = Sequence[Sequence[float]]


@drawn
def look_back(words: Sequence[str], weights: Sequence[float], said: str) -> Figure:
    """Draw one step of a decoder: a vector per word, the mean of them by weight, the next word.

    The thicker an arrow, the larger the weight that is written beside it.
    """
    fig, ax = panel(3.3)
    middle = (len(words) - 1) / 2
    for k, (word, weight) in enumerate(zip(words, weights, strict=True)):
        ax.text(k, -0.75, word, ha="center", va="center", color=INK)
        arrow(ax, (k, -0.55), (k, -0.33))
        box(ax, (k, 0), f"h{k + 1}", width=0.6)
        arrow(
            ax, (k, 0.33), (middle + 0.12 * (k - middle), 1.6), COLOURS[0], width=0.5 + 5 * weight
        )
        left = k < middle  # outside of the fan
        ax.text(k + (-0.1 if left else 0.1), 0.45, f"{weight:.2f}", ha="right" if left else "left",
                color=COLOURS[0], fontsize=SMALL)  # fmt: skip
    box(ax, (middle, 1.92), "context c", width=1.3, strong=True)
    arrow(ax, (middle, 2.24), (middle, 2.6))
    box(ax, (middle - 1.8, 2.92), "old s", width=0.9)
    box(ax, (middle, 2.92), "new s", width=0.9)
    arrow(ax, (middle - 1.34, 2.92), (middle - 0.47, 2.92))
    arrow(ax, (middle - 1.8, 2.6), (middle - 0.68, 1.98), MUTED, "--")
    ax.text(middle - 1.85, 2.02, "who looks", ha="center", color=MUTED, fontsize=SMALL)
    arrow(ax, (middle + 0.47, 2.92), (middle + 1.2, 2.92))
    ax.text(middle + 1.28, 2.92, said, va="center", color=INK)
    bare(ax, (-0.9, len(words) - 0.1), (-1.0, 3.3))
    return fig


def _name_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Write the names of rows and columns around a table; no frame."""
    ax.set_xticks(range(len(columns)), columns, rotation=90)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    for spine in ax.spines.values():
        spine.set_visible(False)


@drawn
def weight_tables(
    tables: Mapping[str, Table],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    x: str,
    y: str,
    numbers: bool = False,
    at_most: int = 3,
) -> Figure:
    """Draw tables of numbers from 0 to 1, the larger the stronger the colour, side by side.

    rows, columns: names of both axes of every table; x, y: what they are. numbers: write each value
    into its cell. at_most: how many tables stand in one line.
    """
    across = min(at_most, len(tables))
    down = -(-len(tables) // across)
    side = (WIDTH - 0.9) / across
    tall = 0.3 * len(rows) if across == 1 else side * len(rows) / len(columns)
    longest = max(map(len, columns))
    fig, axes = plt.subplots(
        down,
        across,
        figsize=(WIDTH, down * (tall + 0.35) + 0.075 * longest + 0.5),
        layout="constrained",
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    places = list(axes.flat)
    for ax in places[len(tables) :]:
        ax.axis("off")
    for ax, (title, table) in zip(places, tables.items(), strict=False):
        _cells(ax, table, numbers)
        _name_cells(ax, rows, columns)
        if title:
            ax.set_title(title, fontsize=SMALL, color=INK)
    fig.supxlabel(x, fontsize=10, color=INK)
    fig.supylabel(y, fontsize=10, color=INK)
    return fig


def _cells(ax: Axes, table: Table, numbers: bool) -> None:
    """Draw the cells of one table: an outline, and on it as much colour as the number says."""
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            corner = (j - 0.46, i - 0.46)
            ax.add_patch(plt.Rectangle(corner, 0.92, 0.92, facecolor="none", edgecolor=FAINT,
                                       linewidth=0.6))  # fmt: skip
            if value >= 0.005:
                ax.add_patch(plt.Rectangle(corner, 0.92, 0.92, facecolor=COLOURS[0], linewidth=0,
                                           alpha=(0.5 if numbers else 0.85) * value))  # fmt: skip
            if numbers:
                text = f"{value:.2f}" if 0 < value < 1 else f"{value:.0f}"
                ax.text(j, i, text, ha="center", va="center", fontsize=SMALL, color=INK)


@drawn
def shared_heads(H: int, groups: Sequence[int]) -> Figure:
    """Draw H heads of queries over their heads of keys and values, once for each number of them."""
    fig, ax = panel(0.25 + 1.15 * len(groups))
    for k, G in enumerate(groups):
        top = -2.9 * k
        for h in range(H):
            g = h * G // H
            below = ((g + 0.5) * H / G - 0.5, top - 1.3)
            ax.plot([h, below[0]], [top - 0.3, below[1] + 0.3], color=MUTED, linewidth=1)
            box(ax, (h, top), f"q{h + 1}", width=0.7)
        for g in range(G):
            box(ax, ((g + 0.5) * H / G - 0.5, top - 1.3), f"k{g + 1} v{g + 1}", width=0.86,
                strong=True)  # fmt: skip
        ax.text(H - 0.2, top - 0.65, f"G = {G}", va="center", color=INK)
    bare(ax, (-0.6, H + 0.9), (-2.9 * len(groups) + 1.1, 0.5))
    return fig


@drawn
def tiles(down: int, across: int, at: tuple[int, int]) -> Figure:
    """Draw a table of scores cut into blocks: what is done, the one at hand, what is to come."""
    fig, ax = panel(2.6)
    for i in range(down):
        for j in range(across):
            here, before = (i, j) == at, (i, j) < at
            corner = (j, -i - 1)
            if here or before:
                ax.add_patch(plt.Rectangle(corner, 1, 1, facecolor=COLOURS[0] if here else FAINT,
                                           alpha=0.45 if here else 0.7, linewidth=0))  # fmt: skip
            ax.add_patch(plt.Rectangle(corner, 1, 1, facecolor="none", edgecolor=MUTED,
                                       linewidth=1.4 if here else 0.5,
                                       linestyle="-" if here or before else ":"))  # fmt: skip
    row, column = at
    ax.text(column + 0.5, -row - 0.5, "now", ha="center", va="center", fontsize=SMALL)
    ax.text(across + 0.3, -row - 0.5, "m, l, o", va="center", color=COLOURS[0])
    ax.text(across / 2, 0.3, "keys and values, a block at a time", ha="center", fontsize=SMALL)
    ax.text(-0.25, -down / 2, "queries", rotation=90, ha="center", va="center", fontsize=SMALL)
    arrow(ax, (column + 1.05, -row - 0.5), (across + 0.25, -row - 0.5), COLOURS[0])
    bare(ax, (-0.6, across + 1.6), (-down - 0.1, 0.7))
    return fig


@drawn
def windows(width: int, n_layers: int, n_words: int) -> Figure:
    """Draw layers of windows, and which vectors below can reach the last one at the top."""
    fig, ax = panel(0.7 + 0.55 * n_layers)
    reached = {n_words - 1}
    for layer in range(n_layers, 0, -1):
        below = {j for i in reached for j in range(max(0, i - width + 1), i + 1)}
        for i in range(n_words):
            for j in range(max(0, i - width + 1), i + 1):
                seen = i in reached
                ax.plot([i, j], [layer, layer - 1], color=COLOURS[0] if seen else FAINT,
                        linewidth=1.4 if seen else 0.7, zorder=2 if seen else 1)  # fmt: skip
        _dots(ax, layer, reached, n_words)
        reached = below
    _dots(ax, 0, reached, n_words)
    for layer in range(n_layers + 1):
        name = f"layer {layer}" if layer else "words"
        ax.text(-0.5, layer, name, ha="right", va="center", color=INK, fontsize=SMALL)
    bare(ax, (-2.6, n_words - 0.4), (-0.3, n_layers + 0.3))
    return fig


def _dots(ax: Axes, layer: int, reached: set[int], n_words: int) -> None:
    """Draw the vectors of a layer; those that count are filled."""
    for i in range(n_words):
        ax.plot(i, layer, marker="o", markersize=6, zorder=3, markeredgecolor=COLOURS[0],
                markerfacecolor=COLOURS[0] if i in reached else "none",
                color=COLOURS[0])  # fmt: skip
