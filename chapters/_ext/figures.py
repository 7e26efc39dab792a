"""Puts the pictures of a notebook into the page itself, so that they take its font and colours.

myst-nb writes an SVG output into a file of its own, which a page can only show as it is.
"""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from nextword.plots.svg import labelled

log = logging.getLogger(__name__)


def inline(app: Sphinx, doctree: nodes.document) -> None:
    """Replace each SVG image that a notebook drew by its text; the alternative text labels it."""
    for image in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, app.env.relfn2path(image["uri"])[0])
        if path.suffix == ".svg" and "jupyter_execute" in path.parts:
            html = figure(path.read_text(encoding="utf-8"), image.get("alt", ""))
            image.replace_self(nodes.raw("", html, format="html"))


def figure(svg: str, alt: str) -> str:
    """Return the HTML of one picture; the paper below it is the page's."""
    if not alt:
        log.warning("a figure without an alternative text: set mystnb.image.alt in its cell")
    return f'<figure class="drawing">{labelled(svg, alt)}</figure>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Inline before Sphinx collects the images of a page to copy them."""
    app.connect("doctree-read", inline, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
