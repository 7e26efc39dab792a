"""Figures and the text around them: sentences that set a figure, pins, focus, playing, one screen.

Leaves out what each figure computes (test_explorables_walked).
"""

import re
from contextlib import ExitStack
from urllib.parse import parse_qsl

import pytest

from tests.browser import NEEDS_CHROMIUM
from tests.explorable_pages import PAGES, button, context_of, gathered

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

LINK = re.compile(r'<a data-figure="[^"]*" href="#figure-[^"]*">.*?</a>', re.S)
SCREENS = {1300: (1300, 800), 390: (390, 844)}
HEAD = 64  # pixels that the book's bar takes above a page

# what each sentence of the book says of the state that its link sets, as the figure itself tells it
SAID = {
    "merges?text=2&merges=0": "Nothing is merged yet: 279 tokens",
    "merges?text=2&merges=10": "become “␣the”",
    "merges?own=a+banana+and+an+ananas&merges=3": "no pair occurs twice",
    "sampling?after=was&heat=2&k=all&p=1": r"others[\s\S]*6\d\.\d %",
    "sampling?after=named&heat=1&k=all&p=0.9": "19 of 736 words",
    "sampling?after=could&heat=1&k=all&p=0.9": "4 of 736 words",
    "discount?after=good&D=0": "discounting ∞",
    "discount?alpha=0.1": r"additive 3\.[23]",
    "discount?D=0.4": r"discounting 3\.[45]",
    "write?read=10000&n=2": "10,106 words are read",
    "write?read=10000&n=5": "10,106 words are read",
    "write?read=1000&n=5": "1,048 words are read",
    "guess?story=1": "Question 1 of 8",
    "guess?story=4": "Question 1 of 8",
    "window?n=3&window=0": "Nothing is counted yet",
    "window?n=3&window=14": "Window 14 of 14",
    "map?word=ewes&close=on": "Nearest to “ewes”",
    "map?map=2": "axes 3 and 4",
    "map?sum=paris+france+italy&free=off": "nearest to “rome”",
    "map?sum=french+france+egypt&free=off": "nearest to “arabic”",
    "map?sum=hens+hen+goat&free=off": "nearest to “(?!goats)",
    "map?sum=hens+hen+goat&free=on": "nearest to “hens”",
    "gates?net=RNN&word=60": r"up to “\.”.* 20 % more than ten words back",
    "gates?net=GRU&word=60": r"up to “\.”.* 46 % more than ten words back",
    "gates?number=1&word=57": r"cell 2\.",
    "gates?number=2&word=59": r"up to “greta”.*input gate 0\.2",
    "attend?head=2.3&word=so": r"“so”, layer 2, head 3 looks most at “rosa”[\s\S]*9\d\.\d %",
    "attend?head=1.2&word=so": "“so”, layer 1, head 2 looks most at “rosa”",
    "attend?head=2.1&word=another": "“another”, layer 2, head 1 looks most at “",
    "attend?head=1.2&word=sunrise&root=off&mask=on": r"over about [45]\.\d words",
    "attend?head=2.3&word=tailor&root=on&mask=off": "“tailor”",
    "ladder?rung=2-gram": "735 % above the floor",
    "ladder?rung=LSTM": "gains most at pronoun",
    "ladder?rung=attention only": r"gains most at name \(2\.62 bits",
    "leash?reward=number+of+yes&beta=10": r"expected reward 0\.48 .*KL 0\.00 nats",
    "leash?reward=number+of+yes&beta=0.5": r"expected reward 1\.44 .*KL 1\.03 nats",
    "leash?reward=number+of+yes&beta=0.1": r"expected reward 2\.00",
    "leash?reward=yes+no+alone&beta=0.5": r"expected reward 0\.51 \(reference 0\.1[23]\)",
}


@pytest.fixture(scope="module")
def linked(site, tmp_path_factory):
    """The page of all explorables with every sentence of the book that sets one, above them."""
    built = [(site / "chapters" / f"{stem}.html").read_text("utf-8") for stem in PAGES]
    links = [found for text in built for found in LINK.findall(text)]
    path = tmp_path_factory.mktemp("linked") / "linked.html"
    gathered(site, path)
    text = path.read_text("utf-8")
    path.write_text(re.sub("<article[^>]*>", lambda m: m[0] + " ".join(links), text, count=1))
    return path


@pytest.fixture(scope="module")
def opened(browser, linked):
    """A function that opens that page at a width, once; a context may ask for less motion."""
    with ExitStack() as open_pages:
        pages = {}

        def page_of(width, **options):
            key = (width, *options.items())
            if key not in pages:
                w, h = SCREENS[width]
                context = open_pages.enter_context(
                    context_of(browser, viewport={"width": w, "height": h}, **options)
                )
                pages[key] = context.new_page()
                pages[key].set_default_timeout(60_000)
                pages[key].goto(linked.as_uri())
            return pages[key]

        yield page_of


