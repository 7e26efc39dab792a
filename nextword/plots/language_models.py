"""Pictures of chapter 1: targets below inputs, what a model pays, tokens, a search. All else is in
`charts` and `texts`.
"""

from collections.abc import Mapping, Sequence
from html import escape

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import COLOURS, FLOOR, INK, MUTED, SMALL, drawn, panel
from nextword.plots.texts import Page

SearchStep = Sequence[
    tuple[str, str, float, bool]
]  # (text before, token, probability of both, kept)


@drawn
def aligned(inputs: Sequence[str], targets: Sequence[str]) -> Figure:
    """Draw what a model reads, and below it what it must predict at each place."""
    fig, ax = panel(1.5)
    for row, (name, tokens) in enumerate((("reads", inputs), ("predicts", targets))):
        ax.text(-0.75, -1.6 * row, name, ha="right", va="center", color=MUTED, fontsize=SMALL)
        for i, token in enumerate(tokens):
            _box(ax, (i, -1.6 * row), token, thick=row == 1)
    for i in range(len(inputs)):
        ax.annotate(
            "", (i, -1.15), xytext=(i, -0.45), arrowprops={"arrowstyle": "->", "color": INK}
        )
    ax.set_xlim(-2.2, len(inputs) - 0.5)
    ax.set_ylim(-2.2, 0.6)
    ax.axis("off")
    return fig


def _box(ax: Axes, centre: tuple[float, float], text: str, thick: bool) -> None:
    corner = (centre[0] - 0.46, centre[1] - 0.4)
    colour, width = (COLOURS[0], 1.8) if thick else (MUTED, 0.7)
    ax.add_patch(
        plt.Rectangle(corner, 0.92, 0.8, facecolor="none", edgecolor=colour, linewidth=width)
    )
    ax.text(*centre, text, ha="center", va="center", fontsize=SMALL, color=INK)


@drawn
def floor_and_excess(floor: float, models: Mapping[str, float]) -> Figure:
    """Draw each model's bits per token in two parts: the entropy, and what the model adds to it.

    floor: the entropy. models: the excess of each, the Kullback-Leibler divergence.
    """
    fig, ax = panel(1.0 + 0.36 * len(models))
    names = list(models)[::-1]
    ax.barh(names, [floor] * len(names), height=0.6, color=FLOOR)
    ax.barh(names, [models[n] for n in names], left=floor, height=0.6, color=COLOURS[0])
    for i, name in enumerate(names):
        ax.text(floor + models[name], i, f" {models[name]:.2f}", va="center", fontsize=SMALL)
    top = len(names) - 0.55
    ax.text(0, top, f"entropy {floor:.2f}", color=FLOOR, fontsize=SMALL, va="bottom")
    ax.text(1.25 * floor, top + 0.3, "excess", color=COLOURS[0], fontsize=SMALL, va="bottom")
    ax.set_xlim(0, 1.2 * (floor + max(models.values())))
    ax.set_xlabel("bits per token")
    ax.tick_params(axis="y", length=0)
    return fig


def tokens(cuts: Mapping[str, Sequence[str]]) -> Page:
    """Write a text once for each tokenizer, a frame around each token; blanks become ␣."""
    rows, plain = [], []
    for name, pieces in cuts.items():
        shown = [piece.replace(" ", "␣").replace("\n", "↵") for piece in pieces]
        framed = " ".join(
            '<span style="border:1px solid currentcolor;border-radius:.25em;padding:0 .2em;'
            f'white-space:nowrap">{escape(piece)}</span>'
            for piece in shown
        )
        rows.append(
            f'<p style="line-height:2;margin:.4em 0"><b>{escape(name)}</b>, '
            f"{len(pieces)} tokens:<br>{framed}</p>"
        )
        plain.append(f"{name}, {len(pieces)} tokens: {'|'.join(shown)}")
    return Page(f'<figure style="margin:0">{"".join(rows)}</figure>', "\n".join(plain))


@drawn
def search(steps: Sequence[SearchStep]) -> Figure:
    """Draw a beam search step by step: what was kept, and what was dropped.

    A column per step holds its results, the most likely on top. An arrow leads to each from the
    text that it continues; a thick frame says kept, grey letters say dropped.
    """
    rows = max(map(len, steps))
    fig, ax = panel(0.4 + 0.42 * rows)
    places: dict[str, tuple[float, float]] = {"": (0.0, 0.0)}
    ax.text(0, 0, "start", ha="center", va="center", fontsize=SMALL)
    for column, step in enumerate(steps, 1):
        for row, (before, token, probability, kept) in enumerate(step):
            here = (1.5 * column, -float(row))
            places[f"{before} {token}".strip()] = here
            start = places[before]
            line = {"arrowstyle": "->", "color": INK if kept else MUTED}
            ends = (here[0] - 0.52, here[1]), (start[0] + 0.52, start[1])
            ax.annotate("", ends[0], xytext=ends[1], arrowprops=line | {"linewidth": 0.8})
            ax.text(
                *here,
                f"{token} {probability:.3f}",
                ha="center",
                va="center",
                fontsize=SMALL,
                color=INK if kept else MUTED,
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": "none",
                    "edgecolor": COLOURS[0] if kept else "none",
                    "linewidth": 1.6,
                },
            )
    ax.set_xlim(-0.6, 1.5 * len(steps) + 0.6)
    ax.set_ylim(-rows + 0.4, 0.6)
    ax.axis("off")
    return fig
