"""The explorer of section 6.9: its three models beside those of Python, and every view of it driven by
keys and by touch. Leaves out: what holds for all figures (test_explorables, test_explorables_walked).
"""

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest
import torch

from nextword.corpora import village
from nextword.explorables.bundle import bundled
from nextword.explorables.counts import counted, packed_counts
from nextword.explorables.quantised import dequantised
from solutions import language_models as lm
from solutions import ngrams, rnns
from tests.browser import NEEDS_CHROMIUM, violations
from tests.explorable_pages import (
    ROOT,
    STORED,
    Keyboard,
    Touch,
    button,
    context_of,
    ids_of,
    numbers_of,
    torch_network,
)

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]

PAGE = """<!DOCTYPE html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Explorer</title>
<meta name="viewport" content="width=device-width"><style>{style}
body {{ margin: 0; background: var(--pst-color-background); }} h1 {{ position: absolute; clip-path: inset(50%); }}
main {{ max-width: {wide}; margin: auto; }}</style>
<body><main class="bd-article"><h1>The explorer</h1><div class="{look}">{html}</div></main></body></html>"""
SIZES = {"column": (1300, 800, "44rem"), "page": (1300, 800, "none"), "phone": (390, 844, "none")}
VIEWS = ["next", "heads", "inside", "lens", "models", "writes"]
BEGINNING = 74  # words of the first story, up to "when night fell ,"
GIVEN = numbers_of("transformer")
STORY = GIVEN["stories"][0]


# ---------------------------------------------------------------- the models, without a figure


@pytest.fixture(scope="module")
def blank(browser):
    page = browser.new_page()
    page.goto("about:blank")
    yield page
    page.close()


def run(page, name, body, given):
    """Run JavaScript after a file and what it imports, with `given` as an argument."""
    return page.evaluate(f"async (given) => {{ {bundled(name)} {body} }}", given)


def lstm_of(packed, V):
    model = rnns.LanguageModel(V, 64, 128, rnns.LSTMCell)
    model.load_state_dict(dequantised(packed["tensors"]))
    return model


def test_the_lstm_in_the_page_computes_what_torch_does(blank):
    ids = ids_of(GIVEN["network"], STORY[:40])
    body = """
        const lstm = new file_lstm.Lstm(given.packed);
        lstm.logits([...given.ids.slice(0, 9), 5, 7]);  // another text first: its end is forgotten
        return given.ids.map((_, k) => Array.from(lstm.logits(given.ids.slice(0, k + 1))));
    """
    found = torch.tensor(run(blank, "lstm", body, {"packed": GIVEN["lstm"], "ids": ids}))
    with torch.no_grad():
        expected = lstm_of(GIVEN["lstm"], len(GIVEN["network"]["words"]))(torch.tensor([ids]))[0]
    assert (found - expected[0]).abs().max() < 1e-4


@pytest.mark.parametrize("n", [2, 5])
def test_the_n_gram_model_in_the_page_gives_the_chances_of_chapter_two(blank, n):
    words = GIVEN["network"]["words"]
    number = {word: k for k, word in enumerate(words)}
    stories = village.split("train", 2_000).stories()
    rows = [[number[w] for w in [*story, "</s>"]] for story in stories]
    packed = packed_counts(counted(rows, n, bos=1))
    model = ngrams.KneserNey(ngrams.count_ngrams(stories, n), village.VOCABULARY)
    texts = [[], STORY[:2], STORY[:30], ["the", "zebra"], stories[3][:7]]
    texts = [[w for w in text if w in number] for text in texts]
    body = """
        const model = await file_kneser_ney.KneserNey.from(given.packed, given.V - 2, given.V);
        return given.texts.map((ids) => Array.from(model.chances(ids)));
    """
    ids = [ids_of(GIVEN["network"], text) for text in texts]
    given = {"packed": packed, "V": len(words), "texts": ids}
    for text, row in zip(texts, run(blank, "kneser_ney", body, given), strict=True):
        expected = model.distribution(["<s>"] * (n - 1) + text)
        assert row[:2] == [0, 0]
        assert row[2:] == pytest.approx([expected[w] for w in words[2:]], abs=1e-12)


def test_the_shipped_counts_are_of_a_million_words(blank):
    body = """
        let grams = 0, total = 0;
        await file_kneser_ney.eachGram(given, (ids, count) => { grams += 1; total += count; });
        return { grams, total };
    """
    tokens = village.split("train", 1_000_000).tokens
    starts = [0, *(k + 1 for k, word in enumerate(tokens[:-1]) if word == "</s>")]
    found = run(blank, "kneser_ney", body, GIVEN["ngrams"])
    assert found["total"] == len(tokens)
    different = {
        (*["<s>"] * max(0, 4 - (k - start)), *tokens[max(start, k - 4) : k + 1])
        for start, end in pairwise([*starts, len(tokens)])
        for k in range(start, end)
    }
    assert found["grams"] == len(different)


