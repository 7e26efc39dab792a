"""What students get: stubs, visible tests, a notebook without outputs, and nothing hidden."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from nextword import catalogue
from nextword.errors import UserError
from nextword.project import find_project
from nextword.release.student import student_notebook
from nextword.release.suites import visible_part

Command = Callable[..., Result]


def test_hidden_tests_and_their_helpers_are_cut(demo_course: Path) -> None:
    suite = (demo_course / "tests" / "suites" / "test_demo.py").read_text("utf-8")
    visible = visible_part(suite, "test_demo.py")
    assert "test_small_sum" in visible
    assert "test_counter" in visible
    assert "def demo(coursework)" in visible
    for hidden in ("test_random_sums", "slow_sum", "import math", "oracle"):
        assert hidden not in visible
    compile(visible, "test_demo.py", "exec")


@pytest.mark.parametrize(
    "text",
    [
        "class TestAll:\n    def test_x(self): pass\n",
        "def test_x(): pass\n",
    ],
)
def test_a_test_of_unclear_visibility_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"test_demo\.py:1"):
        visible_part(text, "test_demo.py")


def test_visibility_must_be_written_out() -> None:
    text = (
        'import pytest\nSHOW = True\n@pytest.mark.task("9.1", visible=SHOW)\ndef test_x(): pass\n'
    )
    assert "test_x" not in visible_part(text, "test_demo.py")


def test_a_students_notebook_imports_coursework_and_has_no_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["from solutions import it\n"]},
        {
            "cell_type": "code",
            "source": ["from solutions import ngrams\n", "solutions = 1\n"],
            "outputs": [{"text": "secret"}],
            "execution_count": 3,
        },
    ]
    made = json.loads(student_notebook(json.dumps({"cells": cells})))
    assert made["cells"][0] == cells[0]
    assert made["cells"][1]["source"] == ["from coursework import ngrams\n", "solutions = 1\n"]
    assert made["cells"][1]["outputs"] == []


def test_a_full_folder_is_never_overwritten(demo_course: Path, nextword: Command) -> None:
    target = demo_course / "handout"
    target.mkdir()
    (target / "mine.txt").write_text("work", "utf-8")
    result = nextword("release", "demo", "--to", str(target))
    assert result.exit_code == 2
    assert "exists already" in result.output
    assert (target / "mine.txt").read_text("utf-8") == "work"


def test_an_unknown_chapter_or_format_is_wrong_use(demo_course: Path, nextword: Command) -> None:
    assert nextword("release", "poems", "--to", "handout").exit_code == 2
    assert nextword("release", "demo", "--to", "handout", "--format", "pdf").exit_code == 2
    assert not (demo_course / "handout").exists()


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real release of every chapter that stands."""
    from nextword.release.student import release_student

    target = tmp_path_factory.mktemp("release") / "handout"
    release_student(find_project(Path(__file__)), catalogue.chapters(), target)
    return target


def test_the_real_release_holds_no_solution_and_no_hidden_test(handout: Path) -> None:
    project = find_project(Path(__file__))
    for chapter in catalogue.chapters():
        stub = (handout / "coursework" / f"{chapter.stem}.py").read_text("utf-8")
        assert "SOLUTION" not in stub
        assert stub.count("raise NotImplementedError") == sum(len(t.symbols) for t in chapter.tasks)
        whole = project.suite(chapter.stem).read_text("utf-8")
        visible = (handout / "tests" / "suites" / f"test_{chapter.stem}.py").read_text("utf-8")
        assert visible.count("visible=True") == whole.count("visible=True")
        assert visible.count("pytest.mark.task(") == visible.count("visible=True")
    assert not list(handout.rglob("*misconception*/*.py"))
    assert not (handout / "solutions").exists()
    assert not (handout / "nextword" / "grading").exists()


def test_the_real_release_can_be_checked_by_itself(handout: Path) -> None:
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "from nextword.cli import main; main()",
            "check",
            "ngrams",
            "--json",
        ],
        cwd=handout,  # its own nextword stands first on the path
        env={**os.environ, "PYTHONPATH": str(handout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stderr
    answer = json.loads(run.stdout)
    tasks = answer["submissions"][0]["tasks"]
    assert {task["verdict"] for task in tasks} == {"missing"}
    assert all(task["tests"] for task in tasks), "every task has a visible test"
