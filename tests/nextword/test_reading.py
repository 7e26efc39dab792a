"""`nextword read`: pages as notebooks of the reader's own, which run the reader's functions."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.project import find_project
from examiner.stubs import make_stub
from nextword.reading import lab
from nextword.reading.choice import choose
from nextword.reading.mine import mix
from nextword.reading.notebook import STAMP
from nextword.reading.shelf import place
from tests.browser import THOROUGH

ROOT = Path(__file__).parents[2]
PROJECT = find_project(ROOT)
PAGES = choose(PROJECT, "all").pages
RAW = re.compile(r":::|\{\w[\w:]*\}`|^ *\([\w-]+\)=|literalinclude|BEGIN SOLUTION", re.M)


def cells(path, kind):
    found = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Every page, in a folder of a reader."""
    folder = tmp_path_factory.mktemp("reader") / "reading"
    place(PROJECT, PAGES, folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_nothing_raw_and_runs_the_readers_functions(shelf, page):
    made = shelf / page.name
    prose = "\n".join(cells(made, "markdown"))
    assert RAW.findall(prose) == []
    for mark in ("div", "details"):
        assert prose.count(f"<{mark}") == prose.count(f"</{mark}>")
    code = "\n".join(cells(made, "code"))
    assert "solutions" not in re.findall(r"^\s*(?:from|import) (\w+)", code, re.M)
    stems = re.findall(r"^mine\((.*), course", code, re.M)
    used = set(re.findall(r"^from coursework(?:\.(\w+))? import (?!\w+ as)", code, re.M)) - {""}
    assert all(stem in stems[0] for stem in used)


def test_solutions_are_folded_and_citations_are_words(shelf):
    prose = "\n".join(cells(shelf / "02-ngrams.ipynb", "markdown"))
    assert "<details><summary>A solution</summary>" in prose
    assert "```python\nreturn " in prose
    assert "(Markov, 1913)" in prose


def test_folded_code_is_folded_and_nothing_counts_as_run(shelf):
    for cell in json.loads((shelf / "02-ngrams.ipynb").read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            hidden = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            assert hidden == ("hide-input" in cell["metadata"].get("tags", []))
            assert cell["execution_count"] is None
            assert not any(output.get("execution_count") for output in cell["outputs"])


def test_every_link_leads_to_a_heading_or_label_that_is_there(shelf):
    headings = {}
    for path in shelf.glob("*.ipynb"):
        prose = "\n".join(cells(path, "markdown"))
        found = re.findall(r"^#+ (.+)$", prose, re.M)
        headings[path.name] = {re.sub(r"[`*]", "", one.strip()).replace(" ", "-") for one in found}
        headings[path.name] |= set(re.findall(r'<a id="([\w-]+)"', prose))
    links = 0
    for path in shelf.glob("*.ipynb"):
        for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join(cells(path, "markdown"))):
            if target.startswith("http"):
                continue
            file, _, anchor = target.partition("#")
            assert not anchor or anchor in headings[file or path.name], (path.name, target)
            assert (file or path.name) in headings, (path.name, target)
            links += 1
    assert links > 80


def test_a_page_alone_links_to_no_page_that_is_missing(tmp_path):
    place(PROJECT, choose(PROJECT, "02-ngrams").pages[:1], tmp_path / "one")
    prose = "\n".join(cells(tmp_path / "one" / "02-ngrams.ipynb", "markdown"))
    assert "of section 1.4:" in prose
    assert ".ipynb" not in "".join(re.findall(r"\]\(([^)]+)\)", prose))


@pytest.mark.parametrize(
    ("wanted", "pages", "first"),
    [
        ("2", 3, "02-ngrams"),
        ("ngrams", 3, "02-ngrams"),
        ("2.6", 3, "02-ngrams-smoothing"),
        ("02-ngrams-writing.ipynb", 3, "02-ngrams-writing"),
        ("ladder", 1, "ladder"),
    ],
)
def test_a_page_has_several_names(wanted, pages, first):
    choice = choose(PROJECT, wanted)
    assert len(choice.pages) == pages
    assert choice.first.stem == first


@pytest.mark.parametrize("wanted", ["9", "poems", "2.99", "../secret"])
def test_an_unknown_page_is_answered_with_what_there_is(wanted):
    with pytest.raises(UserError, match=r"there is no .*2 ngrams.*ladder"):
        choose(PROJECT, wanted)


@pytest.mark.slow
def test_a_notebook_that_is_there_stays_and_again_keeps_it_aside(tmp_path):
    pages = choose(PROJECT, "ladder").pages
    assert [each.what for each in place(PROJECT, pages, tmp_path)] == ["written"]
    path = tmp_path / "ladder.ipynb"
    assert [each.what for each in place(PROJECT, pages, tmp_path)] == ["kept as it is"]
    mine = json.loads(path.read_text("utf-8"))
    mine["cells"][0]["source"] = ["my notes"]
    mine["metadata"][STAMP]["of"] = "an older page"
    path.write_text(json.dumps(mine), "utf-8")
    (kept,) = place(PROJECT, pages, tmp_path)
    assert kept.what.startswith("kept as it is, with your changes; the book's page has changed")
    for name in ("ladder-mine.ipynb", "ladder-mine-2.ipynb"):
        (again,) = place(PROJECT, pages, tmp_path, again=True)
        assert again.what == f"written anew; yours is now {name}"
        assert cells(tmp_path / name, "markdown")[0] == "my notes"
        path.write_text(json.dumps(mine), "utf-8")
    path.write_text("no notebook", "utf-8")
    place(PROJECT, pages, tmp_path, again=True)
    assert (tmp_path / "ladder-mine-3.ipynb").read_text("utf-8") == "no notebook"


@pytest.mark.parametrize("folder", ["chapters", "coursework/mine", ".", "README.md"])
def test_a_folder_of_the_course_or_a_file_is_refused(folder):
    with pytest.raises(UserError, match="with --to"):
        place(PROJECT, PAGES[:1], ROOT / folder)


@pytest.fixture
def course(demo_course):
    (demo_course / "coursework" / "__init__.py").touch()
    project, solution = find_project(demo_course), demo_course / "solutions" / "demo.py"
    stub = make_stub(solution.read_text("utf-8"), project.catalogue.chapter("demo"), "demo.py")
    (demo_course / "coursework" / "demo.py").write_text(stub, "utf-8")
    return project


def written(course, text):
    path = course.root / "coursework" / "demo.py"
    path.write_text(textwrap.dedent(text), "utf-8")
    return mix(course, course.catalogue.chapter("demo"))


WRONG_SUM = "def add(a, b):\n    return a - b\n"


def test_written_functions_are_the_readers_and_open_ones_the_books(course):
    stub = (course.root / "coursework" / "demo.py").read_text("utf-8")
    assert "all 2 functions are the book's" in str(mix(course, course.catalogue.chapter("demo")))
    own = re.sub(r"raise NotImplementedError\(.9.1.*", "return a - b", stub)
    found = written(course, own)
    assert found.module.add(5, 3) == 2
    counter = found.module.Counter()
    assert [counter.step(), counter.step()] == [1, 2]
    assert "1 of 2 functions are yours (add)" in str(found)
    assert "The others are the book's: task 9.2." in str(found)
    where = {f.__code__.co_filename for f in (found.module.add, found.module.Counter.step)}
    assert {Path(name).parent.name for name in where} == {"coursework", "solutions"}


def test_what_was_deleted_is_the_books(course):
    found = written(course, WRONG_SUM)
    assert found.module.add(5, 3) == 2
    assert found.module.Counter().step() == 1


def test_a_file_that_is_missing_gives_way_to_the_book(course):
    (course.root / "coursework" / "demo.py").unlink()
    assert "is missing" in str(mix(course, course.catalogue.chapter("demo")))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def add(a, b:\n", "cannot be read as Python, line 1"),
        ("import not_there\n", "cannot be imported, ModuleNotFoundError"),
    ],
)
def test_a_file_that_is_broken_gives_way_to_the_book_and_says_why(course, text, why):
    found = written(course, text)
    assert found.module.add(5, 3) == 8
    assert why in str(found)
    assert "until that is mended" in str(found)


