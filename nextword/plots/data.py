"""Pictures of the data page: Zipf's law, surprise in bars, a translation's order.

Leaves out: computing what is shown.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from matplotlib.figure import Figure

from nextword.plots.style import COLOURS, MUTED, SMALL, drawn, look, name_lines, panel, plain_ticks

BINS = (0.5, 1, 2, 4)  # bits: where one bar of `where_the_bits_are` ends and the next begins


@drawn
def zipf(counts: Mapping[str, Sequence[int]]) -> Figure:
    """Draw each text's word counts, largest first, as shares of the text; both axes logarithmic.

    A dotted line falls as 1 / rank, which is Zipf's law.
    """
    fig, ax = panel(3.3)
    longest = max(map(len, counts.values()))
    start = max(max(series) / sum(series) for series in counts.values())
    law = [start, start / longest]
    ax.plot([1, longest], law, color=MUTED, linestyle=":", linewidth=1.4)
    ends = {"1 / rank": (longest, law[-1], MUTED)}
    for k, (name, series) in enumerate(counts.items()):
        shares = [count / sum(series) for count in sorted(series, reverse=True)]
        kept = sorted({round(10 ** (i / 20)) for i in range(200)} & set(range(1, len(shares) + 1)))
        kept = sorted({*kept, len(shares)})  # more points than these cannot be told apart
        marked = [i for i in range(len(kept)) if i % 6 == 0]
        ax.plot(kept, [shares[r - 1] for r in kept], label=name, markevery=marked, **look(name, k))
        ends[name] = (len(shares), shares[-1], look(name, k)["color"])
    ax.set(xscale="log", yscale="log", xlabel="rank of the word", ylabel="share of all words")
    plain_ticks(ax, "x", [1, 10, 100, 1_000])
    plain_ticks(ax, "y", [0.1, 0.01, 0.001, 0.0001])
    ax.grid(True)
    name_lines(fig, ax, ends)
    return fig


@drawn
def where_the_bits_are(bits: Sequence[float]) -> Figure:
    """Draw which share of the words, and which share of all surprise, has how much surprise."""
    edges = (0, *BINS, math.inf)
    inside = [[b for b in bits if low <= b < high] for low, high in pairwise(edges)]
    between = [f"{low} to {high}" for low, high in pairwise(BINS)]
    names = [f"< {BINS[0]}", *between, f"≥ {BINS[-1]}"]
    shares = {
        "of the words": [len(part) / len(bits) for part in inside],
        "of the surprise": [sum(part) / sum(bits) for part in inside],
    }
    fig, ax = panel(3.0)
    for k, (name, values) in enumerate(shares.items()):
        ys = [i - 0.205 + 0.41 * k for i in range(len(values))]
        colour = look("", k)["color"]
        ax.barh(ys, values, 0.38, color=colour)
        for i, (y, value) in enumerate(zip(ys, values, strict=True)):
            ax.text(value + 0.01, y, f"{value:.0%}" + f" {name}" * (i == 0), va="center",
                    color=colour, fontsize=SMALL)  # fmt: skip
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlabel="share", ylabel="surprise of a word (bits)", xlim=(0, 1.25))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    ax.grid(True, axis="x")
    return fig


@drawn
def word_order(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    marked: Collection[str] = (),
) -> Figure:
    """Write a sentence down the left side and its translation down the right side, and link them.

    links: pairs of positions, in the source and in the target. marked: source words whose links are
    drawn thick.
    """
    n_lines = max(len(source), len(target))
    fig, ax = panel(0.2 + 0.27 * n_lines)
    for a, b in links:
        thick = source[a] in marked
        ax.plot(
            [0, 1], [-a, -b], color=COLOURS[1] if thick else MUTED, linewidth=2.4 if thick else 1.2
        )
    for x, words, side in ((-0.05, source, "right"), (1.05, target, "left")):
        for place, word in enumerate(words):
            ax.text(x, -place, word, ha=side, va="center")
    ax.set(xlim=(-0.6, 1.6), ylim=(0.6 - n_lines, 0.6))
    ax.axis("off")
    return fig
