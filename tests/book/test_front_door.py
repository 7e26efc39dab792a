"""The first page: the game played to its end by keys and by touch, the picture, and what every page
says of itself where it is shared. Leaves out: how the stories were chosen (test_home_game)."""

import importlib
import itertools
import json
import math
import re
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from nextword.explorables.figure import PARTS
from nextword.models import store
from nextword.plots import falling
from nextword.press import card
from nextword.products import shipped_ladder
from tests.browser import (
    AT_REST,
    NEEDS_CHROMIUM,
    THOROUGH,
    assert_silent,
    opened,
    violations,
)
from tests.explorable_pages import Keyboard, Touch, button, context_of

ROOT = Path(__file__).parents[2]
HOME = "chapters/index.html"
GAME = store.facts_of(ROOT / "checkpoints" / "home" / "game.safetensors")["stories"]
SURE = {"a guess": 0.4, "fairly sure": 0.75, "certain": 0.97}
PLAYERS = ("you", "5-gram", "transformer", "truth")
SCREENS = {"desk": (Keyboard, 1300, 800), "phone": (Touch, 390, 844)}
FITS = "document.querySelector('.front-game .nw-x').getBoundingClientRect().bottom + scrollY"


@pytest.fixture(scope="module", params=SCREENS.values(), ids=SCREENS)
def seat(request, browser, site):
    """The first page on a screen, and the hand that plays there."""
    kind, width, height = request.param
    with opened(browser, site / HOME, width=width, has_touch=True) as page:
        page.set_viewport_size({"width": width, "height": height})
        yield page, kind(page), height
        assert_silent(page)


def bets(question, word, sure):
    """What each player gives to each choice."""
    others = (1 - sure) / (len(question["choices"]) - 1)
    yours = [sure if each == word else others for each in question["choices"]]
    return [yours, *(question["bets"][name] for name in ("5-gram", "transformer", "village"))]


def table(page):
    """The bets on the board, {word: [percent]}, and the bits lost."""
    rows = page.locator(".front-board tbody tr").all()
    shown = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}
    lost = page.locator(".front-board tfoot td").all_inner_texts()
    return shown, [float(text.removeprefix("★ ")) for text in lost]


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_the_game_is_played_to_its_end_with_a_score_that_python_computes(seat):
    """Right, wrong, and with each degree of certainty; nothing scrolls, and no focus is lost."""
    page, hand, height = seat
    figure = page.locator(".front-game")
    story, lost = GAME[0], [0.0] * 4
    for k, question in enumerate(story["questions"]):
        assert f"{k + 1} of {len(story['questions'])}" in figure.inner_text()
        told = figure.locator(".front-story").inner_text()
        assert len(told.split()) < len(story["words"])
        name = list(SURE)[k % 3]
        if isinstance(hand, Touch):
            figure.get_by_text(name, exact=True).tap()
        else:
            hand.press(figure.get_by_label(name, exact=True))
        word = question["answer"] if k % 4 else question["choices"][-1]
        hand.press(button(figure, word))
        expected = bets(question, word, SURE[name])
        right = question["choices"].index(question["answer"])
        lost = [sum_ - math.log2(row[right]) for sum_, row in zip(lost, expected, strict=True)]
        shown, sums = table(page)
        for i, choice in enumerate(question["choices"]):
            for text, row in zip(shown[choice], expected, strict=True):
                number = float(text.removesuffix(" %").replace("<1", "0.25"))
                assert number == pytest.approx(100 * row[i], abs=0.51)
        assert sums == pytest.approx(lost, abs=0.051)
        assert f"“{question['answer']}”" in figure.locator(".nw-x-spoken").inner_text()
        assert page.evaluate(FITS) <= height
        if k < len(story["questions"]) - 1:
            assert page.evaluate("document.activeElement.textContent") == "Next word"
            hand.press(button(figure, "Next word"))
            assert page.evaluate("document.activeElement.className") == "front-word"
    assert "that is the floor" in figure.locator(".nw-x-spoken").inner_text()
    best = PLAYERS[lost.index(min(lost[:3]))]
    assert figure.locator(".front-best").count() == 1
    assert f"front-p{PLAYERS.index(best)}" in figure.locator(".front-best").get_attribute("class")
    told = re.sub(r"[^a-z ]", "", figure.locator(".front-story").inner_text())
    assert told.split() == [word for word in story["words"] if word.isalpha()]
    assert figure.get_by_role("link", name="Start chapter 1").is_visible()
    hand.press(button(figure, "Another story"))
    assert page.evaluate("document.activeElement.className") == "front-word"
    assert figure.locator(".front-story").inner_text().startswith(" ".join(GAME[1]["words"][:3]))
    assert table(page)[1] == [0, 0, 0, 0]


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_every_story_fits_on_the_screen_from_the_first_word_to_the_last(seat):
    page, _, height = seat
    play = """() => {
        const box = document.querySelector('.front-game .nw-x'), bottoms = [];
        const press = (text) =>
            [...box.querySelectorAll('button')].find((b) => b.textContent === text).click();
        for (let k = 0; k < 8; k += 1) {
            box.querySelector('.front-word').click();
            bottoms.push(box.getBoundingClientRect().bottom + scrollY);
            press(k < 7 ? 'Next word' : 'Another story');
        }
        return Math.max(...bottoms);
    }"""
    assert [page.evaluate(play) <= height for _ in GAME] == [True] * len(GAME)


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_a_digit_chooses_a_word_only_where_the_game_has_the_focus(seat):
    page, _, _ = seat
    figure = page.locator(".front-game")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("2")
    assert figure.locator("[aria-disabled=true]").count() == 0
    figure.locator(".front-word").first.focus()
    page.keyboard.press("2")
    assert figure.locator(".front-chosen").count() == 1
    second = figure.locator(".front-board tbody tr").nth(1)
    assert "front-chosen" in second.get_attribute("class")
    page.keyboard.press("3")  # the bet stands
    assert figure.locator(".front-chosen").count() == 1


