"""Moments and spans of time in words: as people type them and as learning platforms print them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from examiner.catalogue.schedule import FIRST_YEAR, LAST_SECOND, LAST_YEAR
from examiner.plural import count

YEARS = f"in the years {FIRST_YEAR} to {LAST_YEAR}"
LONGEST_SPAN = timedelta(days=365_000)  # a thousand years
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "cs", "tr")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_POINTS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? *(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
_WORDS = re.compile(
    r"\b(?P<day>\d{1,2})\.?(?: de| of)? (?P<month>[^\W\d_]+)\.?,?(?: de)? (?P<year>\d{4})"
    r"\D{1,12}?(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[ap]\.?m)?",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(\d+)\s*([^\W\d_]+)")
# what Moodle's format_time says, by the first letters of each unit in these languages
_UNITS = (
    (timedelta(days=365), ("year", "jahr", "an", "año", "anno", "jaar")),
    (timedelta(weeks=1), ("week", "woche", "semaine", "semana", "settiman")),
    (timedelta(days=1), ("day", "tag", "jour", "día", "dia", "giorn", "dag")),
    (timedelta(hours=1), ("hour", "stunde", "std", "heure", "hora", "or", "uur", "uren")),
    (timedelta(minutes=1), ("min",)),
    (timedelta(seconds=1), ("sec", "sek", "seg")),
)


def moment(text: str) -> datetime | None:
    """Return the moment that a text names, without a zone where it names none; None for no moment.

    Read are ISO 8601 (a day alone means its last second), days with points as they are written in
    Europe, and what Moodle prints in many languages. A day such as 10/04/2026 means two things,
    and is none; nor is one before FIRST_YEAR or after LAST_YEAR.

    >>> str(moment("Thursday, 4 October 2026, 11:59 PM")), str(moment("1.12.2026"))
    ('2026-10-04 23:59:00', '2026-12-01 23:59:59')
    """
    try:
        found = _read(" ".join(text.replace(" UTC", "+00:00").split()))
    except ValueError:
        return None
    return found if found and FIRST_YEAR <= found.year <= LAST_YEAR else None


def _read(text: str) -> datetime | None:
    """Return the moment of any year that a text names; raises ValueError for a day that is none."""
    if _DATE.fullmatch(text):
        return datetime.combine(datetime.fromisoformat(text).date(), LAST_SECOND)
    if _DATE.match(text):
        # nbgrader and Ruby set a space before the zone
        return datetime.fromisoformat(re.sub(r" (?=[+-]\d\d:?\d\d$|Z$)", "", text))
    if found := _POINTS.fullmatch(text):
        day, month, year, hour, minute, second = (int(part or 0) for part in found.groups())
        if not found[4]:
            return datetime.combine(datetime(year, month, day), LAST_SECOND)
        return datetime(year, month, day, hour, minute, second)
    return _printed(text)


def _printed(text: str) -> datetime | None:
    found = _WORDS.search(text)
    month = _months().get(found["month"].casefold()) if found else None
    if found is None or month is None:
        return None
    hour = int(found["hour"])
    if half := (found["half"] or "").casefold():
        hour = hour % 12 + 12 * half.startswith("p")
    clock = (hour, int(found["minute"]), int(found["second"] or 0))
    return datetime(int(found["year"]), month, int(found["day"]), *clock)


@cache
def _months() -> dict[str, int]:
    """Return the numbers of the months by their names, long and short."""
    from babel.dates import get_month_names

    found: dict[str, int] = {}
    for language in LANGUAGES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, language).items():
                    found.setdefault(name.casefold().rstrip("."), number)
    return found


def span(text: str) -> timedelta | None:
    """Return how long a text says; None where it names no number with a unit of time.

    None as well for what is longer than LONGEST_SPAN: there is no day so long after another.

    >>> str(span("1 day 3 hours")), str(span("2 Tage 5 Stunden")), span("soon")
    ('1 day, 3:00:00', '2 days, 5:00:00', None)
    """
    whole = timedelta()
    found = False
    for number, word in _SPAN.findall(text):
        for length, names in _UNITS:
            if word.casefold().startswith(names):
                try:
                    whole, found = whole + int(number) * length, True
                except (OverflowError, ValueError):  # Python reads no integer of 5,000 digits
                    return None
                break
    return whole if found and whole <= LONGEST_SPAN else None


def aware(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return a moment with a zone: its own, else `zone`, else this machine's.

    An hour that the clock shows twice ends when it has passed for the second time.
    """
    if moment.tzinfo is not None:
        return moment
    zone = zone or here()
    both = [moment.replace(fold=fold) for fold in (0, 1)]
    found = [each.replace(tzinfo=zone) if zone else each.astimezone() for each in both]
    return max(found, key=lambda each: each.astimezone(UTC))


def here() -> tzinfo | None:
    """This machine's zone with its summer time; None where the machine names none."""
    from babel.localtime import get_localzone

    try:
        return get_localzone()
    except LookupError:  # TZ holds a rule and no name
        return None


def late_by(at: datetime, due: datetime) -> timedelta:
    """Return how much later an aware moment is than another; nothing where it is not.

    By the clock on the wall in the due date's zone or by the time that passed, whichever is less:
    nobody pays for the hour that is put forward or back.

    >>> from zoneinfo import ZoneInfo
    >>> due = datetime(2026, 10, 24, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    >>> str(late_by(datetime(2026, 10, 25, 16, 30, tzinfo=UTC), due))  # 17:30 on the wall
    '23:30:00'
    """
    passed = at.astimezone(UTC) - due.astimezone(UTC)
    wall = at.astimezone(due.tzinfo).replace(tzinfo=None) - due.replace(tzinfo=None)
    return max(timedelta(), min(passed, wall) if wall > timedelta() else passed)


def shown(moment: datetime) -> str:
    """Return an aware moment as people read it.

    >>> shown(datetime(2026, 12, 1, 18, tzinfo=UTC))
    '1 December 2026, 18:00 UTC'
    """
    clock = moment.strftime("%H:%M:%S").removesuffix(":00")
    return f"{moment.day} {moment:%B %Y}, {clock} {moment.tzname()}"


def lasting(span: timedelta) -> str:
    """Return how long a span is, in its two largest units that are not zero.

    >>> lasting(timedelta(days=1, hours=3, minutes=4)), lasting(timedelta(days=1, seconds=40))
    ('1 day 3 h', '1 day 40 s')
    """
    seconds = int(span.total_seconds())
    days, rest = divmod(seconds, 86400)
    parts = [(days, "day"), (rest // 3600, "h"), (rest % 3600 // 60, "min"), (rest % 60, "s")]
    told = [count(n, u) if u == "day" else f"{n} {u}" for n, u in parts if n][:2]
    return " ".join(told) or "0 s"
