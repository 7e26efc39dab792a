"""Two commands that change the same files at once: nothing that either wrote is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examiner.files import held, left_behind, locked, whole_file
from examiner.grading.reckoning import keep_days
from examiner.results import Standing, SubmissionResult
from examiner.term.dates import Terms, read_rule
from examiner.term.ledger import FILE, Ledger, read_ledger
from examiner.term.standing import Term

DUE = datetime(2026, 12, 1, 18, tzinfo=UTC)
RULE = read_rule("10 % a day, 3 days in hand")


def term(chapter: str, weeks: int, ledger: Ledger | None = None) -> Term:
    return Term(chapter, Terms(DUE + timedelta(weeks=weeks), RULE), ledger=ledger or Ledger())


def used(days: int, student: str = "ada") -> list[SubmissionResult]:
    return [SubmissionResult(student, (), standing=Standing(10.0, 10.0, "", "", 0, days))]


def test_days_in_hand_of_two_chapters_that_are_graded_at_once(tmp_path: Path) -> None:
    first, second = term("first", 0), term("second", 1)  # both read an empty ledger
    assert keep_days(tmp_path, first, used(2)) == []
    assert keep_days(tmp_path, second, used(1)) == ["second"]  # it knew nothing of the two days
    rows = read_ledger(tmp_path / FILE).rows
    assert [(row.chapter, row.days) for row in rows] == [("first", 2), ("second", 1)]
    again = replace(second, ledger=read_ledger(tmp_path / FILE))
    assert keep_days(tmp_path, again, used(1)) == []


def test_a_class_that_is_graded_in_groups_uses_the_days_of_all(tmp_path: Path) -> None:
    for student, days in (("ada", 2), ("ben", 1), ("ben", 0), ("cleo", 3)):
        keep_days(tmp_path, term("first", 0), used(days, student))
    rows = read_ledger(tmp_path / FILE).rows
    assert [(row.student, row.days) for row in rows] == [("ada", 2), ("cleo", 3)]
    keep_days(tmp_path, term("first", 1), [SubmissionResult("cleo", ())])  # it was not late at all
    (row,) = read_ledger(tmp_path / FILE).rows
    assert (row.student, row.due) == ("ada", DUE + timedelta(weeks=1))


def test_who_had_no_day_left_is_marked_again_where_some_become_free(tmp_path: Path) -> None:
    late = SubmissionResult("ada", (), standing=Standing(10.0, 9.0, "", "", 3600, 0))
    keep_days(tmp_path, term("first", 0), used(3))
    keep_days(tmp_path, term("second", 1, read_ledger(tmp_path / FILE)), [late, *used(0, "ben")])
    assert [row.student for row in read_ledger(tmp_path / FILE).rows] == ["ada", "ada"]
    first = term("first", 0, read_ledger(tmp_path / FILE))
    assert keep_days(tmp_path, first, [*used(0), *used(1, "ben")]) == ["second"]


def test_who_comes_second_waits_for_the_file(tmp_path: Path) -> None:
    path, order = tmp_path / "a.json", tmp_path / "order"
    with locked(path):
        child = os.fork()
        if not child:
            with locked(path), order.open("a") as file:
                file.write("second")
            os._exit(0)
        with order.open("a") as file:
            file.write("first ")
    os.waitpid(child, 0)
    assert order.read_text() == "first second"


def test_who_does_not_wait_is_told_and_a_fork_lets_nobody_in(tmp_path: Path) -> None:
    lock = tmp_path / "deep" / ".lock"
    with held(lock, wait=False):
        child = os.fork()
        if not child:  # it leaves the block, too, and has the file open
            lock = tmp_path / "nothing"
        else:
            with pytest.raises(BlockingIOError), held(lock, wait=False):
                pass
    if not child:
        time.sleep(30)
        os._exit(0)
    try:
        with held(lock, wait=False):
            pass
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_a_lock_that_its_holder_takes_away_holds_nobody(tmp_path: Path) -> None:
    """Who waited for the file that is gone holds the one that later commands find."""
    lock = tmp_path / ".lock"
    with held(lock, wait=True):
        child = os.fork()
        if not child:
            with held(lock, wait=True):
                (tmp_path / "in").touch()
                time.sleep(30)
            os._exit(0)
        time.sleep(0.2)  # it has opened the file
        lock.unlink()
    try:
        while not (tmp_path / "in").exists():
            time.sleep(0.01)
        with pytest.raises(BlockingIOError), held(lock, wait=False):
            pass
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_what_another_run_is_writing_is_not_cleared_away(tmp_path: Path) -> None:
    child = os.fork()
    if not child:  # killed while it writes
        with whole_file(tmp_path / "deep" / "b.json") as file:
            file.write(b"x")
            os._exit(0)
    os.waitpid(child, 0)
    (tmp_path / ".old.part").touch()
    with whole_file(tmp_path / "a.json") as file:
        file.write(b"whole")
        gone = list(left_behind(tmp_path))
        assert len(gone) == 2
        for path in gone:
            path.unlink()
    assert (tmp_path / "a.json").read_bytes() == b"whole"


@pytest.mark.parametrize("number", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_no_file_takes_the_place_of_a_stream(number: str) -> None:
    text = f"from examiner.files import *; write_whole(Path({number!r}), b'told')"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"told", b"")
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize("number", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_what_is_written_to_a_stream_stands_in_its_order(number: str, tmp_path: Path) -> None:
    """Also where standard output is led to a file, which is not begun anew."""
    text = (
        "from examiner.files import *; print('before'); "
        f"write_whole(Path({number!r}), b'told, and more\\n'); print('after')"
    )
    with (tmp_path / "out").open("wb") as file:
        subprocess.run([sys.executable, "-c", text], stdout=file, check=True)
    assert (tmp_path / "out").read_text() == "before\ntold, and more\nafter\n"