SESSION = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("from nextword.reading import mine; mine('demo', course='.')", silent=False)
shell.run_cell("from coursework import demo; print(demo.add(5, 3))")
import os, pathlib
path = pathlib.Path("coursework/demo.py")
path.write_text('''WRONG''')
os.utime(path, ns=(1, 1))
shell.run_cell("print(demo.add(5, 3))")
"""


def test_a_saved_file_is_taken_up_by_the_next_cell(course):
    code = SESSION.replace("WRONG", WRONG_SUM)
    paths = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(course.root)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=course.root, env=paths, text=True, capture_output=True
    )
    lines = done.stdout.splitlines()
    assert "8" in lines, done.stdout + done.stderr
    assert lines[-1] == "2"
    assert "1 of 2 functions are yours (add)" in " ".join(lines)


def test_without_jupyterlab_the_notebook_is_written_and_the_message_names_it(
    demo_course, nextword, monkeypatch
):
    shutil.copy(ROOT / "chapters" / "projects.ipynb", demo_course / "chapters")
    find = lab.importlib.util.find_spec
    monkeypatch.setattr(
        lab.importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else find(name)
    )
    result = nextword("read", "projects")
    assert result.exit_code == 2
    assert "pip install jupyterlab, or open" in result.output.replace("\n", " ")
    assert (demo_course / "reading" / "projects.ipynb").is_file()
    assert "kept as it is" in nextword("read", "projects", "--no-open").output
    assert "projects or all" in nextword("read").output


def test_jupyterlab_starts_in_the_course_with_this_python(tmp_path):
    started = lab.command(tmp_path / "my reading" / "02-ngrams.ipynb", tmp_path)
    assert started[0] == sys.executable
    assert started[-1].endswith("/lab/tree/my%20reading/02-ngrams.ipynb")
    assert f"--ServerApp.root_dir={tmp_path}" in started


@pytest.mark.skipif(not THOROUGH, reason="make test-thorough runs whole notebooks")
@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if p.stem in ("02-ngrams", "01-language-models")],
    ids=lambda p: p.stem,
)
def test_a_notebook_runs_before_anything_is_written(shelf, page, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(shelf / page.name, as_version=4)
    ran = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(shelf)}}
    ).execute()
    first = next(cell for cell in ran.cells if cell.id == "nextword-mine")
    assert "are the book's" in "".join(o.get("text", "") for o in first.outputs)
