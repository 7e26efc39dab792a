"""A chapter's tasks written in several tabs, and on a page that one comes back to: nothing is lost.

Leaves out what becomes of a text when it is checked: test_practice.py. No Python is loaded here.
"""

import functools
import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from nextword.practice import pyodide
from tests.book.test_practice import PAGE, PROJECT, Silent, box_of
from tests.browser import NEEDS_CHROMIUM
from tests.local_server import serving

pytestmark = [
    pytest.mark.slow,
    NEEDS_CHROMIUM,
    pytest.mark.skipif(not pyodide.place().exists(), reason="no Python for the browser"),
]
KEY = "nextword.practice.ngrams"
TEXT = "(task) => document.querySelector(`.practice[data-task='${task}']`).box.editor.text()"
DEAF = "addEventListener('storage', (event) => window.deaf && event.stopImmediatePropagation())"
# as the browser does when it takes a page out of its memory
COME_BACK = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
# the lines that a box has drawn: [what stands before each, the line, and the whole file]
NUMBERED = """(task) => {
    const { box } = document.querySelector(`.practice[data-task="${task}"]`), { view } = box.editor;
    const numbers = [...box.element.querySelectorAll(".cm-lineNumbers .cm-gutterElement")]
        .filter((each) => each.style.visibility !== "hidden").map((each) => each.textContent);
    const lines = view.viewportLineBlocks.map(({ from }) => view.state.doc.lineAt(from).text);
    return [numbers, lines, box.chapter.assembled(task).text.split("\\n")];
}"""
FULL = """() => {
    window.setItem = Storage.prototype.setItem;
    Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
}"""
EMPTY = "() => { Storage.prototype.setItem = window.setItem; }"


