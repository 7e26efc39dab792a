"""What a marker's browser gets of a student's cells, and what becomes of a student's notebook."""

import copy
import html
import json
import shutil
import time
import tracemalloc
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

from examiner.boundary import wire
from examiner.boundary.errors import WireError
from examiner.platforms.nbgrader.handed_in import find_notebook, prepare, read
from examiner.platforms.nbgrader.kernel import MAX_VALUES, _decode, _output
from examiner.platforms.nbgrader.marking_page import ShowBeside
from examiner.platforms.nbgrader.notebook import stage_files
from examiner.platforms.nbgrader.notebook_page import MAX_OWN_WORK, Figures, _own_work
from examiner.platforms.nbgrader.restore_cells import restore
from examiner.platforms.nbgrader.student_code import code_of_cell
from examiner.platforms.nbgrader.student_markdown import MAX_MARKDOWN, markdown, still
from tests.examiner.nbgrader.cells import answer, cell


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "<a href='data:text/html,x' onclick=alert(1)>x</a>",
        "<svg/onload=alert(1)>",
        "<iframe src=http://example.org></iframe>",
        "![x](http://example.org/seen.png)",
        "[x](/api/shutdown)",
        "[x](page.html)",
        "[x](//example.org/page)",
    ],
)
def test_markdown_runs_and_loads_nothing(source):
    page = markdown(source)
    for tag in (
        "<script",
        "<img",
        "<svg",
        "<iframe",
        'href="javascript',
        'href="data',
        'href="/',
        'href="page',
        " onclick=",
    ):
        assert tag not in page.replace("&lt;", "")


@pytest.mark.parametrize(
    "source",
    [
        r"&#36;\h&#114;ef{javascript:alert(1)}{x}&#36;",
        r"&dollar;\cl&#97;ss{full-credit}{x}&dollar;",
        r"&#36;&bsol;style{position: fixed}{x}&#36;",
        r"&#36;\c<b></b>ssId{x}{x}&#36;",
        r"\h<!-- -->ref{javascript:alert(1)}{x}",
    ],
)
def test_no_formula_gets_a_link_or_a_class_by_letters_that_the_browser_puts_together(source):
    page = markdown(source)
    assert page == f"<pre>{html.escape(source)}</pre>"


def test_honest_markdown_stays_what_it_is():
    page = markdown("# Title\n\nThe end `<s>` is **not** predicted: $a < b$.\n\n- one\n- two")
    for part in ("<h1", "<code>&lt;s&gt;</code>", "<strong>not</strong>", "<li>one</li>"):
        assert part in page


def test_a_text_without_end_is_shown_at_once_and_cut_off():
    started = time.perf_counter()
    page = markdown("$$\\begin{a}<script>" * 100_000)
    assert time.perf_counter() - started < 5
    assert "<script" not in page
    assert len(page) < 1_000_000
    assert "1,900,000 characters" in page