@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_while_the_game_is_played(seat, theme):
    page, hand, _ = seat
    if not THOROUGH and (theme == "light") != isinstance(hand, Keyboard):
        pytest.skip("light at the desk, dark on the phone; all four in make test-thorough")
    page.emulate_media(color_scheme=theme)
    page.reload()
    page.wait_for_selector(f"html[data-theme={theme}]")
    page.evaluate(AT_REST)
    assert violations(page, ".front-game") == {}
    page.locator(".front-word").first.click()
    page.evaluate(AT_REST)
    assert violations(page, ".front-game") == {}


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_who_wants_no_motion_sees_none(browser, site):
    with opened(browser, site / HOME, reduced_motion="reduce") as page:
        page.locator(".front-word").first.click()
        page.get_by_role("button", name="Next word").click()
        assert page.locator(".front-new").count() > 0
        assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_without_javascript_the_first_question_stands_with_its_bets(browser, site):
    with context_of(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / HOME).as_uri())
        question = GAME[0]["questions"][0]
        still = page.locator(".nw-x-still").inner_text()
        assert all(word in still for word in question["choices"])
        assert f"{100 * question['bets']['5-gram'][0]:.0f} %" in still
        assert page.locator(".front-game button").count() == 0


@pytest.mark.slow
def test_the_first_page_is_light(site):
    """Its own text with the game; the stories are nine tenths of the numbers."""
    html = (site / HOME).read_text("utf-8")
    numbers = PARTS.search(html)["numbers"]
    assert len(json.loads(numbers)["stories"]) == len(GAME) >= 8
    assert len(numbers.encode()) < 60_000
    assert len(html.encode()) < 160_000


# ---------------------------------------------------------------- the picture


def test_the_picture_holds_the_numbers_of_the_shipped_ladder_and_its_words_do_too():
    ladder = shipped_ladder(ROOT)
    for picture in (falling.wide(ladder), falling.narrow(ladder), falling.wide(ladder, alone=True)):
        shown = " ".join(re.findall(r">([^<>]+)</text>", picture))
        for name in falling.SHOWN:
            assert falling.percent(ladder.above[name]) in shown
        assert f"perplexity {ladder.floor:.2f}" in shown
        assert unescape(re.search(r'aria-label="([^"]+)"', picture)[1]) == ladder.alt
    assert all(
        f"{name} {falling.percent(ladder.above[name])}" in ladder.alt for name in falling.SHOWN
    )


def test_a_step_of_the_picture_is_as_far_down_as_its_model():
    ladder = shipped_ladder(ROOT)
    points = re.search(r'<polyline points="([^"]+)"', falling.wide(ladder))[1].split()
    heights = [float(point.split(",")[1]) for point in points[::2]]
    logs = [math.log(ladder.above[name]) for name in falling.SHOWN]
    steps = [b - a for a, b in itertools.pairwise(heights)]
    falls = [a - b for a, b in itertools.pairwise(logs)]
    assert all(step > 0 for step in steps)
    assert [s / steps[0] for s in steps] == pytest.approx([f / falls[0] for f in falls], abs=0.01)


