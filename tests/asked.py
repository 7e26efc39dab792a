"""Quick questions of an open page: answered by keyboard or by touch, and what is then seen."""

# of each question: its id, what is seen of it, its options, which is right, how their buttons look
QUESTIONS = """LOOKS = ['color', 'backgroundColor', 'borderColor', 'fontWeight', 'boxShadow'];
look = (button) => [button.className, ...LOOKS.map((part) => getComputedStyle(button)[part])];
[...document.querySelectorAll('.quiz')].map((quiz) => {
    const options = [...quiz.querySelectorAll('details.option')];
    return { id: quiz.id, seen: quiz.innerText,
             asked: quiz.querySelector('p').innerText,
             options: options.map((o) => o.querySelector('summary').textContent.trim()),
             right: options.findIndex((o) => o.classList.contains('right')),
             looks: [...quiz.querySelectorAll('button.option')].map((b) => look(b).join()) };
})"""
# of one question: the verdict and the explanation of each option, and the score
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
FOCUSED = "[document.activeElement.textContent.trim(), !!document.activeElement.closest('.quiz')]"
# only the questions are shown: else each key would lay out a long page again
ALONE = """(alone) => document.querySelectorAll('body *').forEach((e) => {
    if (!e.closest('.quiz') && !e.querySelector('.quiz')) e.classList.toggle('set-aside', alone);
})"""


def by_keyboard(page, question, option):
    """Choose an option of a question with the keys alone."""
    page.evaluate(FOCUS, question["id"])
    while (focused := page.evaluate(FOCUSED))[0] != question["options"][option]:
        assert focused[1], "the keys lead past it"
        page.keyboard.press("Tab")
    page.keyboard.press("Enter" if option % 2 else "Space")


def by_touch(page, question, option):
    """Choose an option of a question with a finger."""
    page.locator(f"#{question['id']} button.option").nth(option).tap()


def wrong(question):
    """An option of a question that is not right."""
    return 1 if question["right"] == 0 else 0


def assert_chosen(page, question, tries):
    """What was tried shows its verdict and why, the rest waits for the reader. Return the score."""
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


def questions_of(page):
    """The questions of a page as they are seen."""
    return page.evaluate(QUESTIONS)


NOTHING = (0, 0)  # answered before: right at the first try, in all


def answer(page, questions, choose, before=NOTHING):
    """Answer questions, every other one wrong at first. Return how many were right, of how many."""
    right, count = before
    if not questions:
        return before
    page.evaluate(ALONE, True)
    for question in questions:
        count += 1
        words = " ".join([question["asked"], *question["options"]])
        assert question["seen"].split() == words.split()  # and nothing that tells the right one
        assert len(set(question["looks"])) == 1
        tries = []
        for option in [wrong(question)] * (count % 2) + [question["right"]]:
            choose(page, question, option)
            tries.append(option)
            score = assert_chosen(page, question, tries)
        right += len(tries) == 1
        assert score.startswith(f"{right} of {count} right at the first try · this chapter asks ")
    page.evaluate(ALONE, False)
    return right, count
