"""Quick questions in a real browser: remembered, reviewed, and without a script.

Leaves out that each can be answered by keyboard and by touch: test_every_page.
"""

import pytest

from tests.asked import QUESTIONS, SEEN, assert_chosen, by_keyboard, wrong
from tests.browser import NEEDS_CHROMIUM, assert_silent, violations

PAGE = "chapters/06-transformers-in-use.html"  # the second page of its chapter
REVIEW = "chapters/quick-questions.html"
FORBID = """Object.defineProperty(window, 'localStorage',
    { get() { throw new DOMException('forbidden', 'SecurityError'); } })"""
FULL = """() => {
    Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };
}"""
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


def test_answers_are_remembered_and_reviewed_and_forgotten(site, show):
    page = show(site / PAGE)
    first, second, third, fourth, *_ = page.evaluate(QUESTIONS)
    by_keyboard(page, first, first["right"])
    by_keyboard(page, second, second["right"])
    page.evaluate("localStorage.setItem('nextword.quick-questions', '{damaged')")
    by_keyboard(page, third, wrong(third))  # which mends the record

    page.locator(f"#{third['id']} .score a").click()
    page.wait_for_url("**/quick-questions.html#questions-6")
    shelf = page.locator("#questions-6")
    rows, tally = shelf.locator("li:visible"), shelf.locator(".tally")
    waiting = shelf.locator("li").count() - 3
    assert f"2 right at the first try, 1 missed, {waiting} not answered" in tally.inner_text()
    assert rows.count() == waiting + 1
    assert rows.first.inner_text().startswith("missed\n")
    assert third["asked"].removeprefix("Quick question. ") in rows.first.inner_text()
    page.get_by_label("Show the right ones too").check()
    assert rows.count() == waiting + 3
    assert violations(page, context="#questions-6") == {}

    rows.first.get_by_role("link").click()
    page.wait_for_url(f"**/{PAGE}#{third['id']}")
    by_keyboard(page, third, third["right"])  # it is asked afresh
    seen = page.evaluate(SEEN, first["id"])  # the others are as they were left
    assert all(option["shown"] and not option["why"] for option in seen["options"])
    page.evaluate(FORBID)
    by_keyboard(page, fourth, wrong(fourth))
    assert assert_chosen(page, fourth, [wrong(fourth)]).startswith("3 of 4 right")

    page.goto((site / REVIEW).as_uri())
    assert "3 right at the first try, 0 missed" in tally.inner_text()
    over = shelf.get_by_role("button")
    over.click()
    assert f"0 right at the first try, 0 missed, {waiting + 3} not answered" in tally.inner_text()
    over.click()
    assert "3 right at the first try" in tally.inner_text()
    page.get_by_role("button", name="Start all chapters over").click()
    assert page.evaluate("localStorage.getItem('nextword.quick-questions')") == "{}"
    assert "You have answered no question yet" in page.locator(".review").inner_text()
    assert_silent(page)


def test_where_the_store_is_full_answers_last_as_long_as_the_page(site, show):
    page = show(site / PAGE)
    page.evaluate(FULL)
    first, second, *_ = page.evaluate(QUESTIONS)
    by_keyboard(page, first, first["right"])
    by_keyboard(page, second, second["right"])
    assert assert_chosen(page, second, [second["right"]]).startswith("2 of 2 right")
    assert_chosen(page, first, [first["right"]])


def test_without_a_script_every_option_opens_its_explanation(site, show):
    page = show(site / PAGE, java_script_enabled=False)
    options = page.locator(".quiz").first.locator("details.option")
    assert options.count() >= 2
    assert page.locator(".quiz button").count() == 0
    for i in range(options.count()):
        option = options.nth(i)
        assert not option.locator("p").is_visible()
        option.locator("summary").click()
        assert option.locator("p").is_visible()
    page.goto((site / REVIEW).as_uri())
    assert page.locator("ul.questions > li:visible").count() > 100
