"""Texts and tables to look at, as HTML: a text coloured by surprise, a table of counts.

Leaves out: computing what is shown. Colours are mixed with the page below them, so letters are dark
on light and light on dark.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

NUMBERED = 0.5  # bits; the surprise of such a word and more is written above it
DARKEST = 8  # bits; more than this is not drawn darker
TINT, STRONGEST = "0 114 178", 0.6
LEFT = "#d55e00"
_BOX = "border-radius:.25em;padding:.1em .2em;white-space:nowrap"  # never cut at a line's end


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
    crossed = f"; {_impossible('word')} cannot follow here" if with_impossible else ""
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


def count_table(
    table: Mapping[tuple[str, ...], Mapping[str, float]],
    words: Sequence[str],
    form: str = "{:.0f}",
    caption: str = "rows: context <i>u</i>; columns: next word <i>w</i>",
    corner: str = "u",
) -> Page:
    """Write a table of counts or probabilities: a row per context u, a column per next word w.

    The larger a number in comparison with the largest, the stronger its colour. caption (HTML) and
    corner: what rows and columns are, where they are something else.
    """
    top = max(float(row.get(word, 0)) for row in table.values() for word in words)
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in words)
    body, plain = [], ["\t".join([corner, *words])]
    for context, row in table.items():
        values = [float(row.get(word, 0)) for word in words]
        shown = [form.format(value) if value else "0" for value in values]
        cells = "".join(_cell(text, v / top) for text, v in zip(shown, values, strict=True))
        name = " ".join(context)
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
        plain.append("\t".join([name, *shown]))
    html = (
        '<table class="counts">'
        f"<caption>{caption}</caption>"
        f'<thead><tr><th scope="col"><i>{corner}</i></th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )
    return Page(html, "\n".join(plain))


def _cell(text: str, share: float) -> str:
    """One number on its colour."""
    if not share:
        return f"<td>{text}</td>"
    return f'<td style="background:rgb({TINT} / {0.45 * share:.2f})">{text}</td>'
