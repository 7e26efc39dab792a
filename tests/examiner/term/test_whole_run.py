"""A class graded with dates and corrections: what is kept, what is shown, what a rerun does."""

import html
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from examiner.catalogue import parse_chapter
from examiner.grading.handed_in import HandedIn
from examiner.grading.outcome import Outcome
from examiner.grading.reckoning import keep_days, reckoned
from examiner.grading.roster import Student, read_roster
from examiner.grading.run import Options
from examiner.grading.tables import grades_csv
from examiner.grading.terminal import show
from examiner.grading.works import Entry
from examiner.results import Standing, SubmissionResult, Whose
from examiner.term.dates import Terms, read_due, read_rule
from examiner.term.ledger import FILE, read_ledger
from examiner.term.standing import Term
from examiner.term.times import Handed
from tests.examiner.grading.conftest import CATALOGUE, REFERENCE, Quiet, TinyCourse, tiny
from tests.examiner.term.test_corrections import rows

__all__ = ["tiny"]
DUE = "2026-12-01T18:00+00:00"
CHAPTER = parse_chapter(CATALOGUE)


@pytest.mark.slow
def test_a_class_with_dates_and_corrections(tiny: TinyCourse) -> None:
    half = REFERENCE.replace("return sum(numbers) / len(numbers)", "return 0")
    folder = tiny.hand_in({"ada": REFERENCE, "ben": half})
    (folder / "ben" / "tiny.py").rename(folder / "ben" / "tiny (1).py")
    late = {"ada": Handed(read_due("2026-12-03T17:00+00:00"))}
    terms = Terms(read_due(DUE), read_rule("10 % a day, 1 day in hand"))
    row = "regrade,ben,9.2,,second look", "mark,ben,9.1,4,shown in the lab"
    term = Term("tiny", terms, rows(tiny.project.root, *row), handed=late)
    out = tiny.project.root / "grades" / "tiny"

    plain = tiny.run(folder, out=out)
    assert [each.score for each in plain.results] == [10, 7]
    watcher = Quiet()
    address = "mailto:ta@uni.example"
    found = tiny.run(folder, watcher, out=out, term=term, second_look=address)
    assert watcher.seen == ["ben"]  # dates judge nothing anew; the regrade does
    ada, ben = found.results
    line = "handed in 1 day 23 h late, 1 day in hand used: 10 - 10 % = 9"
    assert (ada.score, ada.earned, ben.score) == (9, 10, 10)
    table = "".join(grades_csv(found))
    assert line in table
    assert ",2026-12-03T17:00:00+00:00," in table
    head, ben_or_ada, *_ = "".join(grades_csv(found, comma=True)).splitlines()
    assert head == "\ufeffstudent;name;email;points;of;task 9.1;task 9.2;handed in;remarks"
    assert ben_or_ada.startswith("ada;;;9;10;4;6;2026-12-03T17:00:00+00:00;")
    assert "9,5;10;" in "".join(grades_csv(replace(found, results=[halved(ada)]), comma=True))
    for ending in (".html", ".md"):
        page = (out / f"ada{ending}").read_text("utf-8")
        assert line in page.replace("\\", "")
        assert "handed in on 3 December 2026, 17:00 UTC" in page
        assert "mailto:ta@uni.example?subject=Second%20look" in page
    assert "shown in the lab" in (out / "ben.html").read_text("utf-8")
    assert "4 / 4, marked by hand" in (out / "ben.md").read_text("utf-8")
    assert "not right yet" not in (out / "ben.md").read_text("utf-8")
    console = Console(width=120, record=True, file=io.StringIO())
    show(console, found)
    shown = console.export_text()
    assert "due: 1 December 2026, 18:00 UTC; late: 10 % a day, 1 day in hand" in shown
    assert line in shown
    assert " 9* " in shown
    assert "* not their sum: see below" in " ".join(shown.split())
    console = Console(width=120, record=True, file=io.StringIO())
    show(console, plain)
    assert "*" not in console.export_text()
    report = (out / "class" / "report.html").read_text("utf-8")
    assert "1 student handed in late, which cost 1 point in all" in report
    assert "task 9.1: 4 points by hand (shown in the lab)" in report
    kept = json.loads((out / "results" / "ada.json").read_text("utf-8"))
    assert line not in json.dumps(kept)
    assert read_ledger(out.parent / FILE).rows[0].days == 1
    _is_the_same(tiny.run(folder, out=out), plain)
    later = replace(term, terms=replace(terms, due=read_due("2026-12-04")))
    assert tiny.run(folder, out=out, term=later).results[0].score == 10


