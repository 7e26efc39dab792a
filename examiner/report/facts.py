"""What a report says: of the scores, of a task, of a test, of the whole.

Leaves out how it is reckoned (reckoning.py). Where too few students say something, it is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from examiner.catalogue import Task
from examiner.report.formulas import Estimate
from examiner.report.mistakes import Mistake
from examiner.report.tally import Level


class _Fact(Protocol):
    def to_json(self) -> dict[str, Any]: ...


def _json(fact: _Fact | None) -> dict[str, Any] | None:
    return fact.to_json() if fact else None


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


@dataclass(frozen=True)
class Scores:
    """How the scores of those who wrote something are distributed, in points."""

    students: int
    bins: tuple[int, ...]  # students in each, from 0 to full marks
    mean: float
    deviation: float
    quartiles: tuple[float, float, float]  # the second is the median

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        low, median, high = (round(each, 2) for each in self.quartiles)
        return {
            "students": self.students,
            "bins": list(self.bins),
            "mean": round(self.mean, 3),
            "deviation": round(self.deviation, 3),
            "quartiles": {"lower": low, "median": median, "upper": high},
        }


@dataclass(frozen=True)
class FirstSuccess:
    """When a task first passed its visible tests, by those who handed that in."""

    students: int
    quartiles: tuple[datetime, datetime, datetime]

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        low, median, high = (each.isoformat() for each in self.quartiles)
        return {"students": self.students, "lower": low, "median": median, "upper": high}


@dataclass(frozen=True)
class TaskReport:
    """A task, and how those who wrote something did in it."""

    task: Task
    levels: dict[Level, int]
    written: int
    difficulty: Estimate | None  # the mean share of its points, of those who wrote it
    discrimination: Estimate | None  # correlation of its points with those of the other tasks
    alpha_without: float | None
    mistakes: tuple[Mistake, ...]
    first: FirstSuccess | None

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {
            "id": self.task.id,
            "written": self.written,
            "levels": {level.value: number for level, number in self.levels.items()},
            "difficulty": _json(self.difficulty),
            "discrimination": _json(self.discrimination),
            "alpha_without": _rounded(self.alpha_without),
            "mistakes": [each.to_json() for each in self.mistakes],
            "first_success": _json(self.first),
        }


@dataclass(frozen=True)
class TestReport:
    """A test, and who failed it of those who wrote its task."""

    __test__ = False  # pytest: this is no test class

    task: str
    name: str
    behaviour: str
    judged: int
    failed: int
    failing: Estimate | None
    discrimination: Estimate | None  # correlation of passing with all points but the test's own
    fail_low: Estimate | None  # share of the bottom quarter that fails it
    fail_high: Estimate | None  # of the top quarter

    @property
    def fails_the_good(self) -> bool:
        """Whether the good fail it more often than the others do."""
        if self.discrimination is None:
            return False
        above = self.fail_low and self.fail_high and self.fail_high.value > self.fail_low.value
        return self.discrimination.value < 0 or bool(above)

    @property
    def is_sure(self) -> bool:
        """Whether chance alone would hardly show this."""
        return self.discrimination is not None and self.discrimination.high < 0

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {
            "task": self.task,
            "name": self.name,
            "judged": self.judged,
            "failed": self.failed,
            "discrimination": _json(self.discrimination),
            "failing_in_bottom_quarter": _json(self.fail_low),
            "failing_in_top_quarter": _json(self.fail_high),
        }


@dataclass(frozen=True)
class Reliability:
    """How far another test of this kind would rank the same students alike."""

    alpha: Estimate
    error: float | None  # standard error of measurement, in points

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {"alpha": self.alpha.to_json(), "standard_error": _rounded(self.error)}
