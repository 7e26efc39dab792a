"""What lateness costs: rules, extensions, days in hand, all by hand-made values."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from examiner.catalogue import Catalogue, parse_chapter
from examiner.errors import UserError
from examiner.term.dates import (
    Extension,
    Lateness,
    Rule,
    Terms,
    charge,
    lateness,
    read_extensions,
    read_rule,
    require_known,
)
from examiner.term.ledger import FILE, Ledger, Spent, read_ledger
from examiner.term.times import Handed

DUE = datetime(2026, 12, 1, 18, tzinfo=UTC)
CHAPTERS = (("sorting", 2, "To sort"), ("graphs", 3, "Graphs"))
COURSE = Catalogue(
    tuple(
        parse_chapter(f'stem = "{stem}"\nnumber = {number}\ntitle = "{title}"')
        for stem, number, title in CHAPTERS
    )
)
H, D = timedelta(hours=1), timedelta(days=1)
CLOSED = "nothing counts after 7 days"


@pytest.mark.parametrize(
    ("rule", "late", "in_hand", "counts", "says"),
    [
        ("10 % a day", D + 3 * H, 0, 30.0, "handed in 1 day 3 h late: 37.5 - 20 % = 30"),
        ("10 % a day", D, 0, 33.75, "handed in 1 day late: 37.5 - 10 % = 33.75"),
        ("10 % a day", 0 * D, 0, 37.5, ""),
        ("10 % a day, 15 minutes of grace", H / 4, 0, 37.5, "within the 15 min of grace"),
        ("10 % a day, 15 minutes of grace", H / 2, 0, 33.75, "37.5 - 10 % = 33.75"),
        ("10 % a day, at most 50 %", 9 * D, 0, 18.75, "37.5 - 50 % = 18.75"),
        ("10 % a day, nothing after 7 days", 7 * D, 0, 11.25, "- 70 %"),
        ("10 % a day, nothing after 7 days", 7 * D + H, 9, 0.0, CLOSED),
        ("nothing after 7 days", 6 * D, 0, 37.5, "it costs nothing"),
        ("2 points a day", 3 * D, 0, 31.5, "37.5 - 6 = 31.5"),
        ("1 % an hour", 5 * H, 0, 35.62, "37.5 - 5 % = 35.62"),
        ("30 points a day", 3 * D, 0, 0.0, "37.5 - 37.5 = 0"),
        ("10 % a day, 3 days in hand", 2 * D, 3, 37.5, "2 days in hand used: it costs nothing"),
        ("10 % a day, 3 days in hand", 2 * D, 1, 33.75, "1 day in hand used: 37.5 - 10 %"),
        ("1 % an hour, 3 days in hand", D + 3 * H, 1, 36.38, "1 day in hand used: 37.5 - 3 %"),
        ("", D, 0, 37.5, "handed in 1 day late: it costs nothing"),
    ],
)
def test_lateness_costs_what_the_rule_says(
    rule: str, late: timedelta, in_hand: int, counts: float, says: str
) -> None:
    found = charge(37.5, Lateness(DUE + late, late), read_rule(rule), in_hand)
    assert found.counts == pytest.approx(counts, abs=0.006)
    assert says in found.line
    assert bool(found.line) == bool(says)


def test_days_in_hand_do_not_move_the_end() -> None:
    """By then solutions may be known; what is used up is told, and none of them is used."""
    late = Lateness(DUE + 2 * D, 2 * D + timedelta(minutes=5))
    found = charge(10, late, read_rule("10 % a day, nothing after 2 days, 3 days in hand"), 3)
    assert (found.counts, found.used) == (0, 0)
    assert found.line.endswith("5 min late: nothing counts after 2 days, also with days in hand")


def test_days_in_hand_are_used_only_where_lateness_costs() -> None:
    late = Lateness(DUE + D, D)
    assert charge(10, late, read_rule("10 % a day, 3 days in hand"), 3).used == 1
    assert charge(10, late, read_rule("3 days in hand"), 3).used == 0
    assert charge(0, late, read_rule("10 % a day, 3 days in hand"), 3).used == 0


def test_a_rule_is_said_as_it_is_read() -> None:
    text = "10 % a day, 15 min of grace, at most 50 %, nothing after 7 days, 3 days in hand"
    assert read_rule(text).text == text
    assert read_rule("") == Rule()


@pytest.mark.parametrize(
    "text",
    [
        *("10 % a fortnight", "soon", "110 % a day", "1.2.3 % a day", "10", "1.2.3 points a day"),
        *("nothing after 9999999999 days", "99999999999 weeks of grace"),
        *("401 days in hand", f"{10**24} days in hand", f"{'9' * 5000} days in hand"),
    ],
)
def test_what_is_no_rule_is_told(text: str) -> None:
    with pytest.raises(UserError, match=r"--late: .*expected"):
        read_rule(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 % a day", "1 point an hour"),  # was 10 % an hour
        ("10 % a day", "20 % a day"),
        ("nothing after 7 days", "nothing after 2 days"),
    ],
)
def test_two_rules_in_one_are_told(one: str, other: str) -> None:
    with pytest.raises(UserError, match=f"--late: '{one}' and '{other}' are two rules: keep one"):
        read_rule(f"{one}, {other}")
    assert read_rule(f"{one}, {one}") == read_rule(one)
    assert read_rule("10 % a day, 2 points a day").text == "10 % a day, 2 points a day"


@pytest.mark.parametrize(
    ("handed", "by"),
    [
        (Handed(DUE + H), H),
        (Handed(DUE - H), 0 * D),
        (Handed(DUE), 0 * D),
        (Handed(datetime(2026, 12, 1, 19)), H),  # in the zone of the due date
        (Handed(DUE - H, late=True, source="Canvas"), 0 * D),  # the platform has another due date
        (Handed(late_by=2 * D), 2 * D),
        (None, 0 * D),
    ],
)
def test_lateness_is_counted_from_the_due_date(handed: Handed | None, by: timedelta) -> None:
    assert lateness("ada", handed, Terms(DUE)).by == by


def test_late_without_a_time_counts_as_one_day() -> None:
    terms = Terms(DUE, read_rule("10 % a day, 30 minutes of grace"))
    late = lateness("ada", Handed(late=True, source="Canvas"), terms)
    assert "Canvas" in late.remarks[0]
    found = charge(10, late, terms.rule, 0)
    assert (found.counts, found.line) == (9, "handed in late: 10 - 10 % = 9")


def test_a_platforms_word_counts_without_a_due_date() -> None:
    assert lateness("ada", Handed(late_by=D), Terms()).by == D


def test_an_extension_moves_the_due_date_and_never_back() -> None:
    sooner, later = Extension("Ada", DUE - D), Extension("Ben", days=2, reason="ill")
    terms = Terms(DUE, Rule(), {"ada": sooner, "ben": later})
    assert terms.due_of("ada") == DUE
    late = lateness("ben", Handed(DUE + 2 * D + H), terms)
    assert (late.by, late.remarks) == (H, ("extended to 3 December 2026, 18:00 UTC (ill)",))
    assert lateness("ben", Handed(late=True, source="Canvas"), terms).by == 0 * D
    assert lateness("ben", Handed(late_by=3 * D), terms).by == D


def test_an_extension_never_leads_out_of_the_calendar() -> None:
    last = DUE.replace(year=9999)
    assert Extension("ada", days=300).due(last) == last


def written(folder: Path, *rows: str) -> Path:
    path = folder / "more.csv"
    path.write_text("\n".join(("Student;Until;Days;Reason;Chapter", *rows)), "utf-8")
    return path


def test_extensions_are_read_from_a_spreadsheets_file(tmp_path: Path) -> None:
    path = written(tmp_path, "ada;2026-12-03;;ill;", "ben;;1,5;;sorting", "ben;;9;;graphs")
    found = read_extensions(path, UTC, "sorting", COURSE)
    assert found["ada"].until == datetime(2026, 12, 3, 23, 59, 59, tzinfo=UTC)
    assert (found["ben"].days, len(found)) == (1.5, 2)


@pytest.mark.parametrize("named", ["sorting", "Sorting", "2", "To sort", "to  SORT"])
def test_a_table_names_a_chapter_as_commands_do(tmp_path: Path, named: str) -> None:
    path = written(tmp_path, f"ada;;3;ill;{named}")
    assert set(read_extensions(path, UTC, "sorting", COURSE)) == {"ada"}
    assert not read_extensions(path, UTC, "graphs", COURSE)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (";2026-12-03;;;", "line 2: whose extension"),
        ("ada;;;;", "line 2: give until or days"),
        ("ada;2026-12-03;2;;", "line 2: give until or days"),
        ("ada;soon;;;", "line 2: 'soon' is no moment"),
        ("ada;9999-12-31;;;", "line 2: '9999-12-31' is no moment .* 1970 to 2999"),
        ("ada;;401;;", "line 2: expected a number of days, got '401'"),
        ("ada;;-1;;", "line 2: expected a number of days, got '-1'"),
        ("ada;;nan;;", "line 2: expected a number of days"),
        ("ada;;2;;\nAda;;3;;", "line 3: line 2 says something else of Ada"),
        ("ada;;2;;sort", "line 2: there is no chapter 'sort'; the chapters are: sorting, graphs"),
    ],
)
def test_a_bad_extension_names_its_row(tmp_path: Path, row: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        read_extensions(written(tmp_path, row), UTC, "sorting", COURSE)


def test_extensions_are_for_students_of_the_class() -> None:
    one = Extension("ada", days=1, where="the extensions more.csv, line 2")
    with pytest.raises(UserError, match=r"line 2: no student 'ada' in this class: .* 'ben'$"):
        require_known([one], ["ben"], DUE)
    with pytest.raises(UserError, match="line 2: days after which day"):
        require_known([one], ["Ada"], None)
    require_known([one], ["Ada"], DUE)


def test_the_ledger_counts_chapters_that_were_due_before(tmp_path: Path) -> None:
    first = Ledger().with_chapter("sorting", DUE, [Spent("ada", 2), Spent("ben", 0)])
    both = first.with_chapter("graphs", DUE + 7 * D, [Spent("ada", 1)])
    assert both.before("ada", "graphs", DUE + 7 * D) == 2
    assert both.before("ada", "sorting", DUE) == 0  # marked again: what came later is no matter
    (tmp_path / FILE).write_text(both.to_json(), "utf-8")
    assert read_ledger(tmp_path / FILE) == both
    again = both.with_chapter("sorting", DUE, [Spent("ada", 3)])
    assert again.to_grade_again(both, "sorting", DUE) == ["graphs"]
    assert both.to_grade_again(both, "sorting", DUE) == []


def test_the_ledger_finds_a_student_by_id_or_address_in_any_case(tmp_path: Path) -> None:
    ledger = Ledger().with_chapter(
        "sorting", DUE, [Spent("Ada@Uni.example", 2), Spent("7", 1, "b@x.org")]
    )
    (tmp_path / FILE).write_text(ledger.to_json(), "utf-8")
    assert read_ledger(tmp_path / FILE) == ledger
    later = "graphs", DUE + 7 * D
    assert ledger.before("ada@uni.example", *later) == 2
    assert ledger.before("1234", *later, "ada@uni.example") == 2
    assert ledger.before("B@x.org", *later) == 1
    assert ledger.before("b", *later) == 0
    both = ledger.with_chapter(*later, [Spent("1234", 1, "ada@uni.example")])
    again = both.with_chapter("sorting", DUE, [Spent("ADA@uni.example", 3)])
    assert again.before("ada@uni.example", *later) == 3
    assert again.to_grade_again(both, "sorting", DUE) == ["graphs"]
    assert {row.email for row in again.rows} == {"", "b@x.org", "ada@uni.example"}
    known = both.with_chapter("sorting", DUE, [Spent("ada@uni.example", 2, "a@b")])
    assert known.to_grade_again(both, "sorting", DUE) == []  # no day more, only an address


@pytest.mark.parametrize("text", ["{", '[{"chapter": "x"}]', "3"])
def test_a_ledger_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    assert read_ledger(tmp_path / "none") == Ledger()
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        read_ledger(tmp_path / FILE)
