"""Facts about the book's pages: stored notebooks, equations, tasks, built HTML.

Leaves out: quick questions (test_quizzes); whether a fresh run gives the stored outputs (pytest
--nbval does that).
"""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import nbformat
import pytest
import yaml

from examiner.project import Project
from examiner.release.exercises import count, exercise_box, hours_of
from nextword.claims.measured import MIME
from tests.course import COURSE

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT)
PAGES = ROOT / "chapters"
NOTEBOOKS = sorted(PAGES.glob("*.ipynb"))
CHAPTERS = [p for p in NOTEBOOKS if re.match(r"\d\d-", p.name)]
# pages that show trained models: chapters 1 and 2 count
OF_TRAINED = [p for p in CHAPTERS if p.name >= "03-"] + [PAGES / "ladder.ipynb"]
NOISE = {
    "address": re.compile(r"0x[0-9a-fA-F]{5,}"),
    "path": re.compile(r"(?:/(?:home|root|tmp|work|Users|usr)/|[A-Z]:\\)"),
    "timing": re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|µs|seconds|s)\b|it/s|Wall time"),
}

# languages in which figures are drawn, and the library that draws them: names, nothing is fetched
NAMES_ONLY = ("http://www.w3.org/", "https://d3js.org")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def cells(path, kind):
    return [c for c in nbformat.read(path, 4).cells if c.cell_type == kind]


def prose(*paths):
    return "\n\n".join(c.source for path in paths for c in cells(path, "markdown"))


def pages_of(chapter):
    return PROJECT.notebooks(chapter.number, chapter.stem)


WRITTEN = [c for c in COURSE.catalogue.chapters if pages_of(c)]


def names(paths):
    return [p.name for p in paths]


# ---------------------------------------------------------------- stored notebooks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_a_notebook_is_stored_with_the_outputs_of_one_run_from_the_top(path):
    code = cells(path, "code")
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    shown = [c for c in code if "claims" not in c.metadata.get("tags", [])]
    assert sum(bool(c.outputs) for c in shown) >= len(shown) / 2
    assert not [o for c in code for o in c.outputs if o.output_type == "error"]


def figures(path):
    """Each cell that draws, with its picture and its alternative text."""
    for cell in cells(path, "code"):
        for output in cell.outputs:
            if svg := output.get("data", {}).get("image/svg+xml"):
                alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                yield cell, ET.fromstring(svg), alt


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_every_figure_says_in_words_what_it_shows(path):
    for cell, _, alt in figures(path):
        assert len(alt.split()) >= 12, f"no alt text: {cell.source[:60]!r}"
        assert alt.endswith(".")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_numbers_in_an_alternative_text_are_those_of_the_figure(path):
    for _, picture, alt in figures(path):
        drawn = [float(v) for v in picture.get("data-drawn").split()]
        drawn += [float(v) for text in picture.itertext() for v in NUMBER.findall(plain(text))]
        words = re.sub(r"\b[2-9]-grams?|\b1 over rank", "", plain(alt))
        for found in re.finditer(
            r"(about|near|nearly|little under|more than)? ?" + NUMBER.pattern, words
        ):
            written = found[0].removeprefix(found[1] or "")
            number, decimals = float(written), len(written.partition(".")[2])
            rounding = 0.51 * 10**-decimals if decimals else 0.006 * abs(number)
            room = max(rounding, 0.12 * abs(number) if found[1] else 0)
            assert any(abs(v - number) <= room for v in drawn), (
                f"{number} is not in the figure: {alt}"
            )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_figures_are_drawings_and_no_bitmaps(path):
    outputs = [o for cell in cells(path, "code") for o in cell.outputs]
    assert not any("image/png" in o.get("data", {}) for o in outputs)


