"""Shows what students wrote in Markdown without running it in the marker's browser.

Leaves out checking the pictures that they pasted into it (pictures.py).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

import bleach  # type: ignore[import-untyped]  # ships no types
from jinja2 import pass_context
from jinja2.runtime import Context
from latex2mathml.converter import convert
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

from examiner.project import ENTRY

WORDS = ["a", "abbr", "b", "br", "code", "del", "em", "i", "s", "span", "strong", "sub", "sup"]
BLOCKS = ["blockquote", "dd", "div", "dl", "dt", "hr", "li", "ol", "p", "pre", "ul"]
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
TABLES = ["table", "tbody", "td", "th", "thead", "tr"]
TAGS = [*WORDS, *BLOCKS, *HEADINGS, *TABLES, "img"]
MAX_MARKDOWN = 20_000  # characters
MARKS = ("<", ">", "[", "&", "$", "\\begin")  # they take time that grows with the square
MAX_MARKS = 1000  # of one kind
MAX_TEXT = 100_000
FORMULAS = ["math", "mfrac", "mi", "mn", "mo", "mover", "mroot", "mrow", "mspace", "msqrt", "msub"]
FORMULAS += ["msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover"]
MAX_FORMULA = 2_000  # characters
ADDRESS = re.compile(r"(https?://|#)", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(png|jpeg);base64,[A-Za-z0-9+/=]*")  # in the page itself
TAG = re.compile(r"<[^>]*>")
NO_PICTURE = re.compile(r"<img(?: alt=\"[^\"]*\")?>")  # one whose address was not allowed
PASTED = "attachment:"  # begins the address of a picture in the cell
SHOWN = f"{ENTRY}_shown"  # what marking_page.py puts into the page, by the names of cells
# the page's own classes lie over it, or are its buttons; those of coloured code do nothing else
CLASSES = {("div", "highlight"), *(("span", name) for name in STANDARD_TYPES.values())}
# with these MathJax gives letters a class, an id, a style or a link
TEX_THAT_REACHES_THE_PAGE = re.compile(
    r"\\(class|cssId|style|href|bbox|mmlToken|require|data)(?![A-Za-z])"
)


def _allowed(tag: str, name: str, value: str) -> bool:
    # a link without a host leads to the student's own files, in the marker's session
    if tag == "a" and name == "href":
        return bool(ADDRESS.match(value))
    if tag == "img":
        return name == "alt" or (name == "src" and bool(PICTURE.fullmatch(value)))
    if tag == "math":
        return name == "display" and value in ("inline", "block")
    if name == "class":
        return (tag, value) in CLASSES
    return tag == "a" and name == "title"


def shortened(text: str) -> str:
    """Return the text, cut off where nobody would read on and a browser would stand still.

    >>> shortened("short")
    'short'
    """
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n… {len(text):,} characters …"


class _Renderer(IPythonRenderer):
    """Shows a picture that was pasted; of one that is not there, its name."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return a picture's HTML."""
        if url.startswith(PASTED) and url.removeprefix(PASTED) not in self.attachments:
            return f"[no picture: {html.escape(url.removeprefix(PASTED))}]"
        return str(super().image(text, url, title))


class _StillRenderer(_Renderer):
    """Writes formulas as MathML, which needs no script."""

    def inline_math(self, body: str) -> str:
        """Return a formula in a line."""
        return _formula(body, "inline")

    def block_math(self, body: str) -> str:
        """Return a formula of its own line."""
        return _formula(body, "block")


def _formula(tex: str, display: str) -> str:
    """Return TeX as MathML, or as it was written where it cannot be read."""
    try:
        if len(tex) > MAX_FORMULA:
            raise ValueError("too long")
        return str(convert(tex, display=display))
    except Exception:  # a student's TeX; the converter raises what comes, RecursionError too
        return f"<code>{html.escape(tex)}</code>"


def still(source: str, attachments: Mapping[str, Any] | None = None) -> str:
    """Return the text as HTML like `markdown`, with formulas that show without a script.

    >>> still("$n_i$").strip()
    '<p><math display="inline"><mrow><msub><mi>n</mi><mi>i</mi></msub></mrow></math></p>'
    """
    return _cleaned(source, _StillRenderer, attachments)


def still_without_html(source: str) -> str:
    """Do as `still` does, and show tags as they were typed: a marker's `<s>` strikes out nothing.

    >>> still_without_html("*Where* is <s>?").strip()
    '<p><em>Where</em> is &lt;s&gt;?</p>'
    """
    return _cleaned(source, _StillRenderer, None, tags_as_typed=True)


def _as_it_is(source: str) -> str:
    return f"<pre>{html.escape(shortened(source))}</pre>"


def _cleaned(
    source: str,
    renderer: type[_Renderer],
    attachments: Mapping[str, Any] | None,
    tags_as_typed: bool = False,
) -> str:
    if len(source) > MAX_MARKDOWN or any(source.count(each) > MAX_MARKS for each in MARKS):
        return _as_it_is(source)
    made = renderer(
        escape=tags_as_typed, exclude_anchor_links=True, attachments=dict(attachments or {})
    )
    page = MarkdownWithMath(renderer=made).render(source)
    tags, protocols = [*TAGS, *FORMULAS], ["http", "https", "data"]
    cleaned = bleach.clean(page, tags=tags, attributes=_allowed, protocols=protocols)
    return NO_PICTURE.sub("", str(cleaned))


@pass_context
def markdown_of_cell(context: Context, source: str) -> str:
    """Do as `markdown` does, in a template of nbconvert's, with the cell's own pictures.

    A cell that was put into the page for the marker has its HTML in the page's resources, which no
    notebook can write to.
    """
    cell = context.get("cell") or {}
    if name := (cell.get("metadata") or {}).get(SHOWN):
        return str((context.get("resources") or {}).get(SHOWN, {}).get(name, ""))
    return markdown(source, cell.get("attachments") or {})


def markdown(source: str, attachments: Mapping[str, Any] | None = None) -> str:
    """Return the text as HTML without scripts, event handlers and links inside the site.

    Of pictures it holds those only that stand in `attachments` (by name and type, in base64).

    Nor does it hold a class, an id or a style of the student's. A text with TeX that could make
    one is shown as it was written.

    >>> markdown("**a** <script>x</script>").strip()
    '<p><strong>a</strong> &lt;script&gt;x&lt;/script&gt;</p>'
    >>> markdown('<b class="full-credit" id="x" style="position: fixed">a</b>').strip()
    '<p><b>a</b></p>'
    """
    if _reaches_the_page(source):
        return _as_it_is(source)  # in which MathJax reads no formulas
    page = _cleaned(source, _Renderer, attachments)
    # subtle: MathJax reads what the browser makes of it, where &#114; is a letter like others
    seen = html.unescape(TAG.sub("", page))
    return _as_it_is(source) if _reaches_the_page(seen) else page


def _reaches_the_page(text: str) -> bool:
    return bool(TEX_THAT_REACHES_THE_PAGE.search(text))
