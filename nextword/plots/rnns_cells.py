"""Pictures of chapter 4 that follow numbers: a computation graph, the GRU, both directions."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import Point, arrow, bare, box
from nextword.plots.style import COLOURS, FLOOR, INK, MUTED, SMALL, drawn, panel

TIMES = "\u00d7"
STEP = 1.5  # from one row of a computation graph to the next


@drawn
def computation_graph(
    places: Mapping[str, Point], wires: Sequence[tuple[str, str, float, float]]
) -> Figure:
    """Draw what is computed from what, from bottom to top.

    places: the boxes by name, each with its column and its row. wires: from box, to box, the value
    that goes up (written left of the arrow) and the gradient that goes back (right of it).
    """
    rows = max(row for _, row in places.values())
    fig, ax = panel(1.0 + 0.68 * rows)
    for name, (x, row) in places.items():
        box(ax, (x, STEP * row), name, width=1.0, strong=row == rows)
    for start, end, value, gradient in wires:
        (x, row), (x_end, row_end) = places[start], places[end]
        low, high = (x, STEP * row + 0.3), (x_end, STEP * row_end - 0.3)
        arrow(ax, low, high)
        middle, height = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
        lift = 0.17 * ((x_end > x) - (x_end < x))  # away from an arrow that leans
        for text, side, colour in ((value, -1, INK), (gradient, 1, FLOOR)):
            ax.text(middle + 0.09 * side, height - lift * side, _short(text), va="center",
                    color=colour, ha="left" if side > 0 else "right", fontsize=SMALL)  # fmt: skip
    ax.text(-1.85, STEP * rows, "value", color=INK, fontsize=SMALL, va="center")
    ax.text(1.85, STEP * rows, "gradient", color=FLOOR, fontsize=SMALL, va="center", ha="right")
    bare(ax, (-1.9, 1.9), (-0.4, STEP * rows + 0.4))
    return fig


def _short(value: float) -> str:
    """A number with three decimals, without zeros at its end."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


@drawn
def gru_cell() -> Figure:
    """Draw a GRU: the lane of the state above, two gates and a candidate below."""
    fig, ax = panel(2.9)
    for start, end in ((-0.6, 0.38), (0.82, 3.38), (3.82, 4.6)):  # open where a circle stands
        ax.plot([start, end], [2, 2], color=COLOURS[0], linewidth=2.4)
    arrow(ax, (4.5, 2), (4.85, 2), COLOURS[0])
    for x, name in ((0.6, "keep z"), (2.1, "reset r"), (3.6, "new n")):
        box(ax, (x, 0.2), name, width=0.98)
        arrow(ax, (x, -0.5), (x, -0.12))
    for x, y, sign in ((0.6, 2.0, TIMES), (3.6, 2.0, "+"), (3.6, 1.15, TIMES)):
        _circle(ax, (x, y), sign)
    arrow(ax, (0.6, 0.52), (0.6, 1.75))
    arrow(ax, (1.0, 0.52), (3.36, 1.1))
    ax.text(1.9, 0.98, "1 - z", ha="center", va="center", fontsize=SMALL, color=MUTED)
    arrow(ax, (2.6, 0.2), (3.1, 0.2))
    arrow(ax, (3.6, 0.52), (3.6, 0.93))
    arrow(ax, (3.6, 1.37), (3.6, 1.78))
    ax.text(-0.7, 2, "h'", ha="right", va="center")
    ax.text(4.95, 2, "h", va="center")
    ax.text(2.1, -0.75, "x and h' enter all three", ha="center", va="center", color=MUTED)
    bare(ax, (-1.1, 5.3), (-1.0, 2.4))
    return fig


def _circle(ax: Axes, at: Point, sign: str) -> None:
    """Draw a sign in a circle."""
    circle = {"boxstyle": "circle,pad=0.15", "facecolor": "none", "edgecolor": INK}
    ax.text(*at, sign, ha="center", va="center", weight="bold", color=INK, bbox=circle)


@drawn
def both_directions(inputs: Sequence[str]) -> Figure:
    """Draw a bidirectional network: a cell for each direction, their outputs side by side."""
    fig, ax = panel(3.2)
    n = len(inputs)
    for t, letter in enumerate(inputs):
        ax.text(t, -1.05, letter, ha="center", va="center", color=INK)
        arrow(ax, (t - 0.05, -0.8), (t - 0.2, -0.33))
        arrow(ax, (t + 0.05, -0.8), (t + 0.2, 0.82))
        box(ax, (t - 0.2, 0), "", width=0.36)
        box(ax, (t + 0.2, 1.15), "", width=0.36)
        arrow(ax, (t - 0.2, 0.33), (t - 0.2, 2.02))
        arrow(ax, (t + 0.2, 1.48), (t + 0.2, 2.02))
        box(ax, (t, 2.35), f"h{t + 1}", width=0.76, strong=True)
        if t:
            arrow(ax, (t - 1, 0), (t - 0.4, 0), COLOURS[0], width=1.8)
            arrow(ax, (t, 1.15), (t - 0.6, 1.15), COLOURS[1], width=1.8)
    ax.text(n - 0.55, 0, "ahead", va="center", color=COLOURS[0], fontsize=SMALL)
    ax.text(n - 0.55, 1.15, "back", va="center", color=COLOURS[1], fontsize=SMALL)
    bare(ax, (-0.5, n + 0.1), (-1.3, 2.75))
    return fig