def figure_of(page, name):
    return page.locator(f"#figure-{name}")


def state_of(page, name):
    return figure_of(page, name).evaluate("(figure) => figure.explorable.get()")


def in_view(page, figure):
    box = figure.bounding_box()
    return box["y"] >= HEAD - 1 and box["y"] + box["height"] <= page.viewport_size["height"] + 1


# ---------------------------------------------------------------- sentences


def test_every_sentence_sets_its_figure_to_what_it_says(opened):
    page = opened(1300, reduced_motion="reduce")
    links = [
        link
        for link in page.locator("a[data-figure]").all()
        if link.get_attribute("href") != "#figure-transformer"
    ]
    keys = [
        f"{link.get_attribute('href').removeprefix('#figure-')}?{link.get_attribute('data-figure')}"
        for link in links
    ]
    assert {re.sub(r"=attention\+", "=attention ", key) for key in keys} == set(SAID)
    for link, key in zip(links, keys, strict=True):
        name, query = key.split("?")
        link.evaluate("(link) => link.click()")
        said = re.compile(SAID[re.sub(r"=attention\+", "=attention ", key)])
        figure_of(page, name).locator(".nw-x-live").filter(has_text=said).wait_for()
        page.wait_for_function(
            "(link) => link.classList.contains('nw-x-done')", arg=link.element_handle()
        )
        state = state_of(page, name)
        for param, value in parse_qsl(query):
            assert state[param] == value or float(state[param]) == float(value)
        assert figure_of(page, name).locator("> [role=status]").inner_text() != ""
    names = [key.split("?")[0] for key in keys]
    assert all(names.count(name) >= 2 for name in names)


def test_a_sentence_brings_its_figure_into_view_and_the_reader_back(opened):
    page = opened(1300, reduced_motion="reduce")
    link = page.locator("a[href='#figure-ladder']").last
    link.click()
    figure = figure_of(page, "ladder")
    page.wait_for_function(
        "(f) => f.getBoundingClientRect().bottom <= innerHeight + 1", arg=figure.element_handle()
    )
    assert in_view(page, figure)
    assert link.evaluate("(link) => link === document.activeElement")
    assert page.url.endswith("#figure-ladder?rung=attention+only")
    back = figure.locator(".nw-x-back")
    back.click()
    page.wait_for_function(
        "(link) => link.getBoundingClientRect().top >= 0", arg=link.element_handle()
    )
    assert back.is_hidden()
    assert link.evaluate("(link) => link === document.activeElement")


