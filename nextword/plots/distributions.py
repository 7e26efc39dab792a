"""Distributions side by side: what can follow, at several places or at several temperatures."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from nextword.plots.style import COLOURS, MUTED, SMALL, WIDTH, drawn


@drawn
def distributions(
    rows: Mapping[str, Mapping[str, float]], x: str = "probability of the next word"
) -> Figure:
    """Draw a panel of bars for each distribution, all on one scale; its name stands above it.

    rows: {name: {word: probability}}; panels with the same words stand side by side.
    """
    words = [list(row) for row in rows.values()]
    same = all(names == words[0] for names in words)
    sizes = [len(names) for names in words]
    fig, panels = plt.subplots(
        1 if same else len(rows),
        len(rows) if same else 1,
        figsize=(
            WIDTH,
            0.85 + 0.27 * sizes[0] if same else 0.4 + sum(0.35 + 0.24 * n for n in sizes),
        ),
        layout="constrained",
        sharey=same,
        squeeze=False,
        height_ratios=None if same else [n + 0.4 for n in sizes],
    )
    top = max(p for row in rows.values() for p in row.values())
    for k, (ax, (name, row)) in enumerate(zip(panels.flat, rows.items(), strict=True)):
        ax.barh(range(len(row)), list(row.values()), 0.66, color=COLOURS[k % len(COLOURS)])
        for i, p in enumerate(row.values()):
            ax.text(p, i, f" {p:.2f}", va="center", fontsize=SMALL)
        ax.set_title(name, fontsize=SMALL, loc="center" if same else "left")
        ax.set_yticks(range(len(row)), list(row))
        ax.set_ylim(len(row) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(0, (1.62 if same else 1.15) * top)
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
    fig.supxlabel(x, fontsize=SMALL, color=MUTED)
    return fig
