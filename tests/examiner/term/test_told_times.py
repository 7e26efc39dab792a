"""A table of times is joined with the class, whatever it calls the students."""

from datetime import datetime
from pathlib import Path

import pytest

from examiner.grading.roster import Roster, read_roster
from examiner.grading.told_times import told_times
from examiner.grading.works import Entry

WHEN = datetime(2026, 12, 2, 9)
LABEL = "Ada Lovelace_11_assignsubmission_file_"


def table(folder: Path, *lines: str) -> Roster:
    path = folder / "times.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return read_roster(path, "the times", times=True)


def worksheet(folder: Path) -> Roster:
    head = "Identifier,Full name,Email address,Status,Last modified (submission)"
    return table(
        *(folder, head),
        'Participant 11,Ada Lovelace,ada@x.org,Submitted,"Wednesday, 2 December 2026, 9:00 AM"',
        "Participant 12,Ben Abel,ben@x.org,No submission,-",
    )


@pytest.mark.parametrize(
    "entry",
    [
        Entry("ada@x.org"),
        Entry("s7", email="Ada@X.org"),
        Entry("s7", name="Lovelace, Ada"),
        Entry("s7", labels=(LABEL,)),
        Entry("moodle-11", labels=(f"{LABEL}work.py",)),
    ],
    ids=["id", "address", "name", "number", "number of a file"],
)
def test_moodles_worksheet_need_not_be_the_roster(tmp_path: Path, entry: Entry) -> None:
    told, lost = told_times([entry, Entry("s8", name="Ben Abel")], worksheet(tmp_path))
    assert {student: handed.at for student, handed in told.items()} == {entry.student: WHEN}
    assert lost == ""


def test_a_row_that_fits_no_work_is_told(tmp_path: Path) -> None:
    told, lost = told_times([Entry("s7", name="Eve")], worksheet(tmp_path))
    assert told == {}
    assert lost == "times.csv: a time, and no work here that it fits: ada@x.org"
    rows = [f"s{n},2026-12-02T09:00" for n in range(8)]
    _, lost = told_times([Entry("s0")], table(tmp_path, "id,handed in", *rows))
    assert lost.endswith("s1, s2, s3, s4, s5 and 2 more")


def test_of_two_of_one_name_each_gets_the_own_time_or_none(tmp_path: Path) -> None:
    rows = table(tmp_path, "id,name,handed in", "7,Maria Garcia,2026-12-02T09:00")
    both = [Entry("7", name="Maria Garcia"), Entry("8", name="Maria Garcia")]
    assert list(told_times(both, rows)[0]) == ["7"]
    strangers = [Entry("a", name="Maria Garcia"), Entry("b", name="Maria Garcia")]
    assert told_times(strangers, rows)[0] == {}
    twice = table(
        tmp_path, "id,name,handed in", "7,Maria Garcia,2026-12-02T09:00", "8,Maria Garcia,"
    )
    assert told_times([Entry("a", name="Maria Garcia")], twice)[0] == {}