def test_a_story_is_accepted_when_the_village_could_have_told_it(blank):
    body = """
        const engine = new file_explorer_engine.Engine(given);
        const sampling = { temperature: 0.3, k: 2, p: 1 }, found = [];
        for (let k = 0; k < 12; k += 1) found.push(await engine.write({ model: "transformer", sampling }));
        found.push(await engine.write({ model: "LSTM", sampling, begin: given.stories[0] }));
        return found;
    """
    stories = run(blank, "explorer_engine", body, GIVEN)
    for told in stories:
        heard = village.score(told["words"])
        assert told["accepted"] == (heard.left_at is None and heard.complete)
        if not told["accepted"]:
            assert heard.left_at == len(told["words"]) - 1
            assert set(told["instead"]) <= set(heard.possible)
    assert stories[-1]["accepted"]


# ---------------------------------------------------------------- the figure


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page that holds the figure alone, for each theme and size."""
    folder = tmp_path_factory.mktemp("explorer")
    html = next(html for _, found, html in STORED if found["name"] == "transformer")
    style = (ROOT / "chapters" / "_static" / "book.css").read_text("utf-8")
    for theme in ("light", "dark"):
        for name, (_, _, wide) in SIZES.items():
            text = PAGE.format(theme=theme, style=style, wide=wide, html=html,
                               look="nw-e-page" if name == "page" else "")  # fmt: skip
            (folder / f"{theme}-{name}.html").write_text(text, "utf-8")
    return folder


class Explorer:
    """The figure on an open page."""

    def __init__(self, page, hand):
        self.page, self.hand = page, hand(page)
        self.figure = page.locator(".nw-e")

    def set(self, **state):
        """Set a state and wait until all of it is drawn."""
        self.page.evaluate("(s) => document.querySelector('figure.nw-x').explorable.set(s)", state)
        self.page.wait_for_timeout(60)

    def get(self):
        return self.page.evaluate("document.querySelector('figure.nw-x').explorable.get()")

    def bars(self):
        """{word: [percent, true percent or None]}."""
        rows = self.figure.locator("button.nw-e-row:visible").all()
        texts = [row.locator(".nw-e-figures span").all_inner_texts() for row in rows]
        names = [row.locator(".nw-x-name").inner_text() for row in rows]
        number = {"✗": None, "": None, "< 0.1": 0.05}
        return {name: [number[t] if t in number else float(t) for t in text]
                for name, text in zip(names, texts, strict=True)}  # fmt: skip

    def says(self):
        return self.figure.locator(".nw-x-spoken").inner_text()

    def words(self):
        return self.figure.locator("button.nw-e-w").all_inner_texts()[1:]


@pytest.fixture(scope="module", params=[("column", Keyboard), ("phone", Touch)], ids=["keys", "touch"])  # fmt: skip
def opened(request, browser, pages):
    """The figure, opened once for a hand."""
    name, hand = request.param
    width, height, _ = SIZES[name]
    size = {"width": width, "height": height}
    with context_of(browser, viewport=size, has_touch=True, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(20_000)
        complaints = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda r: r.url.startswith("http") and complaints.append(r.url))
        page.goto((pages / f"light-{name}.html").as_uri())
        page.locator("button.nw-e-w").first.wait_for()
        yield Explorer(page, hand)
        assert complaints == []


@pytest.fixture
def explorer(opened):
    opened.set(story="1", words=str(BEGINNING), view="next", pin="last", off="", head="3.1", model="transformer",
               temperature="1", k="0", p="1", beam="0", a="LSTM", b="transformer", stage="0")  # fmt: skip
    return opened


def chances(words, off=()):
    """The transformer's probability of each next word, heads switched off."""
    net = torch_network(GIVEN["network"])
    with torch.no_grad():
        for block, head in off:
            net.blocks[block].mixer.W_o.weight[:, head * 32 : (head + 1) * 32] = 0
        logits = net(torch.tensor([ids_of(GIVEN["network"], words)]))[0][0, -1]
    return logits.softmax(-1).numpy()


