"""Points for Canvas, Moodle and Gradescope: into their own files, and there and back."""

import csv
import io

import pytest

from examiner.catalogue import Chapter, Task
from examiner.errors import UserError
from examiner.grading.roster import read_roster
from examiner.platforms.marks.forms import fill, form_for
from examiner.results import SubmissionResult, TaskResult, TestResult, Verdict

TASK = Task("9.1", "Sort <fast>", ("sort",), "9", 5, 5, "easy", ("a", "b", "c"))
CHAPTER = Chapter("sorting", 9, "Sorting", (TASK,), "Algorithms")

CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Sorting (4711),Essay (4712),Final Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,5.00,10,(read only)\r\n"
    '"Lovelace, Ada",501,ada,ada.l,S1,,7,70\r\n'
    '"=Hopper, ""Grace""",502,grace,grace.h,S1,2,8,80\r\n'
    '"Student, Test",9,,,S1,,,\r\n'
)
MOODLE = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 11,Ada Lovelace,ada@example.org,Submitted,,"5,00",Yes,'
    '"Monday, 2 March 2026, 9:14 AM",-,\n'
    'Participant 12,"Hopper, Grace",grace@example.org,No submission,"1,00","5,00",Yes,-,-,kept\n'
)


def result(student: str, passed: int, *others: Verdict) -> SubmissionResult:
    """Who passed so many of four tests."""
    verdicts = [Verdict.PASSED] * passed + [Verdict.FAILED] * (4 - passed - len(others)) + [*others]
    tests = tuple(TestResult(f"t{n}", "It sorts.", v) for n, v in enumerate(verdicts))
    return SubmissionResult(student, (TaskResult(TASK, tests),))


def filled(tmp_path, platform, text=None, results=(), column=""):
    path = None
    if text is not None:
        path = tmp_path / "export.csv"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    people = read_roster(path) if path else None
    return fill(form_for(platform, CHAPTER, path, people, column), results)


def rows(text: str, mark: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=mark))


def test_canvas_gets_its_own_columns_back(tmp_path) -> None:
    made = filled(tmp_path, "canvas", CANVAS, [result("ada", 3)])
    head, posting, possible, *students = rows(made.text)
    assert head == rows(CANVAS)[0][:6]  # "Sorting (4711)" with its number, and nothing else
    assert posting[5] == "Manual Posting"
    assert possible == rows(CANVAS)[2][:6]
    assert [row[5] for row in students] == ["3.75", "2"]  # who handed nothing in keeps the 2
    assert students[1][0] == '=Hopper, "Grace"'  # as Canvas has it, or it is not found
    assert made.text.startswith("\ufeff")
    assert made.notes == []


def test_canvas_keeps_its_decimal_comma(tmp_path) -> None:
    text = (
        "Student;ID;SIS User ID;SIS Login ID;Section;Sorting (4711)\n    Points Possible;;;;;5,00\n"
        '"Lovelace, Ada";501;ada;ada.l;S1;\n'
    )
    made = filled(tmp_path, "canvas", text, [result("ada", 3)])
    assert [row[5] for row in rows(made.text, ";")[1:]] == ["5,00", "3,75"]
    made = filled(tmp_path, "canvas", text.replace("Sorting", "Essay"), [result("ada", 3)])
    assert [row[5] for row in rows(made.text, ";")[1:]] == ["5", "3,75"]  # a new column, too
    told = CANVAS.replace("S1,2,", 'S1,"ill, excused",')
    assert rows(filled(tmp_path, "canvas", told, [result("ada", 3)]).text)[3][5] == "3.75"


def test_what_canvas_gets_is_read_as_a_roster_again(tmp_path) -> None:
    before = {person.id for person in read_roster_of(tmp_path, CANVAS).people}
    made = filled(tmp_path, "canvas", CANVAS, [result("ada", 3)])
    again = filled(tmp_path, "canvas", made.text, [result("ada", 3)])
    assert again.text == made.text
    assert {person.id for person in read_roster_of(tmp_path, made.text).people} == before


def read_roster_of(tmp_path, text):
    path = tmp_path / "again.csv"
    path.write_bytes(text.encode())
    return read_roster(path)


def test_canvas_makes_an_assignment_that_it_lacks(tmp_path) -> None:
    text = CANVAS.replace("Sorting (4711)", "Other (4711)")
    made = filled(tmp_path, "canvas", text, [result("ada", 4)])
    head, _, possible, ada, _ = rows(made.text)
    assert head[-1] == "Sorting"
    assert (possible[-1], ada[-1]) == ("5", "5")
    assert "makes a new assignment" in made.notes[0]
    named = filled(tmp_path, "canvas", text, [result("ada", 4)], "other")
    assert rows(named.text)[0][-1] == "Other (4711)"


def test_moodles_worksheet_keeps_what_is_moodles(tmp_path) -> None:
    ids = [person.id for person in read_roster_of(tmp_path, MOODLE).people]
    made = filled(tmp_path, "moodle", MOODLE, [result(ids[0], 3), result("zoe", 4)])
    before, after = rows(MOODLE), rows(made.text)
    assert after[1][4] == "3,75"  # its own decimal comma
    assert after[1][9] == "3.75 of 5 points.<br>9.1 Sort &lt;fast&gt;: 3.75 of 5"
    for old, new in zip(before, after, strict=True):  # dates and identifiers among them
        assert [c for n, c in enumerate(new) if n not in (4, 9)] == [
            c for n, c in enumerate(old) if n not in (4, 9)
        ]
    assert after[2] == before[2]  # no submission: nothing is changed
    assert made.notes == ["zoe: no row of the file is theirs"]


