"""Every page on a phone, its quick questions answered by touch.

Leaves out wide screens and colours in the dark: test_pages_wide.
"""

import pytest

from tests.asked import answer_all, by_touch
from tests.browser import NEEDS_CHROMIUM, THOROUGH
from tests.pages import (
    MODEL,
    NOTEBOOKS,
    PAGES,
    SMALLEST_LETTERS,
    assert_a_page_is_sound,
    lines_of_formulas,
    locate,
)

WIDTH = 390
LADDER = "chapters/ladder.html"
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_open_to_everyone_on_a_phone(site, show, name):
    path, fragment = locate(site, name)
    page = show(path, "light", WIDTH, fragment, has_touch=True)
    lines = lines_of_formulas(page)
    if len(lines) > 10:
        assert 2 in lines.values(), "no formula was ever too wide: is this tested?"
    answer_all(page, by_touch)
    letters = page.evaluate(SMALLEST_LETTERS)
    assert [size for size in letters if size < 10] == []  # pixels
    axe = THOROUGH or name not in NOTEBOOKS or name in (MODEL, LADDER)
    contrast = name not in NOTEBOOKS
    assert_a_page_is_sound(page, name, WIDTH, contrast=contrast, axe=axe, wide_code=3)
