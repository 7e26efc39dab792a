"""Pictures of chapter 2, n-grams. Leaves out: tables of counts and coloured texts (`texts`)."""

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.style import (
    COLOURS,
    FAINT,
    FLOOR,
    INK,
    MUTED,
    SMALL,
    drawn,
    look,
    name_lines,
    panel,
    plain_ticks,
)


@drawn
def sliding_windows(tokens: Sequence[str], n: int) -> Figure:
    """Draw a text as boxes and under it each window of n tokens, the predicted one framed."""
    n_windows = len(tokens) - n + 1
    fig, ax = panel(0.35 + 0.3 * (n_windows + 1))
    for i, token in enumerate(tokens):
        _box(ax, i, 0, token)
    for start in range(n_windows):
        for i in range(start, start + n):
            _box(ax, i, -start - 1.25, tokens[i], predicted=i == start + n - 1)
    ax.set_xlim(-0.5, len(tokens) - 0.5)
    ax.set_ylim(-n_windows - 0.8, 0.6)
    ax.axis("off")
    return fig


def _box(ax: Axes, x: float, y: float, text: str, predicted: bool = False) -> None:
    """Draw a token in a box; a predicted one has a thick frame and bold letters."""
    ax.add_patch(
        plt.Rectangle(
            (x - 0.46, y - 0.4),
            0.92,
            0.8,
            facecolor=COLOURS[0] if predicted else "none",
            alpha=0.22 if predicted else 1,
            edgecolor="none",
        )
    )
    ax.add_patch(
        plt.Rectangle(
            (x - 0.46, y - 0.4),
            0.92,
            0.8,
            facecolor="none",
            edgecolor=COLOURS[0] if predicted else MUTED,
            linewidth=1.8 if predicted else 0.7,
        )
    )
    weight = "bold" if predicted else "normal"
    ax.text(x, y, text, ha="center", va="center", fontsize=SMALL, color=INK, weight=weight)


@drawn
def likelihood(counts: Mapping[str, int], word: str) -> Figure:
    """Draw the log-likelihood of counts against the probability given to one word.

    The other words share the rest in proportion to their counts. The peak is at the relative
    frequency.
    """
    total, seen = sum(counts.values()), counts[word]
    ps = [i / 400 for i in range(1, 400)]
    logs = [seen * math.log(p) + (total - seen) * math.log(1 - p) for p in ps]
    best = seen / total
    peak = seen * math.log(best) + (total - seen) * math.log(1 - best)
    fig, ax = panel(2.5)
    ax.plot(ps, logs, color=COLOURS[0])
    ax.plot([best], [peak], "o", color=FLOOR)
    ax.annotate(f"{seen}/{total}", (best, peak), xytext=(8, 4), textcoords="offset points")
    ax.set_ylim(peak - 12, peak + 1.5)
    ax.set_xlabel(f"probability given to “{word}”")
    ax.set_ylabel("log-likelihood (nats)\nup to a constant")
    ax.grid(True)
    return fig


@drawn
def held_out_counts(averages: Mapping[int, float]) -> Figure:
    """Draw the average count in new text of n-grams seen r times in training, beside r itself."""
    fig, ax = panel(3.2)
    rs = list(averages)
    ax.plot(rs, rs, color=MUTED, linestyle="--")
    ax.plot(rs, list(averages.values()), **look("", 0))
    for r, average in averages.items():
        ax.plot([r, r], [average, r], color=FAINT, linewidth=1, zorder=0)
    ax.set_xticks(rs)
    ax.set_xlabel("count r in the training text")
    ax.set_ylabel("average count in new text\nof the same length")
    ax.grid(True)
    ends = {"r itself": (rs[-1], rs[-1], MUTED)}
    name_lines(fig, ax, ends | {"count in new text": (rs[-1], averages[rs[-1]], COLOURS[0])})
    return fig


@drawn
def continuations(
    counts: Mapping[str, int], contexts: Mapping[str, int], named: Sequence[str]
) -> Figure:
    """Draw each word's count against the number of different words seen before it."""
    fig, ax = panel(3.4)
    points = sorted({(counts[word], contexts[word]) for word in counts})
    xs, ys = zip(*points, strict=True)
    ax.scatter(xs, ys, s=8, color=COLOURS[5], alpha=0.45, linewidths=0)
    for word in named:
        point = (counts[word], contexts[word])
        ax.scatter([point[0]], [point[1]], s=22, color=COLOURS[1], zorder=3)
        left = word == "the"
        ax.annotate(word, point, xytext=(-6 if left else 6, -3), textcoords="offset points",
                    ha="right" if left else "left", weight="bold")  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    plain_ticks(ax, "x", [1, 10, 100, 1_000, 10_000])
    plain_ticks(ax, "y", [1, 10, 100, 1_000])
    ax.set_xlabel("occurrences of the word")
    ax.set_ylabel("different words seen before it")
    ax.grid(True)
    return fig
