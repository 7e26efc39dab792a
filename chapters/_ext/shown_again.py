"""A figure of a notebook on a second page: `{shown-again} 06-transformers-in-use transformer`.

The page takes the output that the notebook stores, so the figure stands in the repository once.
Leaves out: running the notebook.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class ShownAgain(SphinxDirective):
    """Show the explorable NAME of a notebook beside this page, as wide as the page is."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Return the stored output, in a box that look.css may widen."""
        notebook, name = self.arguments
        path = Path(self.env.doc2path(self.env.docname)).with_name(f"{notebook}.ipynb")
        self.env.note_dependency(str(path))
        mark = f'data-explorable="{name}-'
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                html = "".join(output.get("data", {}).get("text/html", ""))
                if mark in html:
                    box = nodes.container(classes=["nw-e-page"])
                    box += nodes.raw("", html, format="html")
                    return [box]
        raise self.error(f"{path.name} stores no output with {mark}…: run the notebook")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("shown-again", ShownAgain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