def test_bars_show_the_chances_and_the_truth_also_without_a_head(explorer):
    words, net = STORY[:BEGINNING], GIVEN["network"]["words"]
    for off in ((), ((2, 0),)):
        if off:
            explorer.set(view="heads")
            explorer.hand.press(explorer.figure.get_by_label("3.1 on"))
            explorer.hand.press(explorer.figure.get_by_role("tab", name="Next word"))
            explorer.page.wait_for_function("document.querySelector('.nw-e-was').style.left !== '0%'")
        expected, truth = chances(words, off), village.next_words(words)
        bars = explorer.bars()
        assert net[int(expected.argmax())] in bars
        for word, (percent, true) in bars.items():
            assert percent == pytest.approx(100 * expected[net.index(word)], abs=0.06)
            assert true == (None if word not in truth else pytest.approx(100 * truth[word], abs=0.06))


@pytest.mark.parametrize(("heat", "k", "p"), [(2.0, 0, 1.0), (0.5, 3, 1.0), (1.5, 12, 0.6)])
def test_temperature_and_cuts_are_those_of_chapter_one(explorer, heat, k, p):
    explorer.set(words="20", temperature=str(heat), k=str(k), p=str(p))
    own, net = chances(STORY[:20]).astype(float), GIVEN["network"]["words"]
    order = np.argsort(-own)
    cut = lm.with_temperature(np.log(own[order]), heat)
    cut = lm.top_p(lm.top_k(cut, k or len(cut)), p)
    expected = {net[i]: 100 * chance for i, chance in zip(order, cut, strict=True)}
    for word, (percent, _) in explorer.bars().items():
        assert percent == pytest.approx(expected[word], abs=0.06)
    assert explorer.get()["temperature"] == f"{heat:g}"


def test_a_slider_moves_by_hand_and_beams_can_be_taken(explorer):
    explorer.hand.slide(explorer.figure.get_by_label("beams"), 3)
    beams = explorer.figure.locator("button.nw-e-beam")
    beams.first.wait_for()
    width = int(explorer.get()["beam"])
    assert beams.count() == width > 1
    said = beams.first.get_attribute("aria-label").split(":")[0].split()
    explorer.hand.press(beams.first)
    explorer.page.wait_for_function(f"document.querySelectorAll('button.nw-e-w').length > {BEGINNING + 5}")
    assert explorer.words() == [*STORY[:BEGINNING], *said]


def test_own_words_are_typed_and_what_the_village_does_not_know_is_marked(explorer):
    explorer.set(text="once a shy fisher")
    end = explorer.figure.get_by_label("type the next word")
    end.focus()
    explorer.page.keyboard.type("googled the sea")
    explorer.page.keyboard.press("Enter")
    marked = explorer.figure.locator(".nw-e-unknown")
    marked.wait_for()
    assert marked.inner_text() == "googled"
    assert "“googled” is none of the village's 651 words" in explorer.says()
    assert "the village could say “named”" in explorer.says()
    assert len(explorer.bars()) > 0, "bars of the text before it"
    # the word is changed in its place, to one that the village knows and would not say here
    explorer.set(pin="4")
    explorer.hand.press(explorer.figure.locator("button.nw-e-w").nth(4))  # “fisher”, pinned: it opens
    word = explorer.figure.get_by_label("word 4")
    word.fill("lake")
    word.press("Enter")
    explorer.page.wait_for_function("document.querySelector('.nw-e .nw-x-out')?.textContent === 'lake'")
    assert explorer.words()[3] == "lake"
    assert "Word 4, “lake”, cannot stand here" in explorer.says()


def test_a_whole_text_can_be_typed(explorer):
    explorer.hand.press(button(explorer.figure, "Edit"))
    explorer.figure.get_by_label("your own text").fill("Once a busy baker named Nils lived by the sea.")
    explorer.page.wait_for_function("document.querySelectorAll('button.nw-e-w').length === 12")
    assert explorer.words() == "once a busy baker named nils lived by the sea .".split()
    explorer.hand.press(button(explorer.figure, "Done"))
    assert "11 words, all possible" in explorer.says()


def test_step_draws_a_word_and_back_takes_it_away(explorer):
    explorer.hand.press(button(explorer.figure, "Step"))
    explorer.page.wait_for_function(f"document.querySelectorAll('button.nw-e-w').length === {BEGINNING + 2}")
    explorer.hand.press(button(explorer.figure, "Back"))
    explorer.page.wait_for_function(f"document.querySelectorAll('button.nw-e-w').length === {BEGINNING + 1}")
    assert explorer.words() == STORY[:BEGINNING]


