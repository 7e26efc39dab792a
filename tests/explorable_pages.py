"""The explorables that the book stores, and hands that walk them: by keys, by touch."""

import json
import re
from contextlib import contextmanager
from pathlib import Path

from nextword.explorables.figure import PARTS
from nextword.explorables.quantised import dequantised
from solutions import rnns, transformers

ROOT = Path(__file__).parents[1]


def stored():
    """Each explorable of the book: its page, the parts of its output, and the whole."""
    for path in sorted((ROOT / "chapters").glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                html = "".join(output.get("data", {}).get("text/html", ""))
                if found := PARTS.fullmatch(html):
                    yield path.stem, found, html


STORED = list(stored())
NAMES = [found["name"] for _, found, _ in STORED]
PAGES = sorted({page for page, _, _ in STORED})


def numbers_of(name):
    return json.loads(next(found["numbers"] for _, found, _ in STORED if found["name"] == name))


class Keyboard:
    """Reaches and moves everything by keys alone."""

    def __init__(self, page):
        self.page = page

    def press(self, target):
        target.focus()
        outline = target.evaluate("(e) => getComputedStyle(e).outlineStyle")
        assert outline != "none" or target.evaluate("(e) => !e.matches(':focus-visible')")
        self.page.keyboard.press("Space")

    def slide(self, target, steps):
        low, high, step = (float(target.get_attribute(k)) for k in ("min", "max", "step"))
        back = round((high - low) / step) - steps
        target.focus()
        self.page.keyboard.press("Home" if steps <= back else "End")
        for _ in range(min(steps, back)):
            self.page.keyboard.press("ArrowRight" if steps <= back else "ArrowLeft")


class Touch:
    """Taps; a slider is tapped where its value lies."""

    def __init__(self, page):
        self.page = page

    def press(self, target):
        target.tap()

    def slide(self, target, steps):
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        low, high, step = (float(target.get_attribute(k)) for k in ("min", "max", "step"))
        thumb = 16  # pixels: the middle of the thumb never reaches the ends
        x = thumb / 2 + steps * step / (high - low) * (box["width"] - thumb)
        target.tap(position={"x": x, "y": box["height"] / 2})


@contextmanager
def context_of(browser, **options):
    context = browser.new_context(**options)
    yield context
    context.close()


def shown(figure):
    """{name of a row: its values} of the bars that can be seen."""
    rows = figure.locator(".nw-x-bars:visible .nw-x-row").all()
    return {
        re.sub(r" \(\d+\)$", "", row.locator(".nw-x-name").inner_text()): [
            float(re.match(r"[\d.]+", text)[0])
            for text in row.locator(".nw-x-value").all_inner_texts()
        ]
        for row in rows
    }


def button(figure, name):
    return figure.get_by_role("button", name=name, exact=True)


def torch_network(packed):
    """The chapter's own network with the weights that the page computes with."""
    sizes = transformers.Sizes(V=len(packed["words"]), **{k: packed["sizes"][k] for k in "DLH"})
    net = transformers.LanguageModel(sizes).eval()
    net.load_state_dict(dequantised(packed["tensors"]))
    return net


def torch_lstm(given):
    """The chapter's own LSTM with the weights that the page computes with."""
    model = rnns.LanguageModel(len(given["network"]["words"]), 64, 128, rnns.LSTMCell)
    model.load_state_dict(dequantised(given["lstm"]["tensors"]))
    return model.eval()


def ids_of(packed, words):
    return [packed["words"].index(word) for word in ["<s>", *words]]


def gathered(site, path):
    """Write a page of the book that holds all its explorables, as they were built, nothing else.

    On a chapter's own page a browser lays out thousands of letters after each key.
    """
    built = {stem: (site / "chapters" / f"{stem}.html").read_text("utf-8") for stem in PAGES}
    figures = [found[0] for text in built.values() for found in PARTS.finditer(text)]
    assert len(figures) == len(STORED)
    head, rest = built[PAGES[0]].split("<article", 1)
    opening, tail = rest.split(">", 1)[0], rest.split("</article>", 1)[1]
    head = head.replace("<head>", f'<head><base href="{(site / "chapters").as_uri()}/">', 1)
    frame = [re.sub(r'href="#[^"]+"', 'href="."', part) for part in (head, tail)]  # led to sections
    whole = f"{frame[0]}<article{opening}>{''.join(figures)}</article>{frame[1]}"
    path.write_text(whole, "utf-8")
