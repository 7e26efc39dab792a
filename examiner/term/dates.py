"""When work is due, and what lateness costs: a rule, extensions, days in hand.

Leaves out when it was handed in (times.py) and what a mark is made of (standing.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from examiner.catalogue import Catalogue
from examiner.errors import UserError
from examiner.plural import count
from examiner.term.moments import YEARS, aware, lasting, late_by, moment, shown, span
from examiner.term.table import Row, nobody, read_table
from examiner.term.times import Handed

DAY = timedelta(days=1)
UNITS = {"hour": timedelta(hours=1), "day": DAY, "week": timedelta(weeks=1)}
EXAMPLE = (
    '"10 % a day, 15 minutes of grace, at most 50 %, nothing after 7 days, 3 days in hand", or '
    "parts of it"
)
_COST = re.compile(r"([\d.]+) ?(%|points?|percent) (?:a|an|per|each|every) (hour|day|week)")
_MOST = re.compile(r"at most ([\d.]+) ?(%|percent)")
_IN_HAND = re.compile(r"(\d+) (?:late )?days? in hand")
MOST_DAYS = 400  # of more time, or in hand
EXTENSIONS = ("student", "until", "days", "reason", "chapter")


def read_due(text: str, where: str = "--due") -> datetime:
    """Return when work is due, aware of its zone; this machine's zone where none is said.

    Raises UserError for what is no moment.
    """
    found = moment(text) if re.match(r"\d{4}-", text) else None
    if found is None:
        wanted = "2026-12-01T18:00, 2026-12-01T18:00+01:00 or 2026-12-01 (the end of that day)"
        raise UserError(f"{where}: expected a moment such as {wanted}, {YEARS}, got {text!r}")
    return aware(found, None)


@dataclass(frozen=True)
class Rule:
    """What lateness costs. Each unit of time that has begun counts as a whole one."""

    percent: float = 0.0  # of the points earned, for each unit
    points: float = 0.0  # for each unit
    unit: timedelta = DAY
    grace: timedelta = timedelta()  # so late is in time; whoever is later is late by all of it
    most: float = 100.0  # percent of the points earned that lateness costs at most
    closed: timedelta | None = None  # later than this nothing counts
    in_hand: int = 0  # days over the term that cost nothing

    @property
    def text(self) -> str:
        """The rule in words, as `read_rule` takes it."""
        unit = next(name for name, length in UNITS.items() if length == self.unit)
        article = "an" if unit == "hour" else "a"
        parts = [f"{self.percent:g} % {article} {unit}"] if self.percent else []
        parts += [f"{count(self.points, 'point')} {article} {unit}"] if self.points else []
        parts += [f"{lasting(self.grace)} of grace"] if self.grace else []
        parts += [f"at most {self.most:g} %"] if self.most < 100 else []
        parts += [f"nothing after {lasting(self.closed)}"] if self.closed is not None else []
        parts += [f"{count(self.in_hand, 'day')} in hand"] if self.in_hand else []
        return ", ".join(parts) or "costs nothing"

    def units(self, late: timedelta) -> int:
        """Return for how many units work that is so late pays; 0 within the grace."""
        return 0 if late <= self.grace else math.ceil(late / self.unit)

    def cost(self, earned: float, units: int) -> float:
        """Return how many points are lost."""
        asked = units * (self.points + earned * self.percent / 100)
        return round(min(asked, earned * self.most / 100, earned), 2)


def read_rule(text: str, where: str = "--late") -> Rule:
    """Read a rule; raises UserError for a part that is none.

    >>> read_rule("10 % a day, at most 50 %, 3 days in hand").text
    '10 % a day, at most 50 %, 3 days in hand'
    """
    rule = Rule()
    said: dict[str, str] = {}
    for part in filter(None, (each.strip().casefold() for each in text.split(","))):
        clause = _clause(part, where)
        for key in clause:
            if said.setdefault(key, part) != part and clause[key] != getattr(rule, key):
                raise UserError(f"{where}: {said[key]!r} and {part!r} are two rules: keep one")
        rule = replace(rule, **clause)
    return rule


def _clause(part: str, where: str) -> dict[str, Any]:
    length = span(part)
    if found := _COST.fullmatch(part):
        key = "points" if found[2].startswith("point") else "percent"
        most = math.inf if key == "points" else 100
        return {key: _number(found[1], where, part, most), "unit": UNITS[found[3]]}
    if found := _MOST.fullmatch(part):
        return {"most": _number(found[1], where, part, 100)}
    if found := _IN_HAND.fullmatch(part):
        return {"in_hand": int(_number(found[1], where, part, MOST_DAYS))}
    if part.endswith("grace") and length is not None:
        return {"grace": length}
    if part.startswith("nothing after ") and length is not None:
        return {"closed": length}
    raise UserError(f"{where}: {part!r} is no part of a rule: expected {EXAMPLE}")


def _number(text: str, where: str, part: str, most: float) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and 0 <= found <= most):
        wanted = f"from 0 to {most}" if math.isfinite(most) else "such as 2"
        raise UserError(f"{where}: {part!r}: expected a number {wanted}, got {text}")
    return found


# --------------------------------------------------------------------------- extensions


@dataclass(frozen=True)
class Extension:
    """More time for one student."""

    student: str
    until: datetime | None = None  # aware
    days: float = 0.0
    reason: str = ""
    where: str = ""

    def due(self, due: datetime | None) -> datetime | None:
        """Return when this student's work is due; never sooner than that of the class."""
        if self.until is not None:
            return max(self.until, due) if due else self.until
        try:
            return due and due + timedelta(days=self.days)
        except OverflowError:  # the schedule's own day is one of the last in the calendar
            return due


