"""When a term's chapters are handed out and due: the file schedule.toml at a course's root.

    zone = "Europe/Berlin"      # all times are this place's
    first_day = 2026-10-12      # the first day of week 1
    free = [2026-12-21]         # a day of each week without teaching: such a week has no number
    release_at = "09:00"        # default: the day's first minute
    due_at = "18:00"            # default: the day's last second
    days = 13                   # from the day of release to the day when work is due

    [chapters]
    sorting = { week = 1 }
    trees = { week = 3, days = 20 }
    graphs = { release = 2026-12-01, due = 2026-12-18T12:00:00 }

Leaves out what follows from it: pages, reminders, calendars, marks.
"""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from examiner.errors import UserError

FILE = "schedule.toml"
LAST_SECOND = time(23, 59, 59)
FIRST_YEAR, LAST_YEAR = 1970, 2999  # whatever is reckoned from there stays within the calendar
KEYS = ("zone", "first_day", "free", "release_at", "due_at", "days", "chapters")
CHAPTER_KEYS = ("week", "release", "due", "days")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (  # not strftime's, which depend on the machine's language
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Dates:
    """When a chapter is handed out and due; None where the schedule does not say."""

    stem: str
    week: int | None  # from 1, of weeks with teaching
    release: datetime | None  # aware
    due: datetime | None  # aware; work handed in at this very second is in time


@dataclass(frozen=True)
class Schedule:
    """The dates of a term, in order of release; a course without the file has none."""

    chapters: tuple[Dates, ...] = ()

    def of(self, stem: str) -> Dates:
        """Return a chapter's dates, all None where the schedule does not name it."""
        known = {each.stem: each for each in self.chapters}
        return known.get(stem, Dates(stem, None, None, None))


class HasSchedule(Protocol):
    """A course folder, as examiner/project.py has it."""

    @property
    def schedule(self) -> Schedule:
        """What schedule.toml says."""


def due_of(project: HasSchedule, stem: str) -> datetime | None:
    """Return when a chapter's work is due, aware of its zone; None where nothing is scheduled.

    Raises UserError, one line with file and key, where schedule.toml cannot be read.
    """
    return project.schedule.of(stem).due


def require_released(
    schedule: Schedule, stems: Collection[str], now: datetime | None = None
) -> None:
    """Raise UserError for the first chapter that is not to be handed out yet."""
    for dates in map(schedule.of, stems):
        if dates.release and (now or datetime.now(UTC)) < dates.release:
            raise UserError(
                f"{dates.stem} is handed out on {shown(dates.release)}, says {FILE}; "
                "before that, with --early"
            )


def shown(moment: datetime) -> str:
    """Return a moment in words: "Monday, 19 October 2026, 09:00 (Europe/Berlin)".

    >>> shown(datetime(2026, 10, 19, 9, tzinfo=ZoneInfo("Europe/Berlin")))
    'Monday, 19 October 2026, 09:00 (Europe/Berlin)'
    """
    day = f"{DAYS[moment.weekday()]}, {moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    return f"{day}, {moment:%H:%M} ({moment.tzinfo})"


def read_schedule(path: Path, stems: Collection[str]) -> Schedule:
    """Read schedule.toml; without the file nothing is scheduled.

    stems: the course's chapters. Raises UserError, one line with file and key, for what is no
    schedule of them.
    """
    if not path.is_file():
        return Schedule()
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path.name} is no TOML: {error}") from None
    return parse_schedule(raw, stems, path.name)


def parse_schedule(raw: Mapping[str, Any], stems: Collection[str], name: str = FILE) -> Schedule:
    """Return the schedule that a file called `name` says.

    >>> raw = {"zone": "UTC", "chapters": {"sorting": {"due": date(2026, 11, 1)}}}
    >>> print(parse_schedule(raw, ["sorting"]).of("sorting").due)
    2026-11-01 23:59:59+00:00
    """
    _require_known(raw, KEYS, name)
    term = _Term.read(raw, name)
    chapters = raw.get("chapters", {})
    if not isinstance(chapters, dict):
        raise UserError(f"{name}: chapters should be a table, one line for each chapter")
    found = []
    for stem, said in chapters.items():
        where = f"{name}: {stem}"
        if stem not in stems:
            known = ", ".join(stems) or "none"
            raise UserError(f"{where} is no chapter of the course; they are: {known}")
        if not isinstance(said, dict) or not said:
            raise UserError(f"{where}: expected a table such as {{ week = 1 }}, got {said!r}")
        found.append(term.dates(stem, said, where))
    return Schedule(tuple(sorted(found, key=_order)))


