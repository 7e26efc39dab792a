"""Boxes and arrows, from which pictures of networks are put together. Leaves out: any network."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from nextword.plots.style import COLOURS, INK, MUTED, SMALL

Point = tuple[float, float]


def box(ax: Axes, at: Point, text: str, *, width: float = 0.8, strong: bool = False) -> None:
    """Draw a box with a text around a point; a strong one is thick, blue and tinted."""
    colour = COLOURS[0] if strong else MUTED
    corner = (at[0] - width / 2, at[1] - 0.3)
    if strong:
        ax.add_patch(plt.Rectangle(corner, width, 0.6, facecolor=colour, alpha=0.18, linewidth=0))
    ax.add_patch(
        plt.Rectangle(
            corner,
            width,
            0.6,
            facecolor="none",
            edgecolor=colour,
            linewidth=1.6 if strong else 0.8,
        )
    )
    ax.text(*at, text, ha="center", va="center", fontsize=SMALL, color=INK)


def arrow(
    ax: Axes, start: Point, end: Point, colour: str = INK, style: str = "-", width: float = 1.2
) -> None:
    """Draw an arrow between two points."""
    ax.annotate(
        "",
        end,
        xytext=start,
        arrowprops={"arrowstyle": "->", "color": colour, "linestyle": style, "linewidth": width},
    )


def bare(ax: Axes, x: Point, y: Point) -> None:
    """Show this part of the plane and no axes."""
    ax.set_xlim(*x)
    ax.set_ylim(*y)
    ax.axis("off")
