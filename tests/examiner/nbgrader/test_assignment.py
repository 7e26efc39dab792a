"""The assignment notebook: what instructors and students get of it."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import MetadataValidator

from examiner.check import notebook as cells_of_students
from examiner.errors import UserError
from examiner.platforms.nbgrader.careful_autograde import CarefulAutograde
from examiner.platforms.nbgrader.check_cells import CellScore, judge
from examiner.platforms.nbgrader.course import assignment, course_settings
from examiner.platforms.nbgrader.gradebook import database_url
from examiner.project import Project
from examiner.release import assignment as work
from examiner.release.nbgrader import assignment_of
from examiner.release.suites import read_suite
from tests.course import COURSE

ROOT = Path(__file__).parents[3]
PROJECT, NGRAMS = Project(ROOT), COURSE.catalogue.chapter("ngrams")


@pytest.fixture(scope="module")
def notebook():
    return assignment_of(PROJECT, NGRAMS)


@pytest.fixture(scope="module")
def source(notebook):
    suite = read_suite(PROJECT, "ngrams")
    reference = {name: {} for name in work.variables(notebook)}
    return work.nbgrader_source(notebook, NGRAMS, suite, reference)


def by_id(notebook):
    return {work.cell_id(cell): cell for cell in notebook["cells"] if work.kind_of(cell)}


def test_nbgrader_finds_its_metadata_valid(source):
    import nbformat

    MetadataValidator().validate_nb(nbformat.from_dict(source))


def test_each_task_has_one_cell_with_the_points_of_the_catalogue(source):
    cells = by_id(source)
    for task in NGRAMS.tasks:
        entry = cells["task-" + task.id.replace(".", "-")]["metadata"]["nbgrader"]
        assert entry["points"] == task.points
        assert entry["grade"]
        assert not entry["solution"]


def test_students_see_no_solution_hidden_test_or_mark_scheme(notebook, source):
    text = json.dumps(work.student_notebook(notebook, NGRAMS))
    assert "HIDDEN TESTS" not in text
    assert "MARK SCHEME" not in text
    assert "SOLUTION" not in text
    assert "Model answer" not in text
    assert "YOUR CODE HERE" in text
    assert "ngrams/suite/oracles.py" in json.dumps(source)
    assert "oracles" not in text


def test_hidden_tests_of_a_task_hold_no_other_task(source):
    hidden = by_id(source)["task-2-4"]["source"]
    assert 'task("2.4"' in hidden
    assert 'task("2.5"' not in hidden


def test_the_notebook_of_students_is_what_sync_writes(notebook):
    wanted = work.write_notebook(work.student_notebook(notebook, NGRAMS))
    assert (ROOT / "coursework" / "ngrams.ipynb").read_text("utf-8") == wanted


def test_the_reference_gets_full_marks_in_every_check(notebook, answers):
    assert answers["perplexities"]["mle"] == math.inf
    checks = [cell for cell in notebook["cells"] if work.kind_of(cell) == "check"]
    for cell in checks:
        said = cell["metadata"]["nextword"]
        names = {"REFERENCE": answers} | {name: answers[name] for name in said["reads"]}
        assert judge(cell["source"], said["points"], names, {}).points == said["points"]


def test_every_check_refuses_answers_that_are_a_little_off(notebook, answers):
    for cell in notebook["cells"]:
        if work.kind_of(cell) != "check":
            continue
        said = cell["metadata"]["nextword"]
        wrong = {name: _off(answers[name]) for name in said["reads"]}
        score = judge(cell["source"], said["points"], {"REFERENCE": answers} | wrong, {})
        # infinity stays what it is
        assert (score.points or 0) <= said["points"] / 4, said
        assert score.message


def _off(value):
    return {k: _off(v) for k, v in value.items()} if isinstance(value, dict) else value * 1.01


def test_a_task_without_a_cell_is_an_error(notebook):
    less = {**notebook, "cells": [c for c in notebook["cells"] if c.get("id") != "task-2-3"]}
    with pytest.raises(UserError, match=r"no cell of the notebook of ngrams tests 2\.3"):
        work.student_notebook(less, NGRAMS)


def test_two_cells_of_one_name_are_an_error(notebook):
    more = {**notebook, "cells": [*notebook["cells"], notebook["cells"][1]]}
    with pytest.raises(UserError, match="two cells setup"):
        work.student_notebook(more, NGRAMS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', "\x00"])
def test_what_is_no_notebook_is_refused(text):
    with pytest.raises(UserError, match=r"x\.ipynb is no Jupyter notebook"):
        work.read_notebook(text, "x.ipynb")


def test_points_in_a_notebook_count_the_visible_tests(tmp_path, capsys, reference):
    shutil.copy(PROJECT.tasks_file("ngrams"), tmp_path)
    stub = (ROOT / "coursework" / "ngrams.py").read_text("utf-8")
    (tmp_path / "ngrams.py").write_text(stub, "utf-8")
    tests = tmp_path / "tests"
    for name, text in read_suite(PROJECT, "ngrams").visible().items():
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        (tests / name).write_text(text, "utf-8")
    assert cells_of_students.points("2.1", folder=tmp_path) == 0
    assert "not written yet" in capsys.readouterr().out
    (tmp_path / "ngrams.py").write_text(reference, "utf-8")
    assert cells_of_students.points("2.1", folder=tmp_path) == NGRAMS.task("2.1").points
    wrong = reference.replace("return [BOS] * (n - 1)", "return [BOS] * n")
    assert wrong != reference
    (tmp_path / "ngrams.py").write_text(wrong, "utf-8")
    assert 0 < cells_of_students.points("2.1", folder=tmp_path) < NGRAMS.task("2.1").points


def test_points_end_what_never_ends(tmp_path, capsys):
    shutil.copy(PROJECT.tasks_file("ngrams"), tmp_path)
    (tmp_path / "ngrams.py").write_text(
        "import numpy as np\n\n\ndef pad(sentence, n):\n"
        "    while True:\n        np.random.default_rng(0).choice(['a', 'b'])\n",
        "utf-8",
    )
    suite = (
        "import pytest\n\n"
        "@pytest.mark.task('2.1', seconds=1)\n"
        "def test_it(coursework):\n    coursework.ngrams.pad('a', 2)\n"
    )
    given = {"ngrams/suite/test_ngrams.py": suite}
    assert cells_of_students.points("2.1", suite=given, folder=tmp_path) == 0
    assert "took more than 1 s of computing time" in capsys.readouterr().out


def test_a_suite_given_as_text_replaces_the_one_before(tmp_path, reference):
    shutil.copy(PROJECT.tasks_file("ngrams"), tmp_path)
    (tmp_path / "ngrams.py").write_text(reference, "utf-8")
    template = (
        "import pytest\n\n@pytest.mark.task('2.1')\ndef test_it(coursework):\n"
        "    assert len(coursework.ngrams.pad(['a'], 2)) == {}\n"
    )
    good, bad = (
        cells_of_students.points(
            "2.1", suite={"ngrams/suite/test_ngrams.py": template.format(value)}, folder=tmp_path
        )
        for value in (3, 0)
    )
    assert (good, bad) == (NGRAMS.task("2.1").points, 0)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("assert x == 1", CellScore(0.0, "a test of this answer failed")),
        ("print('half'); 1.5", CellScore(1.5, "half")),
        ("99", CellScore(3.0, "")),  # no more than the cell is worth
        ("float('nan')", CellScore(0.0, "")),
        ("x + 'a'", CellScore(0.0, "the answer has another form than was asked for (TypeError)")),
    ],
)
def test_a_check_gives_points_and_words(source, expected):
    assert judge(source, 3, {"x": 2}, {}) == expected


def test_a_missing_answer_is_named():
    score = judge("assert x", 3, {}, {"x": "NameError: name 'x' is not defined"})
    assert score == CellScore(0.0, "there is no x: was its cell left empty, or did it fail?")


def test_checks_expect_what_the_reference_answers_now(course, answers):
    path = course.root / "source" / "ngrams" / "ngrams.ipynb"
    old = path.read_text("utf-8")
    stale = re.sub(r"REFERENCE = \{.*?\\n", "REFERENCE = {}\\\\n", old)
    assert stale != old
    path.write_text(stale, "utf-8")
    assert by_order_points(course, answers) == 3
    # what was kept of an earlier run does not count for another reference
    assert list((course.root / "grader" / ".nextword").glob("answers-*"))
    solution = course.root / "grader" / "solutions" / "ngrams.py"
    text = solution.read_text("utf-8")
    other = text.replace("found.append(math.log(p) ", "found.append(2 * math.log(p) ")
    assert other != text
    solution.write_text(other, "utf-8")
    assert by_order_points(course, answers) < 3


def test_each_run_reads_the_course_folder_anew(course):
    """In the formgrader's server many runs follow each other."""
    path = course.root / "source" / "ngrams" / "ngrams.ipynb"
    old = path.read_text("utf-8")
    settings = course_settings(course.root)
    of = {"root": str(course.root), "assignment_id": "ngrams"}
    of["db_url"] = database_url(str(course.root / "gradebook.db"))

    def said() -> str:
        grader = CarefulAutograde(coursedir=CourseDirectory(config=settings, **of), config=settings)
        grader.check()
        return assignment(course.root, "ngrams").cells["check-by_order"]["source"]

    try:
        before = said()
        line = before.splitlines()[-1]
        path.write_text(old.replace(json.dumps(line)[1:-1], "assert 'another check'"), "utf-8")
        assert said() == before.replace(line, "assert 'another check'") != before
    finally:
        path.write_text(old, "utf-8")


def by_order_points(course, answers):
    """What the reference's answers get in a check of the course folder as it is now."""
    assignment.cache_clear()
    check = assignment(course.root, "ngrams").cells["check-by_order"]
    given = {name: answers[name] for name in ("by_order", "gap")}
    return judge(check["source"], 3, given, {}).points
