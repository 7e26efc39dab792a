"""Another course, of two tasks on sorting, goes the whole way: the examiner needs no other one."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.course import COURSE
from tests.examiner.test_rooms import PACKAGE, ROOMS

STUDENTS_ROOMS = {
    "boundary",
    "candidate",
    "catalogue",
    "check",
    "counterexamples",
    "judge",
    "suite",
}
CLASS = {"ada": (4, 6), "ben": (4, 0), "cleo": (4, 3)}  # points of the two tasks
SECRET = "year 0"  # by which a class, too, would be asked something else
BIN = Path(sys.executable).parent
pytestmark = pytest.mark.slow
walls = pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap")


def run(folder: Path, *command: str, status: int = 0, log: bool = False, **environment: str) -> str:
    """Run a program of this environment in a folder; return what it says, or its log."""
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "JUPYTER_DATA_DIR": str(folder / "jupyter"),
            **environment,
        },
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stderr if log else done.stdout


def student(home: Path, *command: str, status: int = 0) -> str:
    """Run a command with the library that students were given."""
    return run(home, "python", "-m", "nextword", *command, status=status, PYTHONPATH=str(home))


def verdicts(said: str) -> dict[str, str]:
    """The verdict of each task in what `check --json` says."""
    (tasks,) = [each["tasks"] for each in json.loads(said)["submissions"]]
    return {task["id"]: task["verdict"] for task in tasks}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course folder, with all that `sync` writes."""
    folder = tmp_path_factory.mktemp("another") / "course"
    shutil.copytree(Path(__file__).with_name("sorting"), folder)
    run(folder, "nextword", "sync")
    return folder


def work(course: Path, student: str) -> str:
    """A student's module."""
    return (course / "class" / student / "sorting.py").read_text("utf-8")


def test_it_is_in_sync_and_its_suite_is_sound(course: Path) -> None:
    run(course, "nextword", "sync", "--check")
    assert "raise NotImplementedError" in (course / "coursework" / "sorting.py").read_text("utf-8")
    stored = Path(__file__).with_name("sorting") / "solutions" / "sorting.ipynb"
    assert (course / "solutions" / "sorting.ipynb").read_bytes() == stored.read_bytes()
    run(course, "nextword", "suites", "--runs", "20")


