"""When work was handed in, as platforms say it; and what anybody could have set."""

import zipfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from examiner.errors import UserError
from examiner.grading.entries import open_class
from examiner.grading.roster import Student as Person
from examiner.grading.roster import parted, read_roster
from examiner.term.times import Handed, in_row, of_gradescope, remarks

WORKSHEET = """Identifier,Full name,Email address,Status,Grade,Last modified (submission)
Participant 12,Ada Lovelace,ada@uni.example,Submitted for grading - 1 day 3 hours late,-,"Thursday, 3 December 2026, 9:00 PM"
Participant 13,Ben Bit,ben@uni.example,Submitted for grading,-,"Monday, 30 November 2026, 9:00 PM"
Participant 14,Cleo Dot,cleo@uni.example,No submission,-,-
"""  # noqa: E501


def test_moodles_worksheet_tells_the_time(tmp_path: Path) -> None:
    path = tmp_path / "worksheet.csv"
    path.write_text(WORKSHEET, "utf-8")
    ada, ben, cleo = (person.handed for person in read_roster(path).people)
    assert ada
    assert (ada.at, ada.late_by) == (datetime(2026, 12, 3, 21), timedelta(days=1, hours=3))
    assert ben
    assert (ben.at, ben.late) == (datetime(2026, 11, 30, 21), False)
    assert cleo is None
    folder = tmp_path / "class"
    (folder / "Ada Lovelace_12_assignsubmission_file_").mkdir(parents=True)
    with open_class(folder, read_roster(path)) as found:
        assert found.entries[0].handed == ada


