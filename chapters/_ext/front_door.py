"""The first page: the game and the falling ladder, made from the shipped numbers at each build.

Leaves out: what they look like (`_static/home.css`, nextword.plots.falling, explorables/home.js).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nextword.explorables.home import game
from nextword.models import store
from nextword.plots import falling
from nextword.products import shipped_ladder

GAME = Path("checkpoints", "home", "game.safetensors")
STYLE = "home.css"
START = "01-language-models.html"


class GuessingGame(SphinxDirective):
    """Write the game."""

    def run(self) -> list[nodes.Node]:
        """One figure to touch."""
        path = Path(self.env.srcdir, GAME)
        self.env.note_dependency(str(path))
        html = game(store.facts_of(path)["stories"], START)._repr_html_()
        return [nodes.raw("", f'<div class="front-game">{html}</div>', format="html")]


class FallingLadder(SphinxDirective):
    """Draw the ladder twice; on narrow screens the style sheet shows the second one instead."""

    def run(self) -> list[nodes.Node]:
        """One figure."""
        found = shipped_ladder(Path(self.env.srcdir))
        wide, narrow = falling.wide(found), falling.narrow(found)
        html = (
            f'<figure class="front-ladder"><div class="front-wide">{wide}</div>'
            f'<div class="front-narrow" style="display: none">{narrow}</div></figure>'
        )
        return [nodes.raw("", html, format="html")]


def dress(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the first page, and no other, its style sheet."""
    if page == app.config.root_doc:
        app.add_css_file(STYLE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Two directives for the first page."""
    app.add_directive("guessing-game", GuessingGame)
    app.add_directive("falling-ladder", FallingLadder)
    app.connect("html-page-context", dress)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
