"""What `nbgrader autograde` with our config does with a class that did not hand in as it should."""

import json
import os
import shutil
import sqlite3
import zipfile
from typing import Any

import pytest
from nbgrader.coursedir import CourseDirectory

from examiner.platforms.nbgrader.exchange import Collect
from tests.examiner.nbgrader.conftest import ROOT, Course

FULL = 50.0  # what can be had without marks by hand
NOTEBOOK_POINTS = 10.0
SECRET = "the-instructors-own"
pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)


@pytest.fixture(scope="module")
def odd(course: Course, reference: str, answers: dict[str, Any]) -> Course:
    """A class with folders without a notebook, and with links."""
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8")
    (course.root / "secret.txt").write_text(SECRET, "utf-8")
    course.hand_in("right", course.answered(answers), reference)
    course.hand_in("module-only", "", reference, name="ngrams.txt")
    course.hand_in("other-notebook", {"cells": [], "metadata": {}}, reference, name="notes.ipynb")

    linker = course.hand_in("linker", course.notebook("release"), stub)
    (linker / "timestamp.txt").write_text("soon", "utf-8")
    (linker / "data.txt").symlink_to(course.root / "secret.txt")
    (linker / "all").symlink_to(course.root)
    os.mkfifo(linker / "pipe")
    stolen = course.hand_in("stolen", course.notebook("release"), stub)
    for name in ("ngrams.ipynb", "ngrams.py"):
        (stolen / name).unlink()
        (stolen / name).symlink_to(course.root / "submitted" / "right" / "ngrams" / name)
    whole = course.root / "submitted" / "whole"
    whole.mkdir()
    (whole / "ngrams").symlink_to(course.root / "submitted" / "right" / "ngrams")
    return course


@pytest.fixture(scope="module")
def said(odd: Course) -> str:
    """What nbgrader says while it grades them."""
    return odd.run("nbgrader", "autograde", "ngrams")


def test_folders_without_the_notebook_are_graded_and_named(odd, said):
    grades = odd.grades()
    assert grades["right"] == FULL
    assert grades["module-only"] == grades["other-notebook"] == FULL - NOTEBOOK_POINTS
    for student in ("module-only", "other-notebook"):
        assert f"{student}: there is no ngrams.ipynb: only the module is graded" in said
    assert (odd.root / "submitted" / "other-notebook" / "ngrams" / "notes.ipynb").is_file()


def test_links_are_not_followed_and_named(odd, said):
    grades = odd.grades()
    assert grades["linker"] == grades["stolen"] == 0
    assert "whole" not in grades
    assert "linker: the link data.txt was not followed" in said
    assert "linker: the link all was not followed" in said
    assert "stolen: ngrams.ipynb cannot be read: it is a link to another file" in said
    assert "whole" in said
    for path in (odd.root / "autograded").rglob("*"):
        assert not path.is_symlink(), path
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path


def test_grading_by_nextword_follows_no_link_either(odd, said):
    before = odd.grades()
    with zipfile.ZipFile(odd.root / "submitted" / "ben.zip", "w") as made:
        made.writestr("timestamp.txt", "1999-01-01 00:00:00 UTC")
    text = odd.run("nextword", "grade", "ngrams", "submitted", "--gradebook", "gradebook.db")
    (odd.root / "submitted" / "ben.zip").unlink()
    assert odd.grades() == {**before, "whole": 0, "ben": 0}
    assert "linker: the link data.txt was not followed" in text
    assert "module-only: there is no ngrams.ipynb: only the module is graded" in text
    assert "stolen: the link ngrams.ipynb" in text
    for path in (odd.root / "autograded").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    # nor does it take a time that is none, or that stands in a student's own zip
    for each in (said, text):
        assert "linker: timestamp.txt holds no time" in each
    with sqlite3.connect(odd.root / "gradebook.db") as database:
        times = database.execute("SELECT DISTINCT timestamp FROM submitted_assignment").fetchall()
    assert times == [(None,)]


def test_a_time_that_is_none_ends_no_later_run(odd, said):
    again = odd.run("nbgrader", "autograde", "ngrams", "--student", "linker")
    assert "Skipping existing assignment" in again


@pytest.fixture(scope="module")
def feedback(odd: Course, said: str) -> None:
    """Everyone's pages, after one student was graded alone."""
    again = ("nbgrader", "autograde", "ngrams", "--student", "module-only", "--force")
    assert "only the module is graded" in odd.run(*again)
    odd.run("nbgrader", "generate_feedback", "ngrams")


def test_one_student_without_a_notebook_can_be_graded_alone(odd, feedback):
    page = odd.root / "feedback" / "module-only" / "ngrams" / "ngrams.html"
    assert "there is no ngrams.ipynb: only the module is graded" in page.read_text("utf-8")


