"""One style sheet for the book: the rules that some page can need, and the icons that it shows.

The theme brings 600 kB of rules for pages of every kind, and a script of 1.5 MB that draws 2,000
icons. A rule stays if each class and id that it names occurs in a page or a script. Icons come as a
part of the theme's own font (Font Awesome Free; its fonts are under the SIL Open Font Licence),
within the sheet, for a browser may refuse a font's file to a page from a disk.
"""

import base64
import io
import logging
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
from tinycss2.ast import Node, QualifiedRule

ICON_FONTS = {  # family, weight and file of each style, and the class that asks for it
    "fa-solid": ("Font Awesome 6 Free", 900, "fa-solid-900.ttf"),
    "fa-regular": ("Font Awesome 6 Free", 400, "fa-regular-400.ttf"),
    "fa-brands": ("Font Awesome 6 Brands", 400, "fa-brands-400.ttf"),
}
NESTED = {"media", "supports", "layer", "container"}
PRIVATE = range(0xE000, 0xF900)  # where icons have their letters
NAMES = re.compile(r'\b(?:class|id)="([^"]*)"')
SCRIPT = re.compile(r"<script(?![^>]*json)[^>]*>(.*?)</script>", re.S)
WORD = re.compile(r"[A-Za-z_][\w-]*")
IMPORT = re.compile(r'@import "([^":]+)";')
ADDRESS = re.compile(r"url\(\s*[\"']?(?!data:|#|https?:)([^\"')]+)[\"']?\s*\)")
logging.getLogger("fontTools").setLevel(logging.WARNING)  # each table that is cut is no news


def names_of(html: str) -> Iterator[str]:
    """Give the classes and ids of a page, and every word of its scripts."""
    for names in NAMES.findall(html):
        yield from names.split()
    for script in SCRIPT.findall(html):
        yield from WORD.findall(script)


# ---------------------------------------------------------------- rules


def pruned(css: str, known: set[str]) -> str:
    """Return a style sheet without the rules that no page needs.

    >>> pruned(".a .b, #c {x: 1} .a > p:not(.z) {y: 2} @media print { .z {u: 3} }", {"a", "c"})
    '#c{x: 1}\\n.a > p:not(.z){y: 2}'
    """
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "\n".join(filter(None, (_kept(rule, known) for rule in rules)))


def _kept(rule: Node, known: set[str]) -> str:
    """Write a rule as far as pages need it; nothing if none does."""
    if isinstance(rule, QualifiedRule):
        selectors = [each for each in _selectors(rule.prelude) if _names(each) <= known]
        body = tinycss2.serialize(rule.content).strip()
        written = ", ".join(tinycss2.serialize(each).strip() for each in selectors)
        return f"{written}{{{body}}}" if selectors and body else ""
    if getattr(rule, "lower_at_keyword", "") in NESTED and rule.content is not None:
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        kept = "\n".join(filter(None, (_kept(each, known) for each in inner)))
        head = tinycss2.serialize(rule.prelude).strip()
        return f"@{rule.at_keyword} {head}{{\n{kept}\n}}" if kept else ""
    written = tinycss2.serialize([rule])
    # the icons' fonts are put in later, and the sheet says its letters itself
    return (
        ""
        if "Font Awesome" in written or "FontAwesome" in written or "@charset" in written
        else written
    )


def _selectors(prelude: Iterable[Node]) -> list[list[Node]]:
    """Cut the selectors of a rule at its commas."""
    found: list[list[Node]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def _names(selector: list[Node]) -> set[str]:
    """Return the classes and ids that a selector asks for; what :is() and :not() hold is open."""
    names, dot = set(), False
    for token in selector:
        if token.type == "hash" or (token.type == "ident" and dot):
            names.add(token.value)
        dot = token.type == "literal" and token.value == "."
    return names


# ---------------------------------------------------------------- icons


def icons(css: str, known: set[str], fonts: Path) -> str:
    """Return the style rules of fonts that hold the icons a sheet writes.

    fonts: the folder of the theme's icons. Only the styles that pages name are looked at.
    """
    signs = {int(code, 16) for code in re.findall(r"\\([0-9a-fA-F]{4})\b", css)} | set(
        map(ord, css)
    )
    wanted = {sign for sign in signs if sign in PRIVATE}
    used = [style for name, style in ICON_FONTS.items() if name in known]
    return "\n".join(_face(fonts / file, family, weight, wanted) for family, weight, file in used)


def _face(path: Path, family: str, weight: int, wanted: set[int]) -> str:
    """Return the rule of one font, cut to some letters."""
    options = subset.Options(flavor="woff", layout_features=[], hinting=False, notdef_outline=True)
    font, out = TTFont(path), io.BytesIO()
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted & set(font.getBestCmap()))
    cutter.subset(font)
    font["head"].modified = font["head"].created  # the same file whenever it is made
    subset.save_font(font, out, options)
    data = base64.b64encode(out.getvalue()).decode()
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-display:block;'
        f'src:url("data:font/woff;base64,{data}") format("woff")}}'
    )


# ---------------------------------------------------------------- the sheet


def moved(css: str, folder: str) -> str:
    """Write addresses as they are seen from the folder above; `folder` is the sheet's, or "".

    >>> moved("a{b: url('../c.svg')} d{e: url(f.svg)}", "styles")
    'a{b: url("c.svg")} d{e: url("styles/f.svg")}'
    """
    if not folder:
        return css

    def seen(match: re.Match[str]) -> str:
        address = match[1]
        return f'url("{address[3:] if address.startswith("../") else f"{folder}/{address}"}")'

    return ADDRESS.sub(seen, css)


def _read(static: Path, path: Path, known: set[str]) -> str:
    """Return what is needed of one sheet, after the sheets that it imports."""
    text = path.read_text(encoding="utf-8")
    imported = [
        _read(static, (path.parent / name).resolve(), known) for name in IMPORT.findall(text)
    ]
    folder = path.parent.relative_to(static).as_posix()
    own = moved(pruned(IMPORT.sub("", text), known), "" if folder == "." else folder)
    return "\n".join([*imported, own])


def sheet(static: Path, names: Iterable[str], known: set[str]) -> str:
    """Return one style sheet of several, which lie in `static`; the order of `names` decides."""
    css = "\n".join(_read(static, static / name, known) for name in names)
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    return f"{icons(css, known, fonts)}\n{css}\n"
