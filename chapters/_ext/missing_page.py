"""404.html: what a server such as GitHub Pages shows where an address leads to no page of the book.

It is shown at any address, so it needs the book's own one (`html_baseurl`) and is left out without
it. The search page gets the words of the address that was asked for.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import urljoin

from sphinx.application import Sphinx

NAME = "404.html"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="robots" content="noindex" />
<title>No such page — {title}</title>
<style>
body {{ max-width: 34rem; margin: 15vh auto 0; padding: 0 1.25rem; }}
body {{ font: 1.1rem/1.6 system-ui, sans-serif; }}
</style>
</head>
<body>
<main>
<h1>This page is not in the book</h1>
<p>It may have moved, or the address has a letter too many.</p>
<ul>
<li><a href="{first}">The first page of {title}</a></li>
<li><a href="{search}" id="search">Search the book</a></li>
</ul>
</main>
<script>
// 03-embeddings-old.html: "embeddings old"
const asked = location.pathname.split("/").pop().replace(/\\.html$/, "");
try {{
  const words = decodeURIComponent(asked).match(/\\p{{L}}+/gu);
  const query = new URLSearchParams(words ? {{ q: words.join(" ") }} : {{}});
  document.getElementById("search").search = query;
}} catch {{ /* an address that is not UTF-8: the search begins empty */ }}
</script>
</body>
</html>
"""


def page(address: str, first: str, title: str) -> str:
    """The page's text. address: of the book, with a slash at its end; first: of its first page."""
    addresses = {"first": urljoin(address, first), "search": urljoin(address, "search.html")}
    return PAGE.format(title=escape(title), **{k: escape(v) for k, v in addresses.items()})


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the page beside the book's own, if it is known where they will stand."""
    address = app.config.html_baseurl
    if error is None and app.builder.format == "html" and address:
        first = app.builder.get_target_uri(app.config.root_doc)
        html = page(address, first, app.config.html_title)
        Path(app.outdir, NAME).write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page when all others are written."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