@pytest.mark.slow
def test_a_mark_by_hand_for_who_handed_nothing_in(tiny: TinyCourse) -> None:
    folder = tiny.hand_in({"ada": REFERENCE})
    path = tiny.project.root / "class.csv"
    path.write_text("id,name\nada,Ada\nzoe,Zoe\ngus,Gus\n", "utf-8")
    row = "mark,zoe,,7,oral exam"
    term = Term("tiny", corrections=rows(tiny.project.root, row))
    found = tiny.run(folder, term=term, roster=read_roster(path))
    assert {each.student: each.score for each in found.results} == {"ada": 10, "zoe": 7}
    assert [person.id for person in found.absent] == ["gus"]
    assert "notes" not in found.to_json()
    assert "7 points by hand (oral exam)" in (found.pages.path("zoe")).read_text("utf-8")


@pytest.mark.slow
def test_what_is_nobodys_is_shown_wherever_results_are(tiny: TinyCourse) -> None:
    folder, out = tiny.hand_in({"ada": REFERENCE}), tiny.project.root / "grades" / "tiny"
    (folder / "mia <b>.pdf").write_bytes(b"%PDF")
    found = tiny.run(folder, out=out)
    note = "passed over: mia <b>.pdf: expected one folder or zip per student"
    console = Console(width=120, record=True, file=io.StringIO())
    show(console, found)
    assert note in console.export_text()
    assert found.to_json()["notes"] == [note]
    report = (out / "class" / "report.html").read_text("utf-8")
    assert f"<li>{html.escape(note)}</li>" in report


def test_days_in_hand_of_numbers_that_are_new_in_each_assignment(tmp_path: Path) -> None:
    terms = Terms(read_due(DUE), read_rule("10 % a day, 1 day in hand"))
    known = Entry("ada@x.org", platform="moodle")
    numbers = [Entry(f"{name}-11", platform=name) for name in ("moodle", "gradescope", "canvas")]
    found = HandedIn((), (known, *numbers))
    (note,) = reckoned(found, Options(tmp_path, term=Term("tiny", terms)), CHAPTER).notes
    assert "2 students known by a number of this assignment alone, such as moodle-11" in note
    for quiet in (Term("tiny"), Term("tiny", replace(terms, rule=read_rule("")))):
        assert reckoned(found, Options(tmp_path, term=quiet), CHAPTER).notes == ()


def test_days_in_hand_of_students_who_share_an_address(tmp_path: Path) -> None:
    """Of a team, a placeholder, or an address that is another's id: nobody pays for others."""
    first, second = (Terms(read_due(d), read_rule("3 days in hand")) for d in (DUE, "2026-12-08"))
    emails = {
        "ada": "t@x.org",
        "ben": "T@x.org",
        "cleo": "-",
        "d@x.org": "",
        "eve": "d@x.org",
    }

    def term(asked: Term, one: str) -> Term:  # of a work by itself, with a roster of all
        absent = tuple(Student(s, email=email) for s, email in emails.items() if s != one)
        found = HandedIn((), (Entry(one, email=emails[one]),), absent)
        return reckoned(found, Options(tmp_path, term=asked), CHAPTER).term

    for one, days in zip(emails, (2, 0, 2, 1, 1), strict=True):
        standing = Standing(10, 10, "", "", 0, days)
        result = SubmissionResult(one, (), of=Whose(one, email=emails[one]), standing=standing)
        keep_days(tmp_path, term(Term("first", first), one), [result])
    asked = Term("second", second, ledger=read_ledger(tmp_path / FILE))
    left = {one: term(asked, one).in_hand(one, email) for one, email in emails.items()}
    assert left == {"ada": 1, "ben": 3, "cleo": 1, "d@x.org": 2, "eve": 2}
    assert asked.in_hand("zoe", "-") == 3


def halved(result: SubmissionResult) -> SubmissionResult:
    assert result.standing
    return replace(result, standing=replace(result.standing, counts=9.5))


def _is_the_same(one: Outcome, other: Outcome) -> None:
    assert [each.to_json() for each in one.results] == [each.to_json() for each in other.results]
