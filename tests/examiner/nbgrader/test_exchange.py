"""nbgrader's exchange between users of the system, who can only do what they may."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.coursedir import CourseDirectory

from examiner.platforms.nbgrader.exchange import Collect
from tests.examiner.nbgrader.system_of_users import among_users, can_be_made

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
NAMES = ("teacher", "ada", "ben", "cyd")
STAMP = "2026-01-10 12:00:00 UTC"


@pytest.fixture(scope="module")
def walked() -> Iterator[dict[str, Any]]:
    """What happened in the term."""
    folder = Path(tempfile.mkdtemp(prefix="exchange-", dir="/var/tmp"))
    folder.chmod(0o755)
    program = ("-m", "tests.examiner.nbgrader.exchange_walk", ROOT / "tests/examiner/sorting")
    try:
        done = subprocess.run(
            [*among_users(folder, NAMES, "teacher"), sys.executable, *map(str, program)],
            cwd=ROOT,
            env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=500,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        yield json.loads(done.stdout.splitlines()[-1])
    finally:
        shutil.rmtree(folder)


needs_users = [
    pytest.mark.thorough,
    pytest.mark.slow,
    pytest.mark.skipif(not can_be_made(), reason="only root, with bubblewrap, can make users"),
]


class TestAmongUsers:
    """One walk, looked at from several sides."""

    pytestmark = needs_users

    def test_work_goes_in_and_comes_back_graded(self, walked: dict[str, Any]) -> None:
        rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO(walked["grades"]))}
        points = {name: float(row["score"]) for name, row in rows.items()}
        assert points == {"ada": 10, "ben": 4, "cyd": 4}
        assert "cyd did not hand in through nbgrader's exchange" in walked["given back"]
        for name, merging in (("ada", "6 / 6"), ("ben", "0 / 6")):
            (page,) = walked[f"{name} reads"]
            text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
            assert f"1.2 Merging {merging}" in text

    def test_no_student_does_what_is_the_teachers(self, walked: dict[str, Any]) -> None:
        assert walked["forbidden"] == []

    def test_nobody_hands_in_for_another(self, walked: dict[str, Any]) -> None:
        assert walked["ada's"]
        assert "is named after ada, but cyd made it" in walked["collected"]

    def test_a_link_and_an_early_time_are_told(self, walked: dict[str, Any]) -> None:
        assert not [path for path in walked["files"] if "reference.py" in path]
        assert "the link reference.py was not followed" in walked["collected"]
        assert "handed in at 2020-01-01 00:00:00 UTC, but was written at" in walked["collected"]


def collector(folder: Path) -> Collect:
    """What collects from a folder, and keeps what it warns of in `said`."""
    step = Collect(coursedir=CourseDirectory(root=str(folder)))
    step.said = []
    step.log.warning = lambda text, *parts: step.said.append(text % parts)
    return step


def test_work_in_anothers_name_is_left_out(tmp_path: Path) -> None:
    step = collector(tmp_path)
    folder = tmp_path / f"nobody-of-that-name+sorting+{STAMP}+x"
    folder.mkdir()
    assert step._path_to_record(str(folder))["username"] is None
    assert "is named after nobody-of-that-name, but" in step.said[0]
    step.check_owner = False  # as where all users are one, in containers
    assert step._path_to_record(str(folder))["username"] == "nobody-of-that-name"


@pytest.mark.parametrize(
    ("said", "warned"),
    [
        (STAMP, "handed in at 2026-01-10 12:00:00 UTC, but was written at"),
        ("2100-01-01 00:00:00 UTC", ""),
        ("soon", "timestamp.txt holds no time"),
        (None, ""),
    ],
)
def test_a_time_before_the_folder_was_made_is_told(
    tmp_path: Path, said: str | None, warned: str
) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    (origin / "sorting.py").write_text("mine")
    if said:
        (origin / "timestamp.txt").write_text(said)
    step = collector(tmp_path)
    step.do_copy(str(origin), str(tmp_path / "collected"))
    assert (tmp_path / "collected" / "sorting.py").read_text() == "mine"
    assert bool(step.said) == bool(warned)
    assert warned in "".join(step.said)
