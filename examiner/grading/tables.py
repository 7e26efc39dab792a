"""The grades of a class as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from examiner.grading.outcome import Outcome
from examiner.grading.spreadsheet import harmless, number
from examiner.results import SubmissionResult

WHO = 3  # columns before the points


def grades_csv(outcome: Outcome, *, pages: bool = False, comma: bool = False) -> Iterator[str]:
    """Yield a line per student: who, points, those of each task, when, and what else is known.

    Where something could not be judged the points are followed by "?"; who handed nothing in has
    none. `pages`: also where each student's page is. `comma`: as spreadsheets with decimal commas
    open it, which take 1.02 for a day in February.
    """
    if comma:
        yield "\ufeff"
    for number_of_row, row in enumerate(_rows(outcome, pages=pages)):
        buffer = io.StringIO()
        cells = _with_commas(row, outcome, head=not number_of_row) if comma else row
        csv.writer(buffer, delimiter=";" if comma else ",", lineterminator="\r\n").writerow(cells)
        yield buffer.getvalue()


def _with_commas(row: list[str], outcome: Outcome, *, head: bool) -> list[str]:
    """Return a row with decimal commas in its points, or the header with "task 2.10"."""
    tasks = {task.id for task in outcome.chapter.tasks}
    if head:
        return [f"task {text}" if text in tasks else text for text in row]
    end = WHO + 2 + len(tasks)
    return [*row[:WHO], *(text.replace(".", ",") for text in row[WHO:end]), *row[end:]]


def _rows(outcome: Outcome, *, pages: bool) -> Iterator[list[str]]:
    tasks = outcome.chapter.tasks
    more = ["page"] if pages else []
    head = ["student", "name", "email", "points", "of", *(task.id for task in tasks)]
    yield [*head, "handed in", "remarks", *more]
    for result in outcome.results:
        who = (result.student, result.whose.name, result.whose.email)
        scores = [number(task.score) for task in result.tasks]
        points = [number(result.score) + "?" * result.provisional, number(result.max_score)]
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