@pytest.mark.parametrize("mark", ["<div>", ">", "[", "&", "$", "\\begin{x}"])
@pytest.mark.parametrize("show", [markdown, still], ids=lambda show: show.__name__)
def test_no_text_takes_long_to_show(show, mark):
    """A notebook may hold two thousand of them."""
    text = mark * (MAX_MARKDOWN // len(mark))
    assert len(text) <= MAX_MARKDOWN
    started = time.process_time()
    page = show(text)
    assert time.process_time() - started < 1
    assert page.startswith("<pre>")


@pytest.mark.parametrize(
    "code",
    ["match" + " " * 100_000 + "x", "'" + r"\N{" * 40_000, ("match" + " " * 990 + "x\n") * 100],
    ids=["match", "names", "many lines"],
)
def test_no_code_takes_long_to_show_to_a_marker(code):
    started = time.process_time()
    page = code_of_cell(code, metadata={})
    assert time.process_time() - started < 4
    assert page.startswith("<div class=")
    assert "<script" not in code_of_cell("x = '<script>'" + " " * 2_000)


def test_a_markers_page_comes_soon_whatever_is_in_the_notebook():
    """What belongs to marks is shown first, wherever it stands."""
    colours = "\x1b[31mx" * 200_000
    outputs = [
        nbformat.v4.new_output("stream", text=colours),
        nbformat.v4.new_output("display_data", data={"text/plain": colours}),
        nbformat.v4.new_output("error", ename="E", evalue="", traceback=[colours] * 3),
    ]
    noise = nbformat.v4.new_code_cell("x = 1\n" * 150_000, outputs=outputs)
    cells = [copy.deepcopy(noise) for _ in range(4)]
    mine = answer("why", "markdown")
    mine.source = "My answer. " * 100
    book = nbformat.v4.new_notebook(cells=[*cells, mine])
    configured = Config()
    configured.HTMLExporter.filters = {"highlight_code": code_of_cell}
    configured.HTMLExporter.preprocessors = [ShowBeside]
    configured.HTMLExporter.sanitize_html = True
    started = time.process_time()
    page, _ = HTMLExporter(config=configured, template_name="classic").from_notebook_node(book)
    assert time.process_time() - started < 15
    assert len(page) < 20_000_000
    assert "My answer." in page
    assert "more characters are not shown here" in page


def test_of_work_without_end_a_students_own_page_shows_the_beginning():
    """Formulas that take half a second a cell took twenty minutes in two thousand cells."""
    cells = [nbformat.v4.new_markdown_cell("mine " * 4_000) for _ in range(100)]
    heading, *blocks = _own_work(cells, Figures())
    assert heading.text == "Your work"
    assert len("".join(block.text for block in blocks)) < MAX_OWN_WORK + 1_000
    assert sum("mine" in block.text for block in blocks) == MAX_OWN_WORK // 20_000
    few = [nbformat.v4.new_markdown_cell("mine") for _ in range(100)]
    assert len(_own_work(few, Figures())) == 101


def test_a_long_list_below_an_empty_answer_is_no_answer():
    """To find out whether it is Python would take 500 times as much memory as it has letters."""
    empty = answer("why", "markdown")
    code = nbformat.v4.new_code_cell("x = [" + "0," * 500_000 + "]")
    prose = nbformat.v4.new_code_cell("Since the longest one is rare.")
    tracemalloc.start()
    try:
        alone = nbformat.v4.new_notebook(cells=[copy.deepcopy(empty), code])
        assert restore(alone, [empty]) == []
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 20 * len(code.source)
    honest = nbformat.v4.new_notebook(cells=[copy.deepcopy(empty), prose])
    assert restore(honest, [empty]) == ["the answer to why stood below its cell"]


def test_an_edited_deleted_and_copied_cell_comes_back():
    released = [cell("one"), cell("two"), cell("three")]
    nb = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_raw_cell("<script>"),
            cell("three", "99", points=1000),
            cell("three", "98", grade=False),
            nbformat.v4.new_markdown_cell("text", metadata={"nextword": {"points": 9}}),
        ]
    )
    mended = restore(nb, released)
    by_id = [(c.metadata.nbgrader.grade_id, c) for c in nb.cells if "nbgrader" in c.metadata]
    assert [name for name, _ in by_id] == ["one", "two", "three"]
    for _, each in by_id:
        assert (each.source, each.metadata.nbgrader.points) == ("points()", 2)
        assert each.metadata.nbgrader.grade
    assert len(mended) == 4
    assert all(c.cell_type != "raw" and "nextword" not in c.metadata for c in nb.cells)


def test_only_the_students_own_plain_files_reach_the_kernel(tmp_path):
    work, source, stage = (tmp_path / name for name in ("work", "source", "stage"))
    for folder in (work / "data", source / "tests", stage):
        folder.mkdir(parents=True)
    (tmp_path / "gradebook.db").write_text("secret")
    (work / "ngrams.py").write_text("mine")
    (work / "data" / "text.txt").write_text("mine")
    (work / "link").symlink_to(tmp_path / "gradebook.db")
    (work / "folder").symlink_to(tmp_path)
    (work / "a.ipynb").write_text("{}")
    (source / "ngrams.py").write_text("stub")
    (source / "ngrams.ipynb").write_text("hidden tests")
    (source / "tests" / "t.py").write_text("visible")
    stage_files(stage, work, source, ["ngrams.py"])
    found = {
        p.relative_to(stage).as_posix(): p.read_text() for p in stage.rglob("*") if p.is_file()
    }
    assert found == {"ngrams.py": "mine", "data/text.txt": "mine", "tests/t.py": "visible"}


