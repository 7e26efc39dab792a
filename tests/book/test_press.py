"""The book on paper: a small one, typeset by Chromium, read again page by page.

Leaves out the real book, which takes minutes: `make pdf`.
"""

import re
import shutil

import pytest

from examiner.errors import UserError
from tests.browser import NEEDS_CHROMIUM

pytest.importorskip("pypdf", reason="the book is typeset with pip install '.[print]'")
from pypdf import PdfReader

from nextword.press import documents, manuscript, printer, typeset
from tests.pages import ROOT

pytestmark = pytest.mark.slow

DRAWING = """<figure class="drawing"><svg viewBox="0 0 300 240" xmlns="http://www.w3.org/2000/svg">
<text x="5" y="15">upper-{0}</text><text x="5" y="235">lower-{0}</text></svg></figure>"""
UNTRUSTED = '<figure class="nw-x"><p class="nw-x-untrusted">Run this cell</p></figure>'
CODE = "<div class='cell'><div class='cell_input'><pre>{}</pre></div></div>"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A built book of two pages, with drawings and code that would not all fit as they follow."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "tests" / "data" / "press", folder, dirs_exist_ok=True)
    page = folder / "chapters" / "02-counting.html"
    drawings = UNTRUSTED + "".join(map(DRAWING.format, range(6)))
    code = "".join(CODE.format(f"begin-{i}\n" + "x = 1\n" * 25 + f"finish-{i}") for i in range(5))
    text = page.read_text("utf-8").replace("<p>DRAWINGS</p>", drawings).replace("<p>CODE</p>", code)
    page.write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def pages(site, tmp_path_factory):
    """The text of each page of the small book, in print."""
    path = tmp_path_factory.mktemp("pdf") / "small.pdf"
    with printer() as browser:
        count = typeset(browser, manuscript(site, ["02-counting", "03-next"]), path)
    reader = PdfReader(path)
    assert count == len(reader.pages)
    assert list(path.parent.iterdir()) == [path]
    return [page.extract_text() for page in reader.pages], reader


def page_of(text, pages):
    """The number of the one page (after the contents) that holds a text."""
    found = [i for i, page in enumerate(pages, 1) if text in page and i > 2]
    assert len(found) == 1, (text, found)
    return found[0]


@NEEDS_CHROMIUM
def test_every_page_has_its_number_and_the_name_of_its_part(pages):
    texts, _ = pages
    assert len(texts) > 6
    for number, text in enumerate(texts[1:], 2):
        assert re.search(rf"^{number}$", text, re.M), text
    assert all("2 Counting" in texts[i].splitlines()[:3] for i in (2, 3, 4))


@NEEDS_CHROMIUM
def test_what_only_jupyterlab_needs_is_not_printed(pages):
    assert "Run this cell" not in "".join(pages[0])


@NEEDS_CHROMIUM
def test_the_contents_name_the_page_of_every_heading(pages):
    texts, reader = pages
    rows = re.findall(r"^(\S.*?)\s*\.*\s*(\d+)$", texts[1], re.M)
    rows = {name: int(number) for name, number in rows}
    expected = ["2 Counting: a chapter", "2.1 Code", "A Hints", "B Solutions",
                "C Answers to the quick questions"]  # fmt: skip
    for name in expected:
        assert rows[name] == page_of(name, [re.sub(r"^.*\n", "", t) for t in texts]), name
    titles = [entry.title for entry in reader.outline if not isinstance(entry, list)]
    long = "3 More: another chapter, with a name that is too long for a single line of a page"
    assert [title.strip() for title in titles] == [
        "Contents", expected[0], long, *expected[2:]
    ]  # fmt: skip


@NEEDS_CHROMIUM
def test_no_drawing_and_no_code_is_cut_at_the_end_of_a_page(pages):
    texts, _ = pages
    for first, last, count in (("upper", "lower", 6), ("begin", "finish", 5)):
        where = [page_of(f"{first}-{i}", texts) for i in range(count)]
        assert where == [page_of(f"{last}-{i}", texts) for i in range(count)]
        assert len(set(where)) > 1


@NEEDS_CHROMIUM
def test_what_a_page_folds_stands_in_an_appendix_and_the_page_says_where(pages):
    texts, _ = pages
    whole = "\n".join(texts)
    for text, place in {
        "Look.": "Hints",
        "return a + b": "Solutions",
        "It is 7.": "Solution 1",
        "There are more.": "Answer",
        "Count them.": "Answer",
    }.items():
        assert f"{place}: page {page_of(text, texts)}" in whole
    assert "folded code" not in whole
    assert "menu" not in whole


@NEEDS_CHROMIUM
def test_links_to_the_web_are_listed_and_others_lead_within_the_document(site, pages):
    texts, _ = pages
    assert any("1. https://example.org/paper" in " ".join(text.split()) for text in texts)
    html = manuscript(site, ["02-counting", "03-next"])
    assert 'href="#03-next--far"' in html
    assert 'id="03-next--far"' in html
    assert "the search" in html
    assert "search.html" not in html
    assert html.count("<li>https://example.org") == 1  # the other's text is its address
    alone = manuscript(site, ["02-counting"])
    assert "the next chapter" in alone
    assert "03-next" not in alone


def test_a_page_that_was_not_built_is_named(site):
    with pytest.raises(UserError, match=r"04-none.html is missing: build the book first"):
        manuscript(site, ["04-none"])


def test_every_page_of_the_contents_is_printed_and_each_chapter_by_itself():
    found = documents(ROOT)
    assert found["next-word"][0] == "index"
    assert "glossary" in found["next-word"]
    sixth = found["06-transformers"]
    assert sixth[0] == "06-transformers"
    assert sixth == [name for name in found["next-word"] if name.startswith("06-")]
    assert {"06-transformers-in-use", "06-transformers-inside"} <= set(sixth)
    assert len(found) == 8


@NEEDS_CHROMIUM
def test_the_head_of_the_addresses_is_never_alone_at_the_end_of_a_page(tmp_path):
    listed = "".join(f"<li>https://{i}.example.org</li>" for i in range(3))
    aside = f"<aside class='addresses'><p>Addresses on the web</p><ol>{listed}</ol></aside>"
    style = (ROOT / "nextword" / "press" / "print.css").read_text("utf-8")
    with printer() as browser:
        page = browser.new_page()
        for height in range(200, 251, 2):  # of what stands above: at some the list does not fit
            above = f"<p style='height: {height}mm'>above</p><p>its end</p>"
            page.set_content(f"<style>{style}</style><article class='bd-article'>{above}{aside}")
            page.pdf(path=tmp_path / "one.pdf", prefer_css_page_size=True)
            texts = [each.extract_text() for each in PdfReader(tmp_path / "one.pdf").pages]
            (head,) = (i for i, text in enumerate(texts) if "Addresses on the web" in text)
            assert "https://0.example.org" in texts[head], height
        page.close()
