"""Every page on a wide screen, light and dark, then on a phone; its quick questions answered by
keyboard and by touch.

A page is opened once, because formulas take long to be set: it becomes narrow as a window does.
`make test-thorough` opens it anew on the phone, answers every question in both ways, and asks all
rules of axe of every chapter.
"""

import pytest

from tests.asked import NOTHING, answer, by_keyboard, by_touch, questions_of
from tests.browser import (
    AT_REST,
    COLOURS,
    HEIGHT,
    NEEDS_CHROMIUM,
    THOROUGH,
    assert_silent,
    violations,
)
from tests.pages import (
    MODEL,
    NOTEBOOKS,
    PAGES,
    SMALLEST_LETTERS,
    assert_a_page_is_sound,
    lines_of_formulas,
    locate,
)

WIDE, NARROW = 1300, 390
LADDER = "chapters/ladder.html"
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_open_to_everyone_wide_and_narrow_light_and_dark(site, show, name):
    path, fragment = locate(site, name)
    page = show(path, "light", WIDE, fragment, has_touch=True)
    answered = assert_right_on_a_wide_screen(page, name)
    if THOROUGH:
        page, answered = show(path, "light", NARROW, fragment, has_touch=True), NOTHING
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": NARROW, "height": HEIGHT})
    assert_right_on_a_phone(page, name, answered)


def assert_right_on_a_wide_screen(page, name):
    """Light, then dark: what does not depend on the colours is looked at in the light."""
    assert page.locator("html[data-theme=light]").count() == 1
    assert {text for text, lines in lines_of_formulas(page).items() if lines > 1} == set()
    questions = questions_of(page)
    answered = answer(page, questions if THOROUGH else questions[::2], by_keyboard)
    # a chapter has thousands of letters to look at; its colours are those of the model chapter
    contrast = name not in NOTEBOOKS or name == MODEL
    assert_a_page_is_sound(page, name, WIDE, contrast=contrast, axe=THOROUGH or contrast)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")
    page.evaluate(AT_REST)
    if contrast:
        assert violations(page, runOnly=COLOURS) == {}
    assert_silent(page)
    return answered


def assert_right_on_a_phone(page, name, answered):
    """In the light; `answered` was answered on the open page before."""
    lines = lines_of_formulas(page)
    if len(lines) > 10:
        assert 2 in lines.values(), "no formula was ever too wide: is this tested?"
    questions = questions_of(page)
    answer(page, questions if THOROUGH else questions[1::2], by_touch, answered)
    letters = page.evaluate(SMALLEST_LETTERS)
    assert [size for size in letters if size < 10] == []  # pixels
    axe = THOROUGH or name not in NOTEBOOKS or name in (MODEL, LADDER)
    contrast = name not in NOTEBOOKS
    assert_a_page_is_sound(page, name, NARROW, contrast=contrast, axe=axe, wide_code=3)
