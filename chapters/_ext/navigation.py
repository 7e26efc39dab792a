"""Finding a section: the open chapter's sections in the left menu, and a search that lands on one.

Sphinx's own search knows pages only, and fetches them once more to quote them. Here a script lists
every section with its text, every task and every function that one writes, so that `find.js` also
works on pages opened from a disk.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from examiner.project import Project

INDEX = "sections.js"
SILENT = (nodes.raw, nodes.math_block, nodes.literal_block, nodes.comment, nodes.target, glossary)
SIGNS = {
    r"\bullet": "•", r"\lambda": "λ", r"\alpha": "α", r"\langle": "<", r"\rangle": ">",
    r"\mid": "|", r"\dots": "…", r"\cdots": "⋯", r"\ln": "ln", r"\log": "log", r"\exp": "exp",
    r"\sum": "∑", r"\ge": "≥", r"\le": "≤", r"\approx": "≈", r"\cdot": "·", r"\times": "×",
    r"\sim": "∼", r"\infty": "∞", r"\mu": "μ", r"\tau": "τ", r"\varepsilon": "ε", r"\#": "#",
}  # fmt: skip


# ---------------------------------------------------------------- the left menu


def sections_of(env: BuildEnvironment, page: str) -> list[tuple[str, str]]:
    """List the second-level headings of a page, as [(anchor, text)]."""
    contents = env.tocs[page]
    links = [
        a for a in contents.findall(nodes.reference) if a["refuri"] == page and a["anchorname"]
    ]
    depth = {id(a): sum(isinstance(p, nodes.list_item) for p in _above(a)) for a in links}
    return [(a["anchorname"], a.astext()) for a in links if depth[id(a)] == 2]


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    """Give the nodes that hold a node, from the inside to the outside."""
    while node.parent is not None:
        node = node.parent
        yield node


def show_sections(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the open page's sections below its name in the left menu."""
    make = context.get("generate_toctree_html")
    if make is None or page not in app.env.tocs:
        return

    def with_sections(kind: str, *args: object, **options: object) -> object:
        menu = make(kind, *args, **options)
        return menu if kind != "sidebar" else _insert(str(menu), sections_of(app.env, page))

    context["generate_toctree_html"] = with_sections


def _insert(menu: str, sections: list[tuple[str, str]]) -> str:
    """Put links to sections below the entry of the menu that is open."""
    soup = BeautifulSoup(menu, "html.parser")
    entry = soup.select_one("li.current.active")
    if entry is None or not sections:
        return menu
    links = soup.new_tag("ul", attrs={"class": "sections"})
    for anchor, text in sections:
        item = soup.new_tag("li")
        link = soup.new_tag("a", href=anchor, attrs={"class": "reference internal"})
        link.string = text
        item.append(link)
        links.append(item)
    entry.append(links)
    return str(soup)


# ---------------------------------------------------------------- the search


def words(node: nodes.Node) -> str:
    """Return the text of a part of a page as one would read it aloud, without code and formulas.

    What belongs to a section inside is left to that section.
    """
    titled = isinstance(node, nodes.section) and node.next_node(nodes.title) is not None
    if titled or isinstance(node, SILENT):
        return ""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    blank = " " if isinstance(node, (nodes.TextElement, nodes.entry, nodes.list_item)) else ""
    inline = isinstance(node, nodes.Inline)
    return "".join(map(words, node.children)) + ("" if inline else blank)


def plain(tex: str) -> str:
    r"""Write a short formula in letters.

    >>> plain(r"N_{1+}(\bullet uw)")
    'N1+(• uw)'
    """
    text = re.sub(r"\\(?:frac|tfrac|dfrac)(?:(\w)(\w)|\{(.*?)\}\{(.*?)\})",
                  lambda m: f"{m[1] or m[3]}/{m[2] or m[4]}", tex)  # fmt: skip
    text = re.sub(r"\\(?:[a-zA-Z]+|.)", lambda m: SIGNS.get(m[0], ""), text)
    return re.sub(r"[{}_^]", "", text).strip()


def entries(page: str, doctree: nodes.document) -> Iterator[list[str]]:
    """Give [page, anchor, title, text] of each section of a page and of each term it explains."""
    for section in doctree.findall(nodes.section):
        title = section.next_node(nodes.title)
        if title is not None:  # the box of an exercise holds one without: it belongs to its section
            text = "".join(words(child) for child in section.children[1:])
            anchor = "" if isinstance(section.parent, nodes.document) else section["ids"][0]
            yield [page, anchor, title.astext(), " ".join(text.split())]
    for terms in doctree.findall(glossary):
        for item in terms.findall(nodes.definition_list_item):
            term = item.next_node(nodes.term)
            text = item.next_node(nodes.definition)
            if term is not None and text is not None:
                yield [page, term["ids"][0], term.astext(), " ".join(text.astext().split())]


def collect(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep the sections of a page for the index."""
    kept: dict[str, Any] = app.env.metadata[page]
    kept["sections"] = list(entries(page, doctree))
    named = (name for node in doctree.findall(nodes.Element) for name in node.get("ids", ()))
    kept["tasks"] = [name for name in named if name.startswith("task-")]


def tasks(project: Project, places: dict[str, str]) -> Iterator[list[str]]:
    """Give [page, anchor, title, text, kind] of each task, and of each function of its task.

    places: the pages of the exercises' boxes, by their ids.
    """
    for chapter in project.catalogue.chapters:
        told = summaries(project.module("solutions", chapter.stem))
        for task in chapter.tasks:
            anchor = f"task-{task.id.replace('.', '-')}"
            if page := places.get(anchor):
                text = f"Write {', '.join(task.symbols)}. {task.see}, {task.points} points."
                yield [page, anchor, f"Task {task.id}: {task.title}", text, "task"]
                for symbol in task.symbols:
                    yield [
                        page,
                        anchor,
                        f"{symbol}(): task {task.id}",
                        told.get(symbol, ""),
                        "name",
                    ]


def summaries(module: Path) -> dict[str, str]:
    """Return the first line of each docstring of a module: {"Counter.step": "Count one more."}."""
    found = {}
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for top in tree.body:
        if isinstance(top, (ast.FunctionDef, ast.ClassDef)):
            for node in (top, *(n for n in top.body if isinstance(n, ast.FunctionDef))):
                name = top.name if node is top else f"{top.name}.{node.name}"
                found[name] = (ast.get_docstring(node) or "").partition("\n")[0]
    return found


def write_index(app: Sphinx, error: Exception | None) -> None:
    """Write all sections into one script, which a browser may load from a disk."""
    if error is None and app.builder.format == "html":
        pages: dict[str, dict[str, Any]] = app.env.metadata
        rows = [row for page in sorted(pages) for row in pages[page].get("sections", ())]
        places = {task: page for page in sorted(pages) for task in pages[page].get("tasks", ())}
        rows += tasks(Project(Path(app.srcdir)), places)
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        text = f"var SECTIONS = [\n{lines}\n];\n"
        Path(app.outdir, "_static", INDEX).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Show sections after the theme has made its menu; collect them with references resolved."""
    app.connect("html-page-context", show_sections, priority=900)
    app.connect("doctree-resolved", collect)
    app.connect("build-finished", write_index)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
