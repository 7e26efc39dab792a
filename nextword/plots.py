"""The pictures of the book, all in one style. Leaves out computing: values come as arguments.

Each function returns a closed `matplotlib` figure, so a notebook shows it once, as a cell's value.
Colours are those of Okabe and Ito, which colour-blind readers can tell apart; line style and marker
differ as well, so nothing hangs on colour alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import NullFormatter, NullLocator, ScalarFormatter

P = ParamSpec("P")

INK, MUTED, FAINT, FLOOR = "#22292b", "#6b7573", "#d9d6ce", "#b3541e"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5f5f5f", "#8a6d00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", "-", "--", "-.", ":")
# One look per model, the same in all pictures of the book; other names take looks in turn.
LOOKS = {
    "MLE": 6,
    "additive": 5,
    "interpolated": 3,
    "absolute discounting": 4,
    "back-off": 7,
    "Kneser-Ney": 1,
    "modified Kneser-Ney": 0,
    "village": 0,
    "Python documentation": 1,
}
WIDTH = 5.6  # inches; letters of 10 points can then be read on a phone, too
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same picture everywhere
    "font.size": 10,
    "figure.dpi": 160,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.9,
    "lines.markersize": 5.5,
}


def look(name: str, position: int = 0) -> dict[str, Any]:
    """Return colour, marker and line style of a series: fixed for a known name, else by position.

    >>> look("Kneser-Ney") == look("Kneser-Ney", position=5)
    True
    """
    i = LOOKS.get(name, position) % len(COLOURS)
    return {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": DASHES[i]}


def _styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Run a drawing function in the book's style and close its figure, so it is shown only once."""

    @wraps(draw)
    def styled(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with plt.rc_context(STYLE):
            fig = draw(*args, **kwargs)
        plt.close(fig)
        return fig

    return styled


def _panel(width: float = WIDTH, height: float = 3.2) -> tuple[Figure, Axes]:
    """Return a new figure, in inches, with one set of axes."""
    return plt.subplots(figsize=(width, height), layout="constrained")


def _plain_ticks(ax: Axes, which: str, values: Sequence[float]) -> None:
    """Label a logarithmic axis with these plain numbers instead of powers of ten."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(list(values), labels=[f"{value:,.6g}" for value in values])


# ---------------------------------------------------------------- n-grams, counts, probabilities


@_styled
def sliding_windows(tokens: Sequence[str], n: int) -> Figure:
    """Draw a text as boxes and under it each window of n tokens, the predicted one filled."""
    n_windows = len(tokens) - n + 1
    fig, ax = _panel(WIDTH, 0.45 + 0.33 * (n_windows + 1))
    for i, token in enumerate(tokens):
        _box(ax, i, 0, token, "#eef3f4")
    for start in range(n_windows):
        for i in range(start, start + n):
            is_predicted = i == start + n - 1
            _box(ax, i, -start - 1.25, tokens[i], COLOURS[0] if is_predicted else "white")
    ax.set_xlim(-0.55, len(tokens) - 0.45)
    ax.set_ylim(-n_windows - 0.8, 0.6)
    ax.axis("off")
    return fig


def _box(ax: Axes, x: float, y: float, text: str, fill: str) -> None:
    """Draw a token in a box; white letters on a dark fill."""
    dark = fill == COLOURS[0]
    ax.add_patch(
        plt.Rectangle(
            (x - 0.46, y - 0.4), 0.92, 0.8, facecolor=fill, edgecolor=MUTED, linewidth=0.8
        )
    )
    ax.text(x, y, text, ha="center", va="center", fontsize=10, color="white" if dark else INK)


@_styled
def count_table(
    table: Mapping[tuple[str, ...], Mapping[str, float]], words: Sequence[str], form: str = "{:.0f}"
) -> Figure:
    """Draw a table of counts or probabilities: one row per context, one column per next word."""
    contexts = list(table)
    values = [[float(table[context].get(word, 0)) for word in words] for context in contexts]
    top = max(max(row) for row in values)
    fig, ax = _panel(1.1 + 0.64 * len(words), 0.7 + 0.34 * len(contexts))
    ax.imshow(values, cmap="Blues", vmin=0, vmax=2.2 * top, aspect="auto")
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            shown = form.format(value) if value else "0"
            ax.text(j, i, shown, ha="center", va="center", color=INK if value else "#8d9694")
    ax.set_xticks(range(len(words)), words)
    ax.set_yticks(range(len(contexts)), [" ".join(context) for context in contexts])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_ylabel("context u")
    ax.set_title("next word w", fontsize=10)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return fig


@_styled
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
    fig, ax = _panel(WIDTH, 2.8)
    ax.plot(ps, logs, color=COLOURS[0])
    ax.plot([best], [peak], "o", color=FLOOR)
    ax.annotate(f"{seen}/{total}", (best, peak), xytext=(8, 4), textcoords="offset points")
    ax.set_ylim(peak - 12, peak + 1.5)
    ax.set_xlabel(f"probability given to “{word}”")
    ax.set_ylabel("log-likelihood (nats)\nup to a constant")
    ax.grid(True)
    return fig


@_styled
def next_words(models: Mapping[str, Mapping[str, float]], words: Sequence[str]) -> Figure:
    """Draw what several models say about the next word: one group of bars per word."""
    fig, ax = _panel(WIDTH, 3.0)
    width = 0.82 / len(models)
    for k, (name, distribution) in enumerate(models.items()):
        xs = [i - 0.41 + (k + 0.5) * width for i in range(len(words))]
        heights = [distribution.get(word, 0.0) for word in words]
        ax.bar(xs, heights, 0.92 * width, label=name, color=look(name, k)["color"])
        for x, height in zip(xs, heights, strict=True):
            if height == 0:
                ax.text(x, 0.004, "0", ha="center", va="bottom", fontsize=8, color=FLOOR)
    ax.set_xticks(range(len(words)), words)
    ax.set_ylabel("probability")
    ax.grid(True, axis="y")
    ax.legend()
    return fig


# ---------------------------------------------------------------- measurements


@_styled
def lines(
    series: Mapping[str, Mapping[float, float]],
    *,
    x: str,
    y: str,
    log: str = "",
    floor: float | None = None,
    yticks: Sequence[float] = (),
    ylim: tuple[float, float] | None = None,
) -> Figure:
    """Draw measured values, one line per series {x: y}; infinite values are left out.

    x, y: what the axes show. log: "x", "y" or "xy" for logarithmic axes. floor: the perplexity that
    no model can beat. yticks: the plain numbers that label a logarithmic y axis.
    """
    fig, ax = _panel(WIDTH, 3.4)
    for k, (name, points) in enumerate(series.items()):
        finite = {a: b for a, b in points.items() if math.isfinite(b)}
        ax.plot(list(finite), list(finite.values()), label=name, **look(name, k))
    if "x" in log:
        ax.set_xscale("log")
    else:
        ax.set_xticks(sorted({a for points in series.values() for a in points}))
    if "y" in log:
        ax.set_yscale("log")
        if yticks:
            _plain_ticks(ax, "y", yticks)
    if ylim:
        ax.set_ylim(*ylim)
    if floor is not None:
        _floor_line(ax, floor)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    if len(series) > 1:
        ax.legend(fontsize=9, labelspacing=0.3)
    return fig


def _floor_line(ax: Axes, floor: float) -> None:
    """Draw the floor as a line with its value at the left end."""
    ax.axhline(floor, color=FLOOR, linewidth=1.3, linestyle=(0, (6, 2)))
    ax.annotate(
        f"floor {floor:.2f}",
        (0.01, floor),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        color=FLOOR,
        fontsize=9,
    )


@_styled
def held_out_counts(averages: Mapping[int, float]) -> Figure:
    """Draw how often n-grams seen r times come up again in as much new text, beside r itself."""
    fig, ax = _panel(5.0, 3.3)
    rs = list(averages)
    ax.plot(rs, rs, color=MUTED, linestyle="--", label="the training count r itself")
    ax.plot(rs, list(averages.values()), label="average count in new text", **look("", 0))
    for r, average in averages.items():
        ax.plot([r, r], [average, r], color=FAINT, linewidth=1, zorder=0)
    ax.set_xticks(rs)
    ax.set_xlabel("count r in the training text")
    ax.set_ylabel("count in as much new text")
    ax.grid(True)
    ax.legend()
    return fig


@_styled
def continuations(
    counts: Mapping[str, int], contexts: Mapping[str, int], named: Sequence[str]
) -> Figure:
    """Draw how often each word comes against how many different words come before it."""
    fig, ax = _panel(WIDTH, 3.8)
    words = list(counts)
    ax.scatter(
        [counts[w] for w in words],
        [contexts[w] for w in words],
        s=13,
        color="#9fb9c9",
        linewidths=0,
    )
    for word in named:
        point = (counts[word], contexts[word])
        ax.scatter(*point, s=24, color=COLOURS[1], zorder=3)
        label = ax.annotate(word, point, xytext=(7, -4), textcoords="offset points", fontsize=10)
        label.set_path_effects([withStroke(linewidth=3, foreground="white")])
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("how often the word comes")
    ax.set_ylabel("how many different words\ncome before it")
    ax.grid(True)
    return fig


@_styled
def surprise(words: Sequence[str], log_probs: Sequence[float], per_line: int = 8) -> Figure:
    """Write a text in boxes, the darker the more surprising each word is to a listener.

    log_probs: natural logarithms; a word with -inf is crossed: there the text left the language.
    """
    n_lines = math.ceil(len(words) / per_line)
    fig, ax = _panel(WIDTH, 0.25 + 0.42 * n_lines)
    shades = plt.get_cmap("Blues")
    for i, (word, log_prob) in enumerate(zip(words, log_probs, strict=True)):
        column, line = i % per_line, i // per_line
        impossible = not math.isfinite(log_prob)
        shade = 0.0 if impossible else min(-log_prob / 12, 0.6)
        box = plt.Rectangle(
            (column - 0.48, -line - 0.36),
            0.96,
            0.72,
            facecolor="white" if impossible else shades(shade),
            edgecolor=FLOOR if impossible else FAINT,
            linewidth=2.2 if impossible else 0.8,
        )
        ax.add_patch(box)
        colour = FLOOR if impossible else INK
        ax.text(column, -line, word, ha="center", va="center", fontsize=9, color=colour)
    ax.set_xlim(-0.6, per_line - 0.4)
    ax.set_ylim(-n_lines + 0.5, 0.5)
    ax.axis("off")
    return fig


@_styled
def ladder(perplexities: Mapping[str, float], floor: float) -> Figure:
    """Draw each model's perplexity as a bar that ends in its value, and the floor as a line."""
    fig, ax = _panel(WIDTH, 0.9 + 0.4 * len(perplexities))
    names = list(perplexities)[::-1]
    values = [perplexities[name] for name in names]
    ax.barh(names, values, height=0.62, color=COLOURS[0])
    for i, value in enumerate(values):
        ax.text(1.03 * value, i, f"{value:.2f}", va="center", fontsize=10)
    ax.axvline(floor, color=FLOOR, linewidth=1.5, linestyle=(0, (6, 2)))
    ax.text(floor * 1.02, len(names) - 0.35, f"floor {floor:.2f}", color=FLOOR, fontsize=10)
    ax.set_xscale("log")
    ax.set_xlim(1, 2 * max(values))
    _plain_ticks(ax, "x", [t for t in (1, 2, 3, 5, 10, 20, 50, 100, 200) if t < 2 * max(values)])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("perplexity on the test text (logarithmic)")
    ax.grid(True, axis="x")
    return fig