def test_feedback_of_work_that_did_not_come_through_the_exchange_is_named(odd, feedback):
    exchange = odd.root.parent / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    odd.add_config(f"c.Exchange.root = {str(exchange)!r}")
    came = odd.root / "feedback" / "right" / "ngrams"
    (came / "timestamp.txt").write_text("2026-01-10 12:00:00 UTC")
    (came / "submission_secret.txt").write_text("x")
    text = odd.run("nbgrader", "release_feedback", "ngrams")
    assert "linker did not hand in through nbgrader's exchange" in text
    assert "right did not hand in" not in text
    assert len(list((exchange / "nextword" / "feedback").glob("*.html"))) == 1


def test_a_link_in_a_zip_or_in_the_exchange_brings_nothing(odd, said):
    archive = odd.root / "downloaded" / "ngrams" / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "zed.zip", "w") as made:
        link = zipfile.ZipInfo("ngrams.py")
        link.external_attr = 0o120777 << 16
        made.writestr(link, str(odd.root / "secret.txt"))
    with zipfile.ZipFile(archive / "kim.zip", "w") as made:
        made.writestr("ngrams.ipynb", json.dumps(odd.notebook("release")))
        made.writestr("timestamp.txt", "1999-01-01 00:00:00 UTC")
    text = odd.run("nbgrader", "zip_collect", "ngrams")
    assert "zed.zip holds 'ngrams.py', which is a link" in text
    assert not (odd.root / "submitted" / "zed").exists()
    found = odd.root / "submitted" / "kim" / "ngrams"
    assert (found / "ngrams.ipynb").is_file()
    assert not (found / "timestamp.txt").exists()  # a student's own is not taken


def test_collect_leaves_links_out(odd, said):
    inbound, target = odd.root.parent / "inbound", odd.root.parent / "collected"
    inbound.mkdir()
    (inbound / "ngrams.py").write_text("mine")
    (inbound / "data.txt").symlink_to(odd.root / "secret.txt")
    (inbound / "all").symlink_to(odd.root)
    step = Collect(coursedir=CourseDirectory(root=str(odd.root)))
    step.do_copy(str(inbound), str(target))
    assert [path.name for path in target.iterdir()] == ["ngrams.py"]


# ------------------------------------------------------------------------- bad input


def one_line(text: str, said: str) -> None:
    """There is one line of error, and no traceback."""
    assert said in text
    assert "Traceback" not in text
    wrong = [line for line in text.splitlines() if "| ERROR]" in line or "nextword:" in line]
    assert len(wrong) <= 1, wrong


GRADE = ("nextword", "grade", "ngrams", "submitted", "--gradebook")
BOTH = [("nbgrader", "autograde", "ngrams"), (*GRADE, "gradebook.db")]


@pytest.fixture
def copy(_released, tmp_path) -> Course:
    """A course folder of the test's own, with a submission."""
    root = tmp_path / "course"
    shutil.copytree(_released, root)
    made = Course(root)
    made.hand_in("ada", made.notebook("release"), "")
    return made


def test_a_gradebook_of_another_version_says_what_to_do(copy):
    with sqlite3.connect(copy.root / "gradebook.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '50a4d84c131a'")
    for command in BOTH:
        text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
        one_line(text, "nbgrader db upgrade")
    with sqlite3.connect(copy.root / "gradebook.db") as database:
        database.execute("DROP TABLE alembic_version")  # as where nbgrader did not find alembic
    for command in BOTH:
        text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
        one_line(text, "move the file away and run `nbgrader generate_assignment` again")


def test_a_locked_gradebook_says_what_to_do(copy):
    holder = sqlite3.connect(copy.root / "gradebook.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    url = f"sqlite:///{copy.root}/gradebook.db?timeout=0.1"
    try:
        for command in ((*BOTH[0], f"--db={url}"), (*GRADE, url)):
            text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
            one_line(text, "another program")
    finally:
        holder.close()


def test_what_is_no_gradebook_says_so(copy):
    (copy.root / "gradebook.db").write_bytes(b"no database" * 1000)
    for command in BOTH:
        text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
        one_line(text, "no gradebook of nbgrader")


def test_a_course_folder_without_its_parts_says_which(copy):
    (copy.root / "grader").rename(copy.root / "elsewhere")
    for command in BOTH:
        text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
        one_line(text, "grader is missing")
    shutil.rmtree(copy.root / "source")
    for command in BOTH:
        text = copy.run(*command, status=1 if command[0] == "nbgrader" else 2)
        one_line(text, "nextword release")


def test_an_unknown_assignment_says_so(copy):
    one_line(copy.run("nbgrader", "autograde", "ngramms", status=1), "holds no assignment")
    text = copy.run("nextword", "grade", "ngramms", "submitted", "--gradebook", "x.db", status=2)
    one_line(text, "no assignment")
