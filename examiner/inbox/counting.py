"""What counts of an arrival that was judged: its lateness, its corrections, its days in hand.

The same `Term` as that of a class that is graded at once; only the hour is the arrival's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from examiner.cluster.plain import Form
from examiner.errors import UserError
from examiner.files import locked
from examiner.grading.store import write_atomically
from examiner.inbox.arrivals import Arrival
from examiner.results import Standing, SubmissionResult, group_by_task
from examiner.term.corrections import FILE, Corrections, corrected
from examiner.term.ledger import Ledger, Spent, called, read_ledger
from examiner.term.standing import Term
from examiner.term.times import Handed


@dataclass(frozen=True)
class Counting:
    """A term, and the file in which days in hand are kept."""

    term: Term = field(default_factory=Term)
    days: Path = Path("days-in-hand.json")  # of all chapters; read and written for each result

    @property
    def _lends_days(self) -> bool:
        return bool(self.term.terms.due and self.term.terms.rule.in_hand)

    def settled(self, result: SubmissionResult, arrival: Arrival) -> SubmissionResult:
        """Return a result with what counts of it; raises UserError where the days cannot be read.

        Tables may call a student by the id or, where it is known, by the address.
        """
        name, account = self._called(arrival), called(_account(arrival))
        ledger = read_ledger(self.days) if self._lends_days else Ledger()
        mine = tuple(replace(row, student=name) for row in ledger.of(account))
        term = replace(self.term, ledger=Ledger(mine))
        handed = Handed(datetime.fromtimestamp(int(arrival.arrived), UTC), source="the inbox")
        found = term.settled(replace(result, student=name), handed)
        return replace(found, student=result.student)

    def keep_days(self, result: SubmissionResult, arrival: Arrival) -> list[str]:
        """Write down the days in hand that a settled result used; once more changes nothing.

        Returns the chapters due later whose marks rest on other days.
        """
        due, chapter = self.term.terms.due, self.term.chapter
        if due is None or not self._lends_days:
            return []
        standing = result.standing or Standing(0, 0)
        spent = Spent(_account(arrival), standing.days_used, late=standing.late > 0)
        with locked(self.days):
            before = read_ledger(self.days)
            ledger = before.with_chapter(chapter, due, [spent])
            if ledger != before:
                write_atomically(self.days, ledger.to_json())
        return ledger.to_grade_again(before, chapter, due)

    def is_judged_again(self, arrival: Arrival) -> bool:
        """Tell whether work is judged also where a result of the same work is kept."""
        return bool(self.term.corrections.tasks_again(self._called(arrival)))

    def _called(self, arrival: Arrival) -> str:
        """Return by which name the tables know a student: the id, else the address."""
        named = {row.student.casefold() for row in self.term.corrections.rows}
        named |= {*(self.term.terms.extensions or {})}
        names = (arrival.student, arrival.email)
        return next((each for each in names if each and each.casefold() in named), arrival.student)


def _account(arrival: Arrival) -> str:
    return arrival.account or arrival.student


def require_applicable(corrections: Corrections, form: Form) -> None:
    """Raise UserError, before anything is judged, for a correction that could not be applied."""
    for row in corrections.rows:
        if row.what == FILE:
            text = "what arrives is graded as it is: put the file into the inbox in this student's"
            raise UserError(f"{row.where}: {text} name, and leave the row out")
    blank = SubmissionResult("", group_by_task(form.chapter, list(form.tests)))
    for student in dict.fromkeys(row.student for row in corrections.rows):
        corrected(blank, corrections.of(student))