def test_outputs_keep_harmless_types_only():
    raw = {"output_type": "display_data", "data": {"text/html": "<b>", "text/plain": "b"}}
    assert _output({**raw, "extra": 1})["data"] == {"text/plain": "b"}
    with pytest.raises(ValueError, match="update"):
        _output({"output_type": "update", "data": {}})
    for wrong in (7, b"x", ["x"], None):
        with pytest.raises(TypeError):
            _output({"output_type": "stream", "name": "stdout", "text": wrong})
    shown = _output({"output_type": "stream", "name": "x", "text": "\ud800"})
    assert shown == {"output_type": "stream", "name": "stdout", "text": "?"}  # can be written


def test_an_answer_holds_so_many_values_that_it_can_be_read_in_time():
    equal = {number * ((1 << 61) - 1): 0 for number in range(MAX_VALUES // 4)}
    started = time.perf_counter()
    assert len(_decode(wire.encode(equal))) == len(equal)
    assert time.perf_counter() - started < 30
    for too_much in ([*range(MAX_VALUES + 1)], [[0] * 1000] * (MAX_VALUES // 1000)):
        with pytest.raises(WireError, match="more than 50,000 values"):
            _decode(wire.encode(too_much))
    assert _decode(wire.encode(np.zeros(10**6))).shape == (10**6,)  # an array is few


def test_the_notebook_with_the_assignments_cells_is_found(tmp_path):
    source, work = tmp_path / "source", tmp_path / "submitted" / "ada" / "hw"
    source.mkdir()
    work.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell("one")]), source / "hw.ipynb")
    nothing = (None, "there is no hw.ipynb: only the module is graded")
    assert find_notebook(work, source, "hw") == nothing
    for _ in range(2):  # what the first run has placed is not taken for handed in
        assert prepare(work, source, source) == ([work / "hw.ipynb"], {"hw": nothing[1]})
        assert find_notebook(work, source, "hw") == nothing
    nbformat.write(nbformat.v4.new_notebook(), work / "notes.ipynb")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell("one", "x")]), work / "hw-final.ipynb")
    for _ in range(2):
        found, note = find_notebook(work, source, "hw")
        assert found.cells[0].source == "x"
        assert note == "hw-final.ipynb is taken as hw.ipynb"
        assert prepare(work, source, source) == ([work / "hw.ipynb"], {"hw": note})
    assert (work / "hw-final.ipynb").is_file()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2", "it is not JSON"),
        ("[" * 100_000, "it is damaged (RecursionError)"),
        ('{"worksheets": [], "nbformat": 3, "nbformat_minor": 0}', "it is damaged"),
        ('{"worksheets": [], "nbformat": 2, "nbformat_minor": 0}', "old notebook format 2"),
        ('{"cells": [], "nbformat": 99, "nbformat_minor": 0}', "newer than 4"),
        ('{"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "it is damaged"),
        ("3", "it is no Jupyter notebook"),
        ("", "it is not JSON"),
        ("\x00\ud800", "it is not UTF-8"),
    ],
)
def test_an_unreadable_notebook_is_named_with_what_to_do(tmp_path, text, said):
    source, work = tmp_path / "source", tmp_path / "submitted" / "ada" / "hw"
    source.mkdir()
    work.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell("one")]), source / "hw.ipynb")
    data = text.encode("utf-8", "surrogatepass")
    (work / "hw.ipynb").write_bytes(data)
    for _ in range(2):
        _, notes = prepare(work, source, source)
        assert notes["hw"].startswith("hw.ipynb cannot be read: ")
        assert said in notes["hw"]
        assert notes["hw"].endswith("open it in JupyterLab, save it and hand it in again")
        assert "\n" not in notes["hw"]
    assert (work / "hw.ipynb.as-submitted").read_bytes() == data


@pytest.mark.parametrize(
    "name", ["hw (1).ipynb", "final.ipynb", "HW.IPYNB", "hw.ipynb.json", "notebooks/hw.ipynb"]
)
@pytest.mark.parametrize("untouched", [True, False])
def test_the_notebook_that_was_filled_in_counts(name, untouched, tmp_path):
    source, work = tmp_path / "source", tmp_path / "submitted" / "ada" / "hw"
    source.mkdir()
    (work / "notebooks").mkdir(parents=True)
    stub = answer("mean")
    stub.source = "# YOUR CODE HERE\nraise NotImplementedError()"
    nbformat.write(nbformat.v4.new_notebook(cells=[stub]), source / "hw.ipynb")
    if untouched:
        shutil.copy(source / "hw.ipynb", work / "hw.ipynb")
    filled = answer("mean")
    filled.source = "mean = 3"
    (work / name).write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[filled])))
    for _ in range(2):
        found, note = find_notebook(work, source, "hw")
        assert found.cells[0].source == "mean = 3"
        assert note.startswith(f"{Path(name).name} is taken as hw.ipynb")
        assert note.endswith("nothing was written") == untouched
        ready, _ = prepare(work, source, source)
        assert nbformat.read(ready[0], as_version=4).cells[0].source == "mean = 3"
    assert (work / name).is_file()


