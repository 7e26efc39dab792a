"""Stubs follow from solutions, and bad markers are told with file and line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.project import Project
from examiner.stubs import make_stub

Command = Callable[..., Result]


def test_a_stub_keeps_everything_but_the_marked_bodies(
    demo_course: Path, demo_chapter: Chapter
) -> None:
    solution = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    stub = make_stub(solution, demo_chapter, "demo.py")
    assert '    """Return the sum. About 1 line."""\n    raise NotImplementedError(' in stub
    assert 'NotImplementedError("9.1 add: see section 9.1")' in stub
    assert 'NotImplementedError("9.2 Counter.step: see section 9.2")' in stub
    assert "self.count = 0" in stub
    assert "return a + b" not in stub
    assert "SOLUTION" not in stub
    compile(stub, "demo.py", "exec")


@pytest.mark.slow
def test_sync_writes_and_check_then_agrees(demo_course: Path, nextword: Command) -> None:
    stale = nextword("sync", "--check")
    assert stale.exit_code == 1
    assert "+    raise NotImplementedError" in stale.output
    assert not (demo_course / "coursework" / "demo.py").exists()
    assert nextword("sync").exit_code == 0
    assert nextword("sync", "--check").exit_code == 0
    assert "up to date" in nextword("sync").output


def test_an_edited_stub_is_found(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    with (demo_course / "coursework" / "demo.py").open("a", encoding="utf-8") as stub:
        stub.write("# by hand\n")
    result = nextword("sync", "--check")
    assert result.exit_code == 1
    assert "-# by hand" in result.output


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("def add():\n    # BEGIN SOLUTION\n    pass\n", "demo.py:2: .*never closed"),
        ("def add():\n    # BEGIN SOLUTION\n    # BEGIN SOLUTION\n", "demo.py:3: .*line 2"),
        ("def add():\n    pass\n    # END SOLUTION\n", "demo.py:3: .*without"),
        ("# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n", "demo.py:1: .*outside a function"),
        ("def sub():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n", "sub, which no task"),
        ("def add():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n", "Counter.step"),
        ("def add(:\n", "demo.py:1: "),
    ],
)
def test_bad_markers_name_file_and_line(demo_chapter: Chapter, lines: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        make_stub(lines, demo_chapter, "demo.py")


def test_a_marker_in_a_string_is_text(demo_chapter: Chapter, demo_course: Path) -> None:
    solution = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    text = 'NOTE = "write # BEGIN SOLUTION above it"\n' + solution
    assert "write # BEGIN SOLUTION above it" in make_stub(text, demo_chapter, "demo.py")


@pytest.mark.slow
def test_the_committed_stubs_are_fresh(nextword: Command) -> None:
    assert nextword("sync", "--check").exit_code == 0


# ---------------------------------------------------------------- what the catalogue says of tasks


def cell(kind: str, source: str, **said: str) -> dict:
    made = {"cell_type": kind, "metadata": {"nextword": said} if said else {}, "source": [source]}
    return made | ({"outputs": [], "execution_count": 7} if kind == "code" else {})


def store(path: Path, *cells: dict) -> None:
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


@pytest.fixture
def chapter_notebook(demo_course: Path) -> Path:
    """A notebook with an empty box for each task, between cells that sync must leave alone."""
    path = demo_course / "chapters" / "09-demo.ipynb"
    boxes = [cell("markdown", "", exercise=task) for task in ("9.1", "9.2")]
    store(path, cell("markdown", "# 9 Démo é"), boxes[0], cell("code", "1"), boxes[1])
    return path


@pytest.mark.slow
def test_exercise_boxes_follow_from_the_catalogue(
    chapter_notebook: Path, nextword: Command
) -> None:
    before = chapter_notebook.read_text("utf-8")
    assert nextword("sync", "--check").exit_code == 1
    assert chapter_notebook.read_text("utf-8") == before
    assert nextword("sync").exit_code == 0
    assert nextword("sync", "--check").exit_code == 0
    text = chapter_notebook.read_text("utf-8")
    first, box, second, other = json.loads(text)["cells"]
    box, other = "".join(box["source"]), "".join(other["source"])
    assert box.startswith("::::::{exercise} 9.1 Adding\n:nonumber:\n:label: task-9-1\n")
    assert "easy · about 5 minutes · 4 points" in box
    assert "Write `add`." in box
    assert "There is an operator for it." in box
    assert ":pyobject: add\n:start-after: BEGIN SOLUTION\n:dedent: 4" in box
    assert "The body of `Counter.step`:" in other
    assert ":dedent: 8" in other
    for untouched in (first, second):  # byte for byte
        assert json.dumps(untouched, indent=1, ensure_ascii=False)[2:-2] in before.replace(
            "\n  ", "\n"
        )


def test_a_box_edited_by_hand_is_stale(chapter_notebook: Path, nextword: Command) -> None:
    nextword("sync")
    text = chapter_notebook.read_text("utf-8")
    chapter_notebook.write_text(text.replace("about 5 minutes", "about 50 minutes"), "utf-8")
    result = nextword("sync", "--check")
    assert result.exit_code == 1
    assert "about 50 minutes" in result.output


def test_lines_given_after_the_solution_are_not_shown(
    demo_course: Path, chapter_notebook: Path, nextword: Command
) -> None:
    path = demo_course / "solutions" / "demo.py"
    given = (
        path.read_text("utf-8")
        .replace("return a + b", "c = a + b")
        .replace("    # END SOLUTION\n\n\nclass", "    # END SOLUTION\n    return c\n\n\nclass")
    )
    path.write_text(given, "utf-8")
    assert nextword("sync").exit_code == 0
    box = "".join(json.loads(chapter_notebook.read_text("utf-8"))["cells"][1]["source"])
    assert ":end-before: END SOLUTION" in box


@pytest.mark.parametrize(
    ("tasks", "complaint"),
    [
        (["9.1"], "09-demo.ipynb or 09-demo-more.ipynb has no cell of task 9.2"),
        (["9.1", "9.2", "9.3"], "chapter demo has no task 9.3, only 9.1, 9.2"),
        (["9.1", "9.2", "9.1"], "is the second one of task 9.1"),
    ],
)
def test_a_notebook_has_one_box_for_each_task(
    demo_course: Path, nextword: Command, tasks: list[str], complaint: str
) -> None:
    first, *others = [cell("markdown", "", exercise=task) for task in tasks]
    store(demo_course / "chapters" / "09-demo.ipynb", first)
    store(demo_course / "chapters" / "09-demo-more.ipynb", *others)
    result = nextword("sync")
    assert result.exit_code == 2
    assert complaint in result.output
    assert not list((demo_course / "coursework").iterdir()), "nothing is half written"


def test_a_chapter_of_two_pages_has_its_boxes_on_either(
    demo_course: Path, nextword: Command
) -> None:
    pages = [demo_course / "chapters" / f"09-demo{more}.ipynb" for more in ("", "-more")]
    for path, task in zip(pages, ("9.1", "9.2"), strict=True):
        store(path, cell("markdown", "", exercise=task))
    assert Project(demo_course).notebooks(9, "demo") == pages
    assert nextword("sync").exit_code == 0
    texts = [path.read_text("utf-8") for path in pages]
    assert ["{exercise} 9.1 Adding" in text for text in texts] == [True, False]
    assert ["{exercise} 9.2 A counter" in text for text in texts] == [False, True]


def test_a_notebook_that_jupyter_would_store_otherwise_is_not_rewritten(
    chapter_notebook: Path, nextword: Command
) -> None:
    stored = json.loads(chapter_notebook.read_text("utf-8"))
    chapter_notebook.write_text(json.dumps(stored), "utf-8")
    result = nextword("sync")
    assert result.exit_code == 2
    assert "09-demo.ipynb is not stored as Jupyter stores it" in result.output


def test_points_cells_follow_from_the_catalogue(demo_course: Path, nextword: Command) -> None:
    path = demo_course / "solutions" / "demo.ipynb"
    store(path, *[cell("code", "old", task=task) for task in ("9.1", "9.2")])
    assert nextword("sync").exit_code == 0
    assert '"points(\\"9.2\\")  # A counter"' in path.read_text("utf-8")
    assert '"points(\\"9.2\\")  # A counter"' in (
        demo_course / "coursework" / "demo.ipynb"
    ).read_text("utf-8")
    assert nextword("sync", "--check").exit_code == 0


@pytest.mark.slow
def test_the_index_of_tasks_links_to_boxes_that_are_written(
    demo_course: Path, chapter_notebook: Path, nextword: Command
) -> None:
    assert nextword("sync").exit_code == 0
    index = (demo_course / "chapters" / "tasks.md").read_text("utf-8")
    assert "| 9.1 | {ref}`Adding <task-9-1>` | easy | 5 | 4 |" in index
    chapter_notebook.unlink()
    nextword("sync")
    index = (demo_course / "chapters" / "tasks.md").read_text("utf-8")
    assert "| 9.1 | Adding | easy | 5 | 4 |" in index


# ---------------------------------------------------------------- what a course adds of its own

OWN_PRODUCTS = """
def page(text):
    return text.replace("yesterday", "today")


def files(root):
    return {root / "data" / "made.txt": "made of nothing"}
"""


@pytest.mark.slow
def test_a_course_has_products_of_its_own(
    demo_course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (demo_course / "own_products.py").write_text(OWN_PRODUCTS, "utf-8")
    (demo_course / "course.toml").write_text('products = ["own_products"]', "utf-8")
    boxes = [cell("markdown", "", exercise=task) for task in ("9.1", "9.2")]
    store(demo_course / "chapters" / "09-demo.ipynb", cell("markdown", "yesterday"), *boxes)
    missing = nextword("sync")
    assert missing.exit_code == 2
    assert "course.toml: `products` names own_products: No module" in missing.output
    monkeypatch.syspath_prepend(str(demo_course))
    assert nextword("sync", "--check").exit_code == 1
    assert nextword("sync").exit_code == 0
    assert (demo_course / "data" / "made.txt").read_text("utf-8") == "made of nothing"
    page = (demo_course / "chapters" / "09-demo.ipynb").read_text("utf-8")
    assert "today" in page
    assert "{exercise} 9.1 Adding" in page
    assert nextword("sync", "--check").exit_code == 0
