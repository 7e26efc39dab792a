"""Makes one printable document of built pages: contents, chapters, appendices. Prints nothing.

On paper nothing opens and nothing can be clicked. So what a page folds stands in an appendix, an
address on the web stands at the end of its page, and a place to go to has a page number, which
`typeset` fills in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from examiner.errors import UserError
from nextword.press.moved import Appendices, new, page_number

UNPRINTED = (
    "script, style, noscript, a.headerlink, button, .sd-summary-state-marker, .nw-x-untrusted, "
    "details.hide.above-input, details.hide > summary, div.cell.tag_claims, "
    ".practice, .practice-note"
)
STYLES = ("pygments.css", "book.css", "formulas.css", "quizzes.css")
ELSEWHERE = re.compile(r"https?://")
TITLE = "Next Word"


@dataclass(frozen=True)
class Page:
    """A page of the built book: its name, and what of it is printed."""

    name: str
    article: Tag

    @property
    def title(self) -> str:
        """The page's first heading."""
        heading = self.article.find("h1")
        return heading.get_text().strip() if heading else self.name


def manuscript(site: Path, names: Sequence[str]) -> str:
    """Return the HTML of a document that holds the pages `chapters/<name>.html` of a built book.

    Raises UserError where a page was not built.
    """
    pages = [_read(site, name) for name in names]
    appendices = Appendices()
    for page in pages:
        _keep_links_inside(page, {page.name for page in pages})
        appendices.take(page.name, page.title, page.article)
    leaves = [_leaf(page.name, page.title, page.article) for page in pages]
    leaves += [_leaf(name, head, part) for name, head, part in appendices.parts()]
    for leaf in leaves:
        _list_addresses(leaf)
    contents = _contents(leaves)
    part = "" if len(names) > 2 else pages[0].title
    body = "".join(map(str, [_title_page(part), contents, *leaves]))
    return _document(site, f"{TITLE}: {part}" if part else TITLE, _running_heads(leaves), body)


def _read(site: Path, name: str) -> Page:
    path = site / "chapters" / f"{name}.html"
    if not path.is_file():
        raise UserError(f"{path} is missing: build the book first, with make book")
    article = BeautifulSoup(path.read_text("utf-8"), "html.parser").select_one("article.bd-article")
    if article is None:
        raise UserError(f"{path} is no page of the book")
    for waste in article.select(UNPRINTED):
        waste.decompose()
    for fold in article.select("details.hide"):  # an output
        fold.name = "div"
    for image in article.select("img[src]"):
        image["src"] = (path.parent / str(image["src"])).resolve().as_uri()
    return Page(name, article)


# ---------------------------------------------------------------- links


def _keep_links_inside(page: Page, printed: set[str]) -> None:
    """Let ids and links begin with the page's name; take away links to what is not printed."""
    for tag in page.article.select("[id]"):
        if tag.find_parent("svg") is None and tag.name != "svg":
            tag["id"] = f"{page.name}--{tag['id']}"
    for link in page.article.select("a[href]"):
        address = str(link["href"])
        if ELSEWHERE.match(address):
            continue
        path, _, anchor = address.partition("#")
        target = path.removesuffix(".html") if path else page.name
        if target in printed:
            link["href"] = f"#{target}--{anchor}" if anchor else f"#{target}"
        else:
            link.unwrap()


def _list_addresses(leaf: Tag) -> None:
    """Number the links to the web, and list their addresses at the end of a part."""
    listed: dict[str, int] = {}
    for link in leaf.select("a[href]"):
        address = str(link["href"])
        if not ELSEWHERE.match(address) or _plain(address) in _plain(link.get_text()):
            continue
        number = listed.setdefault(address, len(listed) + 1)
        link.insert_after(new("sup", str(number), class_="address"))
    if listed:
        rows = new("ol")
        for address in listed:
            rows.append(new("li", address))
        aside = new("aside", class_="addresses")
        aside.extend([new("p", "Addresses on the web"), rows])
        leaf.append(aside)


def _plain(address: str) -> str:
    return ELSEWHERE.sub("", address).rstrip("/")


# ---------------------------------------------------------------- the document


def _leaf(name: str, title: str, content: Tag) -> Tag:
    """Return a part of the document that begins on a new page."""
    leaf = new("section", class_="leaf", id=name)
    leaf["data-title"] = title.partition(":")[0]
    leaf.append(content)
    for number, heading in enumerate(content.select("h1, h2")):
        heading["id"] = f"{name}--head-{number}"
    return leaf


def _headings(leaves: Sequence[Tag]) -> Iterator[Tag]:
    for leaf in leaves:
        yield from leaf.select("h1, h2")


def _contents(leaves: Sequence[Tag]) -> Tag:
    rows = new("ol")
    for heading in _headings(leaves):
        row = new("li", class_=f"level-{heading.name}")
        link = new("a", href=f"#{heading['id']}")
        text = new("span", class_="text")
        text.extend([BeautifulSoup(str(child), "html.parser") for child in heading.children])
        link.extend([text, new("span", class_="leader"), page_number(str(heading["id"]))])
        row.append(link)
        rows.append(row)
    contents = new("nav", class_="contents")
    contents.extend([new("h1", "Contents"), rows])
    return contents


def _title_page(part: str) -> Tag:
    page = new("header", class_="title-page")
    page.append(new("p", TITLE, class_="title"))
    if part:
        page.append(new("p", part, class_="part"))
    page.append(new("p", "The Next Word authors"))
    page.append(new("p", "Text under CC BY 4.0, code under the MIT licence.", class_="licence"))
    return page


def _running_heads(leaves: Sequence[Tag]) -> str:
    """Return style rules that repeat the title of each part at the head of its pages."""
    rules = []
    for number, leaf in enumerate(leaves):
        words = json.dumps(str(leaf["data-title"]), ensure_ascii=False)
        rules.append(
            f"@page leaf-{number} {{ @top-left {{ content: {words}; }} }}\n"
            f'section.leaf[id="{leaf["id"]}"] {{ page: leaf-{number}; }}'
        )
    return "\n".join(rules)


def _document(site: Path, title: str, rules: str, body: str) -> str:
    static = site / "_static"
    styles = "".join(
        f'<link rel="stylesheet" href="{(static / name).resolve().as_uri()}">' for name in STYLES
    )
    own = files("nextword.press").joinpath("print.css").read_text("utf-8")
    return (
        f'<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>{styles}<style>{own}\n{rules}</style></head>"
        f'<body><main class="bd-article">{body}</main></body></html>'
    )
