"""A term's dates as an iCalendar file (RFC 5545), which calendars of all kinds take in.

Leaves out where the dates come from (catalogue/schedule.py). Written by the library icalendar.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from examiner.catalogue import Catalogue
from examiner.catalogue.schedule import Dates, Schedule
from examiner.catalogue.settings import Settings
from examiner.errors import UserError
from examiner.project import COMMAND

REMIND = timedelta(days=2)  # before work is due


def calendar_of(
    schedule: Schedule, catalogue: Catalogue, settings: Settings, now: datetime | None = None
) -> bytes:
    """Return the calendar file of a course: when chapters are handed out and due.

    The same event has the same name in each file that is made, so a calendar that takes in a later
    one moves it. now: when the file is made. Raises UserError where icalendar is not installed.
    """
    try:
        from icalendar import Alarm, Calendar, Event
    except ImportError:
        raise UserError('a calendar file needs icalendar: pip install ".[instructor]"') from None
    made = Calendar()
    made.add("prodid", f"-//{settings.title}//{COMMAND} schedule//EN")
    made.add("version", "2.0")
    for name, title, moment in _events(schedule, catalogue):
        event = Event()
        event.add("uid", f"{name}@{settings.slug}.{COMMAND}")
        event.add("dtstamp", now or datetime.now(UTC))
        event.add("dtstart", moment.astimezone(UTC))
        event.add("summary", f"{settings.title}: {title}")
        if name.endswith("-due"):
            alarm = Alarm()
            alarm.add("action", "DISPLAY")
            alarm.add("trigger", -REMIND)
            alarm.add("description", f"{title} in {REMIND.days} days")
            event.add_component(alarm)
        made.add_component(event)
    return bytes(made.to_ical())


def _events(schedule: Schedule, catalogue: Catalogue) -> Iterator[tuple[str, str, datetime]]:
    """Yield a lasting name, a title and the moment of each event."""
    for dates in schedule.chapters:
        title = catalogue.chapter(dates.stem).title
        if dates.release:
            yield f"{dates.stem}-out", f"{title} is handed out", dates.release
        if dates.due:
            yield f"{dates.stem}-due", f"{title} is due", dates.due


def next_of(schedule: Schedule, now: datetime) -> tuple[Dates, str, datetime] | None:
    """Return what is next, "out" or "due", and when; None where nothing is to come."""
    coming = [
        (each, what, moment)
        for each in schedule.chapters
        for what, moment in (("out", each.release), ("due", each.due))
        if moment and moment >= now
    ]
    return min(coming, key=lambda found: found[2], default=None)


def until(moment: datetime, now: datetime) -> str:
    """Return in words how long it is to a moment.

    >>> noon = datetime(2026, 11, 1, 12, tzinfo=UTC)
    >>> until(noon + timedelta(days=3, hours=5), noon), until(noon + timedelta(hours=1), noon)
    ('in 3 days', 'in 1 hour')
    """
    left = moment - now
    number, unit = (left.days, "day") if left.days else (left.seconds // 3600, "hour")
    return f"in {number} {unit}{'' if number == 1 else 's'}"