@pytest.fixture(scope="module")
def address(site):
    with serving(functools.partial(Silent, directory=site)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def tab(browser, address):
    """A function that opens the chapter's page in a new tab of one browser."""
    with browser.new_context(viewport={"width": 1300, "height": 1000}) as context:
        context.route("**/pyodide.mjs", lambda route: route.abort())
        complaints = []

        def opened():
            page = context.new_page()
            page.add_init_script(DEAF)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(f"{address}/{PAGE}")
            return page

        yield opened
        assert complaints == []


def opened(page, task):
    """The box of a task, open; what is typed takes the place of the missing body."""
    box = box_of(page, task)
    box.locator(".practice-open").click()
    box.locator(".cm-content").wait_for()
    return box


def text(page, task="2.1"):
    return page.evaluate(TEXT, task)


def kept(page, task="2.1"):
    record = json.loads(page.evaluate("(key) => localStorage.getItem(key)", KEY))
    return record["tasks"].get(task, {}).get("text", "")


def typed(page, words, task="2.1"):
    """Write below the task's functions, as a reader does."""
    box_of(page, task).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(words)


@contextmanager
def unheard(page):
    """What other tabs write reaches a page late: as if it had been frozen."""
    page.evaluate("window.deaf = true")
    yield
    page.evaluate("window.deaf = false")


def test_a_text_follows_in_another_tab(tab):
    older, newer = tab(), tab()
    opened(older, "2.1")
    opened(newer, "2.1")
    typed(newer, "# the newer tab")
    older.wait_for_function(f"({TEXT})('2.1').includes('# the newer tab')")
    typed(older, " and the older")
    assert kept(older).endswith("# the newer tab and the older")
    newer.wait_for_function(f"({TEXT})('2.1').endsWith('and the older')")
    assert kept(newer) == text(newer) == text(older)


def test_a_text_follows_where_one_comes_back(tab):
    """Nothing is told to a page that the browser keeps for its Back button."""
    left, other = tab(), tab()
    box = opened(left, "2.1")
    label = box_of(left, "2.2").locator(".practice-open")
    with unheard(left):
        for task in ("2.1", "2.2"):
            opened(other, task)
            typed(other, "# meanwhile", task)
        left.wait_for_timeout(200)
        assert "meanwhile" not in text(left)
    assert label.inner_text() == "Write and check it here"
    left.evaluate(COME_BACK)
    assert label.inner_text() == "Go on writing here"
    typed(left, ", and here")
    assert kept(left).endswith("# meanwhile, and here")
    assert not box.get_by_role("alert").is_visible()


@pytest.mark.parametrize("mine", [True, False])
def test_of_two_texts_one_is_chosen(tab, mine):
    """Where a tab has not heard of the newer text, it asks before it writes over it."""
    older, newer = tab(), tab()
    box = opened(older, "2.1")
    opened(newer, "2.1")
    box.locator(".cm-content").click()
    with unheard(older):
        typed(newer, "# the newer tab")
        older.wait_for_timeout(200)
        typed(older, "# the older tab")
        assert kept(older).endswith("# the newer tab")
        asked = box.get_by_role("alert")
        assert "Another tab has changed this task meanwhile." in asked.inner_text()
    with older.expect_event("dialog") as told:  # it is not left without a word
        older.close(run_before_unload=True)
    assert told.value.type == "beforeunload"
    told.value.dismiss()
    asked.get_by_role("button", name="Keep this text" if mine else "Take the other text").click()
    assert not asked.is_visible()
    assert text(older).endswith("# the older tab" if mine else "# the newer tab")
    assert kept(older) == text(older)
    if not mine:  # it can be had back
        older.keyboard.press("Control+z")
        assert kept(older).endswith("# the older tab")


def test_a_full_store_overwrites_nothing(tab):
    """What one tab could not keep stays in its page, and other tabs' texts stay, too."""
    full, other = tab(), tab()
    box = opened(full, "2.1")
    full.evaluate(FULL)
    typed(full, "# not kept")
    assert "download your file" in box.locator(".practice-status").inner_text()
    for task in ("2.1", "2.2"):
        opened(other, task)
        typed(other, "# the other tab", task)
    box.get_by_role("alert").wait_for()
    assert text(full).endswith("# not kept")
    full.evaluate(EMPTY)
    typed(full, ", still not")
    assert kept(full) == text(other)
    assert kept(full, "2.2").endswith("# the other tab")
    box.get_by_role("button", name="Keep this text").click()
    assert kept(full).endswith("# not kept, still not")
    assert kept(full, "2.2").endswith("# the other tab")


def test_a_file_holds_what_all_tabs_wrote(tab):
    older, newer = tab(), tab()
    box = opened(older, "2.1")
    opened(newer, "2.2")
    with unheard(older):
        typed(newer, "# the newer tab", "2.2")
        with older.expect_download() as download:
            box.get_by_role("button", name="Download ngrams.py").click()
    assert "# the newer tab" in Path(download.value.path()).read_text("utf-8")


def test_a_file_from_an_earlier_edition_is_completed(tab):
    """A function that the book did not have then stands below the others, as the book gives it."""
    page = tab()
    old = PROJECT.module("solutions", "ngrams").read_text("utf-8").replace("def windows", "def old")
    record = json.dumps({"base": old, "tasks": {"2.2": None}})
    page.evaluate("([key, record]) => localStorage.setItem(key, record)", [KEY, record])
    opened(page, "2.1")
    given = text(page)
    assert "# BEGIN SOLUTION" in given
    assert 'raise NotImplementedError("2.1 windows' in given
    assert_numbered(page, "2.1")


def test_two_boxes_opened_at_once_hold_the_same_chapter(tab):
    """Also while the connection is slow: a check sees what was written in the other box."""
    page = tab()
    held = []
    page.route("**/practice/ngrams-*.json", lambda route: held.append(route))
    boxes = [box_of(page, task) for task in ("2.1", "2.2")]
    with page.expect_request("**/practice/ngrams-*.json"):
        boxes[0].locator(".practice-open").click()
    with page.expect_request("**/practice/ngrams-*.json"):
        boxes[1].locator(".practice-open").click()
    for route in held:
        route.continue_()
    for box in boxes:
        box.locator(".cm-content").wait_for()
    typed(page, "# in the first", "2.1")
    whole = "document.querySelector('[data-task=\"2.2\"]').box.chapter.assembled().text"
    assert "# in the first" in page.evaluate(whole)


def assert_numbered(page, task):
    """Each line of a box has its number in the whole file."""
    numbers, lines, whole = page.evaluate(NUMBERED, task)
    assert any(numbers)
    for number, line in zip(numbers, lines, strict=True):
        assert not number or whole[int(number) - 1] == line
        assert number or not line.strip()


@pytest.mark.parametrize("base", ["the stub", "a file"])
def test_lines_have_their_numbers_in_the_file(tab, base):
    """Also those below another box in which lines were added, and those just added."""
    page = tab()
    page.on("dialog", lambda dialog: dialog.accept())
    box = opened(page, "2.1")
    if base == "a file":
        solution = PROJECT.module("solutions", "ngrams").read_bytes()
        file = {"name": "ngrams.py", "mimeType": "text/x-python", "buffer": solution}
        box.locator("input[type=file]").set_input_files(file)
        box.get_by_text("Your file is in place").wait_for()
    opened(page, "2.2")
    typed(page, "\n# three\n# lines\n# more")
    for task in ("2.1", "2.2"):
        assert_numbered(page, task)
    typed(page, "\n# a line", "2.2")
    page.keyboard.press("Control+Home")
    page.keyboard.type("import math\n\n")
    opened(page, "2.3")
    typed(page, "\n# above again")
    for task in ("2.1", "2.2", "2.3"):
        assert_numbered(page, task)


def test_numbers_follow_in_another_tab(tab):
    page, other = tab(), tab()
    opened(page, "2.2")
    opened(other, "2.1")
    typed(other, "\n# two\n# lines")
    page.wait_for_function("""document.querySelector('.practice[data-task="2.2"]').box
        .chapter.assembled().text.includes('# two')""")
    assert_numbered(page, "2.2")
