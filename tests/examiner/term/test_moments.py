"""Moments and spans of time, as people type them and platforms print them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from examiner.errors import UserError
from examiner.term.dates import read_due
from examiner.term.moments import aware, lasting, moment, span


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-12-01", "2026-12-01 23:59:59"),
        ("2026-12-01T18:00", "2026-12-01 18:00:00"),
        ("2026-12-01T18:00+01:00", "2026-12-01 18:00:00+01:00"),
        ("2026-12-01 18:00:22.123456 UTC", "2026-12-01 18:00:22.123456+00:00"),
        ("2026-12-01 18:00:22 +0100", "2026-12-01 18:00:22+01:00"),
        ("Thursday, 4 October 2018, 11:59 PM", "2018-10-04 23:59:00"),
        ("Thursday, 4 October 2018, 12:05 AM", "2018-10-04 00:05:00"),
        ("Donnerstag, 4. Oktober 2018, 23:59", "2018-10-04 23:59:00"),
        ("jeudi 4 octobre 2018, 23:59", "2018-10-04 23:59:00"),
        ("jueves, 4 de octubre de 2018, 23:59", "2018-10-04 23:59:00"),
        ("04.10.2018 23:59", "2018-10-04 23:59:00"),
        ("4.10.2018", "2018-10-04 23:59:59"),  # as German spreadsheets write 2018-10-04
        ("31.6.2018", "None"),
        ("04/10/2018 23:59", "None"),
        ("Thursday, 40 October 2018, 11:59 PM", "None"),
        ("4 Nonsense 2018, 11:59", "None"),
        ("9999-12-31", "None"),
        ("0001-01-01T00:00+14:00", "None"),
        ("04.10.1969 23:59", "None"),
        ("2999-12-31", "2999-12-31 23:59:59"),
        ("-", "None"),
        ("", "None"),
    ],
)
def test_a_moment_is_read(text: str, wanted: str) -> None:
    assert str(moment(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 day 3 hours", timedelta(days=1, hours=3)),
        ("5 mins 10 secs", timedelta(minutes=5, seconds=10)),
        ("1 Tag 3 Stunden verspätet", timedelta(days=1, hours=3)),
        ("2 jours 1 heure en retard", timedelta(days=2, hours=1)),
        ("1 año 2 semanas", timedelta(days=379)),
        ("3 apples", None),
        ("late", None),
        ("9999999999 days", None),
        ("400000 days", None),
        (f"{'9' * 5000} days", None),
    ],
)
def test_a_span_is_read(text: str, wanted: timedelta | None) -> None:
    assert span(text) == wanted


def test_a_span_is_told_in_two_units() -> None:
    assert lasting(timedelta(days=2, minutes=5)) == "2 days 5 min"
    assert lasting(timedelta(minutes=61, seconds=5)) == "1 h 1 min"
    assert lasting(timedelta()) == "0 s"


def test_an_hour_that_comes_twice_ends_the_second_time() -> None:
    twice = datetime(2026, 10, 25, 2, 30)
    found = aware(twice, ZoneInfo("Europe/Berlin")).astimezone(UTC)
    assert found == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("tomorrow", "01.12.2026 18:00", "2026-13-01", "2026-12-01T25:00"),
        *("9999-12-31", "0001-01-01", "3000-01-01T00:00Z"),
    ],
)
def test_a_due_date_that_is_none_is_told(text: str) -> None:
    with pytest.raises(UserError, match=r"--due: expected a moment such as .* 1970 to 2999"):
        read_due(text)
    assert read_due("2026-12-01").tzinfo is not None
