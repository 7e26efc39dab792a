r"""Formulas drawn when the book is built: MathML, which a browser sets by itself, without a script.

A displayed formula is written once. It is cut into pieces that stand in one line while there is
room, and wrap like words where there is none (`div.formula` in the style sheet): first between
statements, which `\quad` parts, then before a relation or an operator outside all brackets. A
formula with `\allowbreak` is cut only there. In a sentence, a formula keeps the signs around it,
and wraps in the same way only where it is wider than a line (`span.pieces`).

What math-core cannot read stops the build. The font is a part of STIX Two Math: `formulas.css`.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator

RELATIONS = {"=", r"\approx", r"\sim", r"\propto", r"\le", r"\ge"}
OPERATORS = {"+", "-", r"\cdot", r"\times"}
SPACES = {r"\quad", r"\qquad"}
SIGN_BEHIND = {"", "^", "_", ",", ";", "<", ">", r"\in", r"\to"}  # "-" is no operator behind them
OPENING = {"{", "(", "[", r"\{", r"\begin", r"\left", r"\bigl", r"\Bigl"}
CLOSING = {"}", ")", "]", r"\}", r"\end", r"\right", r"\bigr", r"\Bigr"}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[^\\]", re.S)
TAG = re.compile(r"\s*\\tag\{([^}]*)\}\s*")
SIZED = {r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"}  # the bracket follows
BEFORE = re.compile(r"[(\[“‘]+$")  # what must not be parted from a formula behind it
BEHIND = re.compile(r"^[-–.,;:!?%)\]”’…]+")  # and before it
STYLE = "formulas.css"


# ---------------------------------------------------------------- from TeX to MathML


@cache
def mathml(tex: str, *, displayed: bool = False) -> str:
    r"""Write a formula as MathML; `displayed` with the large signs of a line of its own.

    >>> mathml("n + 1")
    '<math><mi>n</mi><mo>+</mo><mn>1</mn></math>'

    Raises:
        LatexError: something in it is not known.
    """
    # \cr stands in the sources because a line must not end in two backslashes
    written = LatexToMathML(unicode_substitution="never").convert_with_local_state(
        re.sub(r"\\cr\b", r"\\\\", tex), displaystyle=displayed
    )
    # the sheet gives a prime the shape that its font has for small signs
    written = re.sub(r"<mo([^>]*)>(′+)</mo>", r'<mo\1 class="prime">\2</mo>', written)
    # a block would take a line for each piece of a formula
    return written.replace('<math display="block">', '<math displaystyle="true">', 1)


def statements(tex: str) -> list[list[str]]:
    r"""Cut a formula into its statements, and each of them into the pieces that must not break.

    >>> statements(r"P(w) = \frac{a + b}{c} + x, \quad y = 1")
    [['P(w)', '{}= \\frac{a + b}{c}', '{}+ x,'], ['\\quad y', '{}= 1']]
    """
    wanted = {r"\allowbreak"} if r"\allowbreak" in tex else RELATIONS | OPERATORS
    found, previous = [[""]], ""
    for token, depth in _with_depth(tex):
        sign = token in OPERATORS and previous in RELATIONS | OPERATORS | SIGN_BEHIND
        if depth == 0 and token in SPACES:
            found.append([token])
        elif depth == 0 and token in wanted and not sign and found[-1][-1].strip():
            # "{}" keeps the space that belongs before a sign
            found[-1].append("" if token == r"\allowbreak" else "{}" + token)
        else:
            found[-1][-1] += token
        previous = token if token.strip() else previous
    return [[piece.strip() for piece in pieces if piece.strip()] for pieces in found]


def _with_depth(tex: str) -> Iterator[tuple[str, int]]:
    """Give each token of a formula with the number of brackets around it."""
    depth, after_size, tokens = 0, False, TOKEN.findall(tex)
    paired = tokens.count("|") % 2 == 0  # else one of them is no bracket
    within = False
    for token in tokens:
        if after_size and token.strip():
            after_size = False  # this bracket was counted with its size
        elif token in SIZED:
            after_size = True
            depth += 1 if token in OPENING else -1
        else:
            depth += (token in OPENING) - (token in CLOSING)
            if token == "|" and paired and depth == within:
                within = not within
                depth += 1 if within else -1
        yield token, depth


# ---------------------------------------------------------------- in a page


def drawn(self: HTML5Translator, node: nodes.Element, tex: str, *, displayed: bool) -> str:
    """Return a formula's MathML. Raises ExtensionError, with its place, where it cannot be read."""
    try:
        return mathml(tex, displayed=displayed)
    except LatexError as error:
        place = f"{node.source or self.builder.current_docname}:{node.line or '?'}"
        raise ExtensionError(f"{place}: no formula: {tex!r}", error) from error


