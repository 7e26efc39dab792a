"""When tasks were first right: noted while checking, handed in if the student likes, harmless."""

import json
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examiner.check import firsts
from examiner.grading.submissions import read
from examiner.grading.works import Entry
from examiner.project import Project
from tests.conftest import DEMO_SOLUTION
from tests.examiner.report.classes import chapter_of, result_of

TWO = chapter_of(4, 6)
NOON = datetime(2026, 11, 20, 12, 40, tzinfo=UTC)


def test_the_first_hour_stays(tmp_path: Path) -> None:
    path = tmp_path / "state" / "firsts.json"
    firsts.note(path, result_of(TWO, "me", "x+ ..").tasks, NOON)
    assert not path.exists()
    firsts.note(path, result_of(TWO, "me", "++ x+").tasks, NOON)
    firsts.note(path, result_of(TWO, "me", "++ ++").tasks, NOON + timedelta(days=1))
    assert json.loads(firsts.to_hand_in(path, TWO)) == {
        "9.1": "2026-11-20T12:00Z",
        "9.2": "2026-11-21T12:00Z",
    }
    assert firsts.to_hand_in(path, chapter_of()) == b""


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file", "utf-8")
    firsts.note(tmp_path / "state" / "firsts.json", result_of(TWO, "me", "++ ++").tasks, NOON)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[1]",
        b"\xff",
        b"[" * 10_000,
        b'{"9.1": 7}',
        b'{"9.1": "2026-99-20T12:00Z"}',
        b'{"9.1": "9999-11-20T12:00Z"}',
        b'{"9.1": "2026-11-20T12:00Z"' + b" " * firsts.LONGEST + b"}",
    ],
)
def test_what_is_no_such_file_says_nothing(data: bytes) -> None:
    assert firsts.parsed(data) == ()


@pytest.mark.parametrize("content", [b'{"9.1": "2026-11-20T12:00Z"}', b"nonsense", None])
def test_a_submission_brings_it_and_is_the_same_work(tmp_path: Path, content: bytes | None) -> None:
    entry = Entry("ann", (tmp_path,))
    (tmp_path / "tiny.py").write_text("x = 1\n", "utf-8")
    alone = read(entry, "tiny")
    if content is not None:
        (tmp_path / firsts.IN_SUBMISSION).write_bytes(content)
    found = read(entry, "tiny")
    right = (("9.1", "2026-11-20T12:00Z"),) if content and b"T12" in content else ()
    assert found.whose.first_success == right
    assert (found.digest, found.problem, found.note) == (alone.digest, "", "")


def test_checking_notes_and_submitting_packs_it(demo_course, nextword) -> None:
    package = demo_course / "coursework"
    (package / "demo.py").write_text(DEMO_SOLUTION, "utf-8")
    (package / "__init__.py").touch()
    assert nextword("submit", "demo").exit_code == 0
    assert zipfile.ZipFile("demo.zip").namelist() == ["demo.py"]
    assert nextword("check", "9.1").exit_code == 0
    assert firsts.firsts_file(Project(demo_course)).is_file()
    said = nextword("submit", "demo").output
    assert "progress.json says in which hour each task first passed, and nothing else" in said
    with zipfile.ZipFile("demo.zip") as made:
        assert [*json.loads(made.read("progress.json"))] == ["9.1"]
    assert "progress.json" not in nextword("submit", "demo", "--no-progress").output
    assert zipfile.ZipFile("demo.zip").namelist() == ["demo.py"]
