"""Pages in a real browser: Chromium, a page that is open, and what everyone needs of it."""

import os
import shutil
from contextlib import ExitStack, contextmanager

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium: apt-get install chromium"
)
SCREENS = [("light", 1300), ("dark", 1300), ("light", 390), ("dark", 390)]
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules of axe that compare colours
# who speaks to the computer says what one sees; axe still calls this rule an experiment
NAMES = {"label-content-name-mismatch": {"enabled": True}}
TWICE = """[...document.querySelectorAll('[id]')].map((e) => e.id)
    .filter((id, i, ids) => ids.indexOf(id) !== i)"""
HEIGHT = 1100  # pixels of a screen
# the sum of what has moved by itself; `benchmarks/pages.py` measures the same
SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
}).observe({ type: 'layout-shift', buffered: true });"""
SETTLED = "() => document.fonts.ready.then(() => true)"


@pytest.fixture(scope="module")
def browser():
    """Chromium, started once for a file of tests."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="pages are tried in a browser with pip install '.[test]'"
    )
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def opened(browser, path, theme="light", width=1300, fragment="", **options):
    """Open a page, which keeps what it `fetched` and its `complaints`."""
    size = {"width": width, "height": HEIGHT}
    with browser.new_context(viewport=size, color_scheme=theme, **options) as context:
        page = context.new_page()
        page.fetched, page.complaints = [], []
        page.add_init_script(SHIFTS)
        page.on("request", lambda request: page.fetched.append(request.url))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_function(SETTLED)
        yield page


@pytest.fixture
def show(browser):
    """A function that opens a page, which is closed when the test ends."""
    with ExitStack() as pages:
        yield lambda *args, **options: pages.enter_context(opened(browser, *args, **options))


# `make test-thorough` looks at more: both hands at both widths, axe on every chapter
THOROUGH = bool(os.environ.get("THOROUGH"))

# a table too wide for a phone scrolls inside its own box
WIDER_THAN_THE_SCREEN = """[...document.body.querySelectorAll('*')]
    .filter((e) => e.clientWidth > innerWidth)
    .filter((e) => !e.closest('.pst-scrollable-table-container, .output.text_html'))
    .map((e) => e.outerHTML.slice(0, 90))"""

# what opens fades in; halfway, its letters are pale
# what moves for a while is at its end at once: to wait for it may last for ever, for nothing moves
# in a browser that draws no frames
AT_REST = """() => document.getAnimations()
    .filter((moving) => moving.effect.getComputedTiming().endTime < Infinity)
    .forEach((moving) => moving.finish())"""


def assert_open_to_everyone(page, width, *, contrast=True, axe=True):
    """No violation of a rule of axe, nothing wider than the screen, no request, no complaint.

    Without `contrast`, letters are not compared with what is behind and beside them: on a long page
    that alone takes most of the time. Without `axe`, none of its rules is asked.
    """
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    page.evaluate(AT_REST)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_SCREEN) == []
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("h1:visible").count() == 1
    assert page.evaluate(TWICE) == [], "two parts have the same id"
    if axe:
        assert violations(page, rules={rule: {"enabled": contrast} for rule in COLOURS}) == {}
    assert_silent(page)


def assert_silent(page):
    """No request to another host, and nothing in the console."""
    assert [u for u in page.fetched if not u.startswith(("file:", "data:", "blob:"))] == []
    assert page.complaints == []


def violations(page, context=None, **options):
    """What axe finds in a page, or in a part of it: {rule: [the first elements]}."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    options |= {"preload": False, "resultTypes": ["violations"]}
    if "runOnly" not in options:
        options["rules"] = {**options.get("rules", {}), **NAMES}
    # formulas are thousands of small elements with the colours of their text, and have no roles
    context = context or {"exclude": [["math"]]}
    found = axe.Axe().run(page, context=context, options=options)
    return {
        rule["id"]: [node["html"][:120] for node in rule["nodes"][:3]]
        for rule in found.response["violations"]
    }
