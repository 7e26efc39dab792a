"""Counts and sums over the results of a class, which are fed one by one and not kept.

What is held grows with the number of different scores, not with the class. Scores are counted in
whole hundredths of a point, as they are rounded: sums are exact, and the same in any order.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from enum import StrEnum

import numpy as np

from examiner.catalogue import Chapter
from examiner.report.formulas import Integers
from examiner.report.mistakes import MistakeCounts, is_judged, never_ran, was_written
from examiner.results import SubmissionResult, TaskResult, Verdict

HUNDREDTHS = 100  # of a point
HOUR = 3600  # seconds: of first successes no more is recorded


class Group(StrEnum):
    """Who handed in what: only those who wrote something say anything of tasks and tests."""

    WROTE = "wrote"
    STUBS = "stubs"
    NEVER_RAN = "never_ran"
    NOT_JUDGED = "not_judged"


class Level(StrEnum):
    """How far a student came in a task, of those who wrote something."""

    FULL = "full"
    PART = "part"
    NONE = "none"
    UNWRITTEN = "unwritten"
    NOT_JUDGED = "not_judged"


LEVELS = tuple(Level)


def group_of(result: SubmissionResult) -> Group:
    """Return to which part of the class a submission belongs."""
    verdicts = {each.verdict for each in result.tasks}
    if verdicts <= {Verdict.NOT_JUDGED}:
        return Group.NOT_JUDGED
    if never_ran(result):
        return Group.NEVER_RAN
    return Group.WROTE if any(map(was_written, result.tasks)) else Group.STUBS


def level_of(task: TaskResult) -> Level:
    """Return how far a student came in a task."""
    if not is_judged(task):
        return Level.NOT_JUDGED
    if not was_written(task):
        return Level.UNWRITTEN
    if task.verdict is Verdict.PASSED:
        return Level.FULL
    return Level.PART if task.score else Level.NONE


class Row:
    """All who have the same score: how many wrote each task, and what they earned and passed."""

    def __init__(self, tasks: int) -> None:
        self.students = 0
        self.wrote = np.zeros(tasks, np.int64)
        self.earned = np.zeros(tasks, np.int64)  # by those who wrote it, in hundredths
        self.squares = np.zeros(tasks, np.int64)
        self.judged: Counter[int] = Counter()  # by test, who wrote its task
        self.passed: Counter[int] = Counter()


class Tests:
    """The tests of a suite in the order in which they are met, each with a number."""

    __test__ = False  # pytest: this is no test class

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, str], int] = {}  # by task and name
        self.about: list[tuple[str, str, str, float]] = []  # task, name, behaviour, points

    def of(self, task: TaskResult) -> list[int]:
        """Return the numbers of a task's tests."""
        whole = sum(test.weight for test in task.tests)
        found = []
        for test in task.tests:
            key = task.task.id, test.name
            if key not in self.numbers:
                self.numbers[key] = len(self.about)
                self.about.append((*key, test.behaviour, task.task.points * test.weight / whole))
            found.append(self.numbers[key])
        return found


class Tally:
    """What is known of a class so far."""

    def __init__(self, chapter: Chapter) -> None:
        tasks = len(chapter.tasks)
        self.chapter = chapter
        self.groups: Counter[Group] = Counter()
        self.provisional = 0
        self.scores: Counter[int] = Counter()  # of those who wrote something
        self.levels = np.zeros((tasks, len(LEVELS)), np.int64)
        self.written = np.zeros(tasks, np.int64)
        self.judged = np.zeros(tasks, np.int64)  # of those who wrote it
        self.earned = np.zeros(tasks, np.int64)  # by these, in hundredths
        self.rows: dict[int, Row] = {}  # by score, of those of whom all was judged
        self.sums = np.zeros(tasks, np.int64)
        self.products = np.zeros((tasks, tasks), np.int64)
        self.tests = Tests()
        self.mistakes = [MistakeCounts(task) for task in chapter.tasks]
        self.firsts: list[Counter[int]] = [Counter() for _ in chapter.tasks]  # by hour
        self._place = {task.id: place for place, task in enumerate(chapter.tasks)}

    def add(self, result: SubmissionResult) -> None:
        """Take note of a result."""
        group = group_of(result)
        self.groups[group] += 1
        self._add_firsts(result)
        if group is not Group.WROTE:
            return
        self.provisional += result.provisional
        self.scores[hundredths(result.earned)] += 1
        for task in result.tasks:
            self._add_task(result.whose.student, task)
        if not result.provisional:
            self._add_judged(result)

    def _add_task(self, student: str, task: TaskResult) -> None:
        place, level = self._place[task.task.id], level_of(task)
        self.levels[place, LEVELS.index(level)] += 1
        if was_written(task):
            self.written[place] += 1
            self.mistakes[place].add(student, task)
            if level is not Level.NOT_JUDGED:
                self.judged[place] += 1
                self.earned[place] += hundredths(task.score)

    def _add_judged(self, result: SubmissionResult) -> None:
        row = self.rows.setdefault(hundredths(result.earned), Row(len(self.sums)))
        row.students += 1
        earned: Integers = np.zeros_like(self.sums)
        for task in result.tasks:
            place = self._place[task.task.id]
            earned[place] = points = hundredths(task.score)
            if was_written(task):
                row.wrote[place] += 1
                row.earned[place] += points
                row.squares[place] += points * points
                numbers = self.tests.of(task)
                row.judged.update(numbers)
                passed = zip(numbers, task.tests, strict=True)
                row.passed.update(n for n, test in passed if test.verdict is Verdict.PASSED)
        self.sums += earned
        self.products += np.outer(earned, earned)

    def _add_firsts(self, result: SubmissionResult) -> None:
        for task, when in result.whose.first_success:
            if task in self._place:
                hour = int(datetime.fromisoformat(when).timestamp()) // HOUR
                self.firsts[self._place[task]][hour] += 1


def hundredths(points: float) -> int:
    """Return a score in hundredths of a point, as which it was rounded.

    >>> hundredths(0.29)
    29
    """
    return round(points * HUNDREDTHS)
