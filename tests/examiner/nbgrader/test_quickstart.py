"""nbgrader's own example course gets the same scores under our config as under nbgrader's."""

import shutil
from pathlib import Path

import nbgrader
import pytest
from nbgrader.api import Gradebook

from tests.examiner.nbgrader.conftest import Course

EXAMPLES = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide"


def scores(course: Course) -> dict[tuple[str, str, str], tuple[float | None, bool]]:
    with Gradebook(f"sqlite:///{course.root}/gradebook.db", "course") as book:
        return {
            (student.id, grade.notebook.name, grade.name): (
                grade.auto_score,
                bool(grade.needs_manual_grade),
            )
            for student in book.students
            for submission in student.submissions
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory):
    """What `nbgrader quickstart` makes, but for its students, whom it takes 15 seconds to add."""
    course = Course(tmp_path_factory.mktemp("quickstart"))
    shutil.copytree(EXAMPLES / "source", course.root / "source")
    shutil.copytree(EXAMPLES / "submitted", course.root / "submitted")
    course.add_config("c = get_config()\n\nc.CourseDirectory.course_id = 'course'")
    course.add_config("c.IncludeHeaderFooter.header = 'source/header.ipynb'")
    course.run("nbgrader", "generate_assignment", "ps1")
    return course


def test_honest_work_gets_the_same_scores(quickstart):
    quickstart.run("nbgrader", "autograde", "ps1")
    theirs = scores(quickstart)
    quickstart.add_config("import examiner.platforms.nbgrader\nnextword.nbgrader.configure(c)")
    quickstart.run("nbgrader", "autograde", "ps1", "--force")
    ours = scores(quickstart)
    assert len(theirs) == 18
    assert sum(score or 0 for score, _ in theirs.values()) > 4
    assert ours == theirs
    quickstart.run("nbgrader", "generate_feedback", "ps1")
    page = quickstart.root / "feedback" / "bitdiddle" / "ps1" / "problem1.html"
    assert "bitdiddle" in page.read_text("utf-8")
