"""What pages do in a real browser: figures, menus, the search; and the feedback of a class.

Leaves out: what the pages say (test_book), and what is looked at in each of them
(test_every_page). Needs Chromium; `make setup` installs it where it may.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examiner.project import Project
from examiner.release.samples import write_samples
from tests.browser import (
    NEEDS_CHROMIUM,
    SCREENS,
    THOROUGH,
    assert_open_to_everyone,
    opened,
    violations,
)
from tests.pages import MODEL, ROOT

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.fixture(scope="module")
def feedback(tmp_path_factory):
    """Feedback pages of three students: half right, not importable, without a module."""
    if shutil.which("bwrap") is None:
        pytest.skip("no bubblewrap: nobody can be graded")
    handed_in, out = tmp_path_factory.mktemp("handed-in"), tmp_path_factory.mktemp("feedback")
    write_samples(Project(ROOT), "ngrams")
    for student in ("bob", "emma", "pavel"):
        source = ROOT / "tests" / "ngrams" / "class" / student
        shutil.copytree(source, handed_in / student)
    nextword = Path(sys.executable).with_name("nextword")
    command = [nextword, "grade", "ngrams", handed_in, "--out", out]
    subprocess.run(list(map(str, command)), cwd=ROOT, check=True, capture_output=True)
    return sorted(out.glob("*.html"))


@pytest.mark.parametrize(("theme", "width"), SCREENS if THOROUGH else SCREENS[::3])
def test_feedback_is_open_to_everyone(feedback, show, theme, width):
    assert len(feedback) >= 3
    for path in feedback:
        assert_open_to_everyone(show(path, theme, width), width)


@pytest.mark.parametrize("student", ["farid", "1 Language models"])
def test_a_printed_table_keeps_its_columns_on_a_phone_among_other_lines(site, show, student):
    """The table of grades was broken into two lines a student, since remarks follow it."""
    page = show(site / "chapters" / "instructors.html", width=390)
    table = page.locator("div.highlight-console pre", has_text=student).first
    assert table.evaluate("(box) => getComputedStyle(box).whiteSpace") == "pre"
    command = page.locator("div.highlight-console pre", has_text="make book SOLUTIONS=no").first
    assert command.evaluate("(box) => getComputedStyle(box).whiteSpace") == "pre-wrap"


# ---------------------------------------------------------------- the model chapter


@pytest.fixture(scope="module")
def model(site, browser):
    """One chapter, open for several tests."""
    with opened(browser, site / MODEL) as page:
        yield page


def test_a_bar_says_how_far_one_has_read(model):
    width = "document.querySelector('.reading-progress').getBoundingClientRect().width"
    assert model.evaluate(width) == 0
    model.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    model.wait_for_function(f"{width} > 400")
    assert 500 < model.evaluate(width) < 800


def test_a_figure_opens_large_and_goes_back_to_its_place(model):
    figure = model.locator("figure.drawing").nth(2)
    before = figure.locator("svg").bounding_box()["width"]
    figure.get_by_role("button").click()
    assert model.locator("dialog.large svg").bounding_box()["width"] > 1.4 * before
    assert figure.locator("svg").count() == 0
    model.keyboard.press("Escape")
    model.wait_for_function("!document.querySelector('dialog.large svg')")
    assert figure.locator("svg").bounding_box()["width"] == pytest.approx(before)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_take_the_font_and_the_colours_of_the_page(model, theme):
    model.emulate_media(color_scheme=theme)
    model.wait_for_selector(f"html[data-theme={theme}]")
    style = "(e) => { const s = getComputedStyle(e); return [s.fontFamily, s.fill || s.color]; }"
    letters = model.locator("figure.drawing svg text").first.evaluate(style)
    body = model.locator(".bd-article p:not(.tags)").first.evaluate(
        "(e) => getComputedStyle(e).fontFamily"
    )
    assert letters[0] == body
    ink = model.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--fig-ink')")
    rgb = ", ".join(str(int(ink.strip()[i : i + 2], 16)) for i in (1, 3, 5))
    assert letters[1] == f"rgb({rgb})"


# ---------------------------------------------------------------- finding a section


def test_the_left_menu_opens_the_sections_of_the_open_chapter(model):
    links = model.locator(".bd-sidebar-primary ul.sections a")
    headings = model.locator(".bd-article h2")
    assert links.count() == headings.count() > 5
    model.evaluate("scrollTo(0, 0)")
    model.wait_for_function("scrollY === 0")
    links.filter(has_text="2.9 Kneser-Ney").click()
    model.wait_for_function("scrollY > 1000")
    assert model.locator("h2", has_text="2.9 Kneser-Ney").bounding_box()["y"] < 300


@pytest.fixture(scope="module")
def finder(site, browser):
    """The search page, open for several tests."""
    with opened(browser, site / "search.html") as page:
        yield page


@pytest.mark.parametrize(
    ("words", "section"),
    [("continuation count", "2.9"), ("sliding windows", "2.1 Padding"),
     ("bubblewrap", "Grade on many machines"), ("how do I sample?", "1.11 Sampling"),
     ("what is perplxity", "erplexity"), ("2.7", "2.7 Absolute discounting"),
     ("task 2.7", "Task 2.7"), ("kneser_ney", "2.9 Kneser-Ney"),
     ("top_k", "top_k()")],
)  # fmt: skip
def test_a_search_finds_what_was_meant_and_quotes_it(finder, words, section):
    finder.locator(".bd-search-container input").fill(words)
    finder.locator(".found", has_text=f"“{words}”").wait_for()
    first = finder.locator("#search-results li").first
    assert section in first.inner_text()
    quotation = first.locator("p").inner_text()
    assert 15 < len(quotation) < 320
    assert not re.search(r"\\[a-z]|\{\{|¶", quotation)
    assert finder.complaints == []


def test_a_word_without_an_end_does_not_widen_the_search(finder):
    finder.locator(".bd-search-container input").fill("a" * 3000)
    finder.get_by_text("Nothing in the book fits").wait_for()
    assert finder.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_search_on_pages_from_a_disk_lands_on_the_section(site, show):
    page = show(site / "search.html", fragment="?q=continuation+count")
    page.locator("#search-results a", has_text="2.9 Kneser-Ney").click()
    page.wait_for_url("**/chapters/**#**")


NO_INDEX_AT_FIRST = """() => {
    const { append } = document.head;
    document.head.append = function (script) { script.onerror(new Event('error')); };
    window.connect = () => { document.head.append = append; };
}"""


def test_a_search_whose_index_did_not_come_says_so_and_tries_again(site, show):
    page = show(site / "search.html")
    page.evaluate(NO_INDEX_AT_FIRST)
    field = page.locator(".bd-search-container input")
    field.fill("perplexit")
    page.locator(".found", has_text="could not be loaded").wait_for()
    page.evaluate("connect()")
    field.fill("perplexity")
    page.locator(".found", has_text="“perplexity”").wait_for()
    assert page.locator("#search-results li").count() > 3


NOTHING_IS_KEPT = """for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { configurable: true,
        get() { throw new DOMException('forbidden', 'SecurityError'); } });"""


@pytest.mark.parametrize("width", [1300, 390])
def test_a_page_can_be_used_where_nothing_may_be_kept(site, browser, width):
    """All cookies are blocked: the browser throws at the first word about storage."""
    complaints = []
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.add_init_script(NOTHING_IS_KEPT)
        page.goto((site / MODEL).as_uri())
        page.keyboard.press("Control+k")
        page.wait_for_function("document.querySelector('#pst-search-dialog').open")
        page.keyboard.press("Escape")
        if width < 900:
            page.locator(".primary-toggle").first.click()
            page.wait_for_function("document.querySelector('#pst-primary-sidebar-modal').open")
            page.keyboard.press("Escape")
        theme = page.evaluate("document.documentElement.dataset.mode")
        page.locator(".theme-switch-button").first.click()
        assert page.evaluate("document.documentElement.dataset.mode") != theme
    assert complaints == []


def test_a_search_for_nothing_says_what_to_do(site, show):
    page = show(site / "search.html", fragment="?q=qwzx")
    page.locator(".found", has_text="Try fewer or other words").wait_for()


def test_a_page_answers_while_one_types_and_by_keys_alone(site, show):
    page = show(site / MODEL)
    page.keyboard.press("Control+k")
    page.keyboard.type("kneser", delay=5)
    page.locator(".finding .found", has_text="“kneser”").wait_for()
    assert "Kneser-Ney" in page.locator(".finding li").first.inner_text()
    page.keyboard.press("ArrowDown")
    chosen = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_function("!document.querySelector('#pst-search-dialog').open")
    assert chosen.startswith("2.9")
    assert "#" in page.url
    assert page.complaints == []


# ---------------------------------------------------------------- what a link leads to


@pytest.mark.parametrize(
    ("link", "words"),
    [('a[href*="#term-"]', "section"), ('a[href*="bibliography.html#id"]', "19")],
)
def test_a_link_shows_what_it_leads_to_by_mouse_and_by_keys(model, link, words):
    first = model.locator(f".bd-article p {link}").first
    model.mouse.move(0, 0)
    first.hover()
    box = model.locator(".preview:not([hidden])")
    box.wait_for()
    assert words in box.inner_text()
    box.hover()  # it stays under the mouse, until Escape closes it
    model.wait_for_timeout(400)
    assert box.count() == 1
    assert violations(model, context=".preview") == {}
    model.keyboard.press("Escape")
    assert box.count() == 0
    model.mouse.move(0, 0)
    model.keyboard.press("Tab")  # the next focus is seen, as that of a reader with keys
    first.focus()
    box.wait_for()
    assert first.get_attribute("aria-describedby") == "preview"
    model.keyboard.press("Escape")


def test_an_equation_is_shown_where_another_page_names_it(site, show):
    page = show(site / "chapters" / "notation.html")
    page.locator("a", has_text="equation 2.16").first.hover()
    page.locator(".preview:not([hidden]) math").first.wait_for()


def test_a_formula_is_copied_as_tex(model):
    copied = model.evaluate("""() => {
        const formula = document.querySelector('.bd-article p math');
        getSelection().selectAllChildren(formula.closest('p'));
        const data = new DataTransfer();
        formula.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
        getSelection().removeAllRanges();
        return [data.getData('text/plain'), formula.dataset.tex];
    }""")
    assert f"${copied[1]}$" in copied[0]


def test_a_formula_in_pieces_is_copied_whole_and_fits_a_phone(site, show):
    """It wraps where it is wider than a line, and goes to the next line whole where it is not."""
    page = show(site / "chapters" / "06-transformers-today.html", width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    formula = page.locator(".bd-article p span.pieces", has_text="min").first
    narrow = formula.evaluate("(formula) => formula.clientHeight")
    copied = formula.evaluate("""(formula) => {
        getSelection().selectAllChildren(formula.closest('p'));
        const data = new DataTransfer();
        formula.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
        return data.getData('text/plain').includes(` $${formula.dataset.tex}$`);
    }""")
    assert copied
    page.set_viewport_size({"width": 1300, "height": 800})
    assert formula.evaluate("(formula) => formula.clientHeight") < 0.7 * narrow


def test_a_dark_page_is_printed_light(site, show):
    page = show(site / "chapters" / "04-rnns-gates.html", theme="dark")
    theme = "document.documentElement.dataset.theme"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {theme}; }})")
    page.pdf()
    assert page.evaluate(f"[window.printed, {theme}]") == ["light", "dark"]


def test_the_menu_of_downloads_opens_by_keys_and_gives_the_focus_back(model):
    button = model.locator(".dropdown-download-buttons > button")
    button.focus()
    model.keyboard.press("ArrowDown")
    assert button.get_attribute("aria-expanded") == "true"
    assert model.evaluate("document.activeElement.closest('.dropdown-menu') !== null")
    model.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
    assert button.evaluate("(button) => button === document.activeElement")
