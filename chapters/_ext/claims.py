"""Links the first claim of each page to the page that says how to read them all."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LIST = "chapters/claims"
FIRST = re.compile(r'(<p class="nw-claim">.*?)(</small>)', re.S)


def say_how_to_read(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put a link behind the first claim of a page, if the book lists its claims."""
    if "body" in context and LIST in app.env.found_docs:
        link = f'<a href="{app.builder.get_relative_uri(page, LIST)}">how to read this</a>'
        context["body"] = FIRST.sub(rf"\1 ({link})\2", context["body"], count=1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages when they are written."""
    app.connect("html-page-context", say_how_to_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
