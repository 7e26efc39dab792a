"""The book's extensions of Sphinx. Leaves out: a built book (test_book, test_pages)."""

import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
sys.path.insert(0, str(Path(__file__).parents[2] / "chapters" / "_ext"))
figures, formulas, navigation = map(importlib.import_module, ("figures", "formulas", "navigation"))


# ---------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"a = b", ["a", "{}= b"]),
        (r"a = -b", ["a", "{}= -b"]),  # a sign is no operator
        (r"f(a + b) = \frac{c + d}{e}", ["f(a + b)", r"{}= \frac{c + d}{e}"]),
        (r"\left( a + b \right) + c", [r"\left( a + b \right)", "{}+ c"]),
        (r"\Bigl(\sum_w p_w - 1\Bigr) - 2", [r"\Bigl(\sum_w p_w - 1\Bigr)", "{}- 2"]),
        (r"x = 1, \quad y = 2", ["x", "{}= 1,", r"\quad y", "{}= 2"]),
        (r"a = \begin{cases} b = c & d \cr e \end{cases}",
         ["a", r"{}= \begin{cases} b = c & d \cr e \end{cases}"]),
        (r"a = b \allowbreak = c", ["a = b", "= c"]),
    ],
)  # fmt: skip
def test_a_formula_is_cut_outside_of_all_brackets_only(tex, expected):
    assert [piece for pieces in formulas.statements(tex) for piece in pieces] == expected


def test_a_formula_of_several_statements_breaks_between_them_first():
    assert list(map(len, formulas.statements(r"x = 1, \quad y = 2 + 3"))) == [2, 3]


@pytest.mark.parametrize("tex", [r"a = b + c", r"\left(x\right) \cdot y - z", "x"])
def test_no_sign_of_a_formula_is_lost(tex):
    joined = "".join(map("".join, formulas.statements(tex))).replace("{}", "")
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", tex)


# ---------------------------------------------------------------- figures


def test_a_drawing_in_a_page_has_its_label_and_no_paper():
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect class="paper"/><path d="M0 0"/></svg>'
    html = figures.figure(svg, 'Bars of "words" & more.')
    drawing = ET.fromstring(html)[0]
    assert drawing.get("role") == "img"
    assert drawing.get("aria-label") == 'Bars of "words" & more.'
    assert [child.tag.partition("}")[2] for child in drawing] == ["path"]


# ---------------------------------------------------------------- the index of sections


@pytest.mark.parametrize(
    ("tex", "expected"),
    [(r"N_{1+}(\bullet uw)", "N1+(• uw)"), (r"\lambda(u)", "λ(u)"), (r"\frac12", "1/2"),
     (r"\#(u\bullet)", "#(u•)"), (r"\mathcal V", "V")],
)  # fmt: skip
def test_a_formula_in_a_quotation_is_written_in_letters(tex, expected):
    assert navigation.plain(tex) == expected


def test_the_menu_gets_sections_below_the_open_page_only():
    menu = '<ul><li class="current active"><a href="#">2</a></li><li><a href="x">3</a></li></ul>'
    html = navigation._insert(menu, [("#a", "2.1 <Padding>"), ("#b", "2.2")])
    assert html.count('<ul class="sections">') == 1
    assert html.index("#b") < html.index('href="x"')
    assert "2.1 &lt;Padding&gt;" in html
    assert navigation._insert("<ul><li>no page is open</li></ul>", [("#a", "2.1")]) == (
        "<ul><li>no page is open</li></ul>"
    )
