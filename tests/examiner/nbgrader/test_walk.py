"""A class from release to exported grades, through nbgrader's own commands, with our config."""

import json
import re
import shutil
from typing import Any

import pytest
from nbgrader.api import Gradebook

from tests.browser import NEEDS_CHROMIUM, SCREENS, assert_open_to_everyone
from tests.examiner.nbgrader import cheats
from tests.examiner.nbgrader.conftest import CANARY, ROOT, Course, cells_by_id

FULL = 50.0  # what can be had without marks by hand
pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)

HANG = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
EMPTY = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
NOISE = """
import sys, warnings
warnings.warn("this costs nothing")
print("50%", file=sys.stderr)
"""


def without_generate(module: str) -> str:
    """The module without its last task."""
    head, _, tail = module.partition("def generate(")
    stub = "raise NotImplementedError"
    body = re.sub(r"# BEGIN SOLUTION.*?# END SOLUTION", stub, tail, flags=re.DOTALL)
    return f"{head}def generate({body}"


@pytest.fixture(scope="module")
def graded(course: Course, reference: str, answers: dict[str, Any]) -> Course:
    """The class, handed in and autograded."""
    course.add_config("c.Execute.timeout = 2")
    course.add_config('c.LateSubmissionPlugin.penalty_method = "zero"')
    course.run("nbgrader", "db", "assignment", "add", "ngrams", "--duedate", "2026-01-10 12:00")
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8")

    course.hand_in("right", course.solved(), reference)
    late = course.hand_in("late", course.answered(answers), reference, name="ngrams (2).ipynb")
    (late / "timestamp.txt").write_text("2026-01-11 12:00:00 UTC", "utf-8")
    renamed = course.hand_in(
        "renamed", course.answered(answers), reference, name="ngrams (1).ipynb"
    )
    mine = json.loads((renamed / "ngrams (1).ipynb").read_text("utf-8"))
    mine["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "My picture."})
    (renamed / "ngrams (1).ipynb").write_text(json.dumps(mine), "utf-8")
    (renamed / "ngrams.py").rename(renamed / "ngrams (1).py")
    (renamed / "notes.ipynb").write_text(json.dumps({"cells": [], "metadata": {}}), "utf-8")

    partly = course.solved()
    cells_by_id(partly)["unseen"]["source"] += "\nunseen[5] += 0.01" + NOISE
    course.hand_in("partly", partly, without_generate(reference))

    deleted = course.answered(answers)
    gone = ("task-2-3", "check-unseen", "setup", "why-not-longest", "learning-curve")
    deleted["cells"] = [
        cell
        for cell in deleted["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") not in gone[:2] + gone[3:]
    ]
    course.hand_in("deleted", deleted, reference)

    twice = course.answered(answers)
    twice["cells"] += [dict(cell, id=f"twin-{n}") for n, cell in enumerate(twice["cells"][5:])]
    course.hand_in("twice", twice, reference)

    hang = course.answered(answers)
    cells_by_id(hang)["perplexities"]["source"] = HANG
    course.hand_in("hang", hang, reference)

    course.hand_in("unusual", _unusual(course.answered(answers)), reference)
    course.hand_in("stub", course.notebook("release"), stub)
    course.hand_in("broken", '{"cells": [', reference)
    course.hand_in("old-format", _version_three(), reference)
    course.hand_in("exits", course.answered(answers), "import os\nos._exit(0)\n")

    for name, code in cheats.CODE.items():
        cheat = course.notebook("release")
        cells_by_id(cheat)[cheats.FIRST]["source"] = code
        course.hand_in(f"cheat-{name}", cheat, stub, to="cheating")
    for name, change in cheats.CELLS.items():
        cheat = course.notebook("release")
        change(cheat)
        course.hand_in(f"cheat-{name}", cheat, stub)
    # what a kernel says is taken by the same steps in both ways: this one runs two at a time
    two = ("--gradebook", "gradebook.db", "--jobs", "2")
    said = course.run("nextword", "grade", "ngrams", "cheating", *two)
    said += course.run("nbgrader", "autograde", "ngrams", seconds=580)
    (course.root / "said.txt").write_text(said, "utf-8")
    return course


def _unusual(notebook: dict[str, Any]) -> dict[str, Any]:
    """Honest work from another kernel and editor, with pictures, widgets and many cells."""
    cheats.language(notebook)
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"new-{number}"
        cell["metadata"] |= {"collapsed": True, "tags": ["mine"]}
    shown = "from IPython.display import HTML, display\ndisplay(HTML('<b>bold</b>'))\n%time 1 + 1"
    for number in range(40):
        source = shown if number % 20 == 0 else ""
        notebook["cells"].append({**EMPTY, "source": source, "id": f"more-{number}"})
    return notebook


def _version_three() -> str:
    cell = {"cell_type": "code", "input": ["1"], "outputs": [], "language": "python"}
    old = {"worksheets": [{"cells": [cell]}], "nbformat": 3, "nbformat_minor": 0}
    return json.dumps({**old, "metadata": {"name": "ngrams"}})


@pytest.fixture(scope="module")
def grades(graded: Course) -> dict[str, float]:
    return graded.grades()


EXPECTED = {
    "right": FULL,
    "late": 0,
    "renamed": FULL,
    "partly": FULL - 3 - 0.6,
    "deleted": FULL,
    "twice": FULL,
    "hang": FULL - 4 - 3,
    "unusual": FULL,
    "stub": 0,
    "broken": FULL - 10,  # the module counts
    "old-format": FULL - 10,
    "exits": 0,
}


@pytest.mark.parametrize("student", EXPECTED)
def test_every_number_is_right(grades, student):
    assert grades[student] == pytest.approx(EXPECTED[student])


@pytest.mark.parametrize("name", [*cheats.CODE, *cheats.CELLS])
def test_no_cheating_notebook_gains_a_point(grades, name):
    assert grades[f"cheat-{name}"] == 0


def test_everyone_is_in_the_grade_file(graded, grades):
    handed_in = {path.name for path in graded.root.glob("submitted/*")}
    handed_in |= {path.name for path in graded.root.glob("cheating/*")}
    assert set(grades) == handed_in


def test_the_instructor_is_told_what_was_not_as_it_should_be(graded):
    said = (graded.root / "said.txt").read_text("utf-8")
    for line in (
        "renamed: ngrams (1).ipynb is taken as ngrams.ipynb",
        "renamed: ngrams (1).py was graded as ngrams.py",
        "broken: ngrams.ipynb cannot be read: it is not JSON",
        "deleted: cell task-2-3 was missing",
        "twice: cell by_order was there more than once: the last one counts",
        "hang: the notebook was not run to its end: it did not stop when it was interrupted",
        "cheat-shutdown: the notebook was not run to its end",
        "cheat-retyped-cells: cell task-2-1 had another type",
    ):
        assert line in said, line
    assert "Traceback" not in said


def test_the_submitted_files_are_still_there(graded):
    folder = graded.root / "submitted" / "renamed" / "ngrams"
    assert (folder / "ngrams (1).ipynb").is_file()
    broken = graded.root / "submitted" / "broken" / "ngrams" / "ngrams.ipynb.as-submitted"
    assert broken.read_text("utf-8") == '{"cells": ['


def test_no_hidden_test_leaves_the_course_folder(graded):
    graded.run("nbgrader", "generate_feedback", "ngrams")
    assert CANARY in (graded.root / "source" / "ngrams" / "ngrams.ipynb").read_text("utf-8")
    assert CANARY not in (graded.root / "release" / "ngrams" / "ngrams.ipynb").read_text("utf-8")
    written = [*graded.root.glob("feedback/**/*"), *graded.root.glob("autograded/**/*")]
    assert len(written) > 100
    for path in written:
        if path.is_file():
            text = path.read_bytes()
            assert CANARY.encode() not in text, path
            assert b"BEGIN HIDDEN" not in text, path


def test_feedback_shows_points_and_words_together(graded):
    page = (graded.root / "feedback" / "partly" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "2.4 / 3" in page
    assert "right for 4 of 5 values of n" in page
    assert "2.11 Generating text" in page
    assert "Not written yet" in page
    renamed = (graded.root / "feedback" / "renamed" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "not marked yet (4)" in renamed  # the picture
    assert "the total is provisional" in renamed
    assert "ngrams (1).ipynb is taken as ngrams.ipynb" in renamed
    assert "ngrams (1).py was graded as ngrams.py" in renamed
    broken = (graded.root / "feedback" / "broken" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "ngrams.ipynb cannot be read: it is not JSON" in broken
    late = (graded.root / "feedback" / "late" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "Handed in 1 day late, which costs 50 points." in late


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("theme", "width"), [SCREENS[0], SCREENS[-1]])
def test_feedback_is_open_to_everyone(graded, show, theme, width):
    for student in ("partly", "broken", "late"):
        page = graded.root / "feedback" / student / "ngrams" / "ngrams.html"
        assert_open_to_everyone(show(page, theme, width), width)


def test_feedback_is_safe_to_open(graded):
    for path in graded.root.glob("feedback/*/ngrams/ngrams.html"):
        page = path.read_text("utf-8")
        assert "<script" not in page, path
        assert "onerror=" not in page.replace("onerror=alert(1)&gt;", ""), path
        assert "default-src 'none'" in page
        assert "\x1b" not in page


def test_autograded_notebooks_hold_nothing_that_a_browser_would_run(graded):
    for path in graded.root.glob("autograded/*/ngrams/ngrams.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for files in cell.get("attachments", {}).values():
                assert set(files) <= {"image/png", "image/jpeg"}, path
            for output in cell.get("outputs", []):
                allowed = {"text/plain", "image/png", "image/jpeg"}
                assert set(output.get("data", {})) <= allowed


def test_manual_marks_survive_a_regrade_and_both_ways_agree(graded, grades, reference):
    url = f"sqlite:///{graded.root}/gradebook.db"
    with Gradebook(url, "nextword") as book:
        grade = book.find_grade("why-not-longest", "ngrams", "ngrams", "right")
        grade.manual_score = 3
        comment = book.find_comment("why-not-longest", "ngrams", "ngrams", "right")
        comment.manual_comment = "Say <what> happens with more text."
        fixed = book.find_grade("task-2-11", "ngrams", "ngrams", "partly")
        fixed.manual_score = 1
        book.db.commit()
    for student in ("right", "partly", "broken", "late", "exits"):
        shutil.copytree(graded.root / "submitted" / student, graded.root / "again" / student)
    (graded.root / "again" / "exits" / "ngrams" / "ngrams.py").write_text(reference, "utf-8")
    said = graded.run("nextword", "grade", "ngrams", "again", "--gradebook", "gradebook.db")
    (row,) = [line for line in said.splitlines() if "another submission; 2.1" in line]
    assert row.split("│")[1].strip() == "exits"
    again = graded.grades()
    changed = {"right": FULL + 3, "partly": EXPECTED["partly"] + 1, "exits": FULL}
    assert again == pytest.approx({**grades, **changed})
    graded.run("nbgrader", "generate_feedback", "ngrams", "--force", "--student", "[br]*")
    broken = (graded.root / "feedback" / "broken" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "cannot be read" in broken
    assert "Model answer" not in broken
    page = (graded.root / "feedback" / "right" / "ngrams" / "ngrams.html").read_text("utf-8")
    assert "Say &lt;what&gt; happens with more text." in page
    assert "3 / 4" in page
