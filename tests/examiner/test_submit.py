"""`nextword submit` and `nextword progress`, on the demonstration chapter."""

import json
import os
import shutil
import zipfile

import pytest

from tests.conftest import DEMO_SOLUTION

STUB = DEMO_SOLUTION.replace(
    "    # BEGIN SOLUTION\n    return a + b\n    # END SOLUTION",
    '    raise NotImplementedError("9.1")',
)


@pytest.fixture
def work(demo_course):
    """A student's coursework with one of two tasks done."""
    path = demo_course / "coursework" / "demo.py"
    path.write_text(STUB, "utf-8")
    (path.parent / "__init__.py").touch()
    return path


def test_submit_packs_and_says_what_is_missing(work, nextword):
    result = nextword("submit", "demo")
    assert result.exit_code == 1
    assert "9.1 Adding: add is not written yet" in result.output
    assert "9.2" not in result.output
    with zipfile.ZipFile("demo.zip") as made:
        assert made.namelist() == ["demo.py"]
        assert made.read("demo.py").decode() == STUB


def test_three_files_are_named_as_in_a_sentence(work, nextword):
    """They were joined by "and", twice."""
    work.write_text(DEMO_SOLUTION, "utf-8")
    nextword("check")
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    work.with_suffix(".ipynb").write_text(json.dumps(notebook), "utf-8")
    output = nextword("submit", "demo").output
    assert "with demo.py, demo.ipynb and progress.json: hand in" in output, output


def test_complete_work_misses_nothing(work, nextword):
    work.write_text(DEMO_SOLUTION, "utf-8")
    result = nextword("submit", "9")
    assert result.exit_code == 0, result.output
    assert "nothing is missing" in result.output


def test_the_same_work_gives_the_same_file(work, nextword):
    nextword("submit", "demo", "--to", "a.zip")
    nextword("submit", "demo", "--to", "b.zip")
    assert (work.parents[1] / "a.zip").read_bytes() == (work.parents[1] / "b.zip").read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def add(a, b)\n", "demo.py, line 1: "),
        ("import nowhere_at_all\n" + DEMO_SOLUTION, "cannot be imported: ModuleNotFoundError"),
        ("def add(a, b):\n    return a + b\n", "9.2 A counter: demo.py has no Counter.step"),
    ],
)
def test_what_a_grader_would_stumble_over_is_named(work, nextword, text, said):
    work.write_text(text, "utf-8")
    result = nextword("submit", "demo")
    assert result.exit_code == 1
    assert said in result.output


def test_another_file_under_the_module_s_name_is_one_line(work, nextword):
    work.write_text("# ---\n# jupyter:\n#   jupytext: {}\n# ---\n# %%\nmean = 3\n", "utf-8")
    said = nextword("submit", "demo").output
    assert "demo.py holds nothing of this chapter: is it the right file?" in said
    assert "has no" not in said


def test_a_file_that_is_not_utf8_is_named(work, nextword):
    work.write_bytes(b"x = '\xe4'\n")
    assert "demo.py is not saved as UTF-8" in nextword("submit", "demo").output


def test_empty_and_deleted_cells_of_the_notebook_are_named(work, nextword):
    empty = {
        "cell_type": "code",
        "metadata": {"nbgrader": {"grade_id": "unseen"}},
        "source": ["# YOUR CODE HERE\n", "raise NotImplementedError()"],
    }
    kept = {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "task-9-1"}}, "source": ""}
    notebook = work.with_suffix(".ipynb")
    notebook.write_text(json.dumps({"cells": [empty, kept]}), "utf-8")
    said = nextword("submit", "demo").output
    assert "demo.ipynb: the test cells of 9.2 were deleted" in said
    assert "demo.ipynb: the cell unseen is empty" in said
    notebook.write_text("[", "utf-8")
    assert "demo.ipynb is no notebook that can be read" in nextword("submit", "demo").output


@pytest.mark.parametrize("name", ["Untitled.ipynb", "demo.ipynb.json", "DEMO.IPYNB"])
def test_a_notebook_by_another_name_is_not_left_out_silently(work, nextword, name):
    notebook = {"cells": [cell("task-9-1", "", "code")], "nbformat": 4, "nbformat_minor": 4}
    (work.parent / name).write_text(json.dumps(notebook), "utf-8")
    (work.parent / "mine.ipynb").write_text(json.dumps({**notebook, "cells": []}), "utf-8")
    result = nextword("submit", "demo")
    assert f"{name} is not in the file: rename it to demo.ipynb" in result.output
    assert "mine.ipynb" not in result.output
    assert result.exit_code == 1