def test_a_copy_beside_a_notebook_in_disorder_never_takes_its_place(tmp_path):
    source, work = tmp_path / "source", tmp_path / "submitted" / "ada" / "hw"
    source.mkdir()
    work.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell("one")]), source / "hw.ipynb")
    book = nbformat.v4.new_notebook(cells=[cell("one", "newer")])
    (work / "hw.ipynb").write_text("\ufeff" + nbformat.writes(book), "utf-8")
    book.cells[0].source = "older"
    nbformat.write(book, work / "hw (1).ipynb")
    for _ in range(2):
        assert prepare(work, source, source) == ([work / "hw.ipynb"], {})
        assert nbformat.read(work / "hw.ipynb", as_version=4).cells[0].source == "newer"


FLAWS = {
    "ids before there were any": lambda book: book.update(nbformat_minor=4),
    "no name to show": lambda book: book["metadata"]["kernelspec"].pop("display_name"),
    "no outputs": lambda book: book["cells"][0].pop("outputs"),
    "no count": lambda book: book["cells"][0].pop("execution_count"),
    "an output without metadata": lambda book: book["cells"][0].update(
        outputs=[{"output_type": "execute_result", "data": {"text/plain": "1"}}]
    ),
    "a stream without a name": lambda book: book["cells"][0].update(
        outputs=[{"output_type": "stream", "text": "1"}, 3, {"data": 3}]
    ),
    "pictures in a code cell": lambda book: book["cells"][0].update(attachments={"a": {"b": "c"}}),
    "a name with a space": lambda book: book["cells"][0].update(id="a b"),
    "a tag twice": lambda book: book["cells"][0]["metadata"].update(tags=["a", "a"]),
    "no kernel": lambda book: book["metadata"].update(kernelspec=None),
    "no metadata": lambda book: book.pop("metadata"),
    "a cell of no kind": lambda book: book["cells"].append({"source": "note"}),
    "no cell at all": lambda book: book["cells"].append(None),
    "no minor format": lambda book: book.pop("nbformat_minor"),
    "no format": lambda book: book.pop("nbformat"),
    "text with outputs": lambda book: book["cells"].append(
        {"cell_type": "markdown", "metadata": {}, "source": "", "outputs": []}
    ),
    "a byte-order mark": lambda book: None,
    "half an emoji": lambda book: book["cells"].append(
        {"cell_type": "markdown", "metadata": {}, "source": "half \ud83d", "id": "half"}
    ),
    "lines": lambda book: book["cells"][0].update(source=["answer", " = 1"]),
}


WRITTEN = {"a byte-order mark": lambda text: f"\ufeff{text}"}  # what is wrong with the text


@pytest.mark.parametrize("flaw", FLAWS)
def test_what_other_programs_leave_in_disorder_costs_no_answer(flaw, tmp_path):
    source, work = tmp_path / "source", tmp_path / "submitted" / "ada" / "tiny"
    source.mkdir()
    work.mkdir(parents=True)
    book = nbformat.v4.new_notebook(cells=[cell("mean", "answer = 1")])
    book["metadata"]["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(book, source / "tiny.ipynb")
    raw = json.loads(nbformat.writes(book))
    FLAWS[flaw](raw)
    path = work / "tiny.ipynb"
    text = WRITTEN.get(flaw, str)(json.dumps(raw))
    path.write_text(text, "utf-8")
    assert read(path).cells[0].source == "answer = 1"
    for _ in range(2):
        assert prepare(work, source, source) == ([path], {})
        ready = nbformat.read(path, as_version=4)
        nbformat.validate(ready)
        assert ready.cells[0].source == "answer = 1"
        assert ready.cells[0].metadata.nbgrader.grade_id == "mean"
    kept = [each.read_text("utf-8") for each in work.iterdir()]
    assert text in kept, "what was handed in is gone"
