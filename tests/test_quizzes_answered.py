"""Quick questions in a real browser: answered by keyboard and by touch, remembered, and reviewed.

Each chapter is opened once: on a wide screen its questions are answered by keyboard, then on a
narrow one by touch.
"""

import pytest

from tests.browser import NEEDS_CHROMIUM, assert_silent, opened, violations
from tests.pages import MODEL, NOTEBOOKS

CHAPTERS = [name for name in NOTEBOOKS if name[9:11].isdigit()]
REVIEW = "chapters/quick-questions.html"
pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

# of each question: its id, what is seen of it, its options, which is right, how their buttons look
QUESTIONS = """[...document.querySelectorAll('.quiz')].map((quiz) => {
    const options = [...quiz.querySelectorAll('details.option')];
    return { id: quiz.id, seen: quiz.innerText,
             asked: quiz.querySelector('p').innerText,
             options: options.map((o) => o.querySelector('summary').textContent.trim()),
             right: options.findIndex((o) => o.classList.contains('right')),
             looks: [...quiz.querySelectorAll('button.option')]
                 .map((b) => [b.className, getComputedStyle(b).cssText].join()) };
})"""
# what a reader sees of one question: the verdict and the explanation of each option, and the score
SEEN = """(id) => {
    const quiz = document.getElementById(id), focus = document.activeElement;
    return { options: [...quiz.querySelectorAll('details.option')].map((o) => ({
                 verdict: o.querySelector('.verdict')?.innerText.trim() ?? '',
                 button: o.previousElementSibling.checkVisibility(),
                 shown: o.checkVisibility(),
                 why: o.querySelector('p').checkVisibility() && o.open })),
             focus: focus.closest('summary') ? focus.parentElement.className : focus.localName,
             score: quiz.querySelector('.score').innerText };
}"""
FOCUS = "(id) => document.getElementById(id).querySelector('button.option:not([hidden])').focus()"
FORBID = """Object.defineProperty(window, 'localStorage',
    { get() { throw new DOMException('forbidden', 'SecurityError'); } })"""
FOCUSED = "document.activeElement.textContent.trim()"


def by_keyboard(page, question, option):
    """Choose an option of a question with the keys alone."""
    page.evaluate(FOCUS, question["id"])
    while page.evaluate(FOCUSED) != question["options"][option]:
        page.keyboard.press("Tab")
        assert page.evaluate("!!document.activeElement.closest('.quiz')"), "the keys lead past it"
    page.keyboard.press("Enter" if option % 2 else "Space")


def by_touch(page, question, option):
    """Choose an option of a question with a finger."""
    quiz = page.locator(f"#{question['id']}")
    quiz.locator("button.option").nth(option).tap()


def assert_chosen(page, question, tries):
    """What was tried shows its verdict, and the last of it why; the others wait for the reader."""
    seen = page.evaluate(SEEN, question["id"])
    solved = question["right"] in tries
    for i, option in enumerate(seen["options"]):
        verdict = "✓ Right:" if i == question["right"] else "✗ Not right:"
        assert option["verdict"] == (verdict if i in tries else ""), seen
        assert option["shown"] == (solved or i in tries), seen
        assert option["button"] != option["shown"], seen
        assert option["why"] == (i in tries), seen
    assert seen["focus"] == f"option {'right' if tries[-1] == question['right'] else 'wrong'}", seen
    return seen["score"]


def some_wrong(question):
    return 1 if question["right"] == 0 else 0