def cell(name, source, kind="markdown", **more):
    """A cell as it was released; without a name one of the student's own."""
    metadata = {"nbgrader": {"grade_id": name, **more.pop("nbgrader", {})}} if name else {}
    return {"cell_type": kind, "metadata": metadata, "source": [source], **more}


PNG = {"output_type": "display_data", "data": {"image/png": "…"}, "metadata": {}}
TASK = {"nbgrader": {"task": True}}
TESTS = [cell("task-9-1", "", "code"), cell("task-9-2", "", "code")]
DRAWN = cell(None, "draw()", "code", outputs=[PNG])


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([DRAWN], "demo.ipynb: the cells check-a, why were deleted"),
        ([cell("check-a", "x"), cell("why", "![a](attachment:a.png)")], "the picture a.png of the"),
        ([cell("check-a", "x"), cell("why", "![a](my/a.png)")], "the picture my/a.png of the cell"),
        ([cell("check-a", "<img width=3 src='a.png'>"), cell("why", "y")], "the picture a.png of"),
        (
            [cell("check-a", "x"), cell("why", "Draw it.", **TASK)],
            "nothing of your own stands below",
        ),
        (
            [cell("check-a", "x"), cell("why", "Draw it.", **TASK), cell(None, "x = 1", "code")],
            "no picture is shown below the cell why: run its cells",
        ),
    ],
)
def test_what_is_absent_from_a_notebook_is_named(work, nextword, cells, said):
    work.write_text(DEMO_SOLUTION, "utf-8")
    notebook = {"cells": [*TESTS, *cells], "metadata": {"nextword": {"cells": ["check-a", "why"]}}}
    work.with_suffix(".ipynb").write_text(json.dumps(notebook), "utf-8")
    result = nextword("submit", "demo")
    assert result.exit_code == 1
    assert said in result.output


def test_a_whole_notebook_misses_nothing(work, nextword):
    work.write_text(DEMO_SOLUTION, "utf-8")
    pasted = {"attachments": {"a.png": {"image/png": "…"}}}
    cells = [*TESTS, cell("why", "Draw it, or paste a picture.", **TASK), DRAWN]
    cells += [cell("check-a", "![a](attachment:a.png) ![b](data:image/png;base64,x)", **pasted)]
    notebook = {"cells": cells, "metadata": {"nextword": {"cells": ["check-a", "why"]}}}
    work.with_suffix(".ipynb").write_text(json.dumps(notebook), "utf-8")
    assert "nothing is missing" in nextword("submit", "demo").output


def test_files_that_a_browser_has_named_anew_are_seen(work, nextword):
    work.write_text(DEMO_SOLUTION, "utf-8")
    notebook = {"cells": TESTS}
    for name in ("demo (1).ipynb", "demo-Copy1.py"):
        (work.parent / name).write_text(json.dumps(notebook), "utf-8")
    said = nextword("submit", "demo").output
    assert "demo (1).ipynb is not in the file: rename it to demo.ipynb" in said
    assert "demo-Copy1.py is not in the file: it is newer than demo.py" in said
    (work.parent / "demo-Copy1.py").unlink()
    work.with_suffix(".ipynb").write_text(json.dumps(notebook), "utf-8")  # the same
    assert "nothing is missing" in nextword("submit", "demo").output
    os.chdir(work.parent)  # as in a folder from nbgrader
    work.with_suffix(".ipynb").unlink()
    assert "rename it to demo.ipynb" in nextword("submit", "demo").output


def test_nothing_to_hand_in_is_wrong_use(demo_course, nextword):
    result = nextword("submit", "demo")
    assert result.exit_code == 2
    assert "nothing to hand in" in result.output


def test_progress_of_a_package_that_is_not_there(work, nextword):
    result = nextword("progress", "--package", "nope")
    assert result.exit_code == 2
    assert "there is no folder nope" in result.output


@pytest.mark.slow
def test_progress_counts_the_tasks_that_pass(work, nextword):
    result = nextword("progress", "--json")
    assert json.loads(result.output) == [
        {"chapter": "demo", "done": ["9.2"], "tasks": 2, "next": "9.1", "minutes_left": 5}
    ]
    assert "1 of 2" in nextword("progress").output


@pytest.mark.slow
def test_progress_says_which_file_cannot_be_read(work, nextword):
    work.write_text("def add(a, b:\n    return a + b\n", "utf-8")
    said = nextword("progress").output
    assert "0 of 2" in said
    assert "chapter 9: SyntaxError in line 1 of demo.py: `def add(a, b:`" in said
    assert "was never closed" in json.loads(nextword("progress", "--json").output)[0]["trouble"]


