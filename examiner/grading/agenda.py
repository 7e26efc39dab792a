"""Which mistakes a class met, task by task: what the next lecture could be about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.grading.page import rendered
from examiner.results import Fault, SubmissionResult, Verdict

UNNAMED = "wrong in a way that no known mistake explains"
UNWRITTEN = "not written yet"
_NO_MISTAKE = (Verdict.PASSED, Verdict.NOT_JUDGED)
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
                said = {UNWRITTEN if missing else UNNAMED: None}
            for text in said:
                found.setdefault((each.task.id, text), []).append(result.student)
    rows = [Met(chapter.task(task), says, tuple(who)) for (task, says), who in found.items()]
    return sorted(rows, key=lambda met: (met.task.order, -len(met.students), met.says))


@dataclass(frozen=True)
class Bar:
    """A mistake in the plot."""

    met: Met
    y: int
    width: float


def page(chapter: Chapter, met: list[Met], size: int, faults: Sequence[Fault] = ()) -> str:
    """Return the agenda as HTML: a plot, and a table of the same; above it, tests at fault."""
    most = max((len(each.students) for each in met), default=1)
    bars = [Bar(each, 8 + 22 * n, WIDTH * len(each.students) / most) for n, each in enumerate(met)]
    given = {"chapter": chapter, "met": met, "bars": bars, "size": size, "most": most}
    return rendered("agenda.html", **given, faults=faults)
