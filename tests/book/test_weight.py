"""Formulas, and how heavy pages are on a phone. On wide screens test_every_page looks; processor
time is left to `benchmarks/pages.py`.
"""

import html
import re
from string import ascii_letters

import pytest

from tests.browser import NEEDS_CHROMIUM, THOROUGH
from tests.pages import MODEL, PAGES, ROOT
from tests.weight import assert_light

# of formulas, of figures to touch, of all; and the first that one sees
LONGEST = ["notation", "ladder", "06-transformers", "index"]
LONGEST = [f"chapters/{name}.html" for name in LONGEST]

ITALIC = 0x1D434  # the capital A of the italic alphabet
pytestmark = pytest.mark.slow


PHONES = PAGES if THOROUGH else [MODEL, *LONGEST]


@NEEDS_CHROMIUM
@pytest.mark.parametrize("name", [page for page in PHONES if "?" not in page])
def test_a_page_is_light_and_holds_still_on_a_phone(site, show, name):
    assert_light(show(site / name, width=390), site / name)


def formulas_of(site):
    """Each formula of the built book, as its MathML."""
    for path in sorted((site / "chapters").glob("*.html")):
        yield from re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.S)


def test_every_formula_is_drawn_and_no_page_holds_a_formula_as_text(site):
    assert sum(1 for _ in formulas_of(site)) > 2500
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
    unseen = set(map(chr, (*range(0x2061, 0x2065), 0xFE00)))  # "applied to", a choice of shapes
    assert {s for s in signs - unseen if not s.isspace() and ord(s) not in held} == set()
