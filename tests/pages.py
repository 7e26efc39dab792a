"""The pages of the built book, and what is looked at in each of them, wide and narrow."""

from pathlib import Path

from tests.browser import assert_open_to_everyone

ROOT = Path(__file__).parents[1]
PAGES = [
    *(f"chapters/{p.stem}.html" for p in sorted((ROOT / "chapters").glob("*.ipynb"))),
    *(f"chapters/{p.stem}.html" for p in sorted((ROOT / "chapters").glob("*.md"))),
    "search.html?q=continuation+count",
    "genindex.html",
]
MODEL = "chapters/02-ngrams-smoothing.html"
NOTEBOOKS = [page for page in PAGES if (ROOT / page).with_suffix(".ipynb").exists()]

FORMULAS = """[...document.querySelectorAll('div.formula')].map((formula) => {
    const box = formula.getBoundingClientRect();
    const pieces = [...formula.querySelectorAll('.statement > span')]
        .map((piece) => piece.getBoundingClientRect());
    const highest = Math.min(...pieces.map((p) => p.bottom)); // tall pieces reach far below others
    return { text: formula.getAttribute('id') || formula.textContent.slice(0, 40),
             lines: pieces.some((p) => p.top > highest - 2) ? 2 : 1,
             leaves: pieces.some((p) => p.left < box.left - 1 || p.right > box.right + 1) };
})"""
# printed tables may: they keep their columns, and scroll
WIDE_CODE = """[...document.querySelectorAll('.bd-article pre:not(.columns)')]
    .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
    .map((box) => box.innerText.slice(0, 60))"""
SMALLEST_LETTERS = """[...document.querySelectorAll('figure.drawing svg')].map((svg) => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const sizes = [...svg.querySelectorAll('text')]
        .map((text) => parseFloat(getComputedStyle(text).fontSize));
    return Math.min(...sizes) * scale;
})"""


def locate(site, name):
    """The file of a page and what follows its name in the address."""
    name, mark, rest = name.partition("?")
    return site / name, mark + rest


def lines_of_formulas(page):
    """In how many lines each displayed formula stands; none leaves its box."""
    formulas = page.evaluate(FORMULAS)
    assert [f["text"] for f in formulas if f["leaves"]] == []
    return {f["text"]: f["lines"] for f in formulas}


def assert_a_page_is_sound(page, name, width, *, contrast, axe=True, wide_code=0):
    """Open to everyone, and no code wider than its box, but for `wide_code` boxes."""
    assert_open_to_everyone(
        page, width, contrast=contrast, axe=axe
    )  # which opens all that is folded
    if name in NOTEBOOKS:
        wide = page.evaluate(WIDE_CODE)
        assert len(wide) <= wide_code, wide
