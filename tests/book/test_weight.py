"""How heavy the pages of the built book are, and whether they hold still: limits that no machine
moves. Leaves out processor time: `benchmarks/pages.py` measures it, with the same functions.
"""

import html
import importlib.util
import re
from string import ascii_letters

import pytest

from tests.browser import NEEDS_CHROMIUM
from tests.pages import NOTEBOOKS, PAGES, ROOT

SPEC = importlib.util.spec_from_file_location("pages_bench", ROOT / "benchmarks" / "pages.py")
KILOBYTES = 1000  # of a page with all that it fetches, without the figures to touch: uncompressed
REQUESTS = 20
NODES = 15_000
SHIFT = 0.1
LETTERS = (65, 82)  # in a line; a page's own words move its median by one or two
ITALIC = 0x1D434  # the capital A of the italic alphabet
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench():
    pytest.importorskip("playwright.sync_api", reason="pages are opened in a browser")
    module = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(module)
    return module


@NEEDS_CHROMIUM
@pytest.mark.parametrize("width", [1300, 390])
def test_pages_are_light_and_hold_still(site, browser, bench, width):
    for name in PAGES:
        if "?" in name:
            continue
        found = bench.measure(browser, site / name, width, at_rest=False)
        assert found["kB"] - found["figures kB"] < KILOBYTES, (name, found)
        assert found["requests"] <= REQUESTS, (name, found)
        assert found["nodes"] < NODES, (name, found)
        assert found["shift"] < SHIFT, (name, found)
        if width == 1300 and name in NOTEBOOKS and found["letters"]:
            assert LETTERS[0] <= found["letters"] <= LETTERS[1], (name, found)


def formulas_of(site):
    """Each formula of the built book, as its MathML."""
    for path in sorted((site / "chapters").glob("*.html")):
        yield from re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.S)


def test_every_formula_is_drawn_and_no_page_holds_a_formula_as_text(site):
    assert sum(1 for _ in formulas_of(site)) > 3000
    assert not [formula for formula in formulas_of(site) if "merror" in formula]
    for path in sorted((site / "chapters").glob("*.html")):
        page = path.read_text(encoding="utf-8")
        shown = re.sub(r"<(script|style|pre|code|svg)\b.*?</\1>|<[^>]*>", "", page, flags=re.S)
        assert not re.search(r"\\\(|\\\[|\\[a-z]+\{|\$\$", shown), path.name
        assert "mathjax." not in page.lower()


def test_the_font_of_formulas_holds_every_sign_that_they_use(site):
    sheet = (ROOT / "chapters" / "_static" / "formulas.css").read_text(encoding="utf-8")
    held = set()
    for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", sheet):
        held |= set(range(int(first, 16), int(last or first, 16) + 1))
    signs = set()
    for formula in formulas_of(site):
        signs |= set(html.unescape(re.sub(r"<[^>]*>", "", formula)))
        # a single letter is shown in italics; that of h is older than its alphabet
        letters = re.findall(r"<mi>([A-Za-gi-z])</mi>", formula)
        signs |= {chr(ITALIC + ascii_letters.index(letter.swapcase())) for letter in letters}
    unseen = {"\u2061", "\ufe00"}  # "applied to", and a choice between two shapes
    assert {s for s in signs - unseen if not s.isspace() and ord(s) not in held} == set()
