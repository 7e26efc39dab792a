"""The output of a cell: a still figure, the numbers behind it, and the script that lets it move.

Without JavaScript the still figure stands. Nothing is fetched, so it works from a disk, in the book
and in JupyterLab, where several may stand on one page and each may be shown twice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from examiner.errors import UserError
from nextword.explorables.bundle import FOLDER, bundled
from nextword.plots.svg import Picture, labelled
from nextword.plots.texts import Page

DIGITS = 6  # of each number that goes into a page
FEWEST_WORDS = 12  # of an alternative text
STILL = "nw-x-still"
# JupyterLab takes style and scripts out of outputs that it does not trust; then this can be seen
UNTRUSTED = "Run this cell, or trust the notebook, to see this figure and to touch it."
# the same picture may stand elsewhere on the page, and no two things of a page share an id
_OWN = re.compile(r'(?<=["#])f(?=[0-9a-f]{8}-\d)')
PARTS = re.compile(
    r'<figure class="nw-x" (?:id="[\w-]+" )?data-explorable="(?P<name>\w+)-\w+" '
    r'aria-label="(?P<title>[^"]*)">.*?'
    rf'<div class="{STILL}">(?P<still>.*?)</div><!-- still -->.*?'
    r'<script type="application/json" class="nw-x-numbers">(?P<numbers>.*?)</script>.*?</figure>',
    re.S,
)


@dataclass(frozen=True)
class Explorable:
    """A figure to touch. `name` is that of its JavaScript file, `still` the HTML of its picture."""

    name: str
    title: str
    numbers: str  # as JSON
    still: str

    def _repr_html_(self) -> str:
        key = hashlib.sha256(f"{self.title}{self.numbers}".encode()).hexdigest()[:8]
        title, place = escape(self.title, quote=True), f"{self.name}-{key}"
        own = FOLDER / f"{self.name}.css"  # what one figure needs beside the look of all
        sheets = [FOLDER / "look.css", *([own] if own.is_file() else [])]
        style = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
        start = f'file_parts.mount("{place}", file_{self.name}.draw);'
        return (
            f'<figure class="nw-x" id="figure-{self.name}" data-explorable="{place}" '
            f'aria-label="{title}">\n'
            f"<style>\n{style}</style>\n"
            f'<figcaption class="nw-x-title">{title}</figcaption>\n'
            f'<p class="nw-x-untrusted">{UNTRUSTED}</p>\n'
            f'<div class="{STILL}">{_OWN.sub("x", self.still)}</div><!-- still -->\n'
            f'<script type="application/json" class="nw-x-numbers">{self.numbers}</script>\n'
            f'<script type="module">\n{bundled(self.name)}{start}\n</script>\n'
            "</figure>"
        )

    def __repr__(self) -> str:
        return f"<explorable figure: {self.title}>"


def show(
    name: str, title: str, numbers: Mapping[str, Any], *, still: Picture | Page, alt: str
) -> Explorable:
    """Return the explorable `name` for the last line of a cell.

    numbers: what the script reads, of anything that JSON can hold, numpy's numbers and arrays too;
    each is cut to six digits, so that the same output is stored on every machine. still: what a
    page shows without JavaScript and in print. alt: what it shows, in twelve words or more.
    """
    if len(alt.split()) < FEWEST_WORDS:
        raise UserError(f"{name}: the alternative text needs {FEWEST_WORDS} words, got {alt!r}")
    bundled(name)  # a missing file is reported here
    text = json.dumps(plain(numbers), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Explorable(name, title, text.replace("<", "\\u003c"), _labelled(still, alt))


def plain(value: Any) -> Any:
    """A value as JSON can hold it, numbers cut to six digits.

    >>> plain({"p": [1 / 3, np.float32(0.5)], "n": 2.0})
    {'p': [0.333333, 0.5], 'n': 2}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float | np.floating):
        cut = float(f"{float(value):.{DIGITS}g}")
        return int(cut) if cut.is_integer() and abs(cut) < 10**DIGITS else cut
    return value.item() if isinstance(value, np.generic) else value


def _labelled(still: Picture | Page, alt: str) -> str:
    """The HTML of a still figure with its alternative text."""
    if isinstance(still, Page):
        label = escape(alt, quote=True)
        return f'<div role="group" aria-label="{label}">{still.html}</div>'
    return labelled(still.svg, alt)


def refreshed(html: str) -> str:
    """Return a stored output with today's style and script around the numbers that it holds.

    Text that is no explorable comes back as it is.
    """
    found = PARTS.fullmatch(html.strip())
    if not found:
        return html
    title = found["title"].replace("&quot;", '"').replace("&#x27;", "'").replace("&amp;", "&")
    return Explorable(found["name"], title, found["numbers"], found["still"])._repr_html_()
