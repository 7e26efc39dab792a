"""Figures to touch: what a cell puts out, what stands without JavaScript, and the village and the
transformer in JavaScript beside those of Python. Leaves out: using them (test_explorables_walked).
"""

import json
import math
import re
from html import unescape

import numpy as np
import pytest
import torch

from examiner.errors import UserError
from nextword import explorables
from nextword.corpora import village
from nextword.explorables.bundle import FOLDER, bundled
from nextword.explorables.figure import PARTS, plain
from nextword.explorables.quantised import dequantised, quantised
from nextword.explorables.translate import translated
from nextword.plots.texts import Page
from tests.browser import AT_REST, NEEDS_CHROMIUM
from tests.explorable_pages import (
    NAMES,
    PAGES,
    ROOT,
    STORED,
    context_of,
    ids_of,
    numbers_of,
    torch_network,
)

# KB: three models and their counts, each look of five heads; the others weigh less than LIGHT
HEAVY = {"transformer": 1_350, "attend": 190}
LIGHT = 150
PICTURE = Page("<p>still</p>", "still")
ALT = "A still picture that is described in twelve words or a few more."


# ---------------------------------------------------------------- what a cell puts out


def test_every_script_has_its_place_in_the_book():
    drawing = {p.stem for p in FOLDER.glob("*.js") if "export function draw(" in p.read_text()}
    assert drawing == {*NAMES, "home"}  # which the first page holds, and no notebook


SHEETS = sorted(sheet.stem for sheet in FOLDER.glob("*.css") if sheet.stem != "look")


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_styles_only_what_its_own_figure_draws(name):
    """A rule for another figure's parts would be missing wherever that figure stands alone."""
    script = bundled(name)
    styled = re.findall(r"\.(nw-[xe]-[\w-]+)", (FOLDER / f"{name}.css").read_text("utf-8"))
    drawn = {each for each in styled if re.search(rf"(?<![\w-]){each}(?![\w-])", script)}
    drawn |= {each for each in styled if f"{each[:-1]}${{" in script}  # nw-x-c${i}
    assert set(styled) - drawn <= {"nw-e-page"}  # the explorer's own page says this one


@pytest.mark.parametrize(("page", "found", "html"), STORED, ids=NAMES)
def test_an_explorable_is_light_and_says_in_words_what_its_still_figure_shows(page, found, html):
    assert len(html.encode()) < 1000 * HEAVY.get(found["name"], LIGHT)
    alt = unescape(re.search(r'aria-label="([^"]+)"', found["still"])[1])
    assert len(alt.split()) >= 12
    assert alt.endswith(".")


@pytest.mark.parametrize(("page", "found", "html"), STORED, ids=NAMES)
def test_a_stored_explorable_has_the_script_of_today(page, found, html):
    assert explorables.refreshed(html) == html, "run `nextword sync`"


def test_what_stands_in_the_numbers_cannot_end_the_script():
    html = explorables.show("window", "T", {"a": "</script>"}, still=PICTURE, alt=ALT)._repr_html_()
    assert "</script>" not in PARTS.fullmatch(html)["numbers"]
    assert json.loads(PARTS.fullmatch(html)["numbers"]) == {"a": "</script>"}


def test_a_title_comes_through_a_refresh():
    html = explorables.show("window", '“A” & "b"', {}, still=PICTURE, alt=ALT)._repr_html_()
    assert explorables.refreshed(html) == html
    assert explorables.refreshed("<p>no explorable</p>") == "<p>no explorable</p>"


def test_a_still_figure_shares_no_id_with_the_same_picture_elsewhere_on_the_page():
    picture = Page('<svg><g id="f0123abcd-0"/><use href="#f0123abcd-0"/></svg>', "still")
    html = explorables.show("window", "T", {}, still=picture, alt=ALT)._repr_html_()
    assert 'id="f0123abcd-0"' not in html
    assert html.count("x0123abcd-0") == 2
    assert explorables.refreshed(html) == html


def test_what_is_missing_is_named():
    with pytest.raises(UserError, match="needs 12 words"):
        explorables.show("window", "T", {}, still=PICTURE, alt="too short")
    with pytest.raises(UserError, match=r"no explorable zebra\.js: expected one of .*discount"):
        explorables.show("zebra", "T", {}, still=PICTURE, alt=ALT)
    with pytest.raises(ValueError, match="JSON"):
        explorables.show("window", "T", {"a": math.inf}, still=PICTURE, alt=ALT)
    with pytest.raises(UserError, match="does not know With"):
        translated({"m": "def f(x):\n    with x:\n        pass"})


def test_numbers_are_cut_to_six_digits():
    assert plain({"a": np.float64(1 / 3), "b": [np.int64(7), 2.0]}) == {"a": 0.333333, "b": [7, 2]}


def test_eight_bits_move_no_weight_by_more_than_half_a_step():
    rng = np.random.default_rng(0)
    weights = torch.tensor(rng.normal(size=(5, 7)), dtype=torch.float32)
    back = dequantised(quantised({"w": weights}))["w"]
    assert ((back - weights).abs() <= weights.abs().amax(1, keepdim=True) / 254 + 1e-7).all()


# ---------------------------------------------------------------- the village and the network


