"""What counts of what arrives: dates, days in hand and corrections, at the desk and alone."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer

from examiner.errors import UserError
from examiner.inbox.arrivals import Arrival
from examiner.inbox.counting import Counting, require_applicable
from examiner.inbox.folder import DONE, INCOMING, WORK, FolderInbox
from examiner.results import SubmissionResult
from examiner.term.corrections import Correction, Corrections
from examiner.term.dates import Extension, Terms, read_rule
from examiner.term.ledger import read_ledger
from examiner.term.standing import Term
from nextword.cli.serve import serve as command
from nextword.cli.term import Said, require_one_chapter
from tests.examiner.cluster.conftest import SOURCES, Known
from tests.examiner.inbox.test_desk import setting, turn
from tests.examiner.inbox.test_folder import claimed, hand_in, killed

__all__ = ["setting"]
DUE = datetime(2026, 12, 1, 18, tzinfo=UTC)
CHAPTERS = ("first", "second")  # by their due dates


def arrival(student: str = "ada", hours: float = 0.0, **others: str) -> Arrival:
    """What arrived so many hours after it was due."""
    when = (DUE + timedelta(hours=hours)).timestamp()
    return Arrival("t", student, Path("x.py"), when, **others)


def worth(known: Known, student: str = "ada") -> SubmissionResult:
    """A result of ten points."""
    return replace(known.results["right"], student=student)


def counting(place: Path, rule: str, chapter: str = "first", **others) -> Counting:
    due = DUE + timedelta(days=7 * CHAPTERS.index(chapter))
    return Counting(
        Term(chapter, Terms(due, read_rule(rule), others.pop("extensions", None)), **others),
        place / "days-in-hand.json",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hours", "score"), [(-1, 10.0), (0, 10.0), (0.0001, 10.0), (1, 9.0), (25, 8.0)]
)
def test_lateness_is_by_the_hour_of_arrival(known, tmp_path, hours: float, score: float) -> None:
    found = counting(tmp_path, "10 % a day").settled(worth(known), arrival(hours=hours))
    assert (found.score, found.earned) == (score, 10.0)


def test_tables_name_a_student_by_id_or_by_address(known, tmp_path) -> None:
    rows = (Correction("mark", "Bo@x.org", "", "7", "oral exam", "the overrides, line 2"),)
    until = {"eve@x.org": Extension("eve@x.org", until=DUE + timedelta(days=2), reason="ill")}
    given = counting(tmp_path, "10 % a day", corrections=Corrections(rows), extensions=until)
    for student, email, score in (
        ("bo-1", "bo@x.org", 7.0),
        ("eve-1", "Eve@x.org", 10.0),
        ("ada-1", "ada@x.org", 9.0),
        ("eve@x.org", "", 10.0),
    ):
        found = given.settled(worth(known, student), arrival(student, 1, email=email))
        assert (found.student, found.score) == (student, score)


def test_days_in_hand_are_of_the_person_and_last_a_term(known, tmp_path) -> None:
    """Two chapters, in which a platform's student has two ids; what is told twice costs once."""
    rule = "10 % a day, 2 days in hand"
    scores = []
    for chapter, hours in (("first", 30), ("second", 7 * 24 + 30)):
        given = counting(tmp_path, rule, chapter)
        for _ in range(2):
            here = arrival(f"ada-{chapter}", hours, account="u1 of a platform")
            found = given.settled(worth(known, here.student), here)
            assert given.keep_days(found, here) == []
        other = arrival("bob", hours - 24)
        found_other = given.settled(worth(known, "bob"), other)
        given.keep_days(found_other, other)
        scores.append((found.score, found_other.score))
    assert scores == [(10.0, 10.0), (8.0, 10.0)]
    used = {(row.chapter, row.student): row.days for row in read_ledger(given.days).rows}
    platform = {("first", "u1 of a platform"): 2, ("second", "u1 of a platform"): 0}  # none left
    assert used == {**platform, ("first", "bob"): 1, ("second", "bob"): 1}
    # handed in again in the first chapter: the second rests on days that are others now
    given = counting(tmp_path, rule)
    here = arrival("bob", 30)
    assert given.keep_days(given.settled(worth(known, "bob"), here), here) == ["second"]


@pytest.mark.parametrize(
    ("what", "value", "says"),
    [("file", "b.py", "put the file into the inbox"), ("leave out", "nope", "has no test 'nope'")],
)
def test_what_cannot_be_applied_ends_it_at_the_start(known, what, value, says) -> None:
    task = known.results["right"].tasks[0].task.id
    row = Correction(what, "ada", task, value, "", "the overrides, line 2")
    with pytest.raises(UserError, match=f"line 2: .*{says}"):
        require_applicable(Corrections((row,)), known.form)
    names = [test.name for test in known.results["right"].tasks[0].tests]
    fits = replace(row, what="mark", value="1")
    require_applicable(Corrections((fits,)), known.form)
    assert names