@pytest.fixture
def assignment_folder(demo_course, monkeypatch, tmp_path_factory):
    """What nbgrader gives to students: module and notebook beside the visible tests."""
    folder = tmp_path_factory.mktemp("home") / "fetched (1).d"
    (folder / "tests").mkdir(parents=True)
    shutil.copytree(demo_course / "tests" / "demo", folder / "tests" / "demo")
    shutil.copy(demo_course / "solutions" / "demo.toml", folder)
    (folder / "demo.py").write_text(STUB, "utf-8")
    (folder / "demo.ipynb").write_text('{"cells": []}', "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
def test_the_students_commands_work_in_an_assignments_own_folder(assignment_folder, nextword):
    checked = nextword("check", "--json")
    tasks = json.loads(checked.output)[0]["submissions"][0]["tasks"]
    assert {task["id"]: task["verdict"] for task in tasks} == {"9.1": "missing", "9.2": "passed"}
    assert "1 of 2" in nextword("progress").output
    assert "9.1 Adding: add is not written yet" in nextword("submit", "demo").output
    (assignment_folder / "demo.py").write_text(DEMO_SOLUTION, "utf-8")
    done = nextword("check")
    assert done.exit_code == 0, done.output
    assert "fetched (1).d/demo.py" in done.output
    below = assignment_folder / "data"
    below.mkdir()
    os.chdir(below)  # from below, too
    assert nextword("check", "9.1").exit_code == 0
    assert nextword("submit", "demo", "--to", "x.zip").output.startswith("wrote x.zip")


def test_an_assignments_folder_without_its_module_is_named(assignment_folder, nextword):
    (assignment_folder / "demo.py").unlink()
    said = nextword("check")
    assert said.exit_code == 1
    assert "there is no fetched (1).d/demo.py" in said.output
    assert "nothing to hand in" in nextword("submit", "demo").output


def test_an_assignments_own_folder_can_be_handed_in_without_its_tests(assignment_folder, nextword):
    shutil.rmtree(assignment_folder / "tests")
    assert "wrote demo.zip" in nextword("submit", "demo").output


def test_a_module_is_not_written_over(work, nextword):
    result = nextword("submit", "demo", "--to", str(work))
    assert result.exit_code == 2
    assert "is there, and no zip file" in result.output
    assert work.read_text("utf-8") == STUB
    nextword("submit", "demo", "--to", "mine.zip")
    assert nextword("submit", "demo", "--to", "mine.zip").exit_code == 1, (
        "a zip of before gives way"
    )


def test_what_cannot_be_written_is_named_in_a_line(work, nextword):
    result = nextword("release", "demo", "--early", "--to", str(work / "inside"))
    assert result.exit_code == 2
    assert str(work / "inside") in result.output
    assert "Not a directory" in result.output


def test_the_version_is_told(nextword):
    result = nextword("--version")
    assert result.exit_code == 0
    assert result.output.startswith("nextword ")


@pytest.mark.parametrize(
    "line", ["from coursework.mine import add", "from .mine import add", "import coursework.mine"]
)
def test_files_beside_the_module_are_not_handed_in(work, nextword, line):
    (work.parent / "mine.py").write_text("def add(a, b):\n    return a + b\n", "utf-8")
    work.write_text(f"{line}\n{DEMO_SOLUTION}", "utf-8")
    said = "demo.py, line 1: mine.py is not handed in: move what you use of it into demo.py"
    for command in ("submit", "check"):
        assert said in " ".join(nextword(command, "demo").output.split())


def test_what_is_not_beside_the_module_is_no_matter(work, nextword):
    work.write_text(f"import json\n{DEMO_SOLUTION}", "utf-8")
    assert "not handed in" not in nextword("submit", "demo").output


def test_work_may_be_named_and_inherited_in_other_ways(work, nextword):
    counter = DEMO_SOLUTION.index("class Counter")
    other = DEMO_SOLUTION[counter:].replace("class Counter", "class Base")
    lines = f"plus = lambda a, b: a + b\nadd = plus\n{other}\n\nclass Counter(Base):\n    pass\n"
    work.write_text(lines, "utf-8")
    result = nextword("submit", "demo")
    assert "nothing is missing" in result.output, result.output


def test_a_raise_that_is_no_stub_is_no_gap(work, nextword):
    more = '    if a is None:\n        raise NotImplementedError("cannot happen")\n    return a + b'
    work.write_text(DEMO_SOLUTION.replace("    return a + b", more), "utf-8")
    assert "nothing is missing" in nextword("submit", "demo").output
