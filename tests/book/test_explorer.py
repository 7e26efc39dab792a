"""The explorer of section 6.9: every view driven by keys and by touch, and what it shows compared
with what Python computes. Leaves out: its models by themselves (test_explorer_models)."""

import json
import math
import re

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from nextword.corpora import village
from nextword.explorables.figure import PARTS
from solutions import language_models as lm
from tests.browser import NEEDS_CHROMIUM, THOROUGH, violations
from tests.explorable_pages import (
    ROOT,
    STORED,
    Keyboard,
    Touch,
    button,
    context_of,
    ids_of,
    torch_lstm,
    torch_network,
)
from tests.explorer_page import GIVEN, Explorer, chances, looks, stream

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

PAGE = """<!DOCTYPE html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
<title>Explorer</title><meta name="viewport" content="width=device-width"><style>{style}
body {{ margin: 0; background: var(--pst-color-background); }}
h1 {{ position: absolute; clip-path: inset(50%); }} main {{ max-width: {wide}; margin: auto; }}
</style><body><main class="bd-article"><h1>The explorer</h1>
<div class="{look}">{html}</div></main></body></html>"""
SIZES = {"column": (1300, 800, "44rem"), "page": (1300, 800, "none"), "phone": (390, 844, "none")}
BAR = 48  # pixels of the book's bar above a page
VIEWS = ["next", "heads", "inside", "lens", "models", "writes"]
BEGINNING = 130  # words of the first story, up to "after midnight axel"
AS_AT_FIRST = {
    "story": "1", "words": str(BEGINNING), "view": "next", "pin": "last", "off": "", "head": "3.1",
    "model": "transformer", "temperature": "1", "k": "0", "p": "1", "beam": "0", "a": "LSTM",
    "b": "transformer", "stage": "0",
}  # fmt: skip
STORY = GIVEN["stories"][0]
WORDS = GIVEN["network"]["words"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page that holds the figure alone, for each theme and size."""
    folder = tmp_path_factory.mktemp("explorer")
    html = next(html for _, found, html in STORED if found["name"] == "transformer")
    style = (ROOT / "chapters" / "_static" / "book.css").read_text("utf-8")
    for theme in ("light", "dark"):
        for name, (_, _, wide) in SIZES.items():
            look = "nw-e-page" if name == "page" else ""
            text = PAGE.format(theme=theme, style=style, wide=wide, html=html, look=look)
            (folder / f"{theme}-{name}.html").write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module", params=["keys", "touch"])
def opened(request, browser, pages):
    """The figure, opened once for a hand: by keys in a column, by touch on a phone."""
    name, hand = {"keys": ("column", Keyboard), "touch": ("phone", Touch)}[request.param]
    size = dict(zip(("width", "height"), SIZES[name], strict=False))
    with context_of(browser, viewport=size, has_touch=True, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine
        complaints = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
        page.goto((pages / f"light-{name}.html").as_uri())
        yield Explorer(page, hand)
        assert complaints == []


@pytest.fixture
def explorer(opened):
    """The figure as it is at first."""
    opened.set(**AS_AT_FIRST)
    return opened


# ---------------------------------------------------------------- the next word


def test_bars_show_the_chances_and_the_truth_also_without_a_head(explorer):
    words = STORY[:BEGINNING]
    for off in ((), ((2, 0),)):
        if off:
            explorer.set(view="heads")
            explorer.hand.press(explorer.figure.get_by_label("3.1 on"))
            explorer.hand.press(explorer.figure.get_by_role("tab", name="Next word"))
            explorer.until("document.querySelector('.nw-e-was').style.left !== '0%'")
        expected, truth = chances(words, off), village.next_words(words)
        bars = explorer.bars()
        assert WORDS[int(expected.argmax())] in bars
        for word, (percent, true) in bars.items():
            assert percent == pytest.approx(100 * expected[WORDS.index(word)], abs=0.06)
            assert true == (pytest.approx(100 * truth[word], abs=0.06) if word in truth else None)


@pytest.mark.parametrize(("heat", "k", "p"), [(2.0, 0, 1.0), (0.5, 3, 1.0), (1.5, 12, 0.6)])
def test_temperature_and_cuts_are_those_of_chapter_one(explorer, heat, k, p):
    explorer.set(words="20", temperature=str(heat), k=str(k), p=str(p))
    own = chances(STORY[:20])
    order = np.argsort(-own)
    cut = lm.with_temperature(np.log(own[order]), heat)
    cut = lm.top_p(lm.top_k(cut, k or len(cut)), p)
    expected = {WORDS[i]: 100 * chance for i, chance in zip(order, cut, strict=True)}
    for word, (percent, _) in explorer.bars().items():
        assert percent == pytest.approx(expected[word], abs=0.06)


def test_a_slider_moves_by_hand_and_a_beam_can_be_taken(explorer):
    explorer.hand.slide(explorer.figure.get_by_label("beams"), 3)
    beams = explorer.figure.locator("button.nw-e-beam")
    beams.first.wait_for()
    width = int(explorer.get()["beam"])
    explorer.until(f"document.querySelectorAll('.nw-e-beam').length === {width}")
    assert width > 1
    said, numbers = beams.first.text_content().split(" : ")
    said, p = said.split(), 1.0
    for k, word in enumerate(said):
        p *= chances([*STORY[:BEGINNING], *said[:k]])[WORDS.index(word)]
    assert float(numbers.split()[0]) == pytest.approx(100 * p, abs=0.06)
    explorer.hand.press(beams.first)
    explorer.until(f"words.length > {BEGINNING}")
    assert explorer.words() == [*STORY[:BEGINNING], *said]


# ---------------------------------------------------------------- the text


def test_own_words_are_typed_and_what_the_village_does_not_know_is_marked(explorer):
    explorer.set(text="once a shy fisher")
    explorer.figure.get_by_label("type the next word").focus()
    explorer.page.keyboard.type("googled the sea")
    explorer.page.keyboard.press("Enter")
    marked = explorer.figure.locator(".nw-e-unknown")
    marked.wait_for()
    assert marked.inner_text() == "googled"
    assert "“googled” is none of the village's 734 words" in explorer.says()
    assert "the village could say “named”" in explorer.says()
    assert set(explorer.bars()) >= {"named"}, "of the text before it"


def test_a_word_is_changed_in_its_place_and_the_listener_says_why_it_cannot_stand(explorer):
    explorer.set(text="once a shy fisher named rosa", pin="4")
    explorer.hand.press(explorer.figure.locator("button.nw-e-w").nth(4))  # pinned: it opens
    word = explorer.figure.get_by_label("word 4")
    word.fill("lake")
    word.press("Enter")
    explorer.until("document.querySelector('.nw-e .nw-x-out')?.textContent === 'lake'")
    assert explorer.words() == ["once", "a", "shy", "lake", "named", "rosa"]
    could = list(village.score(["once", "a", "shy", "lake"]).possible)
    assert "Word 4, “lake”, cannot stand here" in explorer.says()
    said = re.findall("“([^”]+)”", explorer.says())[1:]
    assert set(said) <= set(could)
    assert "What decides it:" in explorer.says()


def test_a_whole_text_can_be_typed(explorer):
    explorer.hand.press(button(explorer.figure, "Edit"))
    area = explorer.figure.get_by_label("your own text")
    area.fill("Once a busy baker named Nils lived by the sea.")
    explorer.until("words.length === 11")
    explorer.hand.press(button(explorer.figure, "Done"))
    assert explorer.words() == [
        "once",
        "a",
        "busy",
        "baker",
        "named",
        "nils",
        "lived",
        "by",
        "the",
        "sea",
        ".",
    ]
    assert "11 words, all possible" in explorer.says()


def test_step_draws_a_word_and_back_takes_it_away(explorer):
    explorer.hand.press(button(explorer.figure, "Step"))
    explorer.until(f"words.length === {BEGINNING + 1}")
    explorer.hand.press(button(explorer.figure, "Back"))
    explorer.until(f"words.length === {BEGINNING}")
    assert explorer.words() == STORY[:BEGINNING]


def test_tabs_and_words_are_walked_by_arrow_keys(explorer):
    if isinstance(explorer.hand, Touch):
        explorer.hand.press(explorer.figure.get_by_role("tab", name="Lens"))
        assert explorer.get()["view"] == "lens"
        explorer.hand.press(explorer.figure.locator("button.nw-e-w").nth(BEGINNING - 1))
    else:
        explorer.figure.get_by_role("tab", name="Next word").focus()
        for name in [*VIEWS[1:], VIEWS[0]]:
            explorer.page.keyboard.press("ArrowRight")
            assert explorer.get()["view"] == name
        explorer.figure.locator("button.nw-e-w[tabindex='0']").focus()
        explorer.page.keyboard.press("ArrowLeft")
    assert explorer.get()["pin"] == str(BEGINNING - 1)
    surprise = -math.log2(chances(STORY[: BEGINNING - 2])[WORDS.index(STORY[BEGINNING - 2])])
    assert f"{surprise:.2f} bits of surprise for the transformer" in explorer.says()


# ---------------------------------------------------------------- the other views


def test_the_attention_matrix_is_read_pinned_and_walked(explorer):
    explorer.set(view="heads", head="3.2", words="84")
    canvas = explorer.figure.locator(".nw-e-heads .nw-e-canvas canvas")
    weights = looks(2, 1, STORY[:84])
    best = int(weights.argmax())
    top = f"{100 * weights[best]:.0f} % at “{STORY[best - 1]}” (word {best})"
    assert top in explorer.says("heads")
    if isinstance(explorer.hand, Keyboard):
        canvas.focus()
        explorer.page.keyboard.press("ArrowUp")
        explorer.page.keyboard.press("Enter")
        assert explorer.get()["pin"] == "83"
        explorer.page.keyboard.press("Escape")
        assert explorer.get()["pin"] == "last"
    else:
        canvas.tap(position={"x": 3, "y": canvas.bounding_box()["height"] / 2})
        row = int(explorer.get()["pin"])
        assert 10 < row < 80
        assert f"From “{STORY[row - 1]}” (word {row})" in explorer.says("heads")
    explorer.hand.press(explorer.figure.locator(".nw-e-thumb button").nth(2))
    assert explorer.get()["head"] == "2.1"


def test_the_lens_gives_each_layers_distance_from_the_truth(explorer):
    explorer.set(view="lens")
    rows = explorer.figure.locator(".nw-e-layers tbody tr")
    rows.first.wait_for()
    found = [float(text) for text in rows.locator("td:nth-of-type(1)").all_inner_texts()]
    net, stages = stream(STORY[:BEGINNING])
    expected = []
    for stage in stages:
        with torch.no_grad():
            log_p = (net.norm(stage[0, -1]) @ net.embed.words.weight.T).log_softmax(-1)
        truth = village.next_words(STORY[:BEGINNING]).items()
        nats = [p * (math.log(p) - float(log_p[WORDS.index(word)])) for word, p in truth]
        expected.append(sum(nats) / math.log(2))
    assert found == pytest.approx([*expected, 0], abs=0.01)
    if isinstance(explorer.hand, Keyboard):
        explorer.figure.locator(".nw-e-lens canvas").focus()
        explorer.page.keyboard.press("ArrowLeft")
        assert explorer.get()["pin"] == str(BEGINNING - 1)


def test_two_models_are_compared_on_the_same_words(explorer):
    explorer.set(view="models", words=str(len(STORY)))
    explorer.until(f"says('models').includes('{len(STORY)} words')")
    ids = ids_of(GIVEN["network"], STORY)
    expected = []
    for net in (torch_lstm(GIVEN), torch_network(GIVEN["network"])):
        with torch.no_grad():
            logits = net(torch.tensor([ids[:-1]]))[0][0]
        expected.append(math.exp(cross_entropy(logits, torch.tensor(ids[1:])).item()))
    expected.append(math.exp(-village.score(STORY).log_probs.mean()))
    numbers = re.findall(r"(?:LSTM|transformer|floor) ([\d.]+\d)", explorer.says("models"))
    assert [float(number) for number in numbers] == pytest.approx(expected, abs=0.006)
    explorer.figure.get_by_label("above").select_option("5-gram")
    explorer.until("says('models').includes('5-gram')")
    row = explorer.figure.locator(".nw-e-kinds tr", has_text="name")
    _, above, below = row.locator("td").all_inner_texts()
    assert float(above) > float(below), "a 5-gram model forgets names"


def test_a_words_way_is_walked_step_by_step(explorer):
    explorer.set(view="inside")
    explorer.until("says('inside').includes('Every number')")
    seen = set()
    for _ in range(17):
        if isinstance(explorer.hand, Keyboard):
            explorer.figure.locator(".nw-e-inside canvas").focus()
            explorer.page.keyboard.press("ArrowRight")
        else:
            explorer.hand.press(button(explorer.figure, "Step ›"))
        seen.add(explorer.says("inside"))
        if explorer.get()["stage"] == "14":  # block 3: what attention adds
            _, stages = stream(STORY[:BEGINNING])
            before, after = (float(stages[k][0, -1].norm()) for k in (4, 5))
            assert f"added to {before:.2f}, gives {after:.2f}" in explorer.says("inside")
    assert len(seen) == 17
    likely = chances(STORY[:BEGINNING])
    said = f"“{WORDS[int(likely.argmax())]}” {100 * likely.max():.1f} %"
    assert said in explorer.says("inside")
    assert button(explorer.figure, "Step ›").get_attribute("aria-disabled") == "true"


def test_stories_are_counted(explorer):
    explorer.set(view="writes")
    explorer.hand.press(button(explorer.figure, "One story each"))
    explorer.until(
        "[...document.querySelectorAll('.nw-e-tally output')]"
        ".every((each) => each.textContent.includes('of 1:'))"
    )
    assert explorer.figure.locator(".nw-e-dots i").count() == 3
    end = explorer.figure.locator(".nw-e-last").inner_text()
    assert end.startswith("transformer:")
    assert any(each in end for each in ("Accepted", "The village would say", "Too long"))


def test_a_link_brings_the_state_back(explorer, browser):
    state = {"view": "heads", "head": "2.2", "off": "1.2,3.1", "pin": "3", "temperature": "0.7"}
    explorer.set(text="once a shy fisher named rosa", k="5", p="0.9", **state)
    before = explorer.get()
    assert state.items() <= before.items()
    explorer.page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    explorer.hand.press(button(explorer.figure, "Copy link"))
    explorer.until("location.hash.length > 20")
    address = explorer.page.url
    explorer.page.evaluate("history.replaceState(null, '', location.pathname)")
    with context_of(browser) as context:
        page = context.new_page()
        page.goto(address)
        assert Explorer(page, Touch).get() == before


# ---------------------------------------------------------------- size, access, motion


LOOKED_AT = {("light", "column"): VIEWS[::2], ("dark", "page"): [], ("dark", "phone"): VIEWS[1::2]}


@pytest.mark.parametrize(("theme", "name"), LOOKED_AT)
def test_every_view_fits_one_screen_and_axe_finds_nothing(browser, pages, theme, name):
    width, height, _ = SIZES[name]
    size = {"width": width, "height": height}
    with context_of(browser, viewport=size, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto((pages / f"{theme}-{name}.html").as_uri())
        figure = Explorer(page, Touch)
        for view in VIEWS:
            figure.set(view=view, beam="3")
            page.wait_for_timeout(200)
            assert page.locator("figure.nw-x").bounding_box()["height"] <= height - BAR, view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            if THOROUGH or view in LOOKED_AT[theme, name]:
                assert violations(page, context="figure.nw-x") == {}, view


COUNT_WORKERS = """
    window.workers = 0;
    window.Worker = class extends Worker {
        constructor(...given) { super(...given); window.workers += 1; }
    };
"""


def test_playing_leaves_the_page_free(browser, pages):
    with context_of(browser, viewport={"width": 1300, "height": 800}) as context:
        page = context.new_page()
        page.add_init_script(COUNT_WORKERS)
        page.goto((pages / "light-page.html").as_uri())
        figure = Explorer(page, Touch)
        assert page.evaluate("window.workers") == 1, "the network computes away from the page"
        tools = context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})  # seconds of processor

        def spent():
            found = tools.send("Performance.getMetrics")["metrics"]
            return next(each["value"] for each in found if each["name"] == "ScriptDuration")

        figure.set(text="", view="heads")
        before = spent()
        button(figure.figure, "▶ Play").click()
        figure.until("words.length > 9 || document.querySelector('.nw-e .nw-x-out')")
        assert (spent() - before) / len(figure.words()) < 0.016  # a frame's time


def test_the_explorer_has_a_page_of_its_own_with_the_same_figure(site):
    text = (site / "chapters" / "explorer.html").read_text("utf-8")
    shown = PARTS.search(text)
    assert shown["name"] == "transformer"
    assert json.loads(shown["numbers"]) == GIVEN
    assert re.search(r'class="[^"]*nw-e-page', text[: shown.start()])
