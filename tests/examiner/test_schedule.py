"""A term's calendar: what schedule.toml may say, and which moments follow from it."""

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from icalendar import Calendar
from typer.testing import Result

from examiner.catalogue.schedule import due_of, parse_schedule, read_schedule
from examiner.errors import UserError
from examiner.project import Project
from examiner.release.calendar import next_of

Command = Callable[..., Result]

SORTING = Path(__file__).parent / "sorting"
STEMS = ("sorting", "trees", "graphs")
TERM = {"zone": "Europe/Berlin", "first_day": date(2026, 10, 12), "days": 13}


def dates(said: object, **term: object) -> Any:
    """The dates of one chapter in a term."""
    return parse_schedule({**TERM, **term, "chapters": {"trees": said}}, STEMS).of("trees")


def test_a_week_gives_release_and_due() -> None:
    found = dates({"week": 3})
    assert str(found.release) == "2026-10-26 00:00:00+01:00"
    assert str(found.due) == "2026-11-08 23:59:59+01:00"
    assert found.week == 3


def test_times_of_the_day_hold_for_days_without_one() -> None:
    found = dates({"week": 1, "days": 3}, release_at="09:00", due_at="18:00")
    assert [str(found.release), str(found.due)] == [
        "2026-10-12 09:00:00+02:00",
        "2026-10-15 18:00:00+02:00",
    ]
    exact = dates({"due": "2026-12-01 12:30"}, due_at="18:00")
    assert (str(exact.due), exact.release) == ("2026-12-01 12:30:00+01:00", None)


def test_a_moment_of_another_zone_is_told_in_the_terms_own() -> None:
    found = dates({"due": datetime(2026, 12, 1, 12, tzinfo=UTC)})
    assert str(found.due) == "2026-12-01 13:00:00+01:00"


def test_an_hour_that_the_clock_shows_twice_ends_the_second_time() -> None:
    found = dates({"due": "2026-10-25T02:30"})
    assert found.due.astimezone(UTC).hour == 1, "02:30 is 00:30 UTC first, and 01:30 UTC again"


def test_weeks_without_teaching_have_no_number() -> None:
    free = [date(2026, 10, 21)]  # a day of the second week
    assert str(dates({"week": 2}, free=free).release.date()) == "2026-10-26"
    assert dates({"release": date(2026, 10, 26)}, free=free).week == 2
    assert dates({"release": date(2026, 10, 19)}, free=free).week is None
    assert dates({"release": date(2026, 10, 1)}, free=free).week is None


def test_chapters_stand_in_the_order_in_which_they_are_handed_out() -> None:
    said = {"sorting": {"week": 3}, "trees": {"week": 1}, "graphs": {"due": date(2026, 10, 20)}}
    found = parse_schedule({**TERM, "chapters": said}, STEMS)
    assert [each.stem for each in found.chapters] == ["trees", "graphs", "sorting"]
    assert found.of("heaps").due is None


@pytest.mark.parametrize(
    ("said", "term", "complaint"),
    [
        ({"week": 0}, {}, "trees: week should be a number from 1 on, it is 0"),
        ({"week": True}, {}, "week should be"),
        ({"week": 1}, {"first_day": None}, "week 1 of what"),
        ({"week": 1, "release": date(2026, 10, 12)}, {}, "week or release, not both"),
        ({"due": date(2026, 10, 12), "days": 3}, {}, "due or days, not both"),
        ({"days": 3}, {}, "days are counted from release"),
        ({"week": 2, "due": date(2026, 10, 18)}, {}, "before it is handed out"),
        ({"due": "soon"}, {}, "trees: due should be a day such as 2026-10-19, it is 'soon'"),
        ({"due": "2026-02-30"}, {}, "due should be a day"),
        ({"weeks": 2}, {}, "unknown key 'weeks'"),
        ({}, {}, "expected a table"),
        ("week 2", {}, "expected a table"),
        ({"week": 1}, {"zone": "Europe/Atlantis"}, "no time zone 'Europe/Atlantis'"),
        ({"week": 1}, {"zone": "../../etc/passwd"}, "no time zone"),
        ({"week": 1}, {"zone": None}, "say in which time zone"),
        ({"week": 1}, {"due_at": "noon"}, "due_at should be a time"),
        ({"week": 1}, {"days": -1}, "days should be a number of days"),
        ({"week": 1}, {"free": date(2026, 10, 12)}, "free should be a list"),
        ({"week": 1}, {"start": date(2026, 10, 12)}, "unknown key 'start'"),
    ],
)
def test_what_contradicts_itself_is_refused_in_one_line(
    said: object, term: dict[str, object], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint) as caught:
        dates(said, **term)
    assert str(caught.value).startswith("schedule.toml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "said",
    [
        {"release": date(9999, 12, 31)},
        {"due": "0001-01-01T00:00:00+00:00"},
        {"due": datetime(9999, 12, 31, 23)},
        {"release": "2026-10-19", "due": "20026-11-01"},
    ],
)
def test_a_year_at_the_end_of_the_calendar_is_refused_in_one_line(said: object) -> None:
    with pytest.raises(UserError, match=r"^schedule.toml: trees.* should be [^\n]*$"):
        dates(said)
    with pytest.raises(UserError, match=r"^schedule.toml: first_day should be in the years"):
        dates({"week": 2}, first_day=date(9999, 12, 31))


