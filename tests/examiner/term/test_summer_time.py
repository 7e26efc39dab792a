"""When the clock is put forward or back, nobody is later for it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from examiner.catalogue import Catalogue
from examiner.term.dates import Terms, lateness, read_due, read_extensions, read_rule
from examiner.term.moments import here, lasting
from examiner.term.times import Handed

BERLIN = ZoneInfo("Europe/Berlin")
RULE = read_rule("10 % a day")


@pytest.fixture
def berlin(monkeypatch):
    """A machine in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("row", ["ada,2026-10-27T18:00,", "ada,,7"])
def test_an_extension_beyond_the_change_ends_at_the_hour_it_says(row, berlin, tmp_path) -> None:
    (tmp_path / "more.csv").write_text(f"student,until,days\n{row}\n")
    due = read_due("2026-10-20T18:00")  # of which no zone is said: this machine's
    terms = Terms(
        due, RULE, read_extensions(tmp_path / "more.csv", due.tzinfo, "tiny", Catalogue(()))
    )
    for hour, minute, late in ((17, 30, ""), (18, 30, "handed in 30 min late")):
        at = datetime(2026, 10, 27, hour, minute, tzinfo=BERLIN).astimezone(UTC)
        assert lateness("ada", Handed(at), terms).text == late


@pytest.mark.parametrize("zone", [BERLIN, UTC, None])
@pytest.mark.parametrize(
    ("due", "at", "late"),
    [
        ("2026-10-24T18:00", "2026-10-25T17:30", "handed in 23 h 30 min late"),
        ("2026-10-24T18:00", "2026-10-25T18:30", "handed in 1 day 30 min late"),
        ("2026-03-28T18:00", "2026-03-29T18:30", "handed in 23 h 30 min late"),
        ("2026-03-28T18:00", "2026-03-29T19:30", "handed in 1 day 30 min late"),
        ("2026-10-24T18:00", "2026-10-24T17:59", ""),
    ],
)
def test_the_same_hour_costs_the_same_wherever_it_comes_from(due, at, late, zone) -> None:
    terms = Terms(datetime.fromisoformat(due).replace(tzinfo=BERLIN), RULE)
    moment = datetime.fromisoformat(at).replace(tzinfo=BERLIN)
    told = moment.astimezone(zone) if zone else moment.replace(tzinfo=None)
    assert lateness("ada", Handed(told), terms).text == late


def test_in_the_hour_that_comes_twice_who_is_later_is_late() -> None:
    terms = Terms(datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=0), RULE)
    at = datetime(2026, 10, 25, 2, 15, tzinfo=BERLIN, fold=1)
    assert lateness("ada", Handed(at.astimezone(UTC)), terms).by == timedelta(minutes=45)


def test_a_machine_whose_zone_has_no_name_has_a_zone(monkeypatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-3")
    time.tzset()
    try:
        assert here() is None
        assert read_due("2026-12-01T18:00").utcoffset() == timedelta(hours=3)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_span_is_told_without_the_units_that_are_zero() -> None:
    assert lasting(timedelta(days=1, minutes=30)) == "1 day 30 min"
    assert lasting(timedelta(days=2)) == "2 days"
