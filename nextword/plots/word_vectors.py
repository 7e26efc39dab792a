"""More pictures of chapter 3: windows of word2vec, maps with words on them, words moved."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nextword.plots.boxes import arrow, bare, box
from nextword.plots.style import COLOURS, FAINT, INK, MARKERS, MUTED, SMALL, drawn, panel

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, low, right, high
LETTER = 0.075  # inches: about the width of a small letter


@drawn
def skip_gram_window(words: Sequence[str], centre: int, reach: int) -> Figure:
    """Draw a window over words: an arrow from the centre to each neighbour, with what it asks."""
    fig, ax = panel(2.0)
    near = [t for t in range(len(words)) if 0 < abs(t - centre) <= reach]
    for t, word in enumerate(words):
        colour = COLOURS[0] if t == centre else COLOURS[1] if t in near else MUTED
        weight = "bold" if t == centre else "normal"
        ax.text(t, 0, word, ha="center", va="center", color=colour, weight=weight, fontsize=SMALL)
    for t in near:
        bend = -0.55 if t > centre else 0.55
        ax.annotate("", (t, 0.22), xytext=(centre, 0.22), arrowprops={"arrowstyle": "->",
                    "color": COLOURS[1], "connectionstyle": f"arc3,rad={bend}"})  # fmt: skip
    for name, side in (("left", -1), ("right", 1)):
        ax.text(centre + side * (reach + 1) / 2, 1.75, f"{reach} neighbours\non the {name}",
                ha="center", va="center", color=COLOURS[1], fontsize=SMALL)  # fmt: skip
    ax.text(centre, -0.45, "centre", ha="center", va="center", color=COLOURS[0], fontsize=SMALL)
    ax.plot([centre - reach - 0.45, centre + reach + 0.45], [-0.8, -0.8], color=MUTED)
    ax.text(centre, -1.1, "window", ha="center", va="center", color=MUTED, fontsize=SMALL)
    bare(ax, (-0.6, len(words) - 0.4), (-1.35, 2.2))
    return fig


@drawn
def two_directions(before: Sequence[str], centre: str, after: Sequence[str]) -> Figure:
    """Draw CBOW above, where neighbours guess the centre, and skip-gram below, the other way."""
    fig, ax = panel(4.4)
    around = [*before, *after]
    places = [0.0, 1.15, 3.45, 4.6]
    halves = (
        (3.9, "CBOW: the neighbours guess the word", True),
        (0.0, "skip-gram: the word guesses each neighbour", False),
    )
    for base, title, up in halves:
        ax.text(2.3, base + 2.75, title, ha="center", va="center", color=INK, weight="bold")
        one, many = (base + 2.1, base) if up else (base, base + 2.1)
        for x, word in zip(places, around, strict=True):
            box(ax, (x, many), word, width=1.05)
        box(ax, (2.3, one), centre, width=1.05, strong=True)
        middle = base + 1.05
        ax.text(2.3, middle, "mean of their vectors" if up else "its vector v", ha="center",
                va="center", color=COLOURS[0], fontsize=SMALL)  # fmt: skip
        for x in places:
            inner = 2.3 + 0.3 * (x - 2.3)
            if up:
                arrow(ax, (x, many + 0.34), (inner, middle - 0.2))
            else:
                arrow(ax, (inner, middle + 0.2), (x, many - 0.34))
        ends = (middle + 0.22, one - 0.34) if up else (one + 0.34, middle - 0.22)
        arrow(ax, (2.3, ends[0]), (2.3, ends[1]), COLOURS[0])
    bare(ax, (-0.65, 5.25), (-0.45, 6.95))
    return fig


@drawn
def named_map(
    points: Mapping[str, Point], kinds: Mapping[str, Sequence[str]], *, height: float = 4.6
) -> Figure:
    """Draw words as points, a colour and a marker per kind, with as many words as have room.

    The kinds are named in their colours above the map, so that no name covers a point.
    """
    fig, ax = panel(height)
    shown = {kind: [word for word in words if word in points] for kind, words in kinds.items()}
    for k, words in enumerate(shown.values()):
        place = np.array([points[word] for word in words])
        ax.scatter(place[:, 0], place[:, 1], s=11, color=COLOURS[k % len(COLOURS)],
                   marker=MARKERS[k % len(MARKERS)], linewidths=0)  # fmt: skip
    ax.margins(0.12, 0.05)
    ax.set_xticks([])
    ax.set_yticks([])
    _legend(ax, list(shown))
    fig.draw_without_rendering()
    spots = {word: ax.transData.transform(points[word]) / fig.dpi for word in points}
    ordered = [_outermost_first(words, points) for words in shown.values()]
    longest = max(map(len, ordered))
    turns = [(k, i) for i in range(longest) for k, words in enumerate(ordered) if i < len(words)]
    taken: list[Box] = []
    size = ax.get_window_extent()
    for k, i in turns:
        word = ordered[k][i]
        x, y = spots[word]
        for left in (False, True):
            width, away = LETTER * len(word), 0.06
            start = x - away - width if left else x + away
            mine = (start, y - 0.07, start + width, y + 0.07)
            others = [spots[other] for words in ordered for other in words if other != word]
            covers = any(mine[0] < a < mine[2] and mine[1] < b < mine[3] for a, b in others)
            inside = size.x0 / fig.dpi < mine[0] and mine[2] < size.x1 / fig.dpi
            if inside and (i == 0 or not covers) and all(_apart(mine, box) for box in taken):
                taken.append(mine)
                ax.annotate(word, points[word], xytext=(-4 if left else 4, -3), fontsize=SMALL,
                            textcoords="offset points", ha="right" if left else "left",
                            color=COLOURS[k % len(COLOURS)])  # fmt: skip
                break
    return fig


def _outermost_first(words: Sequence[str], points: Mapping[str, Point]) -> list[str]:
    """The words of a kind, beginning with those far from its middle, where there is room."""
    middle = np.median([points[word] for word in words], axis=0)
    return sorted(words, key=lambda word: -float(np.hypot(*(np.array(points[word]) - middle))))


def _apart(one: Box, other: Box) -> bool:
    """Whether two boxes (left, low, right, high) do not touch."""
    beside = one[2] < other[0] or other[2] < one[0]
    return beside or one[3] < other[1] or other[3] < one[1]


def _legend(ax: Axes, kinds: Sequence[str], columns: int = 4) -> None:
    """Name kinds above the axes, some in a row, each beside its marker."""
    rows = -(-len(kinds) // columns)
    for k, kind in enumerate(kinds):
        x = 0.02 + k % columns / columns
        y = 1.04 + 0.06 * (rows - 1 - k // columns)
        colour = COLOURS[k % len(COLOURS)]
        ax.plot([x], [y], marker=MARKERS[k % len(MARKERS)], color=colour, markersize=4,
                transform=ax.transAxes, clip_on=False)  # fmt: skip
        ax.annotate(kind, (x, y), xycoords="axes fraction", xytext=(5, 0), va="center",
                    textcoords="offset points", color=colour, fontsize=SMALL)  # fmt: skip


@drawn
def moved(
    before: Mapping[str, float],
    after: Mapping[str, float],
    groups: Mapping[str, Sequence[str]],
    *,
    x: str,
    ends: tuple[str, str],
) -> Figure:
    """Draw a line for each name, from a hollow dot (before) to a full one (after), on one scale.

    groups: names that share a colour, drawn from the top; ends: what hollow and full dots show.
    """
    fig, ax = panel(0.9 + 0.21 * len(before))
    names = [name for group in groups.values() for name in group][::-1]
    for k, members in enumerate(groups.values()):
        colour = COLOURS[k]
        rows = [names.index(name) for name in members]
        ax.hlines(rows, [before[n] for n in members], [after[n] for n in members], color=FAINT)
        ax.scatter([before[n] for n in members], rows, s=22, facecolors="none", edgecolors=colour)
        ax.scatter([after[n] for n in members], rows, s=22, color=colour, marker=MARKERS[k])
    ax.axvline(0, color=MUTED, linewidth=0.8)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(x)
    _legend(ax, list(groups), columns=2)
    ax.set_title(f"hollow: {ends[0]}; full: {ends[1]}", fontsize=SMALL, color=INK, pad=22)
    ax.grid(True, axis="x")
    return fig


@drawn
def two_measures(
    places: Mapping[str, Mapping[str, Point]], *, x: str, y: str, height: float = 4.0
) -> Figure:
    """Draw each method as a path through its settings, by two measures; each point has a name.

    places: {method: {setting: (x, y)}}; the methods are named in their colours above.
    """
    fig, ax = panel(height)
    for k, settings in enumerate(places.values()):
        colour = COLOURS[k % len(COLOURS)]
        along = np.array(list(settings.values()))
        ax.plot(along[:, 0], along[:, 1], color=colour, marker=MARKERS[k % len(MARKERS)],
                linewidth=1.0)  # fmt: skip
        for setting, point in settings.items():
            ax.annotate(setting, point, xytext=(5, 3), textcoords="offset points", color=colour,
                        fontsize=SMALL)  # fmt: skip
    ax.margins(0.12)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True)
    _legend(ax, list(places), columns=3)
    return fig
