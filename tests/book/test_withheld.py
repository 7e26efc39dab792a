"""The book without solutions and last hints: nothing of them is in it, and no address changes."""

import html
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from examiner.project import Project
from examiner.release.exercises import HINTS
from examiner.release.withheld import (
    NO_HINT,
    catalogue_without_last_hints,
    page_without_solutions,
)
from examiner.stubs import find_regions
from nextword.practice.bundle import files
from nextword.practice.offered import STEMS
from tests.course import CHAPTERS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "chapters").glob("*.ipynb"))
ADDRESS = re.compile(r":label: [\w-]+|^\([\w-]+\)=", re.M)
HIDDEN = re.compile(
    r"\{dropdown\} (?:Third hint|A solution|Solution)|literalinclude\} \.\./solutions|# Solution \d"
)
PAGE = """\
(sec-here)=
# A page

::::::{exercise} 9.1 A task
:nonumber:
:label: task-9-1

What is asked.

:::::{dropdown} First hint: a nudge
PLAINHINT
:::::

:::::{dropdown} Third hint: nearly the code
LASTHINT with a box inside
::::{note}
LASTHINT
::::
LASTHINT
:::::

:::::{dropdown} A solution
::::{literalinclude} ../solutions/demo.py
:pyobject: f
::::
:::::

::::::

:::{dropdown} Solution 4
SOLUTIONFOUR
:::
"""
CONFIG = """\
import sys
sys.path.insert(0, {extensions!r})
extensions = ["myst_nb", "sphinx_design", "sphinx_exercise", "withheld"]
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "off"
root_doc = "chapters/page"
include_patterns = ["chapters/*"]
"""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_keeps_one_of_them_and_each_keeps_its_addresses(path: Path) -> None:
    text = path.read_text("utf-8")
    before, after = ("\n".join(sources(each)) for each in (text, page_without_solutions(text)))
    assert not HIDDEN.search(after)
    assert ADDRESS.findall(after) == ADDRESS.findall(before)
    assert len(re.findall(r"\{dropdown\} First hint", after)) == before.count(HINTS[0])
    assert page_without_solutions(page_without_solutions(text)) == page_without_solutions(text)


def sources(notebook: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(notebook)["cells"]]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_catalogue_loses_its_last_hints_and_nothing_else(chapter) -> None:
    text = Project(ROOT).tasks_file(chapter.stem).read_text("utf-8")
    before, after = tomllib.loads(text), tomllib.loads(catalogue_without_last_hints(text))
    for task in before["tasks"]:
        task["hints"][-1] = NO_HINT
    assert after == before


@pytest.mark.slow
def test_python_in_the_page_is_given_no_last_hint() -> None:
    whole, kept_back = (files(Project(ROOT), STEMS, each) for each in (True, False))
    changed = {name for name in whole if whole[name] != kept_back[name]}
    assert changed == {f"coursework/{stem}.toml" for stem in STEMS}
    assert whole.keys() == kept_back.keys()


