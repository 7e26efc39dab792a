"""Tasks written and checked in the page, in Chromium: one page, in which Python is loaded once.

Leaves out what Python there is made of: tests/nextword/test_practice.py.
"""

import functools
import http.server
import json
from pathlib import Path

import pytest

from examiner.check.chapter import check_chapter
from examiner.judge.mistakes import load_answers
from examiner.project import Project
from examiner.stubs import make_stub
from nextword.practice import pyodide
from nextword.practice.offered import STEMS, is_offered
from tests.browser import AT_REST, NEEDS_CHROMIUM, SCREENS, THOROUGH, violations
from tests.local_server import serving

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT)
CHAPTERS = {each.stem: each for each in PROJECT.catalogue.chapters if each.stem in STEMS}
TASKS = [(c.stem, t.id) for c in CHAPTERS.values() for t in c.tasks if is_offered(c, t.id)]
PAGE = "chapters/02-ngrams.html"
PATIENCE = 300_000  # milliseconds: on a busy machine Python takes long to start
RIGHT = "return [BOS] * (n - 1) + list(sentence) + [EOS]"
WRONG = "print('so far', n)\nreturn [BOS] * n + list(sentence) + [EOS]"
# in the page's own Python; `work` is a method of python.js
DO = "async ([work, ...given]) => (await import('/_static/practice/box.js')).python[work](...given)"
NEEDS_PYTHON = pytest.mark.skipif(
    not pyodide.place().exists(),
    reason="no Python for the browser: python -m nextword.practice.pyodide",
)
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM, NEEDS_PYTHON]