def test_a_figure_in_view_stays_where_it_is(opened):
    page = opened(1300, reduced_motion="reduce")
    figure = figure_of(page, "window")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    figure.evaluate("(f) => f.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = page.evaluate("scrollY")
    page.locator("a[href='#figure-window']").first.evaluate("(link) => link.click()")
    assert page.evaluate("scrollY") == before
    assert figure.locator(".nw-x-back").is_hidden()


def test_what_is_moved_by_hand_is_no_longer_what_the_sentence_says(opened):
    page = opened(1300, reduced_motion="reduce")
    link = page.locator("a[href='#figure-window']").last
    link.evaluate("(link) => link.click()")
    assert "nw-x-done" in link.get_attribute("class")
    button(figure_of(page, "window"), "Back").click()
    page.wait_for_function(
        "(link) => !link.classList.contains('nw-x-done')", arg=link.element_handle()
    )


def test_a_page_s_address_restores_a_state(browser, linked):
    with context_of(browser, viewport={"width": 1300, "height": 800}) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{linked.as_uri()}#figure-attend?head=2.1&word=another&root=off")
        assert state_of(page, "attend") == {
            "head": "2.1",
            "word": "another",
            "root": "off",
            "mask": "on",
        }
        assert in_view(page, figure_of(page, "attend"))
        page.evaluate("location.hash = '#figure-attend?head=nonsense&word=zebra&root='")
        page.wait_for_timeout(50)
        assert state_of(page, "attend")["word"] == "another", "what it does not know is left alone"


# ---------------------------------------------------------------- pins


@pytest.mark.parametrize(
    ("name", "things", "state"),
    [("ladder", ".nw-x-rungs button", "rung"), ("attend", ".nw-x-token", "word")],
)
def test_a_click_pins_and_hovering_shows_only_what_is_not_pinned(opened, name, things, state):
    page = opened(1300)
    figure = figure_of(page, name)
    figure.scroll_into_view_if_needed()
    each = figure.locator(things)
    each.nth(3).focus()
    page.keyboard.press("Escape")
    seen = []
    for k in (2, 4):
        each.nth(k).hover()
        page.mouse.move(*centre(each.nth(k), 2))
        seen.append(state_of(page, name)[state])
    assert seen[0] != seen[1]
    each.nth(4).click()
    assert each.nth(4).get_attribute("aria-pressed") == "true"
    for k in (2, 6):
        page.mouse.move(*centre(each.nth(k)))
        page.mouse.move(*centre(each.nth(k), 2))
        assert state_of(page, name)[state] == seen[1], "what is pinned stays"
    page.keyboard.press("Escape")
    assert each.nth(4).get_attribute("aria-pressed") == "false"
    each.nth(5).focus()
    page.keyboard.press("Enter")
    assert each.nth(5).get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    assert figure.locator(f"{things}[aria-pressed=true]").count() == 0


def centre(target, aside=0):
    box = target.bounding_box()
    return box["x"] + box["width"] / 2 + aside, box["y"] + box["height"] / 2 + aside


def test_the_map_shows_the_word_below_the_mouse_until_one_is_pinned(opened):
    page = opened(1300)
    figure = figure_of(page, "map")
    figure.evaluate("(f) => f.explorable.set({ word: 'miller', map: '1', close: 'off' })")
    page.wait_for_timeout(900)  # the points may still walk from the other map
    figure.scroll_into_view_if_needed()
    page.keyboard.press("Escape")
    picture = figure.locator(".nw-x-map")
    picture.focus()
    page.keyboard.press("Escape")
    dots = figure.locator(".nw-x-map circle")

    def point_at(k):
        x, y = centre(dots.nth(k))
        page.mouse.move(x - 1, y)
        page.mouse.move(x, y)
        return state_of(page, "map")["word"]

    assert point_at(3) != point_at(100)
    page.mouse.click(*centre(dots.nth(100)))
    pinned = state_of(page, "map")["word"]
    assert point_at(3) == pinned
    page.keyboard.press("ArrowLeft")
    assert state_of(page, "map")["word"] != pinned


# ---------------------------------------------------------------- focus and playing


@pytest.mark.parametrize(
    "name", ["window", "merges", "attend", "gates", "ladder", "sampling", "discount"]
)
def test_a_button_that_goes_grey_keeps_the_focus(opened, name):
    page = opened(1300)
    figure = figure_of(page, name)
    player = figure.locator(".nw-x-player").first
    step = player.get_by_role("button", name=re.compile("^(Step|Merge|Draw)$"))
    step.focus()
    for _ in range(300):  # at the last place the button is grey
        if step.get_attribute("aria-disabled") == "true":
            break
        step.press("Enter")
    assert step.get_attribute("aria-disabled") == "true"
    assert step.evaluate("(e) => e === document.activeElement")
    step.press("Enter")
    assert step.evaluate("(e) => e === document.activeElement")
    assert figure.locator("button:disabled").count() == 0


def test_playing_goes_on_by_itself_pauses_and_stops_at_the_end(opened):
    page = opened(1300)
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    figure = figure_of(page, "window")
    figure.evaluate("(f) => f.explorable.set({ n: '1', window: '0' })")
    figure.scroll_into_view_if_needed()
    button(figure, "Play").click()
    page.wait_for_function(
        "document.querySelector('#figure-window').explorable.get().window === '1'"
    )
    button(figure, "Pause").click()
    figure.evaluate("(f) => f.explorable.set({ window: '13' })")
    button(figure, "Play").click()
    page.wait_for_function(
        "document.querySelector('#figure-window').explorable.get().window === '14'"
    )
    button(figure, "Play").wait_for()


def test_who_wants_less_motion_gets_steps_alone(opened):
    page = opened(1300, reduced_motion="reduce")
    for name in ("window", "merges", "attend", "gates", "ladder", "sampling", "discount"):
        figure = figure_of(page, name)
        assert button(figure, "Play").count() == 0
        assert figure.locator(".nw-x-player").count() >= 1


# ---------------------------------------------------------------- one screen

# states of the figures in which they are longest
LONGEST = {
    "merges": {"text": "2", "merges": "20"},
    "sampling": {"heat": "3", "draw": "20"},
    "discount": {},
    "write": {"read": "1000", "n": "2"},
    "window": {"n": "3", "window": "14"},
    "map": {"sum": "hens hen goat"},
    "gates": {"net": "GRU", "word": "51"},
    "attend": {"word": "so"},
    "ladder": {"rung": "linear attention"},
    "leash": {"reward": "yes no alone", "beta": "0.1"},
}


@pytest.mark.parametrize("width", SCREENS)
def test_each_figure_fits_one_screen(opened, width):
    page = opened(width)
    room = SCREENS[width][1] - HEAD
    for name, state in LONGEST.items():
        figure = figure_of(page, name)
        figure.evaluate("(f, state) => f.explorable.set(state)", state)
        assert figure.bounding_box()["height"] <= room, name
    game = figure_of(page, "guess")
    for last in (False,) * 7 + (True,):
        game.locator("input[type=radio]").first.check()
        assert game.bounding_box()["height"] <= room
        button(game, "Bet").click()
        assert game.bounding_box()["height"] <= room
        if not last:
            button(game, "Next word").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