def test_a_table_of_times_must_hold_times(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("id,handed in\nada,2026-12-01T18:00\nben,yesterday\n", "utf-8")
    with pytest.raises(UserError, match="line 3: 'yesterday' is no time"):
        read_roster(path, "the times", times=True)
    path.write_text("id,handed in\nada,9999-12-31\n", "utf-8")
    with pytest.raises(UserError, match="line 2: '9999-12-31' is no time"):
        read_roster(path, "the times", times=True)
    path.write_text("id,status\nada,Submitted for grading - 99999999999 days late\n", "utf-8")
    with pytest.raises(UserError, match="line 2: '99999999999 days late' is no time"):
        read_roster(path, "the times", times=True)
    path.write_text("id,handed in\nada,2026-12-01T18:00Z\nben,-\n", "utf-8")
    ada, ben = read_roster(path, "the times", times=True).people
    assert ada.handed == Handed(datetime(2026, 12, 1, 18, tzinfo=UTC), source="the table")
    assert ben.handed is None


@pytest.mark.parametrize(
    "status",
    [
        "Submitted for grading - 2 days 1 hour late - Extension granted until: Monday - ",
        "Zur Bewertung abgegeben - 2 Tage 1 Stunde verspätet",
        "Zur Bewertung abgegeben - 2 Tage 1 Stunde zu spät -  - ",
        "Remis pour évaluation - En retard de 2 jours 1 heure",
        "Enviado para calificar - 2 días 1 hora después",
    ],
)
def test_a_status_in_the_languages_of_moodles_users(status: str) -> None:
    late = Handed(None, timedelta(days=2, hours=1), True, "Moodle")
    assert in_row({"status": status}, "Moodle") == late
    assert in_row({"status": status.split(" - ")[0]}, "Moodle") is None


def test_a_time_in_the_languages_of_moodles_users() -> None:
    for column, text in (
        ("zuletztgeandertabgabe", "Dienstag, 6. Oktober 2026, 10:37"),
        ("dernieremodificationtravailremis", "mardi 6 octobre 2026, 10:37"),
        ("ultimamodificacionentrega", "martes, 6 de octubre de 2026, 10:37"),
    ):
        found = in_row({column: text}, "Moodle")
        assert found
        assert found.at == datetime(2026, 10, 6, 10, 37)


def test_gradescopes_metadata_tells_the_time(tmp_path: Path) -> None:
    noon = datetime(2026, 12, 1, 12, tzinfo=UTC)
    for said in (noon, noon.replace(tzinfo=None), "2026-12-01 12:00:00.000000 Z"):
        found = of_gradescope({":created_at": said})
        assert found
        assert found.at == noon
    assert of_gradescope({":created_at": 5}) is None
    (tmp_path / "submission_7").mkdir()
    text = "submission_7:\n  :created_at: 2026-12-01 12:00:00.0 Z\n  :submitters:\n  - :sid: ada\n"
    (tmp_path / "submission_metadata.yml").write_text(text)
    with open_class(tmp_path) as opened:
        assert opened.entries[0].handed == Handed(noon, source="Gradescope")


def test_canvas_says_late_and_not_when(tmp_path: Path) -> None:
    (tmp_path / "lovelaceada_LATE_12_34_sorting.py").write_text("x")
    with open_class(tmp_path) as found:
        assert found.entries[0].handed == Handed(late=True, source="Canvas")


def test_what_students_can_set_is_a_remark(tmp_path: Path) -> None:
    bag = tmp_path / "ada.zip"
    with zipfile.ZipFile(bag, "w") as archive:
        archive.writestr(zipfile.ZipInfo("sorting.py", (2026, 12, 1, 18, 2, 0)), "x")
    repository = tmp_path / "ben"
    (repository / ".git" / "logs").mkdir(parents=True)
    log = repository / ".git" / "logs" / "HEAD"
    log.write_text(
        "0 1 Ben <b@x> 1764608400 +0000\tcommit: done\n1 1 Ben <b@x> 9 +0000\tcheckout\n"
    )
    (repository / "timestamp.txt").write_text("2026-12-01 17:00:00 UTC\n")
    found = remarks((bag, repository))
    assert [line.partition(";")[0] for line in found] == [
        "the newest file in ada.zip says 2026-12-01 18:02",
        "its last commit says 1 December 2025, 17:00 UTC",
        "its timestamp.txt says 2026-12-01 17:00 UTC",
    ]
    log.unlink()
    log.symlink_to("/etc/passwd")
    bag.write_bytes(b"no zip")
    assert len(remarks((bag, repository))) == 1


def test_nbgrader_is_told_the_platforms_time(tmp_path: Path) -> None:
    plain_files = pytest.importorskip("examiner.platforms.nbgrader.plain_files")
    plain_files.note_time(tmp_path, None)
    plain_files.note_time(tmp_path, Handed(late=True))
    assert not list(tmp_path.iterdir())
    (tmp_path / "timestamp.txt").mkdir()  # whatever a student lays there gives way
    at = datetime(2026, 12, 1, 18, 30, tzinfo=timezone(timedelta(hours=1)))
    plain_files.note_time(tmp_path, Handed(at))
    assert plain_files.time_in(tmp_path) == "2026-12-01 17:30:00 UTC"


def test_staff_are_no_students(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    rows = ["ada,Student", "grace,Instructor", "tim,TA", "pat,", "kim,Non-editing teacher"]
    path.write_text("sid,Role\n" + "\n".join(rows), "utf-8")
    assert [person.id for person in read_roster(path).people] == ["ada", "pat"]


@pytest.mark.parametrize(
    ("person", "wanted"),
    [
        (Person("1", "Ada Lovelace"), ("Ada", "Lovelace")),
        (Person("1", "Johann Sebastian Bach"), ("Johann Sebastian", "Bach")),
        (Person("1", "Lovelace, Ada"), ("Ada", "Lovelace")),
        (Person("1", "Vincent van der Berg"), ("Vincent", "van der Berg")),
        (
            Person("1", "Ada King Lovelace", first="Ada", last="King Lovelace"),
            ("Ada", "King Lovelace"),
        ),
        (Person("1", "Plato"), ("", "Plato")),
        (Person("1"), ("", "")),
    ],
)
def test_names_are_parted(person: Person, wanted: tuple[str, str]) -> None:
    assert parted(person) == wanted
