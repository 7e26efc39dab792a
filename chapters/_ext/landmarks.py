"""Corrects what the theme and its extensions write against the rules for accessible pages."""

import re
from itertools import count
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

CORRECTIONS = (
    # a list must hold items; the role that docutils gives them here was taken out of the standard
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # a name must hold the words that one sees, else who speaks to the computer is not understood
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    (re.compile(r'(?<=<button class="btn search-button-field search-button__button pst-js-only")'
                r' title="Search" aria-label="Search"'), ""),
    # a figure is a group already
    (re.compile(r'(<figure class="[^"]*"[^>]*?) role="group"'), r"\1"),
    # each exercise and each proof gets these from its extension
    (re.compile(r'(<section|<div class="proof admonition")'
                r' id="(?:exercise|proof)(?:-content)?"'), r"\1"),
)  # fmt: skip
DRAWING = re.compile(r"<svg\b.*?</svg>", re.S)
ID = re.compile(r'\bid="([^"]+)"')


def correct(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Correct the body of a page just before it is written."""
    context["body"] = accessible(context.get("body", ""))


def accessible(html: str) -> str:
    """Return a page, or a part of it, with the corrections.

    >>> accessible('<summary aria-label="Toggle hidden content">Show the code</summary>')
    '<summary>Show the code</summary>'
    """
    for pattern, replacement in CORRECTIONS:
        html = pattern.sub(replacement, html)
    return DRAWING.sub(_Renaming(), html)


class _Renaming:
    """Gives the parts of a drawing other ids where an earlier drawing of the page has them."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.number = count(2)

    def __call__(self, match: re.Match[str]) -> str:
        drawing, ids = match[0], set(ID.findall(match[0]))
        if ids & self.seen:
            end = f"-copy{next(self.number)}"
            drawing = re.sub(
                r'(\bid="|url\(#|href="#)([^")]+)',
                lambda m: m[1] + m[2] + (end if m[2] in ids else ""),
                drawing,
            )
        self.seen |= set(ID.findall(drawing))
        return drawing


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at each page just before it is written."""
    app.connect("html-page-context", correct, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