@pytest.fixture(scope="module")
def small_books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A book of one page, with and without solutions."""
    out = tmp_path_factory.mktemp("withheld")
    root = out / "source"
    root.mkdir()
    for folder in ("chapters", "solutions"):
        (root / folder).mkdir()
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [PAGE]},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "source": ["shown = 1\n", "# Solution 4: as it is.\n", "SOLUTIONFOUR = 2"],
            "outputs": [],
            "execution_count": None,
        },
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "chapters" / "page.ipynb").write_text(json.dumps(notebook), "utf-8")
    (root / "solutions" / "demo.py").write_text("def f():\n    return 'THEBODY'\n", "utf-8")
    (root / "conf.py").write_text(CONFIG.format(extensions=str(ROOT / "chapters" / "_ext")))
    made = {}
    for said in ("yes", "no"):
        made[said] = out / said
        command = [sys.executable, "-m", "sphinx", "-q", "-E", "-d", out / f"trees-{said}"]
        subprocess.run(
            [*map(str, command), str(root), str(made[said])],
            env={**os.environ, "SOLUTIONS": said, "PYTHONPATH": str(ROOT)},
            check=True,
        )
    return made


@pytest.mark.slow
def test_nothing_of_them_is_in_any_file_of_a_book(small_books: dict[str, Path]) -> None:
    for said in ("yes", "no"):
        written = [path.read_bytes() for path in small_books[said].rglob("*") if path.is_file()]
        for word in (b"LASTHINT", b"THEBODY", b"SOLUTIONFOUR", b"lasthint", b"solutionfour"):
            assert any(word in data for data in written) == (said == "yes"), (said, word)
        assert any(b"PLAINHINT" in data for data in written)


@pytest.mark.slow
def test_no_address_of_a_book_changes(small_books: dict[str, Path]) -> None:
    whole, kept_back = (anchors(small_books[said]) for said in ("yes", "no"))
    assert "task-9-1" in whole["chapters/page.html"]
    assert kept_back == whole


def anchors(site: Path) -> dict[str, set[str]]:
    """The places on each page that a link can lead to; the numbers of what is folded are none."""
    found = {}
    for path in site.rglob("*.html"):
        ids = set(re.findall(r'\bid="([^"]+)"', path.read_text("utf-8")))
        found[path.relative_to(site).as_posix()] = {
            each for each in ids if not re.fullmatch(r"(codecell|sd-tab\w*|id)-?\d+", each)
        }
    return found


@pytest.mark.slow
def test_a_wrong_answer_ends_the_build_at_once(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(CONFIG.format(extensions=str(ROOT / "chapters" / "_ext")))
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", str(tmp_path), str(tmp_path / "out")],
        env={**os.environ, "SOLUTIONS": "perhaps", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "SOLUTIONS is yes or no, not 'perhaps'" in done.stderr


@pytest.mark.thorough
def test_the_whole_book_without_them(site: Path, tmp_path: Path) -> None:
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ROOT, "--path-output", tmp_path, "--all", "-W", "-n"]
    subprocess.run(list(map(str, command)), env={**os.environ, "SOLUTIONS": "no"}, check=True)
    made = tmp_path / "_build" / "html"
    assert anchors(made) == anchors(site)
    assert leaks(made) == set()
    assert len(leaks(site)) > 200, "they are found where they are"


def leaks(site: Path) -> set[str]:
    """The lines of solutions and last hints that stand somewhere in a built book."""
    lines = {line for c in CHAPTERS for line in lines_of(c.stem)}
    lines |= {max(t.hints[-1].splitlines(), key=len)[:60] for c in CHAPTERS for t in c.tasks}
    known = plain("\n".join(shown_cells()))
    secret = {line for line in map(plain, lines) if line and line not in known}
    found = set()
    for path in site.rglob("*"):
        if path.suffix in TEXTS and "practice" not in path.parts:
            text = path.read_text("utf-8", "replace")
            if path.suffix == ".html":
                text = html.unescape(re.sub(r"<[^<>]*>", "", text))
            text = plain(text)
            found |= {line for line in secret if line in text}
    return found


def shown_cells() -> Iterator[str]:
    """The texts of all cells that stay: a line that a page's own code needs is no secret."""
    for path in PAGES:
        yield from sources(page_without_solutions(path.read_text("utf-8")))


def plain(text: str) -> str:
    """A text without blanks, escapes and Markdown's marks, which pages show in other ways."""
    return re.sub(r"[\s\\`*_]", "", text)


TEXTS = (".html", ".js", ".json", ".ipynb", ".md", ".txt")


def lines_of(stem: str) -> list[str]:
    """The lines of a chapter's solution that are long enough to stand nowhere else by chance."""
    text = (ROOT / "solutions" / f"{stem}.py").read_text("utf-8")
    lines = text.splitlines()
    marked = [line for r in find_regions(text, stem) for line in lines[r.begin : r.end - 1]]
    return [line.strip() for line in marked if len(line.strip()) >= 40]
