"""The grades of a class as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from examiner.grading.run import Outcome
from examiner.grading.spreadsheet import harmless, number
from examiner.results import SubmissionResult


def grades_csv(outcome: Outcome) -> str:
    """Return a row per student: who, points, points of each task, and what else is to be known.

    Where something could not be judged the points are followed by "?"; who handed nothing in has
    none.
    """
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerows(_rows(outcome))
    return buffer.getvalue()


def _rows(outcome: Outcome) -> Iterator[list[str]]:
    tasks = outcome.chapter.tasks
    yield ["student", "name", "email", "points", "of", *(task.id for task in tasks), "remarks"]
    for result in outcome.results:
        who = (result.student, result.whose.name, result.whose.email)
        scores = [number(task.score) for task in result.tasks]
        points = [number(result.score) + "?" * result.provisional, number(result.max_score)]
        yield [*map(harmless, who), *points, *scores, harmless(_remarks(result))]
    for person in outcome.absent:
        who = (person.id, person.name, person.email)
        empty = [""] * len(tasks)
        yield [
            *map(harmless, who),
            "",
            str(outcome.chapter.points),
            *empty,
            "nothing was handed in",
        ]


def _remarks(result: SubmissionResult) -> str:
    return "; ".join([*result.notice.splitlines()[:1], *result.whose.remarks])
