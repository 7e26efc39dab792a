"""Every figure to touch, in its page of the book: walked by keyboard and by touch, at both widths,
and what it shows compared with what Python computes."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
import torch

from nextword.corpora import village
from nextword.explorables.quantised import dequantised
from nextword.models import checkpoints
from solutions import embeddings, ngrams
from solutions import language_models as lm
from tests.browser import NEEDS_CHROMIUM
from tests.explorable_pages import (
    Keyboard,
    button,
    numbers_of,
    shown,
)

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


def off(target):
    """Whether a button does nothing now; it can still be reached."""
    return (
        target.get_attribute("aria-disabled") == "true" and target.get_attribute("disabled") is None
    )


def perplexity(probabilities):
    return math.exp(-sum(map(math.log, probabilities)) / len(probabilities))


STOPS = "button:enabled:visible, select:visible, input:visible, [tabindex='0']:visible"


def test_every_control_is_a_stop_of_the_tab_key_and_large_enough_for_a_finger(opened):
    figure, hand = opened("window")
    stops = figure.locator(STOPS)
    for box in (each.bounding_box() for each in stops.all()):
        assert min(box["width"], box["height"]) >= 24  # pixels
    if isinstance(hand, Keyboard):
        stops.first.focus()
        for each in stops.all():
            assert each.evaluate("(e) => e === document.activeElement")
            assert each.evaluate("(e) => getComputedStyle(e).outlineWidth") == "3px"
            hand.page.keyboard.press("Tab")


BEYOND = """() => [...document.querySelectorAll("figure[data-explorable]")].filter((figure) => {
    const edge = figure.getBoundingClientRect().right;
    return [...figure.querySelectorAll(".nw-x-live :is(.nw-x-button, select, input)")]
        .some((each) => each.checkVisibility() && each.getBoundingClientRect().right > edge + 1);
}).map((figure) => figure.dataset.explorable)"""


def test_no_control_is_cut_off_on_a_small_phone(hand):
    size = hand.page.viewport_size
    hand.page.set_viewport_size({"width": 360, "height": 740})
    beyond = hand.page.evaluate(BEYOND)
    hand.page.set_viewport_size(size)
    assert beyond == []


# ---------------------------------------------------------------- chapter 2


def test_the_table_fills_with_the_counts_of_chapter_two(opened):
    figure, hand = opened("window")
    given = numbers_of("window")
    hand.press(button(figure, "Step"))
    assert "Window 1 of 14. After “<s>” stands “ann”" in figure.inner_text()
    hand.press(button(figure, "Back"))
    assert "Nothing is counted yet" in figure.inner_text()
    for n in (2, 3, 1):
        figure.get_by_label("words in the window").select_option(str(n))
        hand.press(button(figure, "To the end"))
        rows = figure.locator("tbody tr").all()
        counts = {
            row.locator("th").inner_text(): [int(td) for td in row.locator("td").all_inner_texts()]
            for row in rows
        }
        tiny = [tokens[n - 1 : -1] for tokens in given["orders"][str(n)]["padded"]]
        expected = ngrams.count_ngrams(tiny, n)[n - 1]
        assert counts == {
            " ".join(context) or "(nothing)": [row.get(word, 0) for word in given["columns"]]
            for context, row in expected.items()
        }
        assert off(button(figure, "Step"))
    hand.press(button(figure, "Start again"))
    assert figure.locator("tbody tr").count() == 0


@pytest.mark.parametrize(("alpha", "steps", "discount"), [(-1.0, 8, 0.35), (0.5, 14, 0.8)])
def test_bars_follow_the_discount_and_alpha(opened, alpha, steps, discount):
    figure, hand = opened("discount")
    given = numbers_of("discount")
    tables = [
        {tuple(context.split()): row for context, row in table.items()} for table in given["tables"]
    ]
    hand.slide(figure.get_by_label("α (added)"), steps)
    hand.slide(figure.get_by_label("D (taken)"), round(discount / 0.05))
    models = (
        ngrams.Additive(tables, given["words"], 10**alpha),
        ngrams.AbsoluteDiscounting(tables, given["words"], discount),
    )
    for context in ("good", "ann"):
        figure.get_by_label("after the word").select_option(context)
        expected = [model.distribution([context]) for model in models]
        for word, values in shown(figure).items():
            assert values == pytest.approx([row[word] for row in expected], abs=0.0051)
        lost = models[1].saved((context,))
        assert f"λ = {lost:.2f}" in figure.inner_text()
    sentence = given["sentence"]
    pps = [perplexity([m.prob(w, [u]) for u, w in pairwise(sentence)]) for m in models]
    assert "additive {:.2f}, discounting {:.2f}".format(*pps) in figure.inner_text()


def test_without_a_discount_the_new_sentence_is_impossible(opened):
    figure, hand = opened("discount")
    hand.slide(figure.get_by_label("D (taken)"), 0)
    assert "discounting ∞" in figure.inner_text()


def test_the_model_writes_from_the_counts_of_the_stories_that_it_read(opened):
    figure, hand = opened("write")
    figure.get_by_label("words to read").select_option("1000")
    hand.press(button(figure, "Read the stories"))
    figure.get_by_text("words are read").wait_for()
    stories = village.split("train", 1_000).stories()
    words = []
    for n in (3, 1):
        figure.get_by_label("n", exact=True).select_option(str(n))
        model = ngrams.MLE(ngrams.count_ngrams(stories, n), village.VOCABULARY)
        expected = model.distribution([*["<s>"] * (n - 1), *words])
        truth = village.next_words(words)
        for word, (chance, true) in shown(figure).items():
            assert chance == pytest.approx(100 * expected[word], abs=0.051)
            assert true == pytest.approx(100 * truth.get(word, 0), abs=0.051)
        if n == 3:  # choose the likeliest first word
            hand.press(figure.locator("button.nw-x-row").first)
            words = [max(expected, key=expected.get)]
            assert figure.locator(".nw-x-word").all_inner_texts() == words


def test_the_listener_frames_the_word_at_which_the_text_leaves_the_language(opened):
    figure, hand = opened("write")
    figure.get_by_label("words to read").select_option("1000")
    hand.press(button(figure, "Read the stories"))
    figure.get_by_text("words are read").wait_for()
    figure.get_by_label("n", exact=True).select_option("1")
    for _ in range(9):
        if figure.locator(".nw-x-out").count() == 0:
            hand.press(button(figure, "Draw ten"))
    words = [text.removesuffix(" ✗") for text in figure.locator(".nw-x-word").all_inner_texts()]
    heard = village.score(words)
    assert heard.left_at == len(words) - 1, "drawing stops there"
    assert figure.locator(".nw-x-out").inner_text() == f"{words[-1]} ✗"
    assert f"Word {len(words)}, “{words[-1]}”, cannot stand here" in figure.inner_text()
    hand.press(button(figure, "Take one back"))
    assert figure.locator(".nw-x-out").count() == 0


def test_the_guessing_game_keeps_three_perplexities(opened):
    figure, hand = opened("guess")
    asked = numbers_of("guess")["stories"][0]["questions"]
    scores = []
    for question, right in zip(asked, (True, False), strict=False):
        assert off(button(figure, "Bet"))
        choices, answer = question["choices"], question["answer"]
        word = answer if right else next(each for each in choices if each != answer)
        hand.press(figure.locator(f"input[value='{word}']"))
        hand.slide(figure.get_by_label("how sure?"), 60)  # from 20 %
        sure = float(figure.get_by_label("how sure?").input_value()) / 100
        assert sure == pytest.approx(0.8, abs=0.03)
        hand.press(button(figure, "Bet"))
        k = choices.index(answer)
        yours = sure if right else (1 - sure) / 4
        scores.append((yours, question["model"][k], question["truth"][k]))
        assert f"It was “{answer}”" in figure.inner_text()
        row = shown(figure)[answer]
        assert row == pytest.approx([100 * p for p in scores[-1]], abs=0.51)
        standing = [float(text) for text in figure.locator("tbody td").all_inner_texts()]
        expected = [perplexity(each) for each in zip(*scores, strict=True)]
        assert standing == pytest.approx(expected, rel=0.01)
        hand.press(button(figure, "Next word"))


# ---------------------------------------------------------------- the ladder, chapter 6


def test_each_rung_says_what_it_is_and_what_it_catches(opened):
    figure, hand = opened("ladder")
    rows = {row.name: row for row in checkpoints.ladder().rows}
    rungs = figure.locator(".nw-x-rungs button")
    assert rungs.count() == len(rows)
    for name, above in (("LSTM", "RNN"), ("attention only", "linear attention")):
        hand.press(rungs.filter(has_text=name))
        told = figure.locator(".nw-x-told").inner_text()
        assert f"perplexity {rows[name].perplexity:.2f}" in told
        gains = {
            kind: rows[above].excess_bits_by_kind[kind] - bits
            for kind, bits in rows[name].excess_bits_by_kind.items()
        }
        best = max(gains, key=gains.get)
        gain = float(re.search(r"It gains most at (\w+) \(([\d.]+) bits", told)[2])
        assert f"It gains most at {best}" in told
        assert gain == pytest.approx(gains[best], abs=0.01)
        bars = shown(figure)
        for kind, bits in rows[name].excess_bits_by_kind.items():
            assert bars[kind][0] == pytest.approx(max(bits, 0), abs=0.006)


UNDER_THE_VALUE = """(stage) => {
    const box = (text) => text.getBoundingClientRect(), at = box(stage.querySelector(".nw-x-at"));
    const over = (one) => Math.min(one.right, at.right) - Math.max(one.left, at.left) > 1
        && Math.min(one.bottom, at.bottom) - Math.max(one.top, at.top) > 3;
    return [...stage.querySelectorAll(".nw-x-tick:not([visibility=hidden])")]
        .filter((tick) => over(box(tick))).map((tick) => tick.textContent);
}"""


def test_no_value_of_a_rung_stands_on_a_mark_of_the_axis(opened):
    """The last rung, with which the figure begins, said 5.13 % on top of 10 %."""
    figure, hand = opened("ladder")
    rungs, stage = figure.locator(".nw-x-rungs button"), figure.locator(".nw-x-stage")
    for k in reversed(range(rungs.count())):
        hand.press(rungs.nth(k))
        assert stage.evaluate(UNDER_THE_VALUE) == []
    assert stage.locator(".nw-x-tick[visibility=visible]").count() >= 3


# ---------------------------------------------------------------- chapters 1, 3, 4, 5


def test_each_merge_joins_the_pair_at_the_head_of_the_list(opened):
    figure, hand = opened("merges")
    for k, text in enumerate(numbers_of("merges")["texts"]):
        figure.get_by_label("text", exact=True).select_option(str(k))
        whole = b"".join(bytes(chunk) for chunk in text["chunks"]).decode()
        merges = lm.train_bpe(whole, len(text["merges"]))
        tokens = [
            token.decode(errors="replace").replace(" ", "␣") for token in lm.token_bytes(merges)
        ]
        for number, pair in enumerate(merges[:3]):
            head = figure.locator(".nw-x-marked .nw-x-name").inner_text()
            assert head == " + ".join(tokens[i] for i in pair)
            hand.press(button(figure, "Merge"))
            assert f"become “{tokens[256 + number]}”, token {256 + number}" in figure.inner_text()
        hand.press(button(figure, "To the end"))
        boxes = figure.locator(".nw-x-chunks span").all_inner_texts()
        assert boxes == [tokens[i] for i in lm.encode(whole, merges)]
        assert off(button(figure, "Merge"))


def test_a_text_of_ones_own_is_merged_as_chapter_one_does(opened):
    figure, hand = opened("merges")
    figure.get_by_label("text", exact=True).select_option("own")
    for whole in ("so ähnlich, so ähnlich wie 3 Eier,  ja!", "na na na", "x", ""):
        figure.get_by_label("your text").fill(whole)
        if whole in ("x", ""):
            assert off(button(figure, "Merge"))
            continue
        hand.press(button(figure, "To the end"))
        merges = lm.train_bpe(whole, 100)
        tokens = [
            token.decode(errors="replace").replace(" ", "␣") for token in lm.token_bytes(merges)
        ]
        boxes = figure.locator(".nw-x-chunks span").all_inner_texts()
        assert boxes == [tokens[i] for i in lm.encode(whole, merges)]
        assert f"Merge {len(merges)}:" in figure.inner_text()


@pytest.mark.parametrize(("heat", "k", "p"), [(2.0, 40, 1.0), (0.5, 5, 1.0), (1.5, 12, 0.6)])
def test_heat_and_cuts_give_the_probabilities_of_chapter_one(opened, heat, k, p):
    figure, hand = opened("sampling")
    hand.slide(figure.get_by_label("temperature τ"), round((heat - 0.1) / 0.1))
    hand.slide(figure.get_by_label("top-k"), k - 1)
    hand.slide(figure.get_by_label("top-p"), round((p - 0.05) / 0.05))
    row = numbers_of("sampling")["rows"]["was"]
    own = np.array([chance for _, chance in row])
    expected = lm.with_temperature(np.log(own / own.sum()), heat)
    expected = lm.top_p(lm.top_k(expected, k if k < 40 else len(row)), p)
    bars = shown(figure)
    for (word, chance), after in zip(row[:12], expected, strict=False):
        assert bars[word] == pytest.approx([100 * after, 100 * chance], abs=0.06)
    kept = int((expected > 0).sum())
    assert f"{kept} of {len(row)} words can be drawn" in figure.inner_text()
    hand.press(button(figure, "Draw 20"))
    drawn = figure.locator(".nw-x-text span").all_inner_texts()
    assert len(drawn) == 20
    assert set(drawn) <= {word for word, _ in row[:kept]}


def test_the_map_gives_neighbours_and_sums_as_chapter_three_does(opened):
    figure, hand = opened("map")
    given = numbers_of("map")
    words = given["words"]
    E = dequantised({"E": given["vectors"]})["E"].numpy()
    word, sums = figure.get_by_label("word", exact=True), figure.locator(".nw-x-sums .nw-x-spoken")
    word.fill("bread")
    at = words.index("bread")
    cosines = embeddings.cosine(E[[at]], E)[0]
    best = [words[k] for k in np.argsort(-cosines) if k != at][:8]
    bars = shown(figure)
    assert list(bars) == best
    for near in best:
        place = words.index(near)
        truth = dict(given["truth"][at])[place]  # village.similarity
        assert bars[near] == pytest.approx([cosines[place], truth], abs=0.006)
    hand.press(figure.locator("button.nw-x-row").first)
    assert word.input_value() == best[0]
    for k, (a, b, c) in enumerate(given["sums"]):
        figure.get_by_label("or try").select_option(str(k))
        place = embeddings.analogy(E, *(words.index(word) for word in (a, b, c)))
        assert sums.inner_text() == f"{a} − {b} + {c} is nearest to “{words[place]}”."
    hand.press(figure.get_by_label("may answer"))
    place = embeddings.analogy(E, *(words.index(word) for word in (a, b, c)), exclude=False)
    assert sums.inner_text() == f"{a} − {b} + {c} is nearest to “{words[place]}”."


NAMED_AND_SEEN = """(map) => {
    const inside = (dot) => dot.cx.baseVal.value > 0 && dot.cx.baseVal.value < map.clientWidth
        && dot.cy.baseVal.value > 0 && dot.cy.baseVal.value < map.clientHeight;
    return [map.querySelectorAll("text.nw-x-far").length,
            [...map.querySelectorAll("circle")].filter(inside).length];
}"""


def test_the_map_names_more_words_the_closer_one_looks(opened):
    figure, hand = opened("map")
    hand.press(button(figure, "all words"))
    share = 0  # of the points in view, those that carry their names
    for closer in range(4):
        named, seen = figure.locator(".nw-x-map").evaluate(NAMED_AND_SEEN)
        assert named / seen > share or closer == 0 == named
        share = named / seen
        hand.press(button(figure, "look closer"))
    box = figure.locator(".nw-x-map").bounding_box()
    for name in figure.locator(".nw-x-map text").all():
        place = name.bounding_box()
        assert place["x"] >= box["x"] - 1
        assert place["x"] + place["width"] <= box["x"] + box["width"] + 1
    hand.press(button(figure, "all words"))


def test_gradients_and_gates_follow_the_story(opened):
    figure, hand = opened("gates")
    given = numbers_of("gates")
    words = given["words"]
    hand.slide(figure.get_by_label("read up to"), 30)
    at = int(figure.get_by_label("read up to").input_value())
    assert abs(at - 30) <= 1
    hand.press(button(figure, "Step"))
    for name, rows in given["gradients"].items():
        figure.get_by_label("network").select_option(name)
        row = np.array(rows[at + 1])
        back = int((np.cumsum(row[::-1]) < row.sum() / 2).sum()) + 1
        assert f"The {name} has read up to “{words[at + 1]}”" in figure.inner_text()
        assert f"on the last {back} of {at + 2} words" in figure.inner_text()
        assert figure.locator(".nw-x-asked").inner_text() == words[at + 2]
    unit = given["units"][1]
    figure.get_by_label("LSTM’s number").select_option("1")
    gate = unit["series"]["forget gate"][at + 1]
    assert re.search(rf"forget gate {gate:.2f}", figure.inner_text())


def test_a_head_looks_where_the_softmax_says_with_and_without_root_and_mask(opened):
    figure, hand = opened("attend")
    given = numbers_of("attend")
    name, scores = next(iter(given["heads"].items()))
    at = given["words"].index("so")
    tokens = figure.locator("button.nw-x-token")
    if isinstance(hand, Keyboard):  # arrow keys, from the last word back
        tokens.last.focus()
        for _ in range(len(given["words"]) - 1 - at):
            hand.page.keyboard.press("ArrowLeft")
    else:
        hand.press(tokens.nth(at))
    for root, causal in ((True, True), (False, True), (False, False), (True, False)):
        for box, wanted in (("divide by", root), ("causal mask", causal)):
            if figure.get_by_label(box).is_checked() != wanted:
                hand.press(figure.get_by_label(box))
        e = torch.tensor(scores[at]) / (given["width"] ** 0.5 if root else 1)
        e[at + 1 :] += 0 if not causal else -math.inf
        weights = e.softmax(-1)
        for label, (percent,) in shown(figure).items():
            place = int(re.search(r"#(\d+)", label)[1]) - 1
            assert percent == pytest.approx(100 * float(weights[place]), abs=0.051)
        assert f"{name} looks most at “{given['words'][int(weights.argmax())]}”" in (
            figure.inner_text()
        )