def test_the_card_beside_a_shared_link_shows_today_s_ladder():
    """Where this fails: python -m nextword.press.card"""
    png = (ROOT / card.PICTURE).read_bytes()
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (card.WIDTH, card.HEIGHT)
    assert card.description(png) == card.facts(shipped_ladder(ROOT))
    assert len(png) < 300_000


def test_the_promise_is_the_same_on_the_first_page_the_card_and_the_readme():
    assert card.PROMISE in (ROOT / "chapters" / "index.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert card.PROMISE in readme
    assert "](chapters/_static/ladder.svg)" in readme


# ---------------------------------------------------------------- what a page says of itself


def heads(site):
    """{page: its title and the elements of its head}."""
    found = {}
    for path in [
        *sorted((site / "chapters").glob("*.html")),
        site / "search.html",
        site / "genindex.html",
        site / "index.html",
    ]:
        soup = BeautifulSoup(path.read_text("utf-8").split("<body", 1)[0], "html.parser")
        metas = [(m.get("property") or m.get("name"), m.get("content")) for m in soup("meta")]
        names = [name for name, _ in metas if name and name != "viewport"]
        assert len(names) == len(set(names)), f"{path.name}: said twice"
        found[path] = {"title": soup.title.get_text(strip=True), **dict(metas)}
    return found


@pytest.mark.slow
def test_every_page_has_a_title_a_description_and_a_picture_of_its_own(site):
    found = heads(site)
    titles = [head["title"] for path, head in found.items() if path.parent.name == "chapters"]
    texts = [head["description"] for path, head in found.items() if path.parent.name == "chapters"]
    assert len(set(titles)) == len(titles)
    assert len(set(texts)) == len(texts)
    for path, head in found.items():
        assert 30 <= len(head["description"]) <= 200, path.name
        assert not re.search(r"[\\{}$<>]|about \d+ minutes to read", head["description"]), path.name
        assert head["og:description"] == head["twitter:description"] == head["description"]
        assert head["og:title"] == head["twitter:title"]
        assert head["og:title"] in head["title"] or path.name == "search.html"
        assert head["og:type"] in ("website", "article")
        assert head["twitter:card"] == "summary_large_image"
        assert (path.parent / head["og:image"]).is_file()
    assert found[site / HOME]["title"] != "Next Word — Next Word"


sys.path.insert(0, str(ROOT / "chapters" / "_ext"))


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("One. Two is longer. Three.", 20, "One. Two is longer."),
        ("A sentence without an end that fits nowhere", 20, "A sentence …"),
        ("About Dr. zero and 1.5 bits. Then more and more.", 30, "About Dr. zero and 1.5 bits."),
    ],
)
def test_a_description_is_cut_between_sentences(text, longest, expected):
    pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
    assert importlib.import_module("shared_links").shortened(text, longest) == expected


@pytest.mark.parametrize(
    ("configured", "environment", "expected"),
    [
        ("", "", ""),
        ("", "https://a.org/book", "https://a.org/book/"),
        ("https://b.org/", "https://a.org", "https://b.org/"),
    ],
)
def test_the_book_s_address_is_that_of_the_settings_else_of_the_environment(
    configured, environment, expected, monkeypatch
):
    pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
    links = importlib.import_module("shared_links")
    monkeypatch.setenv(links.ADDRESS, environment)
    config = SimpleNamespace(html_baseurl=configured)
    links.find_address(None, config)
    assert config.html_baseurl == expected
    workflow = (ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8")
    assert f"{links.ADDRESS}: ${{{{ steps.pages.outputs.base_url }}}}" in workflow


def test_an_address_makes_the_picture_s_address_whole():
    pytest.importorskip("sphinx", reason="the book is built with pip install '.[book]'")
    links = importlib.import_module("shared_links")

    class Application:
        class config:  # noqa: N801 - as Sphinx calls it
            root_doc, html_baseurl = "chapters/index", "https://example.org/book/"

        class builder:  # noqa: N801
            get_target_uri = staticmethod(lambda page: f"{page}.html")

    context = {
        "title": "A &amp; <em>B</em>",
        "metatags": '<meta name="description" content="Given." />\n',
    }
    links.introduce(Application, "chapters/a", "page.html", context, None)
    soup = BeautifulSoup(context["metatags"], "html.parser")
    said = {m.get("property") or m.get("name"): m["content"] for m in soup("meta")}
    assert said["og:image"] == "https://example.org/book/_static/card.png"
    assert said["og:url"] == "https://example.org/book/chapters/a.html"
    assert (said["og:title"], said["description"]) == ("A & B", "Given.")
    assert context["metatags"].count('name="description"') == 1
