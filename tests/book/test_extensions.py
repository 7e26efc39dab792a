"""The book's extensions of Sphinx. Leaves out: a built book (test_book, test_pages)."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from examiner.catalogue.schedule import parse_schedule
from examiner.project import Project
from nextword.claims import Claim

pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
nodes, utils = map(importlib.import_module, ("docutils.nodes", "docutils.utils"))
sys.path.insert(0, str(Path(__file__).parents[2] / "chapters" / "_ext"))
citations, claims, dates, figures, formulas, light, navigation, practice, styles, units = map(
    importlib.import_module,
    (
        *("citations", "claims", "dates", "figures", "formulas", "light", "navigation"),
        *("practice", "styles", "units"),
    ),
)


# ---------------------------------------------------------------- citations


def test_papers_are_named_without_a_search_of_all_packages(monkeypatch):
    plugin = importlib.import_module("pybtex.plugin")
    monkeypatch.setattr(plugin, "_RUNTIME_PLUGINS", {})
    citations.setup(SimpleNamespace())
    monkeypatch.setattr(plugin, "entry_points", None)  # a search would call it
    assert plugin.find_plugin("pybtex.backends", "plaintext") is citations.Backend


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
        (r"0, -4 + r^-", ["0, -4", "{}+ r^-"]),  # nor is one behind a comma, or raised
        (r"|a - b| + |c|", ["|a - b|", "{}+ |c|"]),
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


def test_a_formula_is_mathml_in_the_size_of_its_place():
    inline, displayed = (formulas.mathml(r"\sum_i x_i", displayed=d) for d in (False, True))
    assert inline.startswith("<math><munder><mo")
    assert displayed.startswith('<math displaystyle="true">')
    assert "<munder><mo" in displayed


def test_lines_of_cases_end_with_cr_as_notebooks_write_it():
    assert formulas.mathml(r"\begin{cases} 1 \cr 0 \end{cases}").count("<mtr>") == 2


def test_what_is_no_formula_is_an_error_and_no_red_text():
    with pytest.raises(formulas.LatexError, match="unknowncommand"):
        formulas.mathml(r"\unknowncommand x")


# ---------------------------------------------------------------- light pages

PAGE = """<html data-content_root="../"><head>
<link href="../_static/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" href="../_static/own.css?v=2" />
<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>
<script src="../_static/quizzes.js"></script><script src="../_static/book.js"></script>
</head><body>{}</body></html>"""


@pytest.mark.parametrize(("body", "count"), [("", 0), ('<div class="quiz">', 1)])
def test_a_page_loads_the_scripts_that_it_uses_and_one_style_sheet(tmp_path, body, count):
    html = light.light(PAGE.format(body), tmp_path, ["theme.css"], "v1")
    assert html.count("quizzes.js") == count
    assert "fontawesome" not in html
    assert light.sheets(html) == ["pages.css", "own.css"]
    assert "../_static/book.js" in html
    assert light.light(html, tmp_path, ["theme.css"], "v2") == html  # seen again: it stays


def test_the_sheets_that_all_new_pages_link_become_one(tmp_path):
    other = PAGE.format("").replace("own.css", "another.css")
    done = light.light(other, tmp_path, ["theme.css"], "v1")
    assert light.shared_sheets([PAGE.format(""), other, done]) == ["theme.css"]
    assert light.shared_sheets([done]) == []


def test_a_sheet_keeps_the_rules_that_a_page_or_a_script_can_need(tmp_path):
    css = """@import "base.css"; .a{x:1} .a.b{x:2} p > .c:hover, #d{x:3} :not(.b){x:4}
        @media print{.b{x:5} .a{x:6}} @keyframes turn{to{x:7}} .i::before{content:"\\f00c"}"""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.css").write_text(css, "utf-8")
    (tmp_path / "sub" / "base.css").write_text('.a{y:url("x.png")} .b{y:2}', "utf-8")
    kept = re.sub(r"\s", "", styles.sheet(tmp_path, ["sub/a.css"], {"a", "c", "i"}))
    assert kept == (
        '.a{y:url("sub/x.png")}.a{x:1}p>.c:hover{x:3}:not(.b){x:4}@mediaprint{.a{x:6}}'
        '@keyframesturn{to{x:7}}.i::before{content:"\uf00c"}'
    )


def test_names_are_classes_ids_and_words_of_scripts_but_no_data():
    html = """<p class="a b" id="c">d</p><script>x.className = "e-f"</script>
        <script type="application/json">{"g": 1}</script>"""
    found = set(styles.names_of(html))
    assert {"a", "b", "c", "e-f"} <= found
    assert not {"d", "g"} & found


def test_a_picture_tells_its_size_before_it_is_loaded(tmp_path):
    head = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4)
    (tmp_path / "a.png").write_bytes(head)
    assert light.size(tmp_path / "a.png") == 'width="640" height="480" '
    assert light.size(tmp_path / "none.png") == ""


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


# ---------------------------------------------------------------- dates


def test_a_page_says_when_its_chapter_is_due():
    ngrams = {"release": "2026-10-19", "due": "2026-11-01"}
    day = {"zone": "UTC", "chapters": {"ngrams": ngrams}}
    found = parse_schedule(day, ["ngrams", "rnns"])
    doctree = utils.new_document("page")
    section = nodes.section("", nodes.title("", "N-grams"), nodes.paragraph("", "Text."))
    doctree += section
    app = SimpleNamespace(
        env=SimpleNamespace(docname="chapters/02-ngrams"),
        dates={"chapters/02-ngrams": found.of("ngrams"), "chapters/04-rnns": found.of("rnns")},
    )
    dates.give_note(app, doctree)
    assert section[1].astext() == (
        "This chapter's assignment is handed out on Monday, 19 October 2026, 00:00 (UTC), "
        "and due on Sunday, 1 November 2026, 23:59 (UTC)."
    )
    app.env.docname = "chapters/04-rnns"
    dates.give_note(app, doctree)
    assert len(section) == 3, "nothing is known of this one"


# ---------------------------------------------------------------- numbers


def test_a_number_keeps_its_percent_sign_beside_it_and_code_stays_as_written():
    document = utils.new_document("page")
    document += nodes.paragraph(
        "", "", nodes.Text("from 33 to 37 %, or a %"), nodes.literal("", "1 % 2")
    )
    units.keep_percent(SimpleNamespace(builder=SimpleNamespace(format="html")), document, "page")
    assert document.astext() == "from 33 to 37\N{NO-BREAK SPACE}%, or a %1 % 2"


def test_an_option_of_a_command_is_marked_and_other_words_of_code_are_not():
    body = "".join(f'<span class="pre">{word}</span>' for word in ("make", "--train", "-n", "a-b"))
    context = {"body": body}
    units.keep_options(None, "page", "page.html", context, None)
    marked = re.findall(r'class="pre whole">([^<]*)<', context["body"])
    assert marked == ["--train", "-n"]
    units.keep_options(None, "search", "search.html", {}, None)  # a page without a body


# ---------------------------------------------------------------- claims


def test_only_the_first_claim_of_a_page_is_linked_to_the_list_of_claims():
    claim = Claim("It learns.", "share right", (1.0,), above=0).html
    app = SimpleNamespace(
        env=SimpleNamespace(found_docs={"chapters/claims"}),
        builder=SimpleNamespace(get_relative_uri=lambda page, other: "claims.html"),
    )
    context = {"body": f"<p>Text.</p>{claim}{claim}"}
    claims.say_how_to_read(app, "chapters/05", "page.html", context, None)
    linked = '(<a href="claims.html">how to read this</a>)</small></p>'
    assert context["body"] == f"<p>Text.</p>{claim[: -len('</small></p>')]} {linked}{claim}"
    app.env.found_docs.clear()  # a class's own book may leave the list out
    context = {"body": claim}
    claims.say_how_to_read(app, "chapters/05", "page.html", context, None)
    assert context["body"] == claim