def looks(block, head, words):
    """The weights of one head from the last word."""
    net = torch_network(GIVEN["network"])
    from solutions import transformers

    with torch.no_grad():
        x = net.embed(torch.tensor([ids_of(GIVEN["network"], words)]))
        for before in net.blocks[:block]:
            x, _ = before(x)
        layer = net.blocks[block]
        parts = layer.mixer.W_qkv(layer.norm1(x)).unflatten(-1, (3, 2, 32))
        q, k, _ = (transformers.rotate(part[0].transpose(0, 1)) for part in parts.unbind(2))
        return (q[head, -1] @ k[head].T / 32**0.5).softmax(-1).numpy()


def test_the_attention_matrix_is_read_pinned_and_walked(explorer):
    explorer.set(view="heads", head="3.2", words="84")
    says, canvas = explorer.figure.locator(".nw-e-heads .nw-e-says"), explorer.figure.locator(".nw-e-heads .nw-e-canvas canvas")
    weights = looks(2, 1, STORY[:84])
    best = int(weights.argmax())
    assert f"{100 * weights[best]:.0f} % at “{STORY[best - 1]}” (word {best})" in says.inner_text()
    if isinstance(explorer.hand, Keyboard):
        canvas.focus()
        explorer.page.keyboard.press("ArrowUp")
        explorer.page.keyboard.press("Enter")
        assert explorer.get()["pin"] == "83"
        explorer.page.keyboard.press("Escape")
    else:
        box = canvas.bounding_box()
        canvas.tap(position={"x": 3, "y": box["height"] / 2})
        assert 10 < int(explorer.get()["pin"]) < 80
        row = int(explorer.get()["pin"])
        assert f"From “{STORY[row - 1]}” (word {row})" in says.inner_text()
        explorer.set(pin="last")
    assert explorer.get()["pin"] == "last"
    thumbs = explorer.figure.locator(".nw-e-thumb button")
    explorer.hand.press(thumbs.nth(2))
    assert explorer.get()["head"] == "2.1"


def test_the_lens_gives_each_layers_distance_from_the_truth(explorer):
    explorer.set(view="lens")
    rows = explorer.figure.locator(".nw-e-layers tbody tr")
    rows.first.wait_for()
    found = [float(text) for text in rows.locator("td:nth-of-type(1)").all_inner_texts()]
    net, x = torch_network(GIVEN["network"]), None
    expected, truth = [], village.next_words(STORY[:BEGINNING])
    with torch.no_grad():
        x = net.embed(torch.tensor([ids_of(GIVEN["network"], STORY[:BEGINNING])]))
        stages = [x]
        for block in net.blocks:
            stages.append(x + block.mixer(block.norm1(x))[0])
            x, _ = block(x)
            stages.append(x)
        for stage in stages:
            log_p = (net.norm(stage[0, -1]) @ net.embed.words.weight.T).log_softmax(-1)
            bits = [p * (math.log(p) - float(log_p[GIVEN["network"]["words"].index(w)])) for w, p in truth.items()]
            expected.append(sum(bits) / math.log(2))
    assert found == pytest.approx([*expected, 0], abs=0.01)
    if isinstance(explorer.hand, Keyboard):
        explorer.figure.locator(".nw-e-lens canvas").focus()
        explorer.page.keyboard.press("ArrowLeft")
        assert explorer.get()["pin"] == str(BEGINNING - 1)


def test_two_models_are_compared_on_the_same_words(explorer):
    explorer.set(view="models", words="111")
    says = explorer.figure.locator(".nw-e-models .nw-e-says")
    explorer.page.wait_for_function("document.querySelector('.nw-e-models .nw-e-says').textContent.includes('111 words')")
    ids = ids_of(GIVEN["network"], STORY)
    floor = math.exp(-village.score(STORY).log_probs.mean())
    with torch.no_grad():
        losses = [
            torch.nn.functional.cross_entropy(net(torch.tensor([ids[:-1]]))[0][0], torch.tensor(ids[1:])).item()
            for net in (lstm_of(GIVEN["lstm"], len(GIVEN["network"]["words"])), torch_network(GIVEN["network"]))
        ]  # fmt: skip
    numbers = [float(x) for x in re.findall(r"(?:LSTM|transformer|floor) ([\d.]+\d)", says.inner_text())]
    assert numbers == pytest.approx([*map(math.exp, losses), floor], abs=0.006)
    explorer.figure.get_by_label("above").select_option("5-gram")
    explorer.page.wait_for_function("document.querySelector('.nw-e-models .nw-e-says').textContent.includes('5-gram')")
    row = explorer.figure.locator(".nw-e-kinds tr", has_text="name").locator("td").all_inner_texts()
    assert float(row[1]) > float(row[2]), "at names, the transformer loses less than the 5-gram model"


