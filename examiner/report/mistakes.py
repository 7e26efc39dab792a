"""Which mistakes a result shows, task by task, and how many of a class made each.

A student who did not write a task has made no mistake in it. What is kept of a mistake is a count,
some names and one example, so that it does not grow with the class.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

from examiner.catalogue import Task
from examiner.check.hints import for_function
from examiner.report.formulas import Estimate, share
from examiner.results import SmallestExample, SubmissionResult, TaskResult, Verdict

UNNAMED = "wrong in a way that no known mistake explains"
UNWRITTEN = "not written yet"
OTHERS = "wrong in other ways, each of few students"
LONGEST_CALL, LONGEST_VALUE = 110, 60  # characters of an example in a list of mistakes
_GOES_ON = " \t)]}"  # how a line begins that belongs to the statement above
MOST_KINDS = 300  # of mistakes in a task that are kept apart
MOST_NAMES = 10  # of students that are kept of a mistake
_SILENT = (Verdict.PASSED, Verdict.NOT_JUDGED)
_RAN = frozenset(Verdict) - {Verdict.MISSING, Verdict.NOT_JUDGED}


def never_ran(result: SubmissionResult) -> bool:
    """Tell whether one thing is wrong with the whole submission: no file, a syntax error."""
    if not result.notice or result.earned:
        return False
    return len({(test.verdict, test.message) for each in result.tasks for test in each.tests}) < 2


def was_written(task: TaskResult) -> bool:
    """Tell whether some test of a task found something to judge."""
    return any(test.verdict in _RAN for test in task.tests)


def is_judged(task: TaskResult) -> bool:
    """Tell whether a task has tests, and each one was judged."""
    return task.verdict is not Verdict.NOT_JUDGED


def mistakes_in(task: TaskResult) -> dict[str, SmallestExample | None]:
    """Return what went wrong in a task, each with an example where there is one.

    What no known mistake explains is called by its smallest example.
    """
    wrong = [test for test in task.tests if test.verdict not in _SILENT]
    said = dict.fromkeys(test.misconception for test in wrong if test.misconception)
    if said:
        by_sentence = {example.says: example for example in reversed(task.examples)}
        return {text: by_sentence.get(text) for text in said}
    if not wrong:
        return {}
    if task.examples:
        return {in_short(example): example for example in reversed(task.examples)}
    return {UNWRITTEN if task.verdict is Verdict.MISSING else UNNAMED: None}


def in_short(example: SmallestExample) -> str:
    """Return an example in one line: its last statement, each part cut short by itself.

    >>> in_short(SmallestExample("M.f", "m = M()\\nm.f(\\n    [1, 2]\\n)", "2", "3"))
    '… m.f( [1, 2] ) gives 2; right is 3'
    """
    lines = example.call.split("\n")
    starts = [n for n, line in enumerate(lines) if line and line[0] not in _GOES_ON]
    last = starts[-1] if starts else 0
    call = _cut("\n".join(lines[last:]), LONGEST_CALL)
    before = "… " if last else ""
    gives, right = _cut(example.gives, LONGEST_VALUE), _cut(example.right, LONGEST_VALUE)
    return f"{before}{call} gives {gives}; right is {right}"


def _cut(text: str, longest: int) -> str:
    return textwrap.shorten(text, longest, placeholder=" …")


@dataclass
class Count:
    """How often a mistake was seen so far."""

    named: bool  # whether the suite knows a sentence for it
    students: int = 0
    names: list[str] = field(default_factory=list)
    example: SmallestExample | None = None


@dataclass(frozen=True)
class Mistake:
    """A mistake in a task, among those who wrote the task."""

    task: Task
    says: str
    named: bool
    students: int
    written: int  # students who wrote the task
    names: tuple[str, ...]  # the first of those who made it
    share: Estimate
    example: SmallestExample | None

    @property
    def tells_something(self) -> bool:
        """Whether more is known than that something is wrong."""
        return self.says not in (UNNAMED, OTHERS)

    @property
    def hint(self) -> str:
        """The first hint of its task, as far as it is about the function that is wrong.

        "" where the hint names other functions of the task, and not this one.
        """
        symbols = self.task.symbols
        wrong = self.example.symbol if self.example else symbols[0]
        if wrong not in symbols:
            return self.task.hints[0]
        part = for_function(self.task.hints[0], wrong, symbols)
        named = {each for each in symbols if f"`{each.rpartition('.')[2]}`" in part}
        return "" if self.example and named and wrong not in named else part

    @property
    def others(self) -> int:
        """How many made it whose names are not kept."""
        return self.students - len(self.names)

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {
            "task": self.task.id,
            "says": self.says,
            "students": self.students,
            "written": self.written,
            "share": self.share.to_json(),
            "see": self.task.see,
        }


class MistakeCounts:
    """Counts the mistakes in one task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._found: dict[str, Count] = {}

    def add(self, student: str, task: TaskResult) -> None:
        """Take note of what a student who wrote the task got wrong in it."""
        known = {test.misconception for test in task.tests}
        for says, example in mistakes_in(task).items():
            kept = says in self._found or len(self._found) < MOST_KINDS
            name = says if kept else OTHERS
            count = self._found.setdefault(name, Count(says in known))
            count.students += 1
            count.example = count.example or (example if kept else None)
            if len(count.names) < MOST_NAMES:
                count.names.append(student)

    def rows(self, written: int) -> tuple[Mistake, ...]:
        """Return the mistakes of so many who wrote the task, the most frequent first."""
        rows = [
            Mistake(
                self._task,
                says,
                each.named,
                each.students,
                written,
                tuple(each.names),
                share(each.students, written),
                each.example,
            )
            for says, each in self._found.items()
        ]
        return tuple(sorted(rows, key=lambda row: (-row.students, not row.named, row.says)))
