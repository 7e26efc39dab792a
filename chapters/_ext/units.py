"""A number and the percent sign behind it stay on one line. Leaves out: other units."""

import re

from docutils import nodes
from sphinx.application import Sphinx

APART = re.compile(r"(?<=\d)[ \n](?=%)")
AS_WRITTEN = (nodes.literal, nodes.literal_block, nodes.raw)


def keep_percent(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put a space that no line can break at between each number and its percent sign."""
    if app.builder.format != "html":
        return
    for text in list(doctree.findall(nodes.Text)):
        if APART.search(text) and not isinstance(text.parent, AS_WRITTEN):
            text.parent.replace(text, nodes.Text(APART.sub("\N{NO-BREAK SPACE}", text)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Change texts when all else of a page is in its place."""
    app.connect("doctree-resolved", keep_percent)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
