"""Corrects what the theme and its extensions write against the rules for accessible pages."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# a list must hold items; the role that docutils gives them here was taken out of the standard
BIBLIOGRAPHY = (' role="doc-biblioentry"', ' role="listitem"')


def correct(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the entries of the bibliography the role that their list asks for."""
    if 'class="citation-list"' in context.get("body", ""):
        context["body"] = context["body"].replace(*BIBLIOGRAPHY)


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at each page just before it is written."""
    app.connect("html-page-context", correct)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
