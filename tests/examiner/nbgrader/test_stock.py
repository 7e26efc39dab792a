"""The released assignment under nbgrader's own engine, and each of nbgrader's commands on it."""

import getpass
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.examiner.nbgrader.conftest import ROOT, Course, cells_by_id

SCORE = 50.0  # what can be had without marks by hand


@pytest.fixture(scope="module")
def stock(course: Course, reference: str) -> Course:
    """A course folder whose config says nothing of our engine, with three submissions."""
    course.stock()
    exchange = course.root.parent / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    course.add_config(f"c.Exchange.root = {str(exchange)!r}")
    return course


def test_validate_tells_students_how_far_they_are(stock, reference):
    home = stock.root / "home"
    shutil.copytree(stock.root / "release" / "ngrams", home)
    said = stock.run("nbgrader", "validate", "home/ngrams.ipynb")
    assert "VALIDATION FAILED ON 15 CELL(S)" in said
    assert "CONTENTS" not in said
    (home / "ngrams.py").write_text(reference, "utf-8")
    (home / "ngrams.ipynb").write_text(json.dumps(stock.solved()), "utf-8")
    said = stock.run("nbgrader", "validate", "home/ngrams.ipynb")
    assert "Success! Your notebook passes all the tests." in said


def test_release_fetch_submit_collect(stock, reference):
    stock.run("nbgrader", "release_assignment", "ngrams")
    student = stock.root.parent / "student"
    student.mkdir()
    shutil.copy(stock.root / "nbgrader_config.py", student)
    at_home = Course(student)
    at_home.run("nbgrader", "fetch_assignment", "ngrams", "--course", "nextword")
    fetched = {path.name for path in (student / "ngrams").iterdir()}
    assert fetched == {"README.md", "ngrams.ipynb", "ngrams.py", "tests"}
    (student / "ngrams" / "ngrams.py").write_text(reference, "utf-8")
    (student / "ngrams" / "ngrams.ipynb").write_text(json.dumps(stock.solved()), "utf-8")
    at_home.run("nbgrader", "submit", "ngrams", "--course", "nextword")
    stock.run("nbgrader", "collect", "ngrams")
    collected = stock.root / "submitted" / getpass.getuser() / "ngrams"
    assert (collected / "ngrams.py").read_text("utf-8") == reference
    assert (collected / "timestamp.txt").is_file()


def test_zip_collect_takes_what_nextword_submit_makes(stock):
    folder = stock.root.parent / "work"
    shutil.copytree(stock.root / "release" / "ngrams", folder)
    archive = stock.root / "downloaded" / "ngrams" / "archive"
    archive.mkdir(parents=True)
    Course(folder).run("nextword", "submit", "ngrams", "--to", str(archive / "007.zip"), status=1)
    with zipfile.ZipFile(archive / "007.zip") as made:
        assert sorted(made.namelist()) == ["ngrams.ipynb", "ngrams.py"]
    stock.run("nbgrader", "zip_collect", "ngrams")
    collected = {path.name for path in (stock.root / "submitted" / "007" / "ngrams").iterdir()}
    assert {"ngrams.ipynb", "ngrams.py"} <= collected


def test_autograde_feedback_export(stock):
    stock.run("nbgrader", "autograde", "ngrams", seconds=500)
    assert stock.grades() == {"007": 0.0, getpass.getuser(): SCORE}
    text = (stock.root / "autograded" / "007" / "ngrams" / "ngrams.ipynb").read_text("utf-8")
    assert "not written yet" in text
    stock.run("nbgrader", "generate_feedback", "ngrams")
    assert (stock.root / "feedback" / "007" / "ngrams" / "ngrams.html").is_file()
    # nbgrader wants to know when the work was handed in, which a zip does not tell
    stock.run("nbgrader", "release_feedback", "ngrams", "--student", getpass.getuser())


def test_hidden_tests_count_without_our_engine_too(stock):
    path = stock.root / "autograded" / getpass.getuser() / "ngrams" / "ngrams.ipynb"
    cells = cells_by_id(json.loads(path.read_text("utf-8")))
    outputs = json.dumps(cells["task-2-6"]["outputs"])
    files = (ROOT / "tests" / "ngrams" / "suite").glob("test_*.py")
    total = sum(path.read_text("utf-8").count('mark.task("2.6"') for path in files)
    assert f"({total} of {total} tests passed)" in outputs
    assert Path(path).stat().st_size < 500_000