def read_extensions(
    path: Path, zone: tzinfo | None, chapter: str, course: Catalogue
) -> dict[str, Extension]:
    """Read the extensions of a chapter by student; raises UserError naming the row.

    Columns: student, until or days, reason, and, where one file serves a term, chapter: the stem,
    number or title of one of the course's.
    """
    found: dict[str, Extension] = {}
    for row in read_table(path, "the extensions", ("student",), EXTENSIONS):
        if not row.is_of(chapter, course):
            continue
        one = _extension(row, zone)
        other = found.setdefault(one.student.casefold(), one)
        if (other.until, other.days) != (one.until, one.days):
            line = other.where.rpartition(" ")[2]
            raise UserError(f"{row.where}: line {line} says something else of {one.student}")
    return found


def _extension(row: Row, zone: tzinfo | None) -> Extension:
    student, until, days = row.get("student"), row.get("until"), row.get("days")
    if not student:
        raise UserError(f"{row.where}: whose extension is this? Give a student")
    if bool(until) == bool(days):
        raise UserError(f"{row.where}: give until or days, one of them")
    if until:
        at = moment(until)
        if at is None:
            text = f"{until!r} is no moment such as 2026-12-03T18:00, {YEARS}"
            raise UserError(f"{row.where}: {text}")
        return Extension(student, aware(at, zone), 0.0, row.get("reason"), row.where)
    try:
        number = float(days.replace(",", "."))
    except ValueError:
        number = math.nan
    if not 0 < number <= MOST_DAYS:
        raise UserError(f"{row.where}: expected a number of days, got {days!r}")
    return Extension(student, None, number, row.get("reason"), row.where)


def require_known(
    extensions: Iterable[Extension], students: Collection[str], due: datetime | None
) -> None:
    """Raise UserError for an extension of nobody in the class, or of a due date that is missing."""
    known = {each.casefold() for each in students}
    for each in extensions:
        if each.student.casefold() not in known:
            raise UserError(f"{each.where}: {nobody(each.student, students)}")
        if due is None and each.until is None:
            raise UserError(f"{each.where}: days after which day? Give --due, or until here")


# ----------------------------------------------------------------------------- lateness


