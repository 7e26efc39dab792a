"""What a run over a class found: results that are read back one by one, and counts of them all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from examiner.catalogue import Chapter
from examiner.grading.agenda import Met, Mistakes
from examiner.grading.feedback import Pages
from examiner.grading.roster import Student
from examiner.grading.store import Key
from examiner.report.besides import Besides
from examiner.report.report import Report
from examiner.report.splits import Split, Splits
from examiner.report.tally import Tally
from examiner.results import AT_FAULT, Fault, SubmissionResult, Verdict
from examiner.term.requests import Request
from examiner.term.standing import Term

CLASS = "class"  # a folder of its own: pages are named after students
TABLE = Path(CLASS, "grades.csv")  # of a class that is too large for a table on the screen
LARGE = 100  # students: more are not listed one by one on the screen


@dataclass(frozen=True)
class Change:
    """A score that is another one than in the run before."""

    student: str
    before: float
    after: float
    why: str

    def __str__(self) -> str:
        return f"{self.before:g} -> {self.after:g} points ({self.why})"


@dataclass(frozen=True)
class Survey:
    """What is counted in one walk over the results of a class."""

    mistakes: list[Met]
    splits: list[Split]
    report: Report  # without those who handed nothing in
    faults: tuple[Fault, ...]  # that the reference showed only while the class was graded
    provisional: int  # students of whose work something was not judged
    unjudged: int  # of them those for whom no test at fault is the reason
    notices: int  # students of whose whole work something is said
    remarks: int  # lines on how works were handed in
    late: int  # students
    cost: float  # points that lateness cost them


def survey(chapter: Chapter, results: Iterable[SubmissionResult]) -> Survey:
    """Walk over the results of a class once."""
    mistakes, splits, tally = Mistakes(chapter), Splits(chapter), Tally(chapter)
    faults: dict[str, Fault] = {}
    provisional = unjudged = notices = remarks = late = 0
    cost = 0.0
    for result in results:
        mistakes.add(result)
        splits.add(result)
        tally.add(result)
        for fault in _met_on_the_way(result):
            faults.setdefault(fault.test, fault)
        provisional += result.provisional
        unjudged += _is_unjudged(result)
        notices += bool(result.notice)
        remarks += len(result.whose.remarks) + len(result.standing.lines if result.standing else ())
        if result.standing and result.standing.late_line:
            late += 1
            cost += result.standing.earned - result.standing.counts
    counts = provisional, unjudged, notices, remarks, late, round(cost, 2)
    report = Report.from_tally(tally)
    return Survey(mistakes.rows(), splits.rows(), report, tuple(faults.values()), *counts)


def _is_unjudged(result: SubmissionResult) -> bool:
    return any(
        test.verdict is Verdict.NOT_JUDGED and test.message != AT_FAULT
        for task in result.tasks
        for test in task.tests
    )


def _met_on_the_way(result: SubmissionResult) -> Iterator[Fault]:
    """Yield the tests that the reference passed before the class was graded, and failed in it."""
    why = "the reference failed it, twice, while the class was graded"
    for task in result.tasks:
        for test in task.tests:
            if test.message == AT_FAULT:
                yield Fault(task.task.id, test.name, "", why)


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    chapter: Chapter
    results: Sequence[SubmissionResult]  # in the order of the class, read back when asked for
    graded: int  # of them graded in this run; the others had not changed
    changes: tuple[Change, ...]
    absent: tuple[Student, ...] = ()  # of the roster: nothing was handed in
    uploads: tuple[Path, ...] = ()  # feedback as a learning platform takes it
    keys: Sequence[Key] = ()  # of the results: what each depends on
    known_faults: tuple[Fault, ...] = ()  # tests that the reference failed before the class
    pages: Pages | None = None  # where students' pages are
    term: Term = field(default_factory=Term)
    requests: tuple[Request, ...] = ()  # for a second look
    to_grade_again: tuple[str, ...] = ()  # chapters that rest on days in hand of this one
    notes: tuple[str, ...] = ()  # what else an instructor should know of the class
    told: Callable[[], None] = lambda: None  # takes note that the changes have been shown

    @cached_property
    def survey(self) -> Survey:
        """What is counted over the whole class."""
        return survey(self.chapter, self.results)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Tests that the reference fails: nobody pays for them."""
        known = {fault.test for fault in self.known_faults}
        later = (fault for fault in self.survey.faults if fault.test not in known)
        return (*self.known_faults, *later)

    @property
    def all_judged(self) -> bool:
        """Whether no test was left unjudged by a fault of the grader."""
        return not self.survey.provisional

    @property
    def mistakes(self) -> list[Met]:
        """What the class got wrong, by task."""
        return self.survey.mistakes

    @property
    def report(self) -> Report:
        """What the results say of scores, tasks and tests."""
        return replace(self.survey.report, absent=len(self.absent))

    @property
    def besides(self) -> Besides:
        """What counts besides the tests."""
        term = self.term
        rows = sorted(term.corrections.rows, key=lambda row: row.student != "")
        settled = [*((row.student, row.text) for row in rows), *term.terms.granted]
        return Besides(
            term.terms.text,
            self.survey.late,
            self.survey.cost,
            [(who, what, "") for who, what in settled],
            [each.told(term.corrections) for each in self.requests],
            self.notes,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as `grade --json` writes it, all at once: for small classes."""
        found: dict[str, Any] = json.loads("".join(self.json_pieces()))
        return found

    def json_pieces(self) -> Iterator[str]:
        """Yield the outcome as `grade --json` writes it, piece by piece: for classes of any size.

        The pieces are what `json.dumps` makes of the whole with an indent of 1.
        """
        yield f'{{\n "chapter": {json.dumps(self.chapter.stem, ensure_ascii=False)}'
        lists: dict[str, Iterable[Any]] = {
            "submissions": (result.to_json() for result in self.results),
            "absent": ({"student": p.id, "name": p.name, "email": p.email} for p in self.absent),
            "mistakes": (met.to_json() for met in self.mistakes),
            "faults": (fault.to_json() for fault in self.faults),
        }
        if self.requests:
            lists["requests"] = (r.to_json(self.term.corrections) for r in self.requests)
        if self.notes:
            lists["notes"] = self.notes
        for name, items in lists.items():
            yield f',\n "{name}": '
            yield from _list(items)
        yield f',\n "report": {_dumped(self.report.to_json(), 1)}\n}}'


def _list(items: Iterable[Any]) -> Iterator[str]:
    start = "[\n  "
    for item in items:
        yield start + _dumped(item, 2)
        start = ",\n  "
    yield "[]" if start.startswith("[") else "\n ]"


def _dumped(item: Any, depth: int) -> str:
    # JSON has no line break within a string, so that each one is a new line of the document
    return json.dumps(item, indent=1, ensure_ascii=False).replace("\n", "\n" + " " * depth)