@dataclass(frozen=True)
class _Term:
    """What holds for all chapters of a schedule."""

    zone: ZoneInfo
    first_day: date | None
    free: tuple[date, ...]
    release_at: time
    due_at: time
    days: int | None

    @classmethod
    def read(cls, raw: Mapping[str, Any], name: str) -> _Term:
        free = raw.get("free", [])
        if not isinstance(free, list):
            raise UserError(f"{name}: free should be a list of days, it is {free!r}")
        first = raw.get("first_day")
        return cls(
            _zone(raw.get("zone"), name),
            _day(first, f"{name}: first_day") if first is not None else None,
            tuple(_day(each, f"{name}: free") for each in free),
            _time(raw.get("release_at", time.min), f"{name}: release_at"),
            _time(raw.get("due_at", LAST_SECOND), f"{name}: due_at"),
            _days(raw["days"], f"{name}: days") if "days" in raw else None,
        )

    def dates(self, stem: str, said: Mapping[str, Any], where: str) -> Dates:
        """Return the dates of a chapter."""
        _require_known(said, CHAPTER_KEYS, where)
        if "week" in said and "release" in said:
            raise UserError(f"{where}: give week or release, not both")
        release = None
        if "week" in said:
            release = self.moment(self.week(said["week"], where), self.release_at, where)
        elif "release" in said:
            release = self.moment(said["release"], self.release_at, f"{where}: release")
        due = self.due(said, release, where)
        if release and due and due <= release:
            raise UserError(f"{where} would be due ({due:%Y-%m-%d %H:%M}) before it is handed out")
        return Dates(stem, self.number(release) if release else None, release, due)

    def due(self, said: Mapping[str, Any], release: datetime | None, where: str) -> datetime | None:
        """Return when a chapter is due: as it says itself, or some days after its release."""
        if "due" in said:
            if "days" in said:
                raise UserError(f"{where}: give due or days, not both")
            return self.moment(said["due"], self.due_at, f"{where}: due")
        days = _days(said["days"], f"{where}: days") if "days" in said else self.days
        if release is None or days is None:
            if "days" in said:
                raise UserError(f"{where}: days are counted from release or week: give one of them")
            return None
        return self.moment(release.date() + timedelta(days=days), self.due_at, where)

    def moment(self, value: Any, at: time, where: str) -> datetime:
        """Return the moment that a day, a time of a day or a text means in the term's zone."""
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value) if len(value) > 10 else _day(value, where)
            except ValueError:
                value = _day(value, where)
        if not isinstance(value, datetime):
            value = datetime.combine(_day(value, where), at)
        _require_year(value, where)
        if value.tzinfo is not None:
            return value.astimezone(self.zone)
        # an hour that the clock shows twice ends when it has passed for the second time
        both = [value.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1)]
        return max(both, key=datetime.timestamp)

    def week(self, number: Any, where: str) -> date:
        """Return the first day of a week with teaching, counted from 1."""
        if type(number) is not int or not 1 <= number <= 60:
            raise UserError(f"{where}: week should be a number from 1 on, it is {number!r}")
        if self.first_day is None:
            raise UserError(f"{where}: week {number} of what? Give first_day above [chapters]")
        day, left = self.first_day, number - 1
        while left or self.is_free(day):
            left -= not self.is_free(day)
            day += WEEK
        return day

    def number(self, moment: datetime) -> int | None:
        """Return the number of the week that a moment is in; None in one without teaching."""
        if self.first_day is None or moment.date() < self.first_day:
            return None
        start = self.first_day
        passed = 0
        while start + WEEK <= moment.date():
            passed += not self.is_free(start)
            start += WEEK
        return None if self.is_free(start) else passed + 1

    def is_free(self, start: date) -> bool:
        """Tell whether the week that begins on this day has no teaching."""
        return any(start <= day < start + WEEK for day in self.free)


def _order(dates: Dates) -> float:
    moment = dates.release or dates.due
    return moment.timestamp() if moment else float("inf")


def _require_known(said: Mapping[str, Any], known: Collection[str], where: str) -> None:
    if unknown := sorted(set(said) - set(known)):
        raise UserError(f"{where}: unknown key {unknown[0]!r}; the keys are {', '.join(known)}")


def _zone(name: Any, where: str) -> ZoneInfo:
    wanted = 'such as zone = "Europe/Berlin"'
    if not isinstance(name, str):
        raise UserError(f"{where}: say in which time zone its times are, {wanted}")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise UserError(
            f"{where}: no time zone {name!r} is known here; give one {wanted} "
            "(where all are missing: pip install tzdata)"
        ) from None


def _day(value: Any, where: str) -> date:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = date.fromisoformat(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        _require_year(value, where)
        return value
    raise UserError(f"{where} should be a day such as 2026-10-19, it is {str(value)!r}")


def _require_year(day: date, where: str) -> None:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise UserError(
            f"{where} should be in the years {FIRST_YEAR} to {LAST_YEAR}, it is {day.year}"
        )


def _time(value: Any, where: str) -> time:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = time.fromisoformat(value)
    if isinstance(value, time) and value.tzinfo is None:
        return value
    raise UserError(f'{where} should be a time such as "18:00", it is {str(value)!r}')


def _days(value: Any, where: str) -> int:
    if type(value) is int and 0 <= value <= 400:
        return value
    raise UserError(f"{where} should be a number of days, it is {value!r}")
