"""The pictures of a report as plain shapes, which the template draws as SVG.

A picture is 340 units wide, as a phone's column is in pixels, so that its letters can be read
there. Every mark is labelled where it stands; colours only repeat what is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from examiner.report.facts import FirstSuccess, Scores, TaskReport
from examiner.report.formulas import Estimate
from examiner.report.tally import Level

WIDTH, LEFT, RIGHT = 340, 40, 326  # of a picture; where its marks begin and end
ROW = 22  # from one line to the next
TALL = 96  # the longest bar of the distribution
LETTER = 7  # the width of a digit


@dataclass(frozen=True)
class Bar:
    """A rectangle with what is written at it, and the class of its colour."""

    x: float
    y: float
    width: float
    height: float
    label: str
    kind: str = ""

    @property
    def middle(self) -> float:
        """Where its label stands."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Span:
    """A line from one end to the other with a dot in between, and its name on the left."""

    name: str
    y: float
    low: float
    dot: float
    high: float


@dataclass(frozen=True)
class Mark:
    """A place on an axis, with what is written there."""

    x: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True)
class Distribution:
    """How many students have which scores, with a box from quartile to quartile below."""

    bars: tuple[Bar, ...]
    box: Span
    marks: tuple[Mark, ...]


def distribution(scores: Scores, most: int) -> Distribution:
    """Return the picture of scores between 0 and `most` points."""
    wide, highest = (RIGHT - LEFT) / len(scores.bins), max(scores.bins)
    bars = []
    for place, number in enumerate(scores.bins):
        tall = TALL * number / highest
        label = f"{number:,}" if number else ""
        bars.append(Bar(LEFT + wide * place + 1, 18 + TALL - tall, wide - 2, tall, label))
    low, middle, high = (LEFT + (RIGHT - LEFT) * each / max(1, most) for each in scores.quartiles)
    steps = [place * most / 4 for place in range(5)]
    marks = (Mark(LEFT + (RIGHT - LEFT) * k / 4, f"{step:g}") for k, step in enumerate(steps))
    return Distribution(tuple(bars), Span("", 18 + TALL + 9, low, middle, high), tuple(marks))


@dataclass(frozen=True)
class Stack:
    """A task's line: how many students came how far."""

    name: str
    y: float
    parts: tuple[Bar, ...]


def stacks(tasks: Sequence[TaskReport]) -> list[Stack]:
    """Return a line for each task, all of the same length where all students are in each."""
    most = max((sum(task.levels.values()) for task in tasks), default=0) or 1
    found = []
    for place, task in enumerate(tasks):
        x, y, parts = float(LEFT), 4.0 + ROW * place, []
        for level in Level:
            number = task.levels[level]
            width = (RIGHT - LEFT) * number / most
            label = str(number) if width > LETTER * len(str(number)) + 4 else ""
            if number:
                parts.append(Bar(x, y, width, 16, label, level.value))
            x += width
        found.append(Stack(task.task.id, y, tuple(parts)))
    return found


def _place(value: float, low: float, high: float) -> float:
    return LEFT + (RIGHT - LEFT) * (value - low) / (high - low)


@dataclass(frozen=True)
class Spans:
    """Lines one below the other, on an axis with marks."""

    rows: tuple[Span, ...]
    marks: tuple[Mark, ...]

    @property
    def height(self) -> int:
        """How high the rows are together."""
        return ROW * len(self.rows)


def correlations(rows: Sequence[tuple[str, Estimate]]) -> Spans:
    """Return the correlations of tasks with the rest, from the least end of an interval to 1."""
    least = -1.0 if any(each.low < -0.5 for _, each in rows) else -0.5
    spans = (
        Span(name, 12 + ROW * k, *(_place(each, least, 1) for each in (e.low, e.value, e.high)))
        for k, (name, e) in enumerate(rows)
    )
    marks = (
        Mark(_place(each, least, 1), f"{each:g}".replace("-", "\N{MINUS SIGN}"))
        for each in (least, 0.0, 0.5, 1.0)
    )
    return Spans(tuple(spans), tuple(marks))


def times(rows: Sequence[tuple[str, FirstSuccess]]) -> Spans:
    """Return when tasks were first right: the middle half of the students, and the median."""
    ends = [each.timestamp() for _, first in rows for each in first.quartiles]
    low, high = min(ends), max(max(ends), min(ends) + 3600)
    spans = (
        Span(name, 12 + ROW * k, *(_place(each.timestamp(), low, high) for each in f.quartiles))
        for k, (name, f) in enumerate(rows)
    )
    first, last = (datetime.fromtimestamp(each).astimezone() for each in (low, high))
    marks = (Mark(LEFT, moment(first), "start"), Mark(RIGHT, moment(last), "end"))
    return Spans(tuple(spans), marks)


def moment(when: datetime) -> str:
    """Return day and hour, in the zone of this machine.

    >>> from datetime import timezone
    >>> moment(datetime(2026, 11, 2, 14, tzinfo=datetime.now().astimezone().tzinfo))
    '2 Nov, 14 h'
    """
    local = when.astimezone()
    return f"{local.day} {local:%b}, {local.hour} h"
