"""What stays on one line: a number with its percent sign, an option of a command. Leaves out: other
units."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

APART = re.compile(r"(?<=\d)[ \n](?=%)")
AS_WRITTEN = (nodes.literal, nodes.literal_block, nodes.raw)
OPTION = re.compile(r'<span class="pre">(?=--?\w[\w-]{0,24}</span>)')


def keep_percent(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put a space that no line can break at between each number and its percent sign."""
    if app.builder.format != "html":
        return
    for text in list(doctree.findall(nodes.Text)):
        if APART.search(text) and not isinstance(text.parent, AS_WRITTEN):
            text.parent.replace(text, nodes.Text(APART.sub("\N{NO-BREAK SPACE}", text)))


def keep_options(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mark the options in a page's code: a browser would break them behind their hyphens."""
    if "body" in context:
        context["body"] = OPTION.sub('<span class="pre whole">', context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Change texts when all else of a page is in its place."""
    app.connect("doctree-resolved", keep_percent)
    app.connect("html-page-context", keep_options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
