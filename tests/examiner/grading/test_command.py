"""`nextword grade` from the command line: what it prints, writes and returns."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from examiner.project import Project
from examiner.release.sync import write

Command = Callable[..., Result]
OPTIONS = ("--jobs", "1", "--seed", "s", "--sandbox", "none")


@pytest.fixture
def course(demo_course: Path) -> Path:
    write(Project(demo_course))
    right = (demo_course / "solutions" / "demo.py").read_text("utf-8")
    for student, text in {"ann": right, "ben": right.replace("a + b", "a - b")}.items():
        (demo_course / "class" / student).mkdir(parents=True)
        (demo_course / "class" / student / "demo.py").write_text(text, "utf-8")
    return demo_course


@pytest.mark.slow
def test_a_class_is_graded(course: Path, nextword: Command) -> None:
    done = nextword("grade", "demo", "class", "--json", "grades.json", *OPTIONS)
    assert done.exit_code == 0, done.output
    grades = json.loads((course / "grades.json").read_text("utf-8"))
    assert grades["chapter"] == "demo"
    found = {each["student"]: (each["score"], each["max_score"]) for each in grades["submissions"]}
    assert found == {"ann": (10, 10), "ben": (6, 10)}
    assert (course / "grades" / "demo" / "ben.html").is_file()
    assert "ben" in done.output
    assert "class/report.html" in "".join(done.output.split())
    assert "without the sandbox a submission can read and change your files" in " ".join(
        done.output.split()
    )
    again = nextword("grade", "demo", "class", *OPTIONS)
    assert "2 unchanged since the last run" in again.output


@pytest.mark.slow
def test_files_are_whole_before_a_word_is_said(
    course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads no further than the table, as `| head` does, has the marks of this run."""

    def unheard(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("nextword.cli.grade._tell", unheard)
    marks = course / "grades" / "demo" / "class" / "marks-for-moodle.csv"
    marks.parent.mkdir(parents=True)
    marks.write_text("of the run before", "utf-8")
    nextword("grade", "demo", "class", *OPTIONS, "--marks", "moodle", "--csv", "grades.csv")
    assert ",ann,,10" in marks.read_text("utf-8")
    assert "ann" in (course / "grades.csv").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["gone", "there"])
def test_changes_that_nobody_read_are_told_again(
    reader: str, course: Path, nextword: Command
) -> None:
    nextword("grade", "demo", "class", *OPTIONS)
    shutil.copy(course / "class" / "ann" / "demo.py", course / "class" / "ben" / "demo.py")
    ours, theirs = os.pipe()
    if reader == "gone":
        os.close(ours)
    command = [sys.executable, "-m", "nextword", "grade", "demo", "class", *OPTIONS]
    place = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run(command, stdout=theirs, stderr=subprocess.DEVNULL, cwd=course, env=place)
    os.close(theirs)
    if reader == "there":
        with os.fdopen(ours) as pipe:
            assert "scores that changed" in pipe.read()
    told_again = "scores that changed" in nextword("grade", "demo", "class", *OPTIONS).output
    assert told_again == (reader == "gone")


@pytest.mark.slow
def test_examples_are_held_back_for_one_run_or_by_the_course(
    course: Path, nextword: Command
) -> None:
    page = course / "grades" / "demo" / "ben.html"

    def shown(*options: str) -> bool:
        done = nextword("grade", "demo", "class", *OPTIONS, *options)
        assert done.exit_code == 0, done.output
        return "right is" in page.read_text("utf-8")

    assert shown()
    assert not shown("--examples", "never")
    assert not shown("--examples", "2999-01-01")
    (course / "course.toml").write_text('examples = "never"\n', "utf-8")
    assert not shown()
    assert shown("--examples", "at once"), "nothing is judged anew: the examples are kept"
    wrong = nextword("grade", "demo", "class", *OPTIONS, "--examples", "soon")
    assert wrong.exit_code == 2 or wrong.exception is not None


@pytest.mark.slow
def test_stubs_get_nothing_and_solutions_everything(course: Path, nextword: Command) -> None:
    packages = ("--package", "coursework", "--package", "solutions")
    done = nextword("grade", "demo", *packages, "--json", "g.json", *OPTIONS)
    assert done.exit_code == 0, done.output
    grades = json.loads((course / "g.json").read_text("utf-8"))
    assert [each["score"] for each in grades["submissions"]] == [0, 10]


@pytest.mark.slow
def test_what_cannot_be_judged_is_shouted(course: Path, nextword: Command) -> None:
    suite = course / "tests" / "demo" / "suite" / "test_demo.py"
    suite.write_text(suite.read_text("utf-8").replace("== 3", "== 4"), "utf-8")
    done = nextword("grade", "demo", "class", *OPTIONS)
    assert done.exit_code == 1
    assert "NOT JUDGED" in done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing", "class"), "there is no chapter 'nothing'"),
        (("demo", "nowhere"), "there is no folder nowhere"),
        (("demo", "solutions/__init__.py"), "is a file: expected one folder or zip per student"),
        (("demo", "class", "--out", "LICENSE"), "--out LICENSE is a file: give a folder"),
        (("demo",), "nothing to grade"),
        (("demo", "--package", "nowhere"), "no such file"),
        (("demo", "class", "--sandbox", "glass"), "expected bubblewrap or none"),
    ],
)
def test_wrong_use_is_one_line(
    course: Path, nextword: Command, arguments: tuple[str, ...], says: str
) -> None:
    done = nextword("grade", *arguments)
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_suite_that_cannot_be_read_is_one_line(course: Path, nextword: Command) -> None:
    suite = course / "tests" / "demo" / "suite" / "test_demo.py"
    suite.write_text("from tests.demo.suite import nothing_of_that_name\n", "utf-8")
    done = nextword("grade", "demo", "class", *OPTIONS)
    assert done.exit_code == 2
    assert "demo/suite cannot be read" in " ".join(done.output.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("grade", "demo", "class"),
        ("serve", "demo", "inbox", "--once"),
        ("suites", "demo"),
        ("check", "demo", "--hidden"),
    ],
)
def test_a_package_that_is_not_installed_is_one_line(
    command: tuple[str, ...], course: Path, nextword: Command
) -> None:
    (course / "inbox").mkdir()
    suite = course / "tests" / "demo" / "suite"
    (suite / "helping.py").write_text("import absent_package.part\n")
    with (suite / "test_demo.py").open("a") as file:
        file.write("from tests.demo.suite import helping\n")
    done = nextword(*command)
    line = "nextword: demo/suite needs absent_package, which is not installed"
    assert (done.exit_code, done.stderr.strip().splitlines()[-1]) == (2, line)
    assert "Traceback" not in done.output