def plain(text):
    """A text with numbers as Python reads them, without commas."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text).replace("\u2212", "-")


@pytest.mark.parametrize("path", CHAPTERS, ids=names(CHAPTERS))
def test_every_assertion_of_the_text_is_in_a_folded_cell_tagged_claims(path):
    tagged = [c for c in cells(path, "code") if "claims" in c.metadata.get("tags", [])]
    for cell in tagged:
        assert "hide-input" in cell.metadata.tags
        assert cell.source.startswith("# What the text says")
        assert re.search(r"^\s*(assert |claim\()", cell.source, re.M)
        assert all(MIME in output.get("data", {}) for output in cell.outputs)
        assert bool(cell.outputs) == bool(re.search(r"^\s*claim\(", cell.source, re.M))
    for cell in cells(path, "code"):
        assert cell in tagged or not re.search(r"^(assert |\s*claim\()", cell.source, re.M)


@pytest.mark.parametrize("path", OF_TRAINED, ids=names(OF_TRAINED))
def test_a_claim_about_a_trained_model_says_how_often_it_was_tried(path):
    """A folded cell states its claims, or its metadata say why none of them needs seeds."""
    for cell in cells(path, "code"):
        if "claims" in cell.metadata.get("tags", []) and "claim(" not in cell.source:
            why = cell.metadata.get("nextword", {}).get("exact", "")
            assert re.fullmatch(r"\w.{15,}\.", why), cell.source


@pytest.mark.parametrize("path", CHAPTERS, ids=names(CHAPTERS))
def test_formulas_are_written_once_without_breaks_for_narrow_screens(path):
    for formula in re.findall(r"\$\$(.*?)\$\$", prose(path), re.S):
        assert "aligned" not in formula
        assert "\\\\" not in formula
        assert r"\cr" not in re.sub(r"\\begin\{cases\}.*?\\end\{cases\}", "", formula, flags=re.S)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_stored_outputs_hold_no_times_paths_or_addresses(path):
    for cell in cells(path, "code"):
        assert "execution" not in cell.metadata, "run it with record_timing=False"
        if "nbval-ignore-output" in cell.metadata.get("tags", []):
            continue  # words of Python's documentation: "10 seconds" is a quotation there
        for output in cell.outputs:
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            for what, pattern in NOISE.items():
                assert not pattern.search(text), f"{what} in the output of {cell.source[:60]!r}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_an_output_that_is_not_compared_says_why(path):
    for cell in cells(path, "code"):
        if any(tag.startswith("nbval") for tag in cell.metadata.get("tags", [])):
            why = cell.metadata.get("nextword", {}).get("not_compared", "")
            assert re.fullmatch(r"\w.{20,}\.", why), cell.source
        assert "ompared by the tests" not in cell.source, "readers need not know: use metadata"


# ---------------------------------------------------------------- equations


@pytest.mark.parametrize("path", CHAPTERS, ids=names(CHAPTERS))
def test_equations_are_numbered_in_order_and_carry_the_label_of_their_number(path):
    blocks = re.findall(r"\(eq-([\d-]+)\)=\s*\$\$(.*?)\$\$", prose(path), re.S)
    tags = [re.findall(r"\\tag\{([\d.]+)\}", body) for _, body in blocks]
    labels = [label.replace("-", ".") for label, _ in blocks]
    assert tags == [[label] for label in labels]
    assert labels == sorted(labels, key=place_of)
    assert prose(path).count(r"\tag{") == len(blocks), "a tag without a label"


def place_of(number):
    return int(number.partition(".")[2])


@pytest.mark.parametrize("chapter", WRITTEN, ids=lambda c: c.stem)
def test_the_equations_of_a_chapter_are_numbered_without_a_gap(chapter):
    found = re.findall(r"\\tag\{([\d.]+)\}", prose(*pages_of(chapter)))
    expected = [f"{chapter.number}.{i}" for i in range(1, len(found) + 1)]
    assert sorted(found, key=place_of) == expected


@pytest.mark.parametrize("chapter", WRITTEN, ids=lambda c: c.stem)
def test_every_equation_that_anyone_cites_exists(chapter):
    text = prose(*pages_of(chapter))
    numbers = set(re.findall(r"\\tag\{([\d.]+)\}", text))
    source = solution_of(chapter)
    sees = [task.see for task in chapter.tasks]
    cited = {label.replace("-", ".") for label in re.findall(r"#eq-([\d-]+)\)", text)}
    prefix = rf"{chapter.number}\.\d+"
    for other in [source, *sees, *pages_text()]:
        for run in re.findall(rf"equations? {prefix}(?:(?:,| and| to) {prefix})*", other):
            cited |= set(re.findall(prefix, run))
    for other in (text, source):
        cited |= set(re.findall(rf"\(({prefix})\)", other))
    assert len(cited) >= len(chapter.tasks)
    assert cited <= numbers, f"no such equation: {sorted(cited - numbers)}"


def solution_of(chapter):
    return PROJECT.module("solutions", chapter.stem).read_text(encoding="utf-8")


def pages_text():
    return [p.read_text(encoding="utf-8") for p in sorted(PAGES.glob("*.md"))]


# ---------------------------------------------------------------- tasks


def sections(chapter):
    """{"2.1": text of section 2.1, ...}"""
    parts = [
        part for p in pages_of(chapter) for part in re.split(r"^## ", prose(p), flags=re.M)[1:]
    ]
    numbered = (re.match(r"(\d+\.\d+) ", part) for part in parts)
    return {m[1]: part for m, part in zip(numbered, parts, strict=True) if m}


@pytest.mark.slow
@pytest.mark.parametrize("chapter", WRITTEN, ids=lambda c: c.stem)
def test_every_task_has_a_section_of_its_number_that_holds_its_exercise(chapter):
    for task in chapter.tasks:
        assert exercise_box(task, chapter.stem, solution_of(chapter)) in sections(chapter)[task.id]


@pytest.mark.parametrize("chapter", WRITTEN, ids=lambda c: c.stem)
def test_the_head_of_a_chapter_says_how_many_tasks_and_hours_wait(chapter):
    expected = f"{count(len(chapter.tasks), 'task')}, {hours_of(chapter)} of exercises"
    assert expected in prose(pages_of(chapter)[0]).split("\n## ")[0]


# ---------------------------------------------------------------- the built book


class Page(HTMLParser):
    """Collects a page's tags with their attributes."""

    def __init__(self, path):
        super().__init__()
        self.tags = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@cache
