"""The report of a class: all that its results say.

Leaves out counting (tally.py), reckoning (reckoning.py), and the page (page.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from examiner.catalogue import Chapter
from examiner.report import reckoning
from examiner.report.facts import Reliability, Scores, TaskReport, TestReport
from examiner.report.mistakes import Mistake
from examiner.report.reckoning import ENOUGH
from examiner.report.tally import Group, Tally
from examiner.results import SubmissionResult

IN_LECTURE = 5  # mistakes at most that the next lecture should take up
RARE = 0.05  # of those who wrote a task: a mistake of fewer is no matter for a lecture


@dataclass(frozen=True)
class Report:
    """What the results of a class say."""

    chapter: Chapter
    groups: dict[Group, int]  # all who handed something in
    absent: int
    provisional: int  # of those who wrote something: not all was judged
    judged: int  # the others: of whom correlations and reliability are reckoned
    scores: Scores | None
    tasks: tuple[TaskReport, ...]
    tests: tuple[TestReport, ...]
    reliability: Reliability | None

    @classmethod
    def of(cls, chapter: Chapter, results: Iterable[SubmissionResult], absent: int = 0) -> Report:
        """Return the report of a class of which so many handed nothing in."""
        tally = Tally(chapter)
        for result in results:
            tally.add(result)
        return cls.from_tally(tally, absent)

    @classmethod
    def from_tally(cls, tally: Tally, absent: int = 0) -> Report:
        """Return the report of what was counted."""
        judged = sum(row.students for row in tally.rows.values())
        return cls(
            tally.chapter,
            {group: tally.groups[group] for group in Group},
            absent,
            tally.provisional,
            judged,
            reckoning.scores(tally),
            reckoning.tasks(tally),
            reckoning.tests(tally),
            reckoning.reliability(tally),
        )

    @property
    def handed_in(self) -> int:
        """How many submissions there are."""
        return sum(self.groups.values())

    @property
    def for_the_lecture(self) -> list[Mistake]:
        """The mistakes that most students share, the most frequent first."""
        found = [
            each
            for task in self.tasks
            for each in task.mistakes
            if each.students > 1 and each.share.value >= RARE and each.tells_something
        ]
        return sorted(found, key=lambda each: -each.students)[:IN_LECTURE]

    @property
    def never_failed(self) -> list[TestReport]:
        """The tests that everybody passes who wrote their task, of enough students."""
        return [test for test in self.tests if test.judged >= ENOUGH and not test.failed]

    @property
    def against_the_good(self) -> list[TestReport]:
        """The tests that the good fail more often than others, the clearest first."""
        found = [
            (test.discrimination.value, place, test)
            for place, test in enumerate(self.tests)
            if test.discrimination and test.fails_the_good
        ]
        return [test for _, _, test in sorted(found, key=lambda each: each[:2])]

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`, under `report`."""
        return {
            "groups": {group.value: number for group, number in self.groups.items()},
            "absent": self.absent,
            "provisional": self.provisional,
            "judged": self.judged,
            "scores": self.scores.to_json() if self.scores else None,
            "reliability": self.reliability.to_json() if self.reliability else None,
            "tasks": [task.to_json() for task in self.tasks],
            "tests": [test.to_json() for test in self.tests],
        }
