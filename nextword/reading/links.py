"""Labels and links of the book's pages as JupyterLab knows them.

The book links to labels, `(sec-2-5)=`, wherever they stand; JupyterLab to headings of a notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

LABEL = re.compile(r"^\(([\w-]+)\)=\n+(?:#+ (.+))?", re.M)
LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")
ABROAD = ("http:", "https:", "mailto:")


@dataclass(frozen=True)
class Place:
    """Where a label stands: its page, and the heading below it or nothing."""

    page: str
    heading: str


def places(pages: Collection[Path]) -> dict[str, Place]:
    """Return where each label of the pages stands."""
    found = {}
    for path in pages:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                for label, heading in LABEL.findall("".join(cell["source"])):
                    found[label] = Place(path.name, heading)
    return found


def anchor(heading: str) -> str:
    """Return the address of a heading in JupyterLab.

    >>> anchor("2.1 Padding and sliding windows")
    '2.1-Padding-and-sliding-windows'
    """
    return heading.strip().replace("`", "").replace("*", "").replace(" ", "-")


def with_links(text: str, page: str, known: Mapping[str, Place], shelf: Collection[str]) -> str:
    """Return Markdown whose links lead somewhere in JupyterLab; of the others the words stay.

    page: the name of this page. shelf: the names of pages that lie beside it.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        if target.startswith(ABROAD):
            return found[0]
        file, _, label = target.partition("#")
        place = known.get(label)
        if place and place.page == page and not place.heading:
            return f"[{words}](#{label})"
        if place and place.heading and place.page in {page, *shelf}:
            beside = "" if place.page == page else place.page
            return f"[{words}]({beside}#{anchor(place.heading)})"
        return f"[{words}]({file})" if file in shelf and not label else words

    return LINK.sub(link, text)