def ids_in(path):
    """The ids of a page's tags: where a link can lead."""
    return {attributes.get("id") for _, attributes in Page(path).tags}


def fetched(page):
    """The addresses that a browser fetches by itself when it shows a page."""
    for tag, attributes in page.tags:
        if tag in ("script", "img", "iframe", "source", "video", "audio"):
            yield attributes.get("src")
        elif tag == "link":
            yield attributes.get("href")


@pytest.mark.slow
@pytest.mark.always
def test_the_book_shows_without_a_network(site):
    pages = [p for p in sorted(site.rglob("*.html")) if "_static" not in p.parts]  # no templates
    assert len(pages) >= 8
    for path in pages:
        page = Page(path)
        for address in filter(None, fetched(page)):
            parts = urlsplit(address)
            assert (parts.scheme, parts.netloc) == ("", ""), f"{path.name} fetches {address}"
            assert (path.parent / unquote(parts.path)).exists(), f"{path.name}: no {address}"
        inline = " ".join(
            re.findall(r"<script(?![^>]*src)[^>]*>(.*?)</script>", path.read_text(), re.S)
        )
        named = set(re.findall(r"https?:[^\s\"'`]*", inline))
        foreign = {address for address in named if not address.startswith(NAMES_ONLY)}
        assert foreign == set(), f"{path.name} has a script that names an address"


@pytest.mark.slow
@pytest.mark.always
def test_style_sheets_fetch_only_files_that_are_there(site):
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", text):
            if not address.startswith(("data:", "#")):
                assert "//" not in address, f"{path.name} fetches {address}"
                assert (path.parent / address.partition("?")[0]).exists(), f"{path.name}: {address}"


@pytest.mark.slow
@pytest.mark.always
def test_every_page_of_the_contents_is_built_with_one_search_field(site):
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [toc["root"]] + [c["file"] for part in toc["parts"] for c in part["chapters"]]
    for name in files:
        page = Page(site / f"{name}.html")
        fields = [a for _, a in page.tags if "search-button-field" in (a.get("class") or "")]
        assert len(fields) == 1, name
        assert all(a.get("alt") for tag, a in page.tags if tag == "img"), f"{name}: no alt text"


@pytest.mark.slow
@pytest.mark.always
def test_equations_and_sections_that_pages_link_to_are_there(site):
    for path in sorted((site / "chapters").glob("*.html")):
        for _, attributes in Page(path).tags:
            target, _, anchor = (attributes.get("href") or "").partition("#")
            if anchor and not urlsplit(target).scheme:
                other = path.parent / unquote(target) if target else path
                assert anchor in ids_in(other.resolve()), (
                    f"{path.name}: {attributes['href']} leads nowhere"
                )


@pytest.mark.slow
@pytest.mark.always
@pytest.mark.parametrize("path", CHAPTERS, ids=names(CHAPTERS))
def test_solutions_are_in_the_page_but_folded(site, path):
    page = (site / "chapters" / f"{path.stem}.html").read_text(encoding="utf-8")
    assert page.count("A solution") == prose(path).count("dropdown} A solution")
    assert not re.search(r"<details[^>]* open", page)
    assert "BEGIN SOLUTION" not in page
    assert "END SOLUTION" not in page


# ---------------------------------------------------------------- links

NO_ADDRESS = {"Firth", "Gage", "Jelinek", "Lidstone"}  # five works that stand nowhere for sure


@pytest.mark.slow
@pytest.mark.always
def test_every_work_has_an_address_where_one_is_known(site):
    page = (site / "chapters" / "bibliography.html").read_text(encoding="utf-8")
    works = re.findall(r'<div class="citation".*?</div>', page, re.S)
    assert len(works) > 200
    bare = [work for work in works if 'reference external" href=' not in work]
    assert len(bare) <= 5
    assert all(any(name in work for name in NO_ADDRESS) for work in bare), bare
    addresses = re.findall(r'reference external" href="([^"]+)"', "".join(works))
    assert all(urlsplit(address).scheme == "https" for address in addresses)


@pytest.mark.slow
@pytest.mark.always
def test_sections_that_a_text_names_are_links(site):
    page = (site / "chapters" / "glossary.html").read_text(encoding="utf-8")
    terms = page.partition('<dl class="simple glossary">')[2].partition("</dl>")[0]
    assert terms.count("section") > 50
    linked = re.sub(r"<a .*?</a>", "", terms, flags=re.S)
    assert not re.findall(r"[Ss]ections? \d+\.\d+", linked)
    assert 'href="02-ngrams-smoothing.html#' in terms
