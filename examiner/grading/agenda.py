"""Which mistakes a class met, task by task: what the next lecture could be about."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.grading.page import rendered
from examiner.results import Fault, SmallestExample, SubmissionResult, Verdict

UNNAMED = "wrong in a way that no known mistake explains"
UNWRITTEN = "not written yet"
_NO_MISTAKE = (Verdict.PASSED, Verdict.NOT_JUDGED)
LONGEST = 160  # characters of an example in a list of mistakes
WIDTH = 240  # of a bar for the whole class, in the plot's units


@dataclass(frozen=True)
class Met:
    """A mistake, and who made it in the tests of a task."""

    task: Task
    says: str
    students: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {"task": self.task.id, "says": self.says, "students": list(self.students)}


def mistakes_met(chapter: Chapter, results: Iterable[SubmissionResult]) -> list[Met]:
    """Return the mistakes of a class by task, the most frequent first.

    A student whose wrong answers no known mistake explains counts as such, once for each task.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for each in () if result.notice and result.score == 0 else result.tasks:
            wrong = [test for test in each.tests if test.verdict not in _NO_MISTAKE]
            said = dict.fromkeys(test.misconception for test in wrong if test.misconception)
            if wrong and not said:
                missing = each.verdict is Verdict.MISSING
                said = dict.fromkeys(map(_in_short, each.examples)) or {
                    UNWRITTEN if missing else UNNAMED: None
                }
            for text in said:
                found.setdefault((each.task.id, text), []).append(result.student)
    rows = [Met(chapter.task(task), says, tuple(who)) for (task, says), who in found.items()]
    return sorted(rows, key=lambda met: (met.task.order, -len(met.students), met.says))


def _in_short(example: SmallestExample) -> str:
    """Return an example as a sentence: what no known mistake explains."""
    call, gives, right = (
        " ".join(each.split()) for each in (example.call, example.gives, example.right)
    )
    return textwrap.shorten(f"{call} gives {gives}; right is {right}", LONGEST, placeholder=" …")


@dataclass(frozen=True)
class Split:
    """A call on which students' functions are wrong: what each gave, and who."""

    task: Task
    symbol: str
    call: str
    right: str
    answers: tuple[tuple[str, tuple[str, ...]], ...]  # what was given, and by whom

    @property
    def students(self) -> list[str]:
        """All whose smallest example this is."""
        return [student for _, students in self.answers for student in students]


def splits(chapter: Chapter, results: Iterable[SubmissionResult]) -> list[Split]:
    """Return the examples that split the class: by task, those of most students first."""
    found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    right: dict[tuple[str, str, str], str] = {}
    for result in results:
        for task in result.tasks:
            for each in task.examples:
                key = task.task.id, each.symbol, each.call
                right.setdefault(key, each.right)
                found.setdefault(key, {}).setdefault(each.gives, []).append(result.student)
    rows = [
        Split(
            chapter.task(task),
            symbol,
            call,
            right[task, symbol, call],
            tuple((gives, tuple(who)) for gives, who in sorted(answers.items())),
        )
        for (task, symbol, call), answers in found.items()
    ]
    return sorted(rows, key=lambda row: (row.task.order, -len(row.students), row.call))


@dataclass(frozen=True)
class Bar:
    """A mistake in the plot."""

    met: Met
    y: int
    width: float


def page(
    chapter: Chapter, results: Sequence[SubmissionResult], faults: Sequence[Fault] = ()
) -> str:
    """Return the agenda as HTML: tests at fault, a plot of the mistakes, a table of the same, and
    the examples on which students' functions are wrong.
    """
    met, size = mistakes_met(chapter, results), len(results)
    most = max((len(each.students) for each in met), default=1)
    bars = [Bar(each, 8 + 22 * n, WIDTH * len(each.students) / most) for n, each in enumerate(met)]
    given = {"chapter": chapter, "met": met, "bars": bars, "size": size, "most": most}
    return rendered("agenda.html", **given, faults=faults, splits=splits(chapter, results))