class Silent(http.server.SimpleHTTPRequestHandler):
    """A file for each request, and no word about it."""

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site):
    with serving(functools.partial(Silent, directory=site)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture(scope="module")
def page(browser, address):
    with browser.new_context(viewport={"width": 1300, "height": 1000}) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.fetched, page.complaints = [], []
        page.on("request", lambda request: page.fetched.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{address}/{PAGE}")
        page.before = list(page.fetched)
        yield page
        assert page.complaints == []
        assert [
            url for url in page.fetched if not url.startswith((address, "data:", "blob:"))
        ] == []


def box_of(page, task):
    return page.locator(f'.practice[data-task="{task}"]')


def opened(page, task):
    """The box of a task, open, with its empty functions; what is typed takes their place."""
    box = box_of(page, task)
    if not box.locator(".cm-content").is_visible():
        box.locator(".practice-open").click()
        box.locator(".cm-content").wait_for()
    box.get_by_role("button", name="Start again").click()
    return box


def checked(page, box):
    """Check; what is said then."""
    button = box.locator(".practice-main")
    page.keyboard.press("Control+Enter")
    box.get_by_role("button", name="Stop").wait_for()
    page.wait_for_function("(b) => b.textContent === 'Check'", arg=button.element_handle())
    return box.locator(".practice-results")


def by_check(folder, stem, task, text):
    """What `nextword check` says of a text: {test: (verdict, message)}, and the examples."""
    folder.mkdir()
    (folder / f"{stem}.py").write_text(text, encoding="utf-8")
    found = check_chapter(PROJECT, CHAPTERS[stem], package=str(folder), task_ids={task})
    tests = {test.name: (test.verdict.value, test.message) for test in found.tasks[0].tests}
    return tests, [each.__dict__ for each in found.tasks[0].examples]


def in_page(page, stem, task, text):
    found = page.evaluate(DO, ["check", stem, task, text])
    tests = {each["name"]: (each["verdict"], each["message"]) for each in found["tests"]}
    return tests, found["examples"]


def stub(stem):
    path = PROJECT.module("solutions", stem)
    return make_stub(path.read_text("utf-8"), CHAPTERS[stem], path.name)


def test_nothing_of_python_is_loaded_before_it_is_wanted(page):
    assert [
        url.rpartition("/")[2].partition("?")[0] for url in page.before if "practice" in url
    ] == [
        "practice.css",
        "practice.js",
    ]
    box = opened(page, "2.1")
    assert "not written yet, 0 of 5 tests" in checked(page, box).inner_text()
    assert [url for url in page.fetched if url.endswith("pyodide.asm.wasm")]


def test_a_wrong_answer_is_told_as_check_tells_it(page, tmp_path):
    box = opened(page, "2.1")
    page.keyboard.type(WRONG)
    said = checked(page, box).inner_text()
    text = stub("ngrams").replace(
        'raise NotImplementedError("2.1 pad: see section 2.1, equation 2.2")',
        WRONG.replace("\n", "\n    "),
    )
    tests, (example,) = by_check(tmp_path / "mine", "ngrams", "2.1", text)
    assert f"This looks like: {example['says']}" in said
    for part in ("call", "gives", "right", "where"):
        assert example[part] in said
    assert {verdict for verdict, _ in tests.values()} == {"failed", "missing"}
    assert said.count("not right yet: ") == 3
    assert "so far 1" in said


def test_a_mistake_in_the_syntax_names_its_line(page):
    box = opened(page, "2.1")
    page.keyboard.type("return = 3")
    said = checked(page, box).inner_text()
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8").splitlines()
    place = 1 + next(k for k, line in enumerate(stub) if "raise NotImplementedError" in line)
    assert f"SyntaxError in line {place} of ngrams.py: `return = 3`" in said
    assert said.count("SyntaxError") == 1
    assert box.locator(".cm-at-fault").inner_text().strip() == "return = 3"


def test_a_line_can_be_tried(page):
    box = opened(page, "2.1")
    page.keyboard.type(RIGHT)
    box.get_by_role("button", name="Run").click()
    shown = box.locator(".practice-prompt pre")
    page.wait_for_function("(e) => e.textContent.includes('sit')", arg=shown.element_handle())
    assert shown.inner_text() == "['<s>', '<s>', 'sit', 'down', '</s>']"
    box.get_by_label("Try your functions:").fill("windows([1], 1)")
    page.keyboard.press("Enter")
    page.wait_for_function("(e) => e.textContent.includes('2.1')", arg=shown.element_handle())
    assert shown.inner_text().splitlines()[0] == "<your lines>, line 1: windows([1], 1)"


@pytest.mark.parametrize(
    "lines",
    [
        "while True:\n    pass",
        pytest.param("any(iter(int, 1))", marks=pytest.mark.thorough),  # Python is loaded once more
    ],
)
def test_what_never_ends_is_ended(page, lines):
    """A loop of Python's is interrupted; one in C never hears of that, and its worker is ended."""
    opened(page, "2.1")
    found = page.evaluate(DO, ["run", "ngrams", stub("ngrams"), lines, 0.5])
    assert found["failed"]
    assert found["said"].startswith("took more than 0.5 s")
    again = page.evaluate(DO, ["run", "ngrams", stub("ngrams"), "1 + 1", 5])
    assert again == {"said": "2\n", "failed": False}


STOP = """async ([text]) => {
    const { python } = await import('/_static/practice/box.js');
    const stops = new AbortController(), silent = () => {};
    const first = python.check('ngrams', '2.1', text, silent, new AbortController().signal);
    const second = python.check('ngrams', '2.2', text, silent, stops.signal);
    stops.abort();
    const told = await second.catch((error) => error.constructor.name);
    const third = await python.check('ngrams', '2.1', text);
    return [told, (await first).tests.length > 0, third.tests.length > 0];
}"""


def test_one_check_is_stopped_and_no_other(page):
    opened(page, "2.1")
    assert page.evaluate(STOP, [stub("ngrams")]) == ["Stopped", True, True]


# those that ask most of what stands in for numpy; `make test-thorough` checks all
DEMANDING = [("ngrams", "2.11"), ("language_models", "1.7"), ("language_models", "1.12")]


def test_references_pass(page):
    opened(page, "2.1")
    for stem, task in TASKS if THOROUGH else DEMANDING:
        text = PROJECT.module("solutions", stem).read_text("utf-8")
        tests, examples = in_page(page, stem, task, text)
        assert {name: found for name, found in tests.items() if found[0] != "passed"} == {}, task
        assert len(tests) >= 2
        assert examples == []


def test_an_open_box_is_open_to_everyone(page):
    opened(page, "2.1")
    page.keyboard.type(WRONG)
    checked(page, box_of(page, "2.1"))
    for theme, width in SCREENS if THOROUGH else [("dark", 390)]:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        page.evaluate(AT_REST)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page, context='.practice[data-task="2.1"]') == {}
    page.set_viewport_size({"width": 1300, "height": 1000})
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"


def test_what_is_written_stays_and_comes_home(page, address, tmp_path):
    """A task done in the page is remembered, and its file passes `nextword check`."""
    box = opened(page, "2.2")
    page.keyboard.type("return 'unfinished'")
    box = opened(page, "2.1")
    page.keyboard.type(RIGHT)
    page.evaluate(
        """(wanted) => document.querySelector(wanted).box.editor.go('raise NotImplemented')""",
        '.practice[data-task="2.1"]',
    )
    page.keyboard.type("return helper(tokens, n)")
    page.evaluate("""(wanted) => {
        const { editor } = document.querySelector(wanted).box;
        editor.set(editor.text() + `

def helper(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
`);
    }""", '.practice[data-task="2.1"]')  # fmt: skip
    assert "✓ done, 5 of 5 tests" in checked(page, box).inner_text()
    assert "Next: 2.2 Counting" in box.locator(".practice-next").inner_text()
    with page.expect_download() as download:
        box.get_by_role("button", name="Download ngrams.py").click()
    text = Path(download.value.path()).read_text("utf-8")
    assert download.value.suggested_filename == "ngrams.py"
    assert "return 'unfinished'" in text
    tests, _ = by_check(tmp_path / "coursework", "ngrams", "2.1", text)
    assert {verdict for verdict, _ in tests.values()} == {"passed"}

    page.route("**/pyodide.mjs", lambda route: route.abort())  # what was written needs no Python
    page.reload()
    box = box_of(page, "2.1")
    assert box.get_by_role("status").inner_text() == "✓ Your visible tests pass."
    box.get_by_role("button", name="See what you wrote here").click()
    box.get_by_text("Python could not be loaded. Is the connection gone?").wait_for()
    written = "(wanted) => document.querySelector(wanted).box.editor.text()"
    assert "def helper" in page.evaluate(written, '.practice[data-task="2.1"]')
    box.locator("input[type=file]").set_input_files(
        {"name": "x.py", "mimeType": "text/x-python", "buffer": b"def pad(): pass\n"}
    )
    refused = "This is no ngrams.py of this chapter: it lacks windows, count_ngrams, MLE, …."
    box.get_by_text(refused).wait_for()
    solution = PROJECT.module("solutions", "ngrams").read_bytes()
    box.locator("input[type=file]").set_input_files(
        {"name": "ngrams.py", "mimeType": "text/x-python", "buffer": solution}
    )
    box.get_by_text("Your file is in place").wait_for()
    whole = page.evaluate("""(wanted) => {
        const { box } = document.querySelector(wanted);
        return box.chapter.assembled().text;
    }""", '.practice[data-task="2.1"]')  # fmt: skip
    page.unroute("**/pyodide.mjs")
    assert whole == solution.decode()
    assert "# BEGIN SOLUTION" in page.evaluate(written, '.practice[data-task="2.1"]')


def test_a_page_on_a_disk_says_what_to_do(site, show):
    page = show(site / "chapters/02-ngrams-writing.html")
    box = page.locator('.practice[data-task="2.11"]')
    box.get_by_role("button", name="Write and check it here").click()
    assert "python -m http.server" in box.get_by_role("status").inner_text()
    assert page.complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize("stem", STEMS)
def test_answers_are_judged_as_by_check(page, stem, tmp_path):
    """Right and wrong answers get the same verdicts, messages and examples in both."""
    opened(page, "2.1")
    differs = {}
    for number, answer in enumerate(load_answers(PROJECT, stem)):
        if is_offered(CHAPTERS[stem], answer.task_id):
            here = in_page(page, stem, answer.task_id, answer.text)
            there = by_check(tmp_path / str(number), stem, answer.task_id, answer.text)
            if here != there:
                differs[str(answer)] = here, there
    assert differs == {}, json.dumps(differs, indent=1)
