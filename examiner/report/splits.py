"""On which calls the functions of a class differ, and who gave what."""

from __future__ import annotations

from dataclasses import dataclass

from examiner.catalogue import Chapter, Task
from examiner.results import SubmissionResult

MOST_ANSWERS = 200  # to one call that are kept apart
OTHER_ANSWERS = "other answers"


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


class Splits:
    """Gathers on which calls a class differs, one result after the other.

    Of one call so many answers are kept apart as a page can show; whoever gives yet another one is
    counted with those. So what is held does not grow with what students' functions return.
    """

    def __init__(self, chapter: Chapter) -> None:
        self._chapter = chapter
        self._found: dict[tuple[str, str, str], dict[str, list[str]]] = {}
        self._right: dict[tuple[str, str, str], str] = {}

    def add(self, result: SubmissionResult) -> None:
        """Take note of a student's smallest examples."""
        for task in result.tasks:
            for each in task.examples:
                key = task.task.id, each.symbol, each.call
                self._right.setdefault(key, each.right)
                answers = self._found.setdefault(key, {})
                kept = each.gives in answers or len(answers) < MOST_ANSWERS
                gives = each.gives if kept else OTHER_ANSWERS
                answers.setdefault(gives, []).append(result.whose.student)

    def rows(self) -> list[Split]:
        """Return the examples that split the class: by task, those of most students first."""
        rows = [
            Split(
                self._chapter.task(task),
                symbol,
                call,
                self._right[task, symbol, call],
                tuple((gives, tuple(who)) for gives, who in sorted(answers.items())),
            )
            for (task, symbol, call), answers in self._found.items()
        ]
        return sorted(rows, key=lambda row: (row.task.order, -len(row.students), row.call))
