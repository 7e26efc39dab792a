"""Every page on a wide screen, light and dark, then on a phone; its quick questions answered by
keyboard and by touch.

A page is opened once, because formulas take long to be set: it becomes narrow as a window does.
Half of its questions are answered in each way. Colours are compared in one section of the model
chapter, for a chapter has thousands of letters. `make test-thorough` opens a page anew on the
phone, answers every question in both ways, and asks all rules of axe of every chapter.
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
from tests.weight import assert_light

WIDE, NARROW = 1300, 390
SECTIONS_WITH_COLOURS = 1  # of the model chapter
LADDER = "chapters/ladder.html"
HIDDEN = ".set-aside { display: none !important; }"
SET_ASIDE = """(kept) => document.querySelectorAll('article > section > section')
    .forEach((section, i) => section.classList.toggle('set-aside', i >= kept))"""
pytestmark = [pytest.mark.slow, pytest.mark.turns("name"), NEEDS_CHROMIUM]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_open_to_everyone_wide_and_narrow_light_and_dark(site, show, name):
    path, fragment = locate(site, name)
    page = show(path, "light", WIDE, fragment, has_touch=True)
    assert_light(page, path)
    page.add_style_tag(content=HIDDEN)
    assert {text for text, lines in lines_of_formulas(page).items() if lines > 1} == set()
    questions = questions_of(page)
    answered = answer(page, questions if THOROUGH else questions[::2], by_keyboard)

    phone = page
    if THOROUGH:
        phone, answered = show(path, "light", NARROW, fragment, has_touch=True), NOTHING
        phone.add_style_tag(content=HIDDEN)
    phone.set_viewport_size({"width": NARROW, "height": HEIGHT})
    lines = lines_of_formulas(phone)
    if len(lines) > 10:
        assert 2 in lines.values(), "no formula was ever too wide: is this tested?"
    answer(phone, questions if THOROUGH else questions[1::2], by_touch, answered)
    letters = phone.evaluate(SMALLEST_LETTERS)
    assert [size for size in letters if size < 10] == []  # pixels
    axe = THOROUGH or name not in NOTEBOOKS or name == LADDER
    contrast = name not in NOTEBOOKS
    assert_a_page_is_sound(phone, name, NARROW, contrast=contrast, axe=axe, wide_code=3)

    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert_sound_light_and_dark(page, name)


def assert_sound_light_and_dark(page, name):
    """On a wide screen. What does not depend on the colours is looked at in the light."""
    assert page.locator("html[data-theme=light]").count() == 1
    contrast = name not in NOTEBOOKS or name == MODEL
    if name == MODEL and not THOROUGH:
        page.evaluate(SET_ASIDE, SECTIONS_WITH_COLOURS)
    assert_a_page_is_sound(page, name, WIDE, contrast=contrast, axe=THOROUGH or contrast)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")
    page.evaluate(AT_REST)
    if contrast:
        assert violations(page, runOnly=COLOURS) == {}
    assert_silent(page)
