r"""Displayed formulas that break where the screen is narrow, and nowhere else.

A formula is written once. It is cut into pieces that stand in one line while there is room, and
wrap like words where there is none (`div.formula` in the style sheet): first between statements,
which `\quad` parts, then before a relation or an operator outside all brackets. A formula with
`\allowbreak` is cut only there.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

RELATIONS = {"=", r"\approx", r"\sim", r"\propto", r"\le", r"\ge"}
OPERATORS = {"+", "-", r"\cdot", r"\times"}
SPACES = {r"\quad", r"\qquad"}
OPENING = {"{", "(", "[", r"\{", r"\begin", r"\left", r"\bigl", r"\Bigl"}
CLOSING = {"}", ")", "]", r"\}", r"\end", r"\right", r"\bigr", r"\Bigr"}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[^\\]", re.S)
TAG = re.compile(r"\s*\\tag\{([^}]*)\}\s*")
SIZED = {r"\left", r"\right", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"}  # the bracket follows


def statements(tex: str) -> list[list[str]]:
    r"""Cut a formula into its statements, and each of them into the pieces that must not break.

    >>> statements(r"P(w) = \frac{a + b}{c} + x, \quad y = 1")
    [['P(w)', '{}= \\frac{a + b}{c}', '{}+ x,'], ['\\quad y', '{}= 1']]
    """
    wanted = {r"\allowbreak"} if r"\allowbreak" in tex else RELATIONS | OPERATORS
    found, previous = [[""]], ""
    for token, depth in _with_depth(tex):
        sign = token in OPERATORS and previous in RELATIONS | OPERATORS | {""}
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
    depth, after_size = 0, False
    for token in TOKEN.findall(tex):
        if after_size and token.strip():
            after_size = False  # this bracket was counted with its size
        elif token in SIZED:
            after_size = True
            depth += 1 if token in OPENING else -1
        else:
            depth += (token in OPENING) - (token in CLOSING)
        yield token, depth


def visit_displayed(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula as a row of statements, its number behind them."""
    tex = node.astext()
    tag = TAG.search(tex)
    self.body.append(self.starttag(node, "div", CLASS="math formula notranslate nohighlight"))
    self.body.append('<span class="statements">')
    for statement in statements(TAG.sub("", tex).strip()):
        self.body.append('<span class="statement">')
        for piece in statement:
            self.body.append(rf"<span>\(\displaystyle {self.encode(piece)}\)</span>")
        self.body.append("</span>")
    self.body.append("</span>")
    if tag:
        self.body.append(f'<span class="number">({self.encode(tag[1])})</span>')
    self.body.append("</div>\n")
    raise nodes.SkipNode


def take_over(app: Sphinx) -> None:
    """Write what `sphinx.ext.mathjax` would; its script and its settings stay."""
    app.registry.html_block_math_renderers["mathjax"] = (visit_displayed, None)


def setup(app: Sphinx) -> dict[str, bool]:
    """Take over after myst-parser has done the same."""
    app.connect("builder-inited", take_over, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
