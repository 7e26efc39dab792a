"""The grades of a class as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import partial

from examiner.grading.outcome import Outcome
from examiner.grading.spreadsheet import harmless, number
from examiner.results import SubmissionResult


def grades_csv(outcome: Outcome, *, pages: bool = False, comma: bool = False) -> Iterator[str]:
    """Yield a line per student: who, points, those of each task, when, and what else is known.

    Where something could not be judged the points are followed by "?"; who handed nothing in has
    none. `pages`: also where each student's page is. `comma`: as spreadsheets with decimal commas
    open it, which take 1.02 for a day in February.
    """
    if comma:
        yield "\ufeff"
    for row in _rows(outcome, pages=pages, comma=comma):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=";" if comma else ",", lineterminator="\r\n").writerow(row)
        yield buffer.getvalue()


def _rows(outcome: Outcome, *, pages: bool, comma: bool) -> Iterator[list[str]]:
    shown = partial(number, comma=comma)
    tasks = outcome.chapter.tasks
    named = [f"task {task.id}" if comma else task.id for task in tasks]  # 2.10 is a number there
    more = ["page"] if pages else []
    head = ["student", "name", "email", "points", "of", *named]
    yield [*head, "handed in", "remarks", *more]
    for result in outcome.results:
        who = (result.student, result.whose.name, result.whose.email)
        scores = [shown(task.score) for task in result.tasks]
        points = [shown(result.score) + "?" * result.provisional, shown(result.max_score)]
        if pages and outcome.pages:
            path = outcome.pages.path(result.student)
            more = [harmless(path.relative_to(outcome.pages.out).as_posix())]
        at = result.standing.handed_in if result.standing else ""
        yield [*map(harmless, who), *points, *scores, at, harmless(_remarks(result)), *more]
    for person in outcome.absent:
        who = (person.id, person.name, person.email)
        empty = [""] * len(tasks)
        rest = [""] if pages else []
        points = ["", str(outcome.chapter.points)]
        yield [*map(harmless, who), *points, *empty, "", person.absence, *rest]


def _remarks(result: SubmissionResult) -> str:
    lines = result.standing.lines if result.standing else ()
    return "; ".join([*result.notice.splitlines()[:1], *lines, *result.whose.remarks])
