"""Sections and equations that a text names by number become links; what links lead to can be seen.

For each term, equation and paper that a page links to, `previews.json.js` holds the text, which
`previews.js` shows beside the link. It is a script, for a page from a disk may load nothing else.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, SoupStrainer, Tag
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

NUMBER = r"\d+\.\d+"
NUMBERS = rf"{NUMBER}(?:(?:, | and |, and | to ){NUMBER})*"
NAMED = re.compile(rf"\b(?P<kind>[Ss]ection|[Ee]quation)s? (?P<numbers>{NUMBERS})")
HEADING = re.compile(rf"^({NUMBER}) ")
LINKED = (nodes.reference, nodes.title, nodes.literal, nodes.math, nodes.raw, nodes.target)
DATA = "previews-data.js"


# ---------------------------------------------------------------- numbers


def places(env: BuildEnvironment) -> dict[tuple[str, str], tuple[str, str]]:
    """Return where each section and equation stands: {("section", "2.7"): (page, anchor)}."""
    found = {}
    for page, contents in env.tocs.items():
        for link in contents.findall(nodes.reference):
            if (number := HEADING.match(link.astext())) and link["anchorname"]:
                found["section", number[1]] = (page, link["anchorname"].lstrip("#"))
    for label, (page, anchor) in env.get_domain("std").anonlabels.items():  # type: ignore[attr-defined]
        if match := re.fullmatch(r"eq-(\d+)-(\d+)", label):
            found["equation", f"{match[1]}.{match[2]}"] = (page, anchor)
    return found


def link_numbers(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link the numbers of sections and equations in the sentences of a page."""
    if app.builder.format != "html":
        return
    known = places(app.env)
    for text in list(doctree.findall(nodes.Text)):
        if NAMED.search(text) and not _inside(text, LINKED):
            pieces = list(_pieces(app, page, text.astext(), known))
            text.parent.replace(text, pieces)


def _inside(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while (node := node.parent) is not None:
        if isinstance(node, kinds):
            return True
    return False


def _pieces(
    app: Sphinx, page: str, text: str, known: dict[tuple[str, str], tuple[str, str]]
) -> Iterator[nodes.Node]:
    """Cut a text into links and what stands between them."""
    at = 0
    for found in NAMED.finditer(text):
        kind = found["kind"].lower()
        for number in re.finditer(NUMBER, found["numbers"]):
            place = known.get((kind, number[0]))
            if place is None or place == (page, ""):
                continue
            start, end = (found.start("numbers") + i for i in number.span())
            # a single one is linked with its name, a list by its numbers
            start = found.start() if number[0] == found["numbers"] else start
            yield nodes.Text(text[at:start])
            uri = "" if place[0] == page else app.builder.get_relative_uri(page, place[0])
            yield nodes.reference(
                "", text[start:end], internal=True, refuri=f"{uri}#{place[1]}", classes=["numbered"]
            )
            at = end
    yield nodes.Text(text[at:])


# ---------------------------------------------------------------- previews


class _Linked(SoupStrainer):
    """Keeps of a page what links may lead to: all else need not be made into a tree."""

    def allow_tag_creation(
        self, nsprefix: str | None, name: str, attrs: dict[str, str] | None
    ) -> bool:
        """Tell whether an element is kept, with all that it holds."""
        attrs = attrs or {}
        classes = (attrs.get("class") or "").split()
        return (
            "glossary" in classes or "citation" in classes or attrs.get("id", "").startswith("eq-")
        )


def previews(folder: Path) -> dict[str, str]:
    """Return what links of a book's pages lead to: {"glossary.html#term-token": HTML}."""
    found = {}
    for path in sorted(folder.glob("*.html")):
        html = path.read_text(encoding="utf-8")
        if not re.search(r'id="(?:term|eq)-|class="citation"', html):
            continue
        soup = BeautifulSoup(html, "html.parser", parse_only=_Linked())
        for term in soup.select('dt[id^="term-"]'):
            meaning = term.find_next_sibling("dd")
            if meaning is not None:
                found[f"{path.name}#{term['id']}"] = _written(meaning)
        for formula in soup.select('div.formula[id^="eq-"], [id^="eq-"] > div.formula'):
            anchor = formula.get("id") or formula.parent["id"]
            found[f"{path.name}#{anchor}"] = f'<div class="math formula">{_written(formula)}</div>'
        for paper in soup.select("div.citation[id]"):
            for label in paper.select("span.label"):
                label.decompose()
            found[f"{path.name}#{paper['id']}"] = _written(paper)
    return found


def _written(element: Tag) -> str:
    """Return what an element holds, with the addresses of the book's pages and without anchors."""
    for link in element.select("a.headerlink"):
        link.decompose()
    for named in element.select("[id]"):
        del named["id"]
    for formula in element.select("[data-tex]"):
        del formula["data-tex"]
    # a space that must not break keeps the words of a formula apart
    return re.sub(r"[ \n\t]+", " ", element.decode_contents()).strip()


def write_previews(app: Sphinx, error: Exception | None) -> None:
    """Write the texts beside the scripts of the pages."""
    if error is None and app.builder.format == "html":
        found = previews(Path(app.outdir, "chapters"))
        text = json.dumps(found, ensure_ascii=False, indent=0)
        script = f"var PREVIEWS = {text};\n"
        Path(app.outdir, "_static", DATA).write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Link when all pages are known; write previews when all are written."""
    app.connect("doctree-resolved", link_numbers)
    app.connect("build-finished", write_previews, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