def answer_all(page, questions, choose, missed):
    """Answer every question; those in `missed` with a wrong option first. Return the last score."""
    for question in questions:
        tries = []
        for option in [some_wrong(question)] * (question in missed) + [question["right"]]:
            choose(page, question, option)
            tries.append(option)
            score = assert_chosen(page, question, tries)
    return score


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_question_is_answered_by_keyboard_and_by_touch(site, browser, name):
    with opened(browser, site / name, has_touch=True) as page:
        questions = page.evaluate(QUESTIONS)
        assert len(questions) > 5
        for question in questions:  # the right option looks like the others
            assert question["seen"].split("\n\n") == [question["asked"], *question["options"]]
            assert len(set(question["looks"])) == 1
        missed = questions[::2]
        score = answer_all(page, questions, by_keyboard, missed)
        n, right = len(questions), len(questions) - len(missed)
        assert score.startswith(f"{right} of {n} right at the first try · this chapter asks ")
        assert violations(page, context=".quiz", rules=colours(name)) == {}

        page.set_viewport_size({"width": 390, "height": 800})
        for question in questions:
            page.locator(f"#{question['id']} .score button").tap()
        score = answer_all(page, questions, by_touch, questions[:1])
        assert score.startswith(f"{n - 1} of {n} right at the first try · this chapter asks ")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert violations(page, context=".quiz", rules=colours(name)) == {}
        assert_silent(page)


def colours(name):
    return {"color-contrast": {"enabled": name == MODEL}}


# ---------------------------------------------------------------- remembered, and reviewed


@pytest.fixture
def chapter(site, show):
    """The model chapter and its questions."""
    page = show(site / MODEL)
    return page, page.evaluate(QUESTIONS)


def test_answers_survive_a_reload_and_a_browser_that_keeps_none(chapter):
    page, (first, second, third, *_) = chapter
    by_keyboard(page, first, some_wrong(first))
    page.evaluate("localStorage.setItem(answers.KEY, '{damaged')")
    by_keyboard(page, first, first["right"])
    page.reload()
    seen = page.evaluate(SEEN, first["id"])
    assert [o["shown"] for o in seen["options"]] == [True] * len(first["options"])
    assert [o["why"] for o in seen["options"]] == [False] * len(first["options"])
    page.evaluate(FORBID)
    by_keyboard(page, second, second["right"])
    assert_chosen(page, second, [second["right"]])
    by_keyboard(page, third, some_wrong(third))
    score = assert_chosen(page, third, [some_wrong(third)])
    assert score.startswith("1 of 3 right")
    assert page.complaints == []


def test_the_review_lists_what_was_missed_and_what_waits_and_starts_over(site, chapter):
    page, (first, second, third, *others) = chapter
    for question, option in [(first, first["right"]), (second, second["right"])]:
        by_keyboard(page, question, option)
    by_keyboard(page, third, some_wrong(third))
    page.get_by_role("link", name="Review").nth(2).click()
    page.wait_for_url("**/quick-questions.html#questions-2")
    shelf = page.locator("#questions-2")
    tally = shelf.locator(".tally")
    waiting = len(others)
    assert f"2 right at the first try, 1 missed, {waiting} not answered" in tally.inner_text()
    rows = shelf.locator("li:visible")
    assert rows.count() == waiting + 1
    assert rows.first.inner_text().startswith("missed\n")
    assert third["asked"].removeprefix("Quick question. ") in rows.first.inner_text()
    page.get_by_label("Show the right ones too").check()
    assert rows.count() == waiting + 3
    for width in (1300, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page, context="article") == {}
    rows.first.get_by_role("link").click()
    page.wait_for_url(f"**/{MODEL}#{third['id']}")
    by_keyboard(page, third, third["right"])  # it is asked afresh
    page.goto((site / REVIEW).as_uri())
    assert "3 right at the first try, 0 missed" in tally.inner_text()
    over = shelf.get_by_role("button")
    over.click()
    assert f"0 right at the first try, 0 missed, {waiting + 3} not answered" in tally.inner_text()
    over.click()
    assert "3 right at the first try" in tally.inner_text()
    page.get_by_role("button", name="Start all chapters over").click()
    page.reload()
    assert "You have answered no question yet" in page.locator(".review").inner_text()
    assert_silent(page)


def test_without_a_script_every_option_opens_its_explanation(site, show):
    page = show(site / MODEL, java_script_enabled=False)
    quiz = page.locator(".quiz").first
    options = quiz.locator("details.option")
    assert options.count() >= 2
    assert page.locator(".quiz button").count() == 0
    for i in range(options.count()):
        option = options.nth(i)
        assert not option.locator("p").is_visible()
        option.locator("summary").click()
        assert option.locator("p").is_visible()
    page.goto((site / REVIEW).as_uri())
    assert page.locator("ul.questions > li:visible").count() > 100
