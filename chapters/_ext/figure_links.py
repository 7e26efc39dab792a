"""Sentences that set a figure: `[switch this head off](#figure-attend?head=2.3&word=so)`.

Such a link leads to the figure, and a page whose scripts run sets the figure's state instead
(`nextword/explorables/sentences.js`). A link to a figure of another page,
`(05-attention-words.ipynb#figure-…)`, opens that page with the figure set. Leaves out what a figure
does with its state.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

HERE = re.compile(r"#(?P<figure>figure-\w+)(?:\?(?P<state>[^#]*))?")
ELSEWHERE = re.compile(r"(?P<page>[\w-]+)\.(?:ipynb|md)#(?P<anchor>figure-\w+(?:\?[^#]*)?)")

log = logging.getLogger(__name__)


class figure_link(nodes.reference):  # noqa: N801 - docutils names its nodes so
    """A link with `refuri`, which works by itself, and `state`, which a script reads."""


class SetFigures(SphinxTransform):
    """Turn links to figures into `figure_link`, before myst-parser looks for their targets."""

    default_priority = 870

    def apply(self, **_: object) -> None:
        """Replace each such link; one whose figure the page does not hold is told as a warning."""
        shown = " ".join(raw.astext() for raw in self.document.findall(nodes.raw))
        for link in list(self.document.findall(nodes.reference)):
            found = HERE.fullmatch(link.get("refuri", ""))
            if found is None:
                continue
            if f'id="{found["figure"]}"' not in shown:
                log.warning("no explorable of this page is #%s", found["figure"], location=link)
            _replace(link, f"#{found['figure']}", found["state"] or "")
        for link in list(self.document.findall(addnodes.pending_xref)):
            if found := ELSEWHERE.fullmatch(_written(link)):
                _replace(link, f"{found['page']}.html#{found['anchor']}", "")


def _written(link: addnodes.pending_xref) -> str:
    """The address of a link to another file, as its author wrote it."""
    page = str(link.get("reftarget", "")).rpartition("/")[2]
    return f"{page}.ipynb#{link['reftargetid']}" if link.get("reftargetid") else page


def _replace(link: nodes.Element, address: str, state: str) -> None:
    new = figure_link("", refuri=address, internal=True, state=state)
    new += link.children
    link.replace_self(new)


def visit_link(self: HTML5Translator, node: figure_link) -> None:
    """Open the link; without a script, it leads to the figure as it is."""
    state = {"data-figure": node["state"]} if node["state"] else {}
    self.body.append(self.starttag(node, "a", "", href=node["refuri"], **state))


def depart_link(self: HTML5Translator, node: figure_link) -> None:
    """Close the link."""
    self.body.append("</a>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform and the node."""
    app.add_node(figure_link, html=(visit_link, depart_link))
    app.add_transform(SetFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
