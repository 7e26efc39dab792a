"""What a page says of itself where its link is shared: title, description and picture.

The description is the first paragraph of the text, in whole sentences, unless the page gives one
itself (`html_meta` in its head). Does not take sphinxext-opengraph, which cuts the page's text
after so many letters, formulas and all, and which finds the picture from a page in a folder only
where the book has an address.
"""

from __future__ import annotations

import os
import re
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from docutils import nodes
from navigation import words
from sphinx.application import Sphinx
from sphinx.config import Config

ADDRESS = "BOOK_URL"  # in the environment: where the book will stand, if the settings do not say it
PICTURE = "card.png"  # 1200 by 630 pixels; nextword.press.card makes it
PICTURE_ALT = "Next Word: stairs lead down to a floor, a step for each model of the book."
HOME = "Build language models, and know how far from perfect they are"
LONGEST = 200  # letters of a description
COURSE = (
    "A course in language models, from counting to transformers. Build each of them, and measure "
    "how far it is from the best that is possible."
)
GIVEN = re.compile(r'<meta (?=[^>]*name="description")[^>]*content="([^"]*)"[^>]*>\s*')
SENTENCES = re.compile(r"(?<=[.?!:])\s+(?=[A-Z“‘])")
REDIRECT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Refresh" content="0; url={page}" />
<title>{title}</title>
{tags}</head>
<body><p><a href="{page}">{title}</a></p></body>
</html>
"""


def find_address(app: Sphinx, config: Config) -> None:
    """Take the book's address from the environment where the settings have none."""
    address = config.html_baseurl or os.environ.get(ADDRESS, "")
    config.html_baseurl = address and f"{address.rstrip('/')}/"


def first_paragraph(doctree: nodes.document) -> str:
    """The text of the first paragraph of a page, without boxes and tables; empty if it has none."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(words(paragraph).split())
        if text and isinstance(paragraph.parent, nodes.section):
            return text
    return ""


def shortened(text: str, longest: int = LONGEST) -> str:
    """The first sentences of a text that fit; where the first is too long, its first words.

    >>> shortened("It is short. It is a little longer.", 20)
    'It is short.'
    >>> shortened("A sentence that is too long.", 15)
    'A sentence …'
    """
    kept = ""
    for sentence in SENTENCES.split(text):
        if len(kept) + len(sentence) + 1 > longest:
            break
        kept = f"{kept} {sentence}".strip()
    if kept:
        return kept
    return f"{text[: longest - 2].rsplit(' ', 1)[0]} …"


def tags(title: str, description: str, picture: str, kind: str, url: str = "") -> str:
    """The elements of a page's head, for search engines and for what shows links."""
    said = {
        "og:title": title,
        "og:description": description,
        "og:type": kind,
        "og:site_name": "Next Word",
        "og:image": picture,
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": PICTURE_ALT,
    }
    said |= {"og:url": url} if url else {}
    named = {
        "description": description,
        "twitter:card": "summary_large_image",
        "twitter:title": title,
        "twitter:description": description,
        "twitter:image": picture,
    }
    lines = [f'<meta property="{k}" content="{escape(v, quote=True)}" />' for k, v in said.items()]
    lines += [f'<meta name="{k}" content="{escape(v, quote=True)}" />' for k, v in named.items()]
    return "\n".join(lines) + "\n"


def introduce(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the elements to a page's head; the first page gets a title that says what it offers."""
    home = page == app.config.root_doc
    if home:
        context["title"] = HOME
    before = context.get("metatags", "")
    given = GIVEN.search(before)
    text = unescape(given[1]) if given else ""
    text = text or shortened((first_paragraph(doctree) if doctree else "") or COURSE)
    base = app.config.html_baseurl
    here = app.builder.get_target_uri(page)
    picture = f"_static/{PICTURE}"
    address = urljoin(base, picture) if base else context["pathto"](picture, 1)
    # the theme writes its title as HTML: a formula, a quotation mark
    title = unescape(re.sub(r"<[^>]*>", "", context.get("title") or app.config.html_title))
    kind = "website" if home or doctree is None else "article"
    context["metatags"] = GIVEN.sub("", before) + tags(
        title, text, address, kind, urljoin(base, here) if base else ""
    )


def redirect(app: Sphinx, error: Exception | None) -> None:
    """Let the book's folder lead to the first page, and be shown as that is where it is shared."""
    if error is not None or app.builder.format != "html":
        return
    base, picture = app.config.html_baseurl, f"_static/{PICTURE}"
    page = app.builder.get_target_uri(app.config.root_doc)
    title = f"{HOME} — {app.config.html_title}"
    text = tags(HOME, COURSE, urljoin(base, picture) if base else picture, "website", base or "")
    html = REDIRECT.format(page=page, title=escape(title), tags=text)
    Path(app.outdir, "index.html").write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at each page just before it is written."""
    app.connect("config-inited", find_address)
    app.connect("html-page-context", introduce)
    app.connect("build-finished", redirect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
