"""What a student sees at home is what the server gives: `nextword check` beside the examiner."""

import json
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from examiner.platforms.nbgrader.module_grades import module_results
from tests.course import COURSE
from tests.examiner.nbgrader.conftest import CANARY, ROOT, Course
from tests.examiner.nbgrader.test_walk import without_generate

NGRAMS = COURSE.catalogue.chapter("ngrams")


@pytest.fixture(scope="module")
def modules(reference: str) -> dict[str, str]:
    wrong = reference.replace("return [BOS] * (n - 1)", "return [BOS] * n")
    assert wrong != reference
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8")
    return {
        "right": reference,
        "wrong": wrong,
        "partly": without_generate(reference),
        "stub": stub,
        "broken": reference + "\n1 +\n",
    }


def charged_once(test: dict) -> bool:
    """Whether the server gave the points because an earlier task alone was wrong."""
    return test["message"].startswith("right, given a right")


def visible(result: dict) -> dict[tuple[str, str], str]:
    """The verdicts of visible tests; the docstrings' examples are run by `check` alone."""
    return {
        (task["id"], test["behaviour"]): "failed" if charged_once(test) else test["verdict"]
        for task in result["tasks"]
        for test in task["tests"]
        if test["visible"] and "worked example in the docstring" not in test["behaviour"]
    }


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap")
def test_check_gives_for_visible_tests_what_the_server_gives(course: Course, modules):
    homes = {}
    for name, text in modules.items():
        homes[name] = course.root / "homes" / name / "ngrams"
        shutil.copytree(course.root / "release" / "ngrams", homes[name])
        (homes[name] / "ngrams.py").write_text(text, "utf-8")
    served = module_results(course.root, NGRAMS, homes)
    for name, home in homes.items():
        status = 0 if name == "right" else 1
        said = Course(home).run("nextword", "check", "ngrams", "--json", status=status)
        at_home = visible(json.loads(said)["submissions"][0])
        assert len(at_home) >= len(NGRAMS.tasks)
        assert at_home == visible(served[name]), name


def test_students_get_the_library_and_are_told_how_to_install_it(course: Course, tmp_path):
    with zipfile.ZipFile(course.root / "students" / "next-word.zip") as library:
        names = library.namelist()
        assert not any(CANARY.encode() in library.read(name) for name in names)
        library.extractall(tmp_path)
    assert {"next-word/README.md", "next-word/requirements.txt"} < {*names}
    (wheel,) = (tmp_path / "next-word" / "library").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names += packed.namelist()
        assert not any(CANARY.encode() in packed.read(name) for name in packed.namelist())
        packed.extractall(tmp_path / "site")
    for part in (
        "examiner/grading/",
        "examiner/platforms/nbgrader/",
        "examiner/release/",
        "solutions",
        "tests/",
    ):
        assert not [name for name in names if part in name]
    read_me = (course.root / "release" / "ngrams" / "README.md").read_text("utf-8")
    assert "next-word.zip" in read_me
    assert "nextword submit ngrams" in read_me
    said = subprocess.run(
        [sys.executable, "-P", "-m", "nextword", "check", "ngrams"],
        cwd=course.root / "release" / "ngrams",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "0 of 11 tasks pass" in said.stdout, said.stderr
