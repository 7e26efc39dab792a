"""Pictures of the data page: Zipf's law, surprise in bars and in a text, a translation's order.

Leaves out: computing what is shown, and every picture that chapters share (`nextword.plots`).
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from matplotlib.figure import Figure

from nextword.plots import MUTED, _panel, _styled, look

BINS = (0.5, 1, 2, 4)  # bits: where one bar of `where_the_bits_are` ends and the next begins
NUMBERED = 0.5  # bits; the surprise of such a word and more is written above it
DARKEST = 8  # bits; more than this is not drawn darker
# Colours are mixed with the page below them, so letters are dark on light and light on dark.
TINT, STRONGEST = "0 114 178", 0.6
LEFT = "#d55e00"
_BOX = "border-radius:.25em;padding:.1em .2em;white-space:nowrap"  # never cut at a line's end


@_styled
def zipf(counts: Mapping[str, Sequence[int]]) -> Figure:
    """Draw each text's word counts, largest first, as shares of the text; both axes logarithmic.

    A dotted line falls as 1 / rank, which is Zipf's law.
    """
    fig, ax = _panel(height=3.6)
    longest = max(map(len, counts.values()))
    start = max(max(series) / sum(series) for series in counts.values())
    law = [start, start / longest]
    ax.plot([1, longest], law, label="1 / rank", color=MUTED, linestyle=":", linewidth=1.4)
    for k, (name, series) in enumerate(counts.items()):
        shares = [count / sum(series) for count in sorted(series, reverse=True)]
        ranks = range(1, len(shares) + 1)
        marked = sorted({round(10 ** (i / 4)) - 1 for i in range(40)} & set(range(len(shares))))
        ax.plot(ranks, shares, label=name, markevery=marked, **look(name, k))
    ax.set(xscale="log", yscale="log", xlabel="rank of the word", ylabel="share of all words")
    ax.grid(True)
    ax.legend(loc="lower left")
    return fig


@_styled
def where_the_bits_are(bits: Sequence[float]) -> Figure:
    """Draw which share of the words, and which share of all surprise, has how much surprise."""
    edges = (0, *BINS, math.inf)
    inside = [[b for b in bits if low <= b < high] for low, high in pairwise(edges)]
    between = [f"{low} to {high}" for low, high in pairwise(BINS)]
    names = [f"less than\n{BINS[0]}", *between, f"{BINS[-1]}\nor more"]
    shares = {
        "share of the words": [len(part) / len(bits) for part in inside],
        "share of the surprise": [sum(part) / sum(bits) for part in inside],
    }
    fig, ax = _panel(height=3.0)
    for k, (name, values) in enumerate(shares.items()):
        xs = [i - 0.205 + 0.41 * k for i in range(len(values))]
        ax.bar(xs, values, 0.38, label=name, color=look("", k)["color"], hatch="//" * k,
               edgecolor="white", linewidth=0)  # fmt: skip
    ax.set_xticks(range(len(names)), names)
    ax.set(xlabel="surprise of a word in bits", ylabel="share")
    ax.grid(True, axis="y")
    ax.legend()
    return fig


@_styled
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
    fig, ax = _panel(4.6, 0.2 + 0.29 * n_lines)
    for a, b in links:
        thick = source[a] in marked
        ax.plot([0, 1], [-a, -b], color=LEFT if thick else MUTED, linewidth=2.4 if thick else 1.2)
    for x, words, side in ((-0.05, source, "right"), (1.05, target, "left")):
        for place, word in enumerate(words):
            ax.text(x, -place, word, ha=side, va="center")
    ax.set(xlim=(-0.6, 1.6), ylim=(0.6 - n_lines, 0.6))
    ax.axis("off")
    return fig


@dataclass(frozen=True)
class Page:
    """A text to look at: HTML where a browser shows it, plain words elsewhere."""

    html: str
    plain: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.plain


def coloured(words: Sequence[str], log_probs: Sequence[float], left_at: int | None = None) -> Page:
    """Write a text with each word coloured by its surprise, -log₂ p, in bits.

    log_probs: natural logarithms, one per word, or one per word before `left_at`, the place where
    the text left the language: that word is crossed and framed, and what follows it is grey. From
    half a bit on a number above the word says the same as its colour.

    >>> coloured(["once", "anna"], [0.0, -3.0])
    once anna(4.3)
    """
    n_heard = len(words) if left_at is None else left_at
    bits = [-log_p / math.log(2) for log_p in log_probs]
    if len(bits) != n_heard:
        raise ValueError(f"expected {n_heard} log-probabilities, one per word, got {len(bits)}")
    body = [_word(word, b) for word, b in zip(words, bits, strict=False)]
    plain = [w + (f"({b:.1f})" if b >= NUMBERED else "") for w, b in zip(words, bits, strict=False)]
    if left_at is not None:
        body.append(_impossible(words[left_at]))
        plain.append(f"{words[left_at]}(✗)")
        rest = " ".join(words[left_at + 1 :])
        if rest:
            body.append(f'<span style="opacity:.72;font-style:italic">{escape(rest)}</span>')
            plain.append(rest)
    summary = escape(_summary(words, bits, left_at), quote=True)
    html = (
        f'<figure class="coloured-text" role="group" aria-label="{summary}" style="margin:0">'
        f'<p style="line-height:2.5;margin:0 0 .6em">{_joined(words, body)}</p>'
        f'<figcaption style="font-size:.85em;line-height:2.3;text-align:left;color:inherit">'
        f"{_legend(left_at is not None)}</figcaption></figure>"
    )
    return Page(html, " ".join(plain))


def _joined(words: Sequence[str], body: Sequence[str]) -> str:
    """The words with blanks between; one that cannot break stands before a comma or full stop."""
    blanks = ["", *("\u00a0" if word in {".", ",", ":"} else " " for word in words[1:])]
    return "".join(blank + part for blank, part in zip(blanks, body, strict=False))


def _word(word: str, bits: float) -> str:
    """One word on its colour, its surprise above it."""
    if bits < NUMBERED:
        return _tinted("span", escape(word), bits) if bits >= 0.05 else escape(word)
    return _tinted("ruby", escape(word) + _above(f"{bits:.1f}"), bits)


def _tinted(tag: str, inside: str, bits: float) -> str:
    """An element on the colour of so many bits."""
    strength = STRONGEST * min(bits / DARKEST, 1)
    style = f"background:rgb({TINT} / {strength:.2f});{_BOX}"
    return f'<{tag} style="{style}">{inside}</{tag}>'


def _above(text: str, size: float = 0.62) -> str:
    """What stands above a word, in brackets behind it where a browser knows no ruby text."""
    style = f"font-size:{size}em;font-family:system-ui,sans-serif"
    return f'<rp>(</rp><rt style="{style}">{text}</rt><rp>)</rp>'


def _impossible(word: str) -> str:
    """The word at which a text left the language: framed, and crossed above."""
    style = f"outline:2px solid {LEFT};font-weight:700;{_BOX}"
    return f'<ruby style="{style}">{escape(word)}{_above("✗", 0.8)}</ruby>'


def _legend(with_impossible: bool) -> str:
    """Samples of the colours, from certain to very surprising."""
    steps = {"0": 0, "1": 1, "2": 2, "4": 4, f"{DARKEST} or more": DARKEST}
    samples = " ".join(_tinted("span", name, bits) for name, bits in steps.items())
    crossed = f"; {_impossible('word')} cannot come here" if with_impossible else ""
    return f"Surprise in bits: {samples}{crossed}"


def _summary(words: Sequence[str], bits: Sequence[float], left_at: int | None) -> str:
    """What the picture shows, for those who hear it."""
    n_marked = sum(b >= NUMBERED for b in bits)
    text = (
        f"A text of {len(words)} words. The number after a word is its surprise in bits; "
        f"{n_marked} words have {NUMBERED} bits or more, the others have no number."
    )
    if left_at is not None:
        text += f" The text leaves the language at word {left_at + 1}, {words[left_at]}."
    return text