def test_a_chapter_that_the_course_lacks_is_refused() -> None:
    with pytest.raises(UserError, match="heaps is no chapter of the course; they are: sorting,"):
        parse_schedule({**TERM, "chapters": {"heaps": {"week": 1}}}, STEMS)


def test_a_course_folder_tells_when_a_chapter_is_due(tmp_path: Path) -> None:
    course = tmp_path / "course"
    shutil.copytree(SORTING, course)
    assert due_of(Project(course), "sorting") is None
    (course / "schedule.toml").write_text('zone = "UTC"\n[chapters]\nsorting = {due = 2026-11-01}')
    due = due_of(Project(course), "sorting")
    assert due is not None
    assert due + timedelta(seconds=1) == datetime(2026, 11, 2, tzinfo=UTC)
    assert due_of(Project(course), "trees") is None


def test_what_is_no_toml_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    path.write_text("[chapters\n")
    with pytest.raises(UserError, match=r"schedule\.toml is no TOML: .*line 1"):
        read_schedule(path, STEMS)


# ---------------------------------------------------------------- what follows from it

SCHEDULE = """\
zone = "Europe/Berlin"
first_day = 2026-10-12
due_at = "18:00"
days = 13
[chapters]
sorting = { week = 2 }
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with a calendar; it is the working folder."""
    shutil.copytree(SORTING, tmp_path / "course", dirs_exist_ok=True)
    (tmp_path / "course" / "schedule.toml").write_text(SCHEDULE)
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


def test_what_is_next_is_told_until_all_is_over(course: Path) -> None:
    found = Project(course).schedule
    out, due = found.of("sorting").release, found.of("sorting").due
    assert out is not None
    assert due is not None
    assert next_of(found, out - timedelta(days=1))[1:] == ("out", out)  # type: ignore[index]
    assert next_of(found, out + timedelta(seconds=1))[1:] == ("due", due)  # type: ignore[index]
    assert next_of(found, due + timedelta(seconds=1)) is None


def test_the_command_shows_the_term(course: Path, nextword: Command) -> None:
    done = nextword("schedule")
    assert done.exit_code == 0, done.output
    assert "2     1 Sorting" in done.output
    assert "Mon 2026-10-19 00:00" in done.output
    assert "Sun 2026-11-01 18:00" in done.output
    (course / "schedule.toml").unlink()
    done = nextword("schedule")
    assert done.exit_code == 1
    assert done.output.startswith("nothing is scheduled: there is no ")
    (course / "schedule.toml").write_text('zone = "UTC"\n')
    assert "schedule.toml names no chapter; " in nextword("schedule").output


def test_a_calendar_takes_the_file_in_and_a_later_one_moves_its_events(
    course: Path, nextword: Command
) -> None:
    assert nextword("schedule", "--ics", "term.ics").exit_code == 0
    events = {e["UID"]: e for e in Calendar.from_ical((course / "term.ics").read_bytes()).events}
    assert [str(e["SUMMARY"]) for e in events.values()] == [
        "Sorting Things: Sorting is handed out",
        "Sorting Things: Sorting is due",
    ]
    due = events["sorting-due@sorting-things.nextword"]
    assert due.start == datetime(2026, 11, 1, 17, tzinfo=UTC)
    assert due.walk("VALARM")[0]["TRIGGER"].dt == -timedelta(days=2)
    (course / "schedule.toml").write_text(SCHEDULE.replace("week = 2", "week = 3"))
    assert nextword("schedule", "--ics", "term.ics").exit_code == 0
    later = {e["UID"]: e for e in Calendar.from_ical((course / "term.ics").read_bytes()).events}
    assert later.keys() == events.keys()
    assert later[due["UID"]].start == due.start + timedelta(days=7)


def test_a_chapter_is_not_handed_out_before_its_day_unless_told(
    course: Path, nextword: Command
) -> None:
    dates = "release = 2999-01-01, due = 2999-02-01"
    (course / "schedule.toml").write_text(f'zone = "UTC"\n[chapters]\nsorting = {{ {dates} }}')
    done = nextword("release", "sorting", "--to", "handout")
    assert done.exit_code == 2
    assert "sorting is handed out on Tuesday, 1 January 2999, 00:00 (UTC)" in done.output
    assert not (course / "handout").exists()
    done = nextword("release", "sorting", "--to", "handout", "--early")
    assert done.exit_code == 0, done.output
    readme = (course / "handout" / "README.md").read_text("utf-8")
    assert "Sorting is due on Friday, 1 February 2999, 23:59 (UTC)." in readme