@pytest.fixture(scope="module")
def blank_page(browser):
    page = browser.new_page()
    yield page
    page.close()


def run(page, name, body, given):
    """Run JavaScript after a file and what it imports, with `given` as an argument."""
    return page.evaluate(f"(given) => {{ {bundled(name)} {body} }}", given)


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_the_village_in_the_page_tells_and_hears_what_python_does(blank_page):
    corpus = village.split("test", 4_000)
    body = """
        const world = file_village.makeWorld(given.world);
        const told = file_village.tellStories(world, given.n, "test").flat();
        const listener = new file_village.Listener(world);
        const heard = given.tokens.map((word) => [listener.kind, Math.log(listener.hear(word))]);
        return { told, heard, ends: listener.betweenStories };
    """
    given = {"world": explorables.world(), "n": 4_000, "tokens": corpus.tokens}
    found = run(blank_page, "village", body, given)
    assert found["told"] == corpus.tokens
    assert found["ends"]
    assert [kind for kind, _ in found["heard"]] == corpus.kinds
    assert np.allclose([log_p for _, log_p in found["heard"]], corpus.log_probs, atol=1e-12)


@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.parametrize("silent", [[], ["0.1", "2.0"]])
def test_the_network_in_the_page_computes_what_torch_does(blank_page, silent):
    packed = numbers_of("transformer")["network"]
    ids = ids_of(packed, village.split("test", 1_000).stories()[1])
    net = torch_network(packed)
    for block, head in (map(int, each.split(".")) for each in silent):
        net.blocks[block].mixer.W_o.weight.data[:, head * 32 : (head + 1) * 32] = 0
    body = """
        const net = new file_network.Network(given.network);
        given.silent.forEach((head) => net.switch(head, false));
        return given.ids.map((_, k) => Array.from(net.logits(given.ids.slice(0, k + 1))));
    """
    given = {"network": packed, "ids": ids, "silent": silent}
    found = torch.tensor(run(blank_page, "network", body, given))
    with torch.no_grad():
        expected = net(torch.tensor([ids]))[0][0]
    assert (found - expected).abs().max() < 1e-3


# ---------------------------------------------------------------- in pages

SAID_BEHIND = "(title) => getComputedStyle(title, '::after').content"


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_without_javascript_every_explorable_shows_its_still_figure(browser, site):
    with context_of(browser, java_script_enabled=False) as context:
        page = context.new_page()
        for stem in PAGES:
            page.goto((site / "chapters" / f"{stem}.html").as_uri())
            figures = page.locator("figure.nw-x").all()
            assert len(figures) == [each for each, _, _ in STORED].count(stem)
            for link in page.locator("a[data-figure]").all():  # a sentence leads to its figure
                assert page.locator(link.get_attribute("href")).count() == 1
            for figure in figures:
                box = figure.locator(".nw-x-still > *").bounding_box()
                assert min(box["width"], box["height"]) > 40
                assert figure.locator("button").count() == 0
                assert "allow JavaScript" in figure.locator(".nw-x-title").evaluate(SAID_BEHIND)


PAGE = """<!DOCTYPE html><html lang="en" data-theme="{}"><meta charset="utf-8"><title>All</title>
<style>{} body {{ background: var(--pst-color-background); }}</style>
<body><main class="bd-article"><h1>All explorables</h1>{}</main></body></html>"""


@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.parametrize(("theme", "width"), [("light", 1300), ("dark", 390)])
def test_axe_finds_nothing_in_any_explorable(browser, tmp_path, theme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    style = (ROOT / "chapters" / "_static" / "book.css").read_text("utf-8")
    outputs = "".join(f"<section>{html}</section>" for _, _, html in STORED)
    path = tmp_path / "all.html"  # a chapter has thousands of letters beside them to look at
    path.write_text(PAGE.format(theme, style, outputs), "utf-8")
    with context_of(browser, viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        page.set_default_timeout(120_000)  # a busy machine
        page.goto(path.as_uri())
        page.get_by_role("button", name="Read the stories").click()
        page.get_by_text("words are read").wait_for()
        page.evaluate(AT_REST)
        found = axe.Axe().run(page, options={"resultTypes": ["violations"]})
        problems = [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]]
        assert problems == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# JupyterLab sets a trusted output's HTML, then makes each script anew so that it runs
AS_JUPYTERLAB = """(outputs) => {
    for (const html of outputs) {
        const place = document.body.appendChild(document.createElement('div'));
        place.innerHTML = html;
        for (const script of place.querySelectorAll('script')) {
            const clone = document.createElement('script');
            for (const { name, value } of script.attributes) clone.setAttribute(name, value);
            clone.textContent = script.textContent;
            script.replaceWith(clone);
        }
    }
}"""


@pytest.mark.slow
@NEEDS_CHROMIUM
def test_in_jupyterlab_all_live_on_one_page_also_when_they_are_shown_twice(browser):
    page = browser.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    outputs = [html for _, _, html in STORED]
    page.evaluate(AS_JUPYTERLAB, outputs + outputs[:2])
    page.wait_for_function("!document.querySelector('.nw-x:not(.nw-x-alive)')")
    assert page.locator(".nw-x-live").count() == len(outputs) + 2
    assert page.locator(".nw-x-still:visible").count() == 0
    assert complaints == []
    page.close()
