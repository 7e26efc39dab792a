"""Light pages: each loads the scripts that it uses, and one style sheet that all share.

A page is looked at when all are written, because only then is known what stands in it. What is left
out stays in `_static`, where the printed book finds it.
"""

import hashlib
import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import styles
from landmarks import accessible
from sphinx.application import Sphinx

SHEET = "pages.css"
LINK = re.compile(r'[ \t]*<link[^>]*\brel="(?:stylesheet|preload)"[^>]*>\n?')
SCRIPT = re.compile(r'[ \t]*<script[^>]*\bsrc="([^"?]*)[^"]*"[^>]*></script>\n?')
HREF = re.compile(r'\bhref="([^"?]*)')
PICTURE = re.compile(r'<img (?![^>]*\bwidth=)([^>]*\bsrc="([^"]+\.png)")')
THEME = re.compile(r'<script data-cfasync="false">.*?</script>', re.S)
# a script of these names is loaded where a page holds the text behind it, or nowhere
NEEDED: dict[str, str | None] = {
    "fontawesome.js": None,  # icons are a font
    "bootstrap.js": None,  # its one use, opening menus, is in book.js
    "searchtools.js": None,  # the search is find.js
    "language_data.js": None,
    "searchindex.js": None,
    "doctools.js": None,  # keys and marks that nobody uses here
    "sphinx_highlight.js": None,
    "design-tabs.js": 'class="sd-tab-set',
    "clipboard.min.js": '<div class="highlight',
    "copybutton.js": '<div class="highlight',
    "previews.js": "#term-|#eq-|bibliography.html#id",
    "quizzes.js": 'class="quiz"|class="questions|class="review',
}
UNUSED = ("scripts/fontawesome.js", "scripts/bootstrap.js", "searchtools.js", "sphinx_highlight.js")
LARGE = 400_000  # bytes
# colours are right before a page is drawn: the theme's script would change all of them later
CHOOSE_THEME = """<script>
  (() => {
    // where cookies are blocked the theme's scripts would end at the first word about storage
    for (const name of ["localStorage", "sessionStorage"]) {
      try { window[name].getItem("mode"); } catch {
        const held = new Map();
        const value = {
          getItem: (key) => held.get(key) ?? null,
          setItem: (key, text) => { held.set(key, String(text)); },
          removeItem: (key) => { held.delete(key); },
        };
        Object.defineProperty(window, name, { value });
        window.keepsNothing = true;
      }
    }
    const mode = localStorage.getItem("mode") || "auto";
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    Object.assign(document.documentElement.dataset, { mode, theme: mode === "auto" ? dark : mode });
  })();
  </script>"""

# no line of a text moves: it is shown when its letters and what scripts add are there, or, if the
# letters take long, with others that stay
WAIT_FOR_LETTERS = """<script>
  (() => {
    const { classList } = document.documentElement;
    const names = ["Source Serif 4", "STIX Two Math Part"].map((name) => `1em "${name}"`);
    const letters = [...names, `italic ${names[0]}`].map((name) => document.fonts.load(name));
    const built = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));
    const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
    let came = false;
    const show = () => classList.replace("waiting", came ? "ready" : "late");
    classList.add("waiting");
    const ready = Promise.all(letters).then(() => { came = true; }, () => {});
    const soon = () => requestAnimationFrame(() => requestAnimationFrame(show)); // once laid out
    Promise.all([built, Promise.race([ready, pause(600)])]).then(soon);
    pause(3000).then(show); // a script that never ends hides no text
  })();
  </script>
"""


def lighten(app: Sphinx, error: Exception | None) -> None:
    """Rewrite the pages that were built, when all are."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    pages = {p: p.read_text(encoding="utf-8") for p in sorted(site.rglob("*.html"))
             if "_static" not in p.parts}  # fmt: skip
    static = site / "_static"
    shared = shared_sheets(pages.values())
    if not shared:
        return  # all pages are as an earlier build left them
    known = {name for html in pages.values() for name in styles.names_of(html)}
    for script in scripts(static):
        known.update(styles.WORD.findall(script.read_text(encoding="utf-8")))
    css = styles.sheet(static, shared, known)
    (static / SHEET).write_text(css, encoding="utf-8")
    version = hashlib.sha256(css.encode()).hexdigest()[:8]
    for path, html in pages.items():
        path.write_text(light(html, path.parent, shared, version), encoding="utf-8")
    for path in [*static.rglob("*.map"), *map(static.joinpath, UNUSED)]:
        path.unlink(missing_ok=True)


def scripts(static: Path) -> Iterator[Path]:
    """Give the scripts that may write classes into a page; large ones are data or libraries."""
    for path in sorted(static.rglob("*.js")):
        left_out = path.name in NEEDED and NEEDED[path.name] is None
        if not left_out and "locales" not in path.parts and path.stat().st_size < LARGE:
            yield path


def sheets(html: str) -> list[str]:
    """Return the style sheets in `_static` that a page links, in their order."""
    found = [HREF.search(link) for link in LINK.findall(html) if 'rel="stylesheet"' in link]
    return [m[1].partition("_static/")[2] for m in found if m and "_static/" in m[1]]


def shared_sheets(pages: Iterable[str]) -> list[str]:
    """Return the sheets that every page links which was just written."""
    linked = [found for html in pages if SHEET not in (found := sheets(html)) and found]
    return [name for name in linked[0] if all(name in each for each in linked)] if linked else []


def light(html: str, folder: Path, shared: list[str], version: str) -> str:
    """Return a page that loads what it uses."""
    if SHEET in sheets(html):
        return html
    found, first = re.search(r'data-content_root="([^"]*)"', html), True
    root = found[1] if found else ""

    def link(match: re.Match[str]) -> str:
        nonlocal first
        address = HREF.search(match[0])
        name = address[1].partition("_static/")[2] if address else ""
        if 'rel="preload"' in match[0]:
            return ""
        if name not in shared:
            return match[0]
        if not first:
            return ""
        first = False
        return f'    <link rel="stylesheet" href="{root}_static/{SHEET}?v={version}" />\n'

    def script(match: re.Match[str]) -> str:
        wanted = NEEDED.get(match[1].rpartition("/")[2], "")
        return match[0] if wanted is not None and re.search(wanted, html) else ""

    html = SCRIPT.sub(script, LINK.sub(link, html))
    html = PICTURE.sub(lambda m: f"<img {size(folder / m[2])}{m[1]}", html)
    html = accessible(html).replace("</head>", WAIT_FOR_LETTERS + "</head>", 1)
    return THEME.sub(CHOOSE_THEME, html, count=1)


def size(path: Path) -> str:
    """Return the width and height of a PNG file as attributes: its place is kept while it loads."""
    head = path.read_bytes()[:24] if path.is_file() else b""
    if not head.startswith(b"\x89PNG"):
        return ""
    width, height = struct.unpack(">II", head[16:24])
    return f'width="{width}" height="{height}" '


def setup(app: Sphinx) -> dict[str, bool]:
    """Begin when everything else has been written, the index of sections too."""
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