@dataclass(frozen=True)
class Terms:
    """What holds for a class: when work is due, and what lateness costs."""

    due: datetime | None = None  # aware
    rule: Rule = Rule()
    extensions: Mapping[str, Extension] | None = None

    @property
    def zone(self) -> tzinfo | None:
        """The zone in which times without one are meant; None: this machine's."""
        return self.due.tzinfo if self.due else None

    @property
    def text(self) -> str:
        """When it is due and what lateness costs, in words; "" where there is no due date."""
        return f"due: {shown(self.due)}; late: {self.rule.text}" if self.due else ""

    def extension(self, student: str) -> Extension | None:
        """Return a student's extension."""
        return (self.extensions or {}).get(student.casefold())

    def due_of(self, student: str) -> datetime | None:
        """Return when a student's work is due."""
        extension = self.extension(student)
        return extension.due(self.due) if extension else self.due

    @property
    def granted(self) -> list[tuple[str, str]]:
        """Who has more time, and until when, in words."""
        rows = (self.extensions or {}).values()
        return [(row.student, text) for row in rows for text in _extended(row, row.due(self.due))]


@dataclass(frozen=True)
class Lateness:
    """How late a work is, and why that is believed."""

    at: datetime | None = None  # when it was handed in, aware
    by: timedelta = timedelta()
    unknown: bool = False  # late, by how much nobody says
    remarks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """How late, in words; "" where it is in time or nothing is known."""
        if self.unknown:
            return "handed in late"
        return f"handed in {lasting(self.by)} late" if self.by else ""


def lateness(student: str, handed: Handed | None, terms: Terms) -> Lateness:
    """Return how late a student's work is, by what is known of when it was handed in.

    A time counts more than a platform's word: the platform may know another due date. Where it says
    late and no more, whoever has an extension is in time.
    """
    if handed is None:
        return Lateness()
    due, extension = terms.due_of(student), terms.extension(student)
    at = aware(handed.at, terms.zone) if handed.at else None
    if at is None and handed.late_by is not None and terms.due:
        at = terms.due + handed.late_by
    if at and due:
        return Lateness(at, late_by(at, due), remarks=_extended(extension, due))
    if extension:
        text = f"{handed.source} says late, and not when: in time by the extension"
        return Lateness(at, remarks=(*_extended(extension, due), *([text] if handed.late else [])))
    if handed.late_by is not None:
        return Lateness(at, handed.late_by)
    if handed.late:
        text = f"handed in late, says {handed.source}, not by how much: counted as one day"
        return Lateness(at, timedelta(seconds=1), unknown=True, remarks=(text,))
    return Lateness(at)


def _extended(extension: Extension | None, due: datetime | None) -> tuple[str, ...]:
    if extension is None or due is None:
        return ()
    why = f" ({extension.reason})" if extension.reason else ""
    return (f"extended to {shown(due)}{why}",)


@dataclass(frozen=True)
class Charge:
    """What lateness does to a score."""

    counts: float
    used: int = 0  # days in hand
    line: str = ""  # "handed in 1 day 3 h late: 37.5 - 10 % = 33.75"


def charge(earned: float, late: Lateness, rule: Rule, in_hand: int) -> Charge:
    """Return what counts of the points earned; `in_hand` days are left to this student.

    Days in hand are used first, and only where lateness would cost something. They do not move the
    day after which nothing counts: by then solutions may be known.
    """
    text = late.text
    if not text:
        return Charge(earned)
    if rule.closed is not None and late.by > rule.closed:
        also = ", also with days in hand" if in_hand else ""
        return Charge(0.0, 0, f"{text}: nothing counts after {lasting(rule.closed)}{also}")
    if late.by <= rule.grace and not late.unknown:
        return Charge(earned, 0, f"{text}: within the {lasting(rule.grace)} of grace")
    days = math.ceil(late.by / DAY)
    used = min(days, in_hand) if rule.cost(earned, 1) else 0
    left = late.by - used * DAY
    units = math.ceil(left / rule.unit) if left > timedelta() else 0
    cost = rule.cost(earned, units)
    spent = f", {count(used, 'day')} in hand used" if used else ""
    if not cost:
        return Charge(earned, used, f"{text}{spent}: it costs nothing")
    counts = round(earned - cost, 2)
    return Charge(
        counts, used, f"{text}{spent}: {earned:g} - {_cost(rule, cost, units)} = {counts:g}"
    )


def _cost(rule: Rule, cost: float, units: int) -> str:
    """Return the cost as the rule says it, in percent where that is all of it."""
    percent = min(units * rule.percent, rule.most)
    return f"{percent:g} %" if rule.percent and not rule.points else f"{cost:g}"