def test_page_record_and_what_is_told_are_what_counts(setting, known: Known) -> None:
    """The kept result stays as it was judged; other dates apply to what arrives later."""
    desk, watcher, place = setting
    rule = read_rule("10 % a day")
    late = Counting(Term("tiny", Terms(datetime.now(UTC) - timedelta(hours=30.5), rule)))
    desk._terms = replace(desk._terms, counting=late)
    hand_in(place / "inbox", "ada.py", SOURCES["right"])
    turn(desk, watcher, 1)
    assert watcher.seen == [("ada", 8.0)]
    assert "10 - 20 % = 8" in (place / "out" / "ada.md").read_text()
    (path,) = (place / "inbox" / DONE).glob("*-ada/record.json")
    said = json.loads(path.read_text())
    assert (said["score"], said["earned"], said["late"] // 3600) == (8.0, 10.0, 30)
    kept = desk._store.load("ada")
    assert kept.result.standing is None
    assert kept.result.score == 10.0
    desk._terms = replace(desk._terms, counting=Counting())
    hand_in(place / "inbox", "ada--2.py", SOURCES["right"])
    turn(desk, watcher, 2)
    assert watcher.seen[-1] == ("ada", 10.0)
    assert json.loads(path.read_text())["score"] == 8.0


def test_a_row_has_the_same_work_judged_again(setting, known: Known) -> None:
    desk, watcher, place = setting
    judged: list[int] = []
    send = desk._send
    desk._send = lambda number: (judged.append(number), send(number))
    row = Correction("regrade", "ada", "", "", "", "the overrides, line 2")
    for number, rows, times in ((1, (), 1), (2, (), 1), (3, (row,), 2)):
        term = Term("tiny", corrections=Corrections(rows))
        desk._terms = replace(desk._terms, counting=Counting(term))
        hand_in(place / "inbox", f"ada--{number}.py", SOURCES["right"])
        turn(desk, watcher, number)
        assert len(judged) == times


def test_a_file_arrived_when_the_system_says_so(tmp_path: Path) -> None:
    """Not when its date says, nor when it was taken; also after a kill."""
    (tmp_path / "inbox").mkdir()
    FolderInbox(tmp_path / "inbox", 100).close()
    path = tmp_path / "inbox" / INCOMING / "ada.py"
    before = time.time()
    hand_in(tmp_path / "inbox", "ada.py")
    os.utime(path, (1, 1))
    after = time.time()
    time.sleep(0.3)  # nobody takes it meanwhile
    inbox = FolderInbox(tmp_path / "inbox", 100)
    (one,) = claimed(inbox)
    assert before - 0.1 <= one.arrived <= after + 0.1
    killed(inbox)
    inbox = FolderInbox(tmp_path / "inbox", 100)
    (again,) = claimed(inbox)
    assert again.arrived == one.arrived
    # the machine stopped before the hour was on the disk: the work is there all the same
    (tmp_path / "inbox" / WORK / one.ticket / "arrived.txt").write_text("")
    killed(inbox)
    (left,) = claimed(FolderInbox(tmp_path / "inbox", 100))
    assert left.path.read_text() == "x"
    assert left.arrived > after + 0.2


def test_options_go_with_one_chapter() -> None:
    said = Said(due="2026-12-01", overrides=Path("x.csv"))
    require_one_chapter(said, CHAPTERS[:1])
    require_one_chapter(Said(), CHAPTERS)
    with pytest.raises(UserError, match=r"^--due and --overrides: expected one chapter, got 2; "):
        require_one_chapter(said, CHAPTERS)
    with pytest.raises(UserError, match=r"^--late: expected one chapter"):
        require_one_chapter(Said(late=""), CHAPTERS)


SORTING = Path(__file__).parents[1] / "sorting"


def test_the_command_hands_its_options_on(tmp_path: Path, monkeypatch) -> None:
    seen = []

    def served(_project, counters, *_others, **_options) -> int:
        seen.extend(counters)
        return 0

    monkeypatch.setattr("examiner.inbox.serving.serve", served)
    monkeypatch.setattr("nextword.cli.term.second_look", lambda project: "mailto:ask@x.org")
    monkeypatch.chdir(SORTING)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    (tmp_path / "more.csv").write_text("student,days\nada,2\n")
    (tmp_path / "over.csv").write_text("what,student,task,value,reason\nmark,ada,,3,oral exam\n")
    given = {"due": "2026-12-01T18:00+00:00", "late": "10 % a day"}
    given |= {"extensions": tmp_path / "more.csv", "overrides": tmp_path / "over.csv"}
    with pytest.raises(typer.Exit):
        command("sorting", str(tmp_path), port=-1, out=tmp_path / "out", **given)
    assert seen[0].options.second_look == "mailto:ask@x.org"
    term = seen[0].options.term
    assert (term.chapter, term.terms.due, term.terms.rule.percent) == ("sorting", DUE, 10)
    assert term.terms.due_of("ada") == DUE + timedelta(days=2)
    assert [row.text for row in term.corrections.rows] == [
        "the whole: 3 points by hand (oral exam)"
    ]


@pytest.mark.slow
def test_a_real_server_charges_lateness(tmp_path: Path) -> None:
    shutil.copytree(SORTING, tmp_path / "course")
    work = tmp_path / "course" / "inbox" / INCOMING
    work.mkdir(parents=True)
    shutil.copy(SORTING / "solutions" / "sorting.py", work / "ada.py")
    due = (datetime.now(UTC) - timedelta(hours=30)).isoformat(timespec="minutes")
    words = ["serve", "sorting", "inbox", "--once", "--port", "-1", "--jobs", "1"]
    words += ["--due", due, "--late", "10 % a day, 1 day in hand"]
    program = [sys.executable, "-m", "nextword", *words]
    said = subprocess.run(
        program, cwd=tmp_path / "course", capture_output=True, text=True, check=True
    ).stdout
    assert "ada: 9 of 10 points" in said
    assert "1 day in hand used: 10 - 10 % = 9" in said
    (used,) = read_ledger(tmp_path / "course" / "grades" / "days-in-hand.json").rows
    assert used.days == 1