def test_a_words_way_is_walked_step_by_step(explorer):
    explorer.set(view="inside")
    says = explorer.figure.locator(".nw-e-inside .nw-e-says")
    explorer.page.wait_for_function("document.querySelector('.nw-e-inside .nw-e-says').textContent.includes('Every number')")
    seen = set()
    for _ in range(17):
        if isinstance(explorer.hand, Keyboard):
            explorer.figure.locator(".nw-e-inside canvas").focus()
            explorer.page.keyboard.press("ArrowRight")
        else:
            explorer.hand.press(button(explorer.figure, "Step ›"))
        seen.add(says.inner_text())
    assert len(seen) == 17
    top = chances(STORY[:BEGINNING])
    assert f"“axel” {100 * top.max():.1f} %" in says.inner_text()
    assert button(explorer.figure, "Step ›").get_attribute("aria-disabled") == "true"


def test_stories_are_counted(explorer):
    explorer.set(view="writes")
    explorer.hand.press(button(explorer.figure, "One story each"))
    explorer.page.wait_for_function("[...document.querySelectorAll('.nw-e-tally output')].every((e) => e.textContent.includes('of 1:'))")
    assert explorer.figure.locator(".nw-e-dots i").count() == 3
    end = explorer.figure.locator(".nw-e-last").inner_text()
    assert end.startswith("transformer:")
    assert "Accepted" in end or "The village would say" in end or "Too long" in end


def test_tabs_and_words_are_walked_by_arrow_keys(explorer):
    if not isinstance(explorer.hand, Keyboard):
        pytest.skip("keys are pressed at the other width")
    explorer.figure.get_by_role("tab", name="Next word").focus()
    for name in [*VIEWS[1:], VIEWS[0]]:
        explorer.page.keyboard.press("ArrowRight")
        assert explorer.get()["view"] == name
    explorer.figure.locator("button.nw-e-w[tabindex='0']").focus()
    explorer.page.keyboard.press("ArrowLeft")
    assert explorer.get()["pin"] == str(BEGINNING - 1)
    assert "bits of surprise for the transformer" in explorer.says()


def test_a_link_brings_the_state_back(explorer, pages, browser):
    explorer.set(text="once a shy fisher named rosa", view="heads", head="2.2", off="3.1,1.2", pin="3", temperature="0.7", k="5", p="0.9")  # fmt: skip
    state = explorer.get()
    explorer.page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    explorer.hand.press(button(explorer.figure, "Copy link"))
    explorer.page.wait_for_function("location.hash.length > 20")
    address = explorer.page.url
    explorer.page.evaluate("history.replaceState(null, '', location.pathname)")
    with context_of(browser) as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_function("document.querySelector('.nw-e-w')")
        assert Explorer(page, Touch).get() == state


# ---------------------------------------------------------------- size, access, motion


@pytest.mark.parametrize(("theme", "name"), [("light", "column"), ("dark", "page"), ("dark", "phone")])
def test_every_view_fits_one_screen_and_axe_finds_nothing(browser, pages, theme, name):
    width, height, _ = SIZES[name]
    with context_of(browser, viewport={"width": width, "height": height}, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto((pages / f"{theme}-{name}.html").as_uri())
        page.locator("button.nw-e-w").first.wait_for()
        figure = Explorer(page, Touch)
        for view in VIEWS:
            figure.set(view=view, beam="3")
            page.wait_for_timeout(400)
            box = page.locator("figure.nw-x").bounding_box()
            assert box["height"] <= height, view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            assert violations(page) == {}, view


def test_playing_leaves_the_page_free(browser, pages):
    with context_of(browser, viewport={"width": 1300, "height": 800}) as context:
        page = context.new_page()
        page.add_init_script("window.workers = 0; window.Worker = class extends Worker { constructor(...a) { super(...a); window.workers += 1; } };")
        page.goto((pages / "light-page.html").as_uri())
        page.locator("button.nw-e-w").first.wait_for()
        assert page.evaluate("window.workers") == 1, "the network computes away from the page"
        tools = context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})  # seconds of processor

        def spent():
            metrics = {m["name"]: m["value"] for m in tools.send("Performance.getMetrics")["metrics"]}
            return metrics["TaskDuration"]

        Explorer(page, Touch).set(text="", view="heads", off="")
        before, n = spent(), len(Explorer(page, Touch).words())
        button(page.locator(".nw-e"), "▶ Play").click()
        page.wait_for_function(f"document.querySelectorAll('button.nw-e-w').length > {n + 12} || document.querySelector('.nw-x-out')", timeout=60_000)
        words = len(Explorer(page, Touch).words()) - n
        assert (spent() - before) / words < 0.1  # of a word's quarter of a second
