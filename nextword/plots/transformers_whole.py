"""Pictures of whole transformers: the first one, with its encoder and its decoder.

Leaves out: the parts of a block (transformers), the course's own translator (transformers_use).
"""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import arrow, bare, box
from nextword.plots.style import COLOURS, INK, MUTED, SMALL, drawn, panel

STEP = 1.9  # from one layer of a block to the next
SIDE = 1.5  # from the middle of a layer to the path that goes round it


@drawn
def first_transformer() -> Figure:
    """Draw the first transformer whole: encoder, decoder, N blocks of each, who reads whom."""
    fig, ax = panel(6.6)
    left, right = 0.0, 4.6
    top_of_encoder = _stack(ax, left, ["self-attention", "feed-forward"], turned=-1)
    top = _stack(ax, right, ["masked attention", "cross-attention", "feed-forward"], turned=1)
    for x, words in ((left, "source words"), (right, "target words so far")):
        ax.text(x, -3.3, words, ha="center", va="center", color=INK, fontsize=SMALL)
        arrow(ax, (x, -3.0), (x, -2.55))
        box(ax, (x, -2.2), "embedding", width=2.2)
        arrow(ax, (x, -1.88), (x, -1.32))
        _plus(ax, x, -1.1)
        arrow(ax, (x, -0.88), (x, -0.1))
    ax.plot([left + 0.2, right - 0.2], [-1.1, -1.1], color=MUTED, linewidth=0.9)
    ax.text(2.3, -1.38, "waves", ha="center", va="center", color=MUTED, fontsize=SMALL)
    _cross(ax, left, top_of_encoder, right)
    for part, low in (("linear", top), ("softmax", top + 0.95)):
        arrow(ax, (right, low - (0.12 if part == "linear" else -0.25)), (right, low + 0.58))
        box(ax, (right, low + 0.9), part, width=2.2)
    arrow(ax, (right, top + 2.17), (right, top + 2.65))
    ax.text(right, top + 2.9, "next target word", ha="center", va="center", fontsize=SMALL)
    bare(ax, (-1.9, 6.5), (-3.7, top + 3.3))
    return fig


def _stack(ax: Axes, x: float, layers: list[str], *, turned: int) -> float:
    """Draw a block, each layer with Add & Norm and the path round it, and return its top."""
    for k, layer in enumerate(layers):
        low = 0.5 + STEP * k
        cross = layer == "cross-attention"
        box(ax, (x, low), layer, width=2.2, strong=cross)
        arrow(ax, (x, low + 0.31), (x, low + 0.6))
        box(ax, (x, low + 0.92), "Add & Norm", width=2.2)
        side = x + turned * SIDE
        start = low - 0.45
        ax.plot([x, side, side], [start, start, low + 0.92], color=COLOURS[0], linewidth=1.4)
        arrow(ax, (side, low + 0.92), (x + turned * 1.12, low + 0.92), COLOURS[0])
        if k:
            arrow(ax, (x, low - STEP + 1.23), (x, low - 0.31))
    top = 0.5 + STEP * (len(layers) - 1) + 1.35
    corner = (x - 1.75, -0.15)
    frame = plt.Rectangle(corner, 3.5, top + 0.2, facecolor="none", edgecolor=MUTED, linewidth=0.8,
                          linestyle="--")  # fmt: skip
    ax.add_patch(frame)
    ax.plot([x, x], [-0.15, 0.2], color=INK, linewidth=1.2)
    beside = "left" if turned < 0 else "right"
    ax.text(x + turned * 1.75, top + 0.33, "N times", ha=beside, va="center", color=MUTED)
    return top


def _cross(ax: Axes, left: float, top: float, right: float) -> None:
    """Draw the way of the encoder's vectors to the decoder's cross-attention."""
    height = 0.5 + STEP
    ax.plot([left, left, 2.3, 2.3], [top - 0.12, top + 0.55, top + 0.55, height],
            color=COLOURS[1], linewidth=1.6)  # fmt: skip
    arrow(ax, (2.3, height), (right - 1.12, height), COLOURS[1], width=1.6)
    ax.text(0.15, top + 0.8, "keys and values", color=COLOURS[1], fontsize=SMALL, va="center")


def _plus(ax: Axes, x: float, y: float) -> None:
    """Draw a plus sign in a circle."""
    circle = {"boxstyle": "circle,pad=0.1", "facecolor": "none", "edgecolor": INK}
    ax.text(x, y, "+", ha="center", va="center", weight="bold", color=INK, bbox=circle)
