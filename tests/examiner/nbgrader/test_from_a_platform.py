"""A learning platform's download on its way into the gradebook, and feedback on its way back."""

import io
import json
import shutil
import zipfile
from datetime import UTC, datetime

import pytest
from nbgrader.api import Gradebook

from tests.examiner.nbgrader.conftest import Course

FULL = 50.0  # what can be had without marks by hand
ADA, BO = "Ada L_11_assignsubmission_file_", "Bo_12_assignsubmission_file_"
# 36 hours late where this machine's zone is UTC, and so on the second day wherever it stands
ROSTER = """\
Identifier,ID number,Last name,First name,Email address,Status,Last modified (submission)
Participant 11,ada,Lovelace,Ada,=ada@example.org,Submitted,"Thursday, 3 December 2026, 5:00 AM"
Participant 19,gus,Giraffe,Gus,,No submission,-
"""
EXPORTS = "examiner.platforms.nbgrader.exports"
DUE = "2026-12-01 18:00 Europe/Berlin"
RULE = """\
c.AssignLatePenalties.plugin_class = "examiner.platforms.nbgrader.late_rule.LateRule"
c.LateRule.rule = "10 % a day, at most 50 %"
"""


def zipped(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap")
def test_a_download_is_graded_into_the_gradebook_and_handed_back(
    course: Course, reference, answers
):
    notebook = json.dumps(course.answered(answers))
    inner = zipped({"w/ngrams.py": reference, "w/ngrams.ipynb": notebook, "w/timestamp.txt": "x"})
    files = {
        f"{ADA}/ngrams.zip": zipped({"up/ngrams.zip": inner}),
        f"{BO}/ngrams.zip": "no zip",
        "Ada L_11_assignsubmission_onlinetext_/onlinetext.html": "<p>hello</p>",
    }
    (course.root / "moodle.zip").write_bytes(zipped(files))
    (course.root / "class.csv").write_text(ROSTER)
    course.add_config(RULE)
    course.run("nbgrader", "db", "assignment", "add", "ngrams", "--duedate", DUE)
    with_roster = ("moodle.zip", "--roster", "class.csv")
    said = course.run("nextword", "grade", "ngrams", *with_roster, "--gradebook", "gradebook.db")
    oddities = "gus: nothing was handed in", "moodle-12: no row of class.csv fits", "not a zip file"
    for line in oddities:
        assert line in said
    assert course.grades() == {"ada": 0.8 * FULL, "moodle-12": 0.0}
    course.run("nbgrader", "export", "--exporter", f"{EXPORTS}.Moodle", "--to", "moodle.csv")
    (row,) = [
        line for line in (course.root / "moodle.csv").read_text().splitlines() if "ada" in line
    ]
    assert row.endswith(",40")
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", "nextword") as book:
        ada = book.find_student("ada")
        assert (ada.first_name, ada.last_name) == ("Ada", "Lovelace")
        handed = datetime(2026, 12, 3, 5).astimezone(UTC).replace(tzinfo=None)
        assert book.find_submission("ngrams", "ada").timestamp == handed
        assert book.find_submission("ngrams", "moodle-12").timestamp is None
    early = course.run("nextword", "feedback", "ngrams", *with_roster, status=2)
    assert "nbgrader generate_feedback ngrams" in early
    course.run("nbgrader", "generate_feedback", "ngrams", "--student", "ada")
    said = course.run("nextword", "feedback", "ngrams", *with_roster, status=1)
    assert "moodle-12: there is no page of feedback" in said
    with zipfile.ZipFile(course.root / "feedback-for-moodle.zip") as upload:
        assert upload.namelist() == [f"{ADA}/feedback.html"]
        assert b"1 day" in upload.read(f"{ADA}/feedback.html")
    _times_of_a_table(course)


def _times_of_a_table(course: Course) -> None:
    """A list of the class says who is who, and beside it the worksheet when they handed in."""
    (course.root / "ids.csv").write_text("id,name\nada-7,Ada L\nbo-8,Bo\n")
    (course.root / "times.csv").write_text(
        "id,handed in\nada-7,2026-12-02 17:00 UTC\nnobody,2026-12-02 17:00 UTC\n"
    )
    tables = ("--roster", "ids.csv", "--times", "times.csv", "--gradebook", "gradebook.db")
    said = course.run("nextword", "grade", "ngrams", "moodle.zip", *tables)
    assert "times.csv: a time, and no work here that it fits: nobody" in said
    assert course.grades()["ada-7"] == 0.9 * FULL
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}", "nextword") as book:
        at = datetime(2026, 12, 2, 17)
        assert book.find_submission("ngrams", "ada-7").timestamp == at
        assert book.find_submission("ngrams", "bo-8").timestamp is None
