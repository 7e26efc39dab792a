"""Which mistakes a class met and who made each, as `grade --json` lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from examiner.catalogue import Chapter, Task
from examiner.report.mistakes import mistakes_in, never_ran
from examiner.results import SubmissionResult


@dataclass(frozen=True)
class Met:
    """A mistake, and who made it in the tests of a task."""

    task: Task
    says: str
    students: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        return {"task": self.task.id, "says": self.says, "students": list(self.students)}


class Mistakes:
    """Counts the mistakes of a class, one result after the other."""

    def __init__(self, chapter: Chapter) -> None:
        self._chapter = chapter
        self._found: dict[tuple[str, str], list[str]] = {}

    def add(self, result: SubmissionResult) -> None:
        """Take note of a student's mistakes.

        Wrong answers that no known mistake explains count as such, once for each task.
        """
        for each in () if never_ran(result) else result.tasks:
            for text in mistakes_in(each):
                self._found.setdefault((each.task.id, text), []).append(result.whose.student)

    def rows(self) -> list[Met]:
        """Return the mistakes by task, the most frequent first."""
        rows = [
            Met(self._chapter.task(task), says, tuple(who))
            for (task, says), who in self._found.items()
        ]
        return sorted(rows, key=lambda met: (met.task.order, -len(met.students), met.says))