@pytest.mark.parametrize(
    "text",
    [
        'ID,"Vollständiger Name",E-Mail-Adresse,Bewertung,Bestwertung,"Feedback als Kommentar"\n'
        'Teilnehmer/in11,"Ada Lovelace",ada@example.org,,"5,00",\n',
        "Identifiant,Nom complet,Adresse de courriel,Note,Note maximale,Feedback par commentaires\n"
        'Participant 11,Ada Lovelace,ada@example.org,,"5,00",\n',
        "Identificador,Nombre completo,Dirección de correo,Calificación,Calificación máxima,"
        'Comentarios de retroalimentación\nParticipante 11,Ada Lovelace,ada@example.org,,"5,00",\n',
    ],
)
def test_a_worksheet_in_another_language_is_filled_in(tmp_path, text) -> None:
    made = filled(tmp_path, "moodle", text, [result("ada@example.org", 3)])
    head, ada = rows(made.text)
    assert head == rows(text)[0]  # Moodle finds its columns by these words
    assert ada[:5] == [*rows(text)[1][:3], "3,75", "5,00"]
    assert ada[5].startswith("3.75 of 5 points.")
    assert made.notes == []


def test_other_separators_and_points_stay(tmp_path) -> None:
    text = MOODLE.replace("5,00", "5.00").replace(",", ";").replace("Monday; 2 March 2026;", "M")
    ids = [person.id for person in read_roster_of(tmp_path, text).people]
    made = filled(tmp_path, "moodle", text, [result(ids[0], 3)])
    assert rows(made.text, ";")[1][4] == "3.75"


@pytest.mark.parametrize(
    ("platform", "text", "says"),
    [
        ("blackboard", None, "expected canvas, moodle or gradescope"),
        ("canvas", CANVAS.replace("5.00", "10"), "Canvas counts 10 points for it"),
        ("moodle", MOODLE.replace("5,00", "100,00"), "Moodle counts 100 points for it"),
        ("moodle", MOODLE.replace(",Grade,", ",Nota,"), "set to English, German, French or Spa"),
        ("moodle", MOODLE.replace("Maximum Grade", "Scale"), "by a scale, 'Scale', and not in poi"),
        ("canvas", CANVAS.replace("Essay (4712)", "sorting (1)"), "2 columns 'Sorting'"),
    ],
)
def test_files_that_points_cannot_go_into(tmp_path, platform, text, says) -> None:
    with pytest.raises(UserError, match=says) as raised:
        filled(tmp_path, platform, text)
    assert "\n" not in str(raised.value)


def test_a_column_is_for_canvas_own_file(tmp_path) -> None:
    with pytest.raises(UserError, match="--marks-column goes with"):
        form_for("moodle", CHAPTER, column="x")


def test_without_a_platforms_file_one_is_made(tmp_path) -> None:
    plain = "id,last_name,first_name,email\n007,=Love,Ada,ada@example.org\nzoe,Z,Zoe,\n"
    for platform, place, none in [("canvas", 2, ""), ("moodle", 2, "-"), ("gradescope", 2, "")]:
        made = rows(filled(tmp_path, platform, plain, [result("007", 3)]).text)
        there = {row[place]: row for row in made[1:]}
        assert set(there) >= {"007", "zoe"}
        assert "3.75" in there["007"]
        assert none in there["zoe"]
        assert any(cell.startswith("'=Love") for cell in there["007"])
    again = read_roster_of(tmp_path, filled(tmp_path, "gradescope", plain, []).text)
    assert {person.id for person in again.people} == {"007", "zoe"}


def test_without_a_list_canvas_gets_its_own_numbers_and_moodle_is_told_of(tmp_path) -> None:
    """Canvas knows nobody whose SIS id is canvas-501, and was given nothing else."""
    made = filled(tmp_path, "canvas", results=[result("canvas-501", 3)])
    assert rows(made.text)[2][1:] == ["501", "", "", "", "3.75"]
    assert made.notes == []
    made = filled(tmp_path, "moodle", results=[result("moodle-11", 3)])
    (note,) = made.notes
    assert note.startswith("Moodle finds nobody by moodle-11: give its grading worksheet")


def test_a_name_in_one_cell_is_parted_where_the_platform_wants_two(tmp_path) -> None:
    plain = "Name,SID,Email\nLudwig van Beethoven,7,\n"
    for platform in ("gradescope", "moodle"):
        (_, row) = rows(filled(tmp_path, platform, plain, [result("7", 3)]).text)
        assert row[:2] == ["Ludwig", "van Beethoven"]


def test_what_may_still_rise_is_said(tmp_path) -> None:
    made = filled(tmp_path, "canvas", CANVAS, [result("ada", 3, Verdict.NOT_JUDGED)])
    assert made.notes == ["ada: points may still rise: some tests could not be judged"]