def test_a_student_checks_and_hands_in(course: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(course, "nextword", "release", "sorting", "--to", str(home))
    student(home, "doctor")
    student(home, "grade", "sorting", "class", status=2)  # there is no such command
    check = ("check", "sorting", "--json")
    assert verdicts(student(home, *check, status=1)) == {"1.1": "missing", "1.2": "missing"}
    (home / "coursework" / "sorting.py").write_text(work(course, "ben"), "utf-8")
    assert verdicts(student(home, *check, status=1)) == {"1.1": "passed", "1.2": "missing"}
    assert "1 of 2" in student(home, "progress")
    text = work(course, "ben").replace("sorted([*items, item])", "[*items, item]")
    (home / "coursework" / "sorting.py").write_text(text, "utf-8")
    said = student(home, "check", "1.1", status=1)
    assert "This looks like: You put the item at the end: find its place first." in said
    assert "merge is not written yet" in student(home, "submit", "sorting", status=1)
    (home / "coursework" / "sorting.py").write_text(work(course, "ada"), "utf-8")
    assert verdicts(student(home, *check)) == {"1.1": "passed", "1.2": "passed"}


def test_students_get_what_checks_and_nothing_that_grades(course: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(course, "nextword", "release", "sorting", "--to", str(home))
    given = {path.name for path in (home / PACKAGE).iterdir()} & {*ROOMS}
    assert given == STUDENTS_ROOMS | {room for room in ROOMS if room.endswith(".py")}
    assert sorted(path.name for path in (home / "coursework").iterdir()) == [
        *("__init__.py", "known", "sorting.ipynb", "sorting.py", "sorting.toml")
    ]
    assert (home / "README.md").read_text("utf-8").startswith("# Sorting Things: Sorting\n")
    tests = (home / "tests" / "sorting" / "suite" / "test_sorting.py").read_text("utf-8")
    assert "test_two_lists_become_one" in tests
    assert "test_any_two_lists_become_one" not in tests
    assert not (home / "solutions").exists()


@walls
def test_a_class_is_graded(course: Path, tmp_path: Path) -> None:
    answer = tmp_path / "grades.json"
    out = ("--out", str(tmp_path / "out"), "--json", str(answer))
    run(course, "nextword", "grade", "sorting", "class", "--seed", "a class", *out)
    found: list[dict[str, Any]] = json.loads(answer.read_text("utf-8"))["submissions"]
    scores = {each["student"]: tuple(t["score"] for t in each["tasks"]) for each in found}
    assert scores == CLASS
    page = (tmp_path / "out" / "cleo.html").read_text("utf-8")
    assert "Sorting Things · chapter 1, Sorting" in page
    assert "You dropped equal items: a list may hold them twice." in page


@walls
def test_nbgrader_grades_it_and_knows_who_was_asked_what(course: Path, tmp_path: Path) -> None:
    pytest.importorskip("nbgrader")
    there, roster = tmp_path / "nbgrader", tmp_path / "class.csv"
    roster.write_text("id\nada\ncleo\n", "utf-8")  # ben is not on the list
    release = ("release", "sorting", "--format", "nbgrader", "--to", str(there))
    draw = ("--variant", SECRET, "--per-student", str(roster))
    assert "sorting: 2 notebooks in" in run(course, "nextword", *release, *draw)
    own = {name: (there / "personal" / name / "sorting.ipynb") for name in ("ada", "cleo")}
    asked = {name: "lists 4, 7 and 5" in path.read_text("utf-8") for name, path in own.items()}
    assert asked == {"ada": True, "cleo": False}, "by this secret, each is asked something else"
    assert (there / "students" / "sorting-things.zip").is_file()
    run(there, "nbgrader", "generate_assignment", "sorting")
    for student in CLASS:
        home = there / "submitted" / student / "sorting"
        shutil.copytree(there / "release" / "sorting", home)
        (home / "sorting.py").write_text(work(course, student), "utf-8")
        if student in own:
            shutil.copyfile(own[student], home / "sorting.ipynb")
        numbers = "[4, 7], [5]" if student != "ben" else "[1, 3], [2]"
        answer_with(home / "sorting.ipynb", f"ordered = sorting.merge({numbers})")
        if student == "ben":  # in the assignment's own folder
            said = run(home, "nextword", "check", "sorting", "--json", status=1)
            assert verdicts(said) == {"1.1": "passed", "1.2": "missing"}
    said = run(there, "nbgrader", "autograde", "sorting", log=True)
    assert "ben: no notebook of one's own was made for this id" in said
    assert "ada: no notebook" not in said
    run(there, "nbgrader", "export", "--to", "grades.csv")
    with (there / "grades.csv").open(encoding="utf-8", newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    # the notebook's two points need `merge`, which ben has not written, and the numbers that one
    # was asked for: cleo has ada's
    assert scores == {"ada": 10 + 2, "ben": 4, "cleo": 7}
    graded = there / "autograded"
    assert "lists 4, 7" in (graded / "ada" / "sorting" / "sorting.ipynb").read_text("utf-8")
    run(there, "nbgrader", "generate_feedback", "sorting")
    page = (there / "feedback" / "cleo" / "sorting" / "sorting.html").read_text("utf-8")
    assert "Sorting Things · chapter 1, Sorting" in page


def answer_with(path: Path, code: str) -> None:
    """Fill in the notebook's code cell."""
    notebook = json.loads(path.read_text("utf-8"))
    (cell,) = [c for c in notebook["cells"] if "YOUR CODE HERE" in "".join(c["source"])]
    cell["source"] = code
    path.write_text(json.dumps(notebook), "utf-8")


def test_it_is_no_part_of_this_course(course: Path) -> None:
    assert "sorting" not in [chapter.stem for chapter in COURSE.catalogue.chapters]
    texts = [path.read_text("utf-8") for path in course.rglob("*.py")]
    library = [name for name in COURSE.settings.library if any(name in text for text in texts)]
    assert not library
