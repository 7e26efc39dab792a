"""The book's extensions of Sphinx. Leaves out: a built book (test_book, test_pages)."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from examiner.project import Project

pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
nodes, utils = map(importlib.import_module, ("docutils.nodes", "docutils.utils"))
sys.path.insert(0, str(Path(__file__).parents[2] / "chapters" / "_ext"))
figures, formulas, navigation, practice = map(
    importlib.import_module, ("figures", "formulas", "navigation", "practice")
)


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


# ---------------------------------------------------------------- tasks in the page


@pytest.mark.parametrize(
    ("task", "tarball", "found"),
    [
        ("2.1", Path("x"), '<div class="practice" data-chapter="ngrams" data-task="2.1"></div>'),
        ("2.1", None, "This copy was built without Python for the browser"),
        ("1.3", Path("x"), "This task computes with arrays"),
        ("5.1", Path("x"), None),  # a chapter of which no task can be checked in the page
    ],
)
def test_a_task_has_a_place_in_the_page_or_says_why_not(task, tarball, found):
    project = Project(Path(__file__).parents[2])
    chapters = [c for c in project.catalogue.chapters if c.stem in ("ngrams", "language_models")]
    metadata = {"page": {}}
    app = SimpleNamespace(
        practice=(chapters, {}, {}, tarball),
        env=SimpleNamespace(docname="page", metadata=metadata),
    )
    page = utils.new_document("page")
    asked = nodes.paragraph("", "Is it right? ", nodes.literal("", f"nextword check {task}"))
    page += [asked, nodes.paragraph("", "A hint")]
    practice.give_places(app, page)
    html = [raw.astext() for raw in page.findall(nodes.raw)]
    assert len(html) == (found is not None)
    assert all(found in " ".join(each.split()) for each in html)
    assert metadata["page"] == ({"practice": True} if found else {})
    if found:
        assert page.index(asked) == 0
        assert isinstance(page[1], nodes.raw)