def source(self: HTML5Translator, tex: str) -> str:
    """Write the TeX of a formula into its tag: `book.js` copies it with the text."""
    return f'data-tex="{self.encode(" ".join(tex.split()))}"'


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula of a sentence, in one piece with the signs that touch it.

    One that is wider than its line wraps as a displayed one does.
    """
    tex = node.astext()
    drawn(self, node, tex, displayed=False)  # what is wrong with it is said of the whole
    made = [drawn(self, node, each, displayed=False) for row in statements(tex) for each in row]
    if len(made) == 1:
        made[0] = made[0].replace("<math", f"<math {source(self, tex)}", 1)
    if before := self.encode(node.get("before", "")):
        made[0] = f'<span class="kept">{before}{made[0]}</span>'
    if behind := self.encode(node.get("behind", "")):
        made[-1] = f'<span class="kept">{made[-1]}{behind}</span>'
    formula = "".join(made)
    if len(made) > 1:
        formula = f'<span class="pieces" {source(self, tex)}>{formula}</span>'
    self.body.append(formula)
    raise nodes.SkipNode


def visit_displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula as a row of statements, its number behind them."""
    tex = node.astext()
    tag = TAG.search(tex)
    body = TAG.sub("", tex).strip()
    row = self.starttag(node, "div", CLASS="math formula notranslate nohighlight")
    self.body.append(row.replace("<div", f"<div {source(self, body)}", 1))
    self.body.append('<span class="statements">')
    for statement in statements(body):
        self.body.append('<span class="statement">')
        for piece in statement:
            self.body.append(f"<span>{drawn(self, node, piece, displayed=True)}</span>")
        self.body.append("</span>")
    self.body.append("</span>")
    if tag:
        self.body.append(f'<span class="number">({self.encode(tag[1])})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def keep_together(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give formulas the brackets, commas and hyphens that must not begin or end a line alone."""
    for formula in list(doctree.findall(nodes.math)):
        siblings = formula.parent.children
        place = siblings.index(formula)
        if place > 0 and isinstance(siblings[place - 1], nodes.Text):
            _move(formula, "before", siblings[place - 1], BEFORE)
        if place + 1 < len(siblings) and isinstance(siblings[place + 1], nodes.Text):
            _move(formula, "behind", siblings[place + 1], BEHIND)


def _move(formula: nodes.Element, side: str, text: nodes.Node, pattern: re.Pattern[str]) -> None:
    """Take what matches a pattern out of a text, and keep it in the formula."""
    written = text.astext()
    if found := pattern.search(written):
        formula[side] = found[0]
        text.parent.replace(text, nodes.Text(pattern.sub("", written)))


def link_style(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the font where there are formulas."""
    if "<math" in context.get("body", ""):
        app.add_css_file(STYLE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw formulas in place of `sphinx.ext.mathjax`, which then writes nothing."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_displayed, None))
    app.config.html_math_renderer = "mathml"
    app.connect("doctree-resolved", keep_together, priority=900)  # after the index of sections
    app.connect("html-page-context", link_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
