"""Every page in a real browser: open to everyone, as wide as the screen, and silent.

Leaves out: what the pages say (test_book). Needs Chromium; `make setup` installs it where it may.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nextword.project import Project
from nextword.release.samples import write_samples
from tests.browser import NEEDS_CHROMIUM, SCREENS, assert_open_to_everyone

ROOT = Path(__file__).parents[1]
PAGES = [
    *(f"chapters/{p.stem}.html" for p in sorted((ROOT / "chapters").glob("*.ipynb"))),
    *(f"chapters/{p.stem}.html" for p in sorted((ROOT / "chapters").glob("*.md"))),
    "search.html?q=continuation+count",
    "genindex.html",
]
MODEL = "chapters/02-ngrams.html"
NOTEBOOKS = [page for page in PAGES if (ROOT / page).with_suffix(".ipynb").exists()]
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


def locate(site, name):
    """The file of a page and what follows its name in the address."""
    name, mark, rest = name.partition("?")
    return site / name, mark + rest


@pytest.fixture(scope="module")
def feedback(tmp_path_factory):
    """Feedback pages of three students: half right, not importable, without a module."""
    if shutil.which("bwrap") is None:
        pytest.skip("no bubblewrap: nobody can be graded")
    handed_in, out = tmp_path_factory.mktemp("handed-in"), tmp_path_factory.mktemp("feedback")
    write_samples(Project(ROOT), "ngrams")
    for student in ("bob", "emma", "pavel"):
        source = ROOT / "tests" / "submissions" / "ngrams" / student
        shutil.copytree(source, handed_in / student)
    nextword = Path(sys.executable).with_name("nextword")
    command = [nextword, "grade", "ngrams", handed_in, "--out", out]
    subprocess.run(list(map(str, command)), cwd=ROOT, check=True, capture_output=True)
    return sorted(out.glob("*.html"))


# ---------------------------------------------------------------- open to everyone


# what is too wide for a phone is so in both themes
@pytest.mark.parametrize(("theme", "width"), [each for each in SCREENS if each != ("dark", 390)])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_book_is_open_to_everyone(site, show, name, theme, width):
    path, fragment = locate(site, name)
    page = show(path, theme, width, fragment)
    assert page.locator(f"html[data-theme={theme}]").count() == 1
    # a chapter has thousands of letters to look at; its colours are those of the model chapter
    contrast = name not in NOTEBOOKS or (width > 390 and name == MODEL)
    assert_open_to_everyone(page, width, contrast=contrast)


@pytest.mark.parametrize(("theme", "width"), SCREENS)
def test_feedback_is_open_to_everyone(feedback, show, theme, width):
    assert len(feedback) >= 3
    for path in feedback:
        assert_open_to_everyone(show(path, theme, width), width)


# ---------------------------------------------------------------- formulas, code, figures

FORMULAS = """[...document.querySelectorAll('div.formula')].map((formula) => {
    const box = formula.getBoundingClientRect();
    const pieces = [...formula.querySelectorAll('.statement > span')]
        .map((piece) => piece.getBoundingClientRect());
    const middles = pieces.map((p) => (p.top + p.bottom) / 2);
    return { text: formula.getAttribute('id') || formula.textContent.slice(0, 40),
             lines: Math.max(...middles) - Math.min(...middles) > 12 ? 2 : 1,
             leaves: pieces.some((p) => p.left < box.left - 1 || p.right > box.right + 1) };
})"""
WIDE_CODE = """[...document.querySelectorAll('.bd-article pre')]
    .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
    .map((box) => box.innerText.slice(0, 60))"""


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_formula_breaks_only_where_the_screen_is_narrow(site, show, name):
    wide = show(site / name, width=1300).evaluate(FORMULAS)
    narrow = show(site / name, width=390).evaluate(FORMULAS)
    assert [f["text"] for f in wide + narrow if f["leaves"]] == []
    assert [f["text"] for f in wide if f["lines"] > 1] == []
    if len(narrow) > 10:
        assert any(f["lines"] > 1 for f in narrow), "no formula was ever too wide: is this tested?"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_code_and_no_output_is_wider_than_its_box(site, show, name):
    for width, allowed in ((1300, 0), (390, 3)):
        page = show(site / name, width=width)
        page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
        wide = page.evaluate(WIDE_CODE)
        assert len(wide) <= allowed, f"{width}: {wide}"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_letters_of_every_figure_can_be_read_on_a_phone(site, show, name):
    sizes = show(site / name, width=390).evaluate(
        """[...document.querySelectorAll('figure.drawing svg')].map((svg) => {
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            const sizes = [...svg.querySelectorAll('text')]
                .map((text) => parseFloat(getComputedStyle(text).fontSize));
            return Math.min(...sizes) * scale;
        })"""
    )
    assert [size for size in sizes if size < 10] == []  # pixels


def test_a_figure_opens_large_and_goes_back_to_its_place(site, show):
    page = show(site / MODEL, width=1300)
    figure = page.locator("figure.drawing").nth(2)
    before = figure.locator("svg").bounding_box()["width"]
    figure.get_by_role("button").click()
    assert page.locator("dialog.large svg").bounding_box()["width"] > 1.4 * before
    assert figure.locator("svg").count() == 0
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('dialog.large svg')")
    assert figure.locator("svg").bounding_box()["width"] == pytest.approx(before)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_take_the_font_and_the_colours_of_the_page(site, show, theme):
    page = show(site / MODEL, theme)
    style = "(e) => { const s = getComputedStyle(e); return [s.fontFamily, s.fill || s.color]; }"
    letters = page.locator("figure.drawing svg text").first.evaluate(style)
    body = page.locator(".bd-article p:not(.tags)").first.evaluate(
        "(e) => getComputedStyle(e).fontFamily"
    )
    assert letters[0] == body
    ink = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--fig-ink')")
    rgb = ", ".join(str(int(ink.strip()[i : i + 2], 16)) for i in (1, 3, 5))
    assert letters[1] == f"rgb({rgb})"


# ---------------------------------------------------------------- finding a section


def test_the_left_menu_opens_the_sections_of_the_open_chapter(site, show):
    page = show(site / MODEL)
    links = page.locator(".bd-sidebar-primary ul.sections a")
    headings = page.locator(".bd-article h2")
    assert links.count() == headings.count() > 10
    links.filter(has_text="2.9 Kneser-Ney").click()
    page.wait_for_function("scrollY > 1000")
    assert page.locator("h2", has_text="2.9 Kneser-Ney").bounding_box()["y"] < 300


@pytest.mark.parametrize(
    ("words", "section"),
    [("continuation count", "2.9 Kneser-Ney"), ("sliding windows", "2.1 Padding"),
     ("bubblewrap", "For instructors")],
)  # fmt: skip
def test_a_search_on_pages_from_a_disk_lands_on_the_section_and_quotes_it(
    site, show, words, section
):
    page = show(site / "search.html", fragment=f"?q={words.replace(' ', '+')}")
    first = page.locator("#search-results li").first
    assert section in first.inner_text()
    quotation = first.locator("p").inner_text()
    assert words.split()[0] in quotation.lower()
    assert 60 < len(quotation) < 320
    assert not re.search(r"\\[a-z]|\{\{|¶", quotation)
    first.locator("a").click()
    page.wait_for_url("**/chapters/**")
    if section[0].isdigit():
        assert "#" in page.url


def test_a_search_for_nothing_says_what_to_do(site, show):
    page = show(site / "search.html", fragment="?q=zebra+crossing")
    assert "Try fewer or other words" in page.locator(".search-summary").inner_text()


def test_a_bar_says_how_far_one_has_read(site, show):
    page = show(site / MODEL)
    width = "document.querySelector('.reading-progress').getBoundingClientRect().width"
    assert page.evaluate(width) == 0
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.wait_for_function(f"{width} > 400")
    assert 500 < page.evaluate(width) < 800
