"""Every page on a wide screen, light and dark. Leaves out phones (test_pages_narrow).

A page is opened once: what does not depend on the colours is looked at in the light. Its quick
questions are answered by keyboard.
"""

import pytest

from tests.asked import answer_all, by_keyboard
from tests.browser import (
    AT_REST,
    COLOURS,
    NEEDS_CHROMIUM,
    THOROUGH,
    assert_silent,
    violations,
)
from tests.pages import MODEL, NOTEBOOKS, PAGES, assert_a_page_is_sound, lines_of_formulas, locate

WIDTH = 1300
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_open_to_everyone_on_a_wide_screen_light_and_dark(site, show, name):
    path, fragment = locate(site, name)
    page = show(path, "light", WIDTH, fragment)
    assert page.locator("html[data-theme=light]").count() == 1
    assert {text for text, lines in lines_of_formulas(page).items() if lines > 1} == set()
    answer_all(page, by_keyboard)
    # a chapter has thousands of letters to look at; its colours are those of the model chapter.
    # the other rules are asked of each chapter by `make test-thorough`
    contrast = name not in NOTEBOOKS or name == MODEL
    assert_a_page_is_sound(page, name, WIDTH, contrast=contrast, axe=THOROUGH or contrast)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")
    page.evaluate(AT_REST)
    if contrast:
        assert violations(page, runOnly=COLOURS) == {}
    assert_silent(page)
