"""Pictures of chapter 4: networks as boxes and arrows, gates over words, a padded batch, kinds."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from nextword.plots.boxes import arrow, bare, box
from nextword.plots.style import COLOURS, FAINT, FLOOR, INK, MUTED, SMALL, drawn, look, panel

TIMES = "\u00d7"


@drawn
def window_network(words: Sequence[str], candidates: Sequence[str]) -> Figure:
    """Draw the feed-forward model: a vector per word of the window, a hidden layer, next words."""
    fig, ax = panel(2.9)
    n = len(words)
    middle = (n - 1) / 2
    for k, word in enumerate(words):
        ax.text(k, -0.75, word, ha="center", va="center", color=INK)
        arrow(ax, (k, -0.5), (k, -0.05))
        box(ax, (k, 0.3), f"e{k + 1}")
        arrow(ax, (k, 0.62), (middle + 0.3 * (k - middle), 1.18))
    box(ax, (middle, 1.5), "h = tanh(W e + b)", width=2.2, strong=True)
    for k, word in enumerate(candidates):
        x = middle + (k - (len(candidates) - 1) / 2) * 0.75
        arrow(ax, (middle + 0.3 * (x - middle), 1.82), (x, 2.4))
        ax.text(x, 2.62, word, ha="center", va="center", color=INK)
    ax.text(n - 0.4, 0.3, "rows\nof E", va="center", color=MUTED, fontsize=SMALL)
    ax.text(n + 0.1, 2.3, "U h + c,\nsoftmax", va="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-0.9, n + 0.9), (-1.0, 2.85))
    return fig


@drawn
def unrolled(
    inputs: Sequence[str], outputs: Sequence[str], *, back: bool = False, cut: int = 0
) -> Figure:
    """Draw one cell at every step, with what it reads below and what it should predict above.

    back: add the way of the gradient, against the arrows of the state. cut: the gradient does not
    pass to this step from the one before (0: nowhere).
    """
    fig, ax = panel(2.4)
    for t, (below, above) in enumerate(zip(inputs, outputs, strict=True)):
        ax.text(t, -1.0, below, ha="center", va="center", color=INK)
        arrow(ax, (t, -0.75), (t, -0.35))
        box(ax, (t, 0), f"h{t + 1}", width=0.56, strong=True)
        arrow(ax, (t, 0.33), (t, 0.75))
        ax.text(t, 1.0, above, ha="center", va="center", color=INK)
        arrow(ax, (t - 0.7, 0.06), (t - 0.3, 0.06))
        if back and t:
            blocked = cut and t == cut
            if blocked:
                ax.text(t - 0.5, -0.22, "cut", ha="center", va="center", color=FLOOR, weight="bold",
                        fontsize=SMALL)  # fmt: skip
            else:
                arrow(ax, (t - 0.3, -0.16), (t - 0.7, -0.16), FLOOR, "--")
        if back:
            arrow(ax, (t + 0.12, 0.75), (t + 0.12, 0.33), FLOOR, "--")
    ax.text(-0.75, 0.06, "h0", ha="right", va="center", fontsize=SMALL)
    bare(ax, (-1.1, len(inputs) - 0.4), (-1.25, 1.25))
    return fig


@drawn
def lstm_cell() -> Figure:
    """Draw an LSTM cell: the lane of the cell state above, three gates and a candidate below."""
    fig, ax = panel(2.9)
    for start, end in ((-0.6, 0.38), (0.82, 2.23), (2.67, 4.9)):  # open where a circle stands
        ax.plot([start, end], [2, 2], color=COLOURS[0], linewidth=2.4)
    arrow(ax, (4.8, 2), (5.1, 2), COLOURS[0])
    for x, name in ((0.6, "forget f"), (1.9, "input i"), (3.0, "new g"), (4.2, "output o")):
        box(ax, (x, 0.2), name, width=0.98)
        arrow(ax, (x, -0.5), (x, -0.12))
    for x, sign in ((0.6, TIMES), (2.45, "+"), (2.45, TIMES), (4.2, TIMES)):
        y = {"+": 2.0}.get(sign, {0.6: 2.0, 2.45: 1.15, 4.2: 1.15}[x])
        circle = {"boxstyle": "circle,pad=0.15", "facecolor": "none", "edgecolor": INK}
        ax.text(x, y, sign, ha="center", va="center", weight="bold", color=INK, bbox=circle)
    arrow(ax, (0.6, 0.52), (0.6, 1.75))
    arrow(ax, (1.9, 0.52), (2.3, 0.98))
    arrow(ax, (3.0, 0.52), (2.6, 0.98))
    arrow(ax, (2.45, 1.35), (2.45, 1.78))
    arrow(ax, (4.2, 0.52), (4.2, 0.92))
    arrow(ax, (4.2, 1.95), (4.2, 1.4))
    arrow(ax, (4.42, 1.15), (5.1, 1.15))
    ax.text(-0.7, 2, "c'", ha="right", va="center")
    ax.text(5.2, 2, "c", va="center")
    ax.text(5.2, 1.15, "h", va="center")
    ax.text(4.28, 1.66, "tanh", va="center", fontsize=SMALL, color=MUTED)
    ax.text(2.4, -0.75, "x and h' enter all four", ha="center", va="center", color=MUTED)
    bare(ax, (-1.1, 5.5), (-1.0, 2.4))
    return fig


@drawn
def over_words(
    words: Sequence[str], series: Mapping[str, Sequence[float]], *, y: str, shaded: Sequence[int]
) -> Figure:
    """Draw numbers of a network at each word of a text, one line per series; some words shaded."""
    fig, ax = panel(1.6 + 1.5)
    for place in shaded:
        ax.axvspan(place - 0.5, place + 0.5, color=FAINT, linewidth=0)
    for k, (name, values) in enumerate(series.items()):
        ax.plot(range(len(words)), list(values), label=name, **look(name, k))
    upright = all(len(word) == 1 for word in words)
    ax.set_xticks(range(len(words)), words, rotation=0 if upright else 90)
    ax.set_ylabel(y)
    ax.set_xlim(-0.5, len(words) - 0.5)
    ax.grid(True, axis="y")
    if len(series) > 1:
        ax.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2, fontsize=SMALL,
                  frameon=False)  # fmt: skip
    return fig


@drawn
def padded(rows: Sequence[Sequence[str]], pad: str) -> Figure:
    """Draw a batch as a grid of tokens; what only fills up is grey and struck through."""
    longest = max(map(len, rows))
    fig, ax = panel(0.3 + 0.36 * len(rows))
    for i, row in enumerate(rows):
        for k in range(longest):
            if k < len(row):
                box(ax, (k, -0.8 * i), row[k], width=0.9, strong=True)
            else:
                ax.text(k, -0.8 * i, pad, ha="center", va="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-0.6, longest - 0.4), (-0.8 * len(rows) + 0.35, 0.45))
    return fig


@drawn
def encoder_decoder(source: Sequence[str], target: Sequence[str]) -> Figure:
    """Draw the encoder's steps, the one vector between, and below them the decoder's steps."""
    fig, ax = panel(3.4)
    width = max(len(source), len(target) + 1)
    for t, word in enumerate(source):
        ax.text(t, 0.95, word, ha="center", va="center", fontsize=SMALL)
        arrow(ax, (t, 0.75), (t, 0.33))
        box(ax, (t, 0), "", width=0.56)
        if t:
            arrow(ax, (t - 0.7, 0), (t - 0.3, 0))
    last, middle = len(source) - 1, (width - 1) / 2
    said_of_it = "one vector: all that the decoder gets"
    box(ax, (middle, -1.15), said_of_it, width=width - 0.4, strong=True)
    arrow(ax, (last, -0.33), (last, -0.82))
    arrow(ax, (-0.12, -1.48), (-0.12, -1.98))
    for t, (read, said) in enumerate(zip(["<s>", *target], [*target, "</s>"], strict=True)):
        box(ax, (t, -2.3), "", width=0.56)
        ax.text(t, -3.25, read, ha="center", va="center", fontsize=SMALL, color=MUTED)
        arrow(ax, (t, -3.05), (t, -2.63))
        arrow(ax, (t + 0.12, -1.98), (t + 0.26, -1.74), COLOURS[0])
        ax.text(t + 0.32, -1.6, said, ha="center", va="center", fontsize=SMALL, color=COLOURS[0])
        if t:
            arrow(ax, (t - 0.7, -2.3), (t - 0.3, -2.3))
    bare(ax, (-0.6, width - 0.2), (-3.5, 1.2))
    return fig


@drawn
def kinds(excess: Mapping[str, Mapping[str, float]], *, x: str) -> Figure:
    """Draw for each kind of fact what each model loses on it: a row of marks per kind.

    excess: {model: {kind: bits}}, the same kinds for every model.
    """
    names = list(next(iter(excess.values())))
    fig, ax = panel(1.0 + 0.3 * len(names))
    for i, kind in enumerate(names):
        values = [row[kind] for row in excess.values()]
        ax.plot([min(values), max(values)], [i, i], color=FAINT, linewidth=3, zorder=0)
    for k, (model, row) in enumerate(excess.items()):
        ax.plot(
            [row[kind] for kind in names],
            range(len(names)),
            label=model,
            **{**look(model, k), "linestyle": "none"},
        )
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(left=-0.1)
    ax.set_xlabel(x)
    ax.grid(True, axis="x")
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, fontsize=SMALL, frameon=False,
              handletextpad=0.2, columnspacing=1.0)  # fmt: skip
    return fig
