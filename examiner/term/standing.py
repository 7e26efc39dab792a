"""What counts in the end: a result with its corrections and its lateness, in words and numbers.

What was judged and kept is never changed: this is done whenever results are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from examiner.results import Standing, SubmissionResult
from examiner.term.corrections import MARK, NOTHING, Correction, Corrections, corrected
from examiner.term.dates import Lateness, Terms, charge, lateness
from examiner.term.ledger import Ledger, Spent
from examiner.term.times import Handed


@dataclass(frozen=True)
class Term:
    """All that an instructor has said of a chapter's hand-in besides its tests."""

    chapter: str = ""
    terms: Terms = field(default_factory=Terms)
    corrections: Corrections = NOTHING
    ledger: Ledger = field(default_factory=Ledger)
    handed: Mapping[str, Handed] = field(default_factory=dict)  # by student, from other tables
    shared: frozenset[str] = frozenset()  # what several students are called, a team's address

    def in_hand(self, student: str, email: str = "") -> int:
        """Return how many days a student has left for this chapter."""
        rule, due = self.terms.rule, self.terms.due
        if not rule.in_hand or due is None:
            return 0
        address = self._own(email)
        return max(0, rule.in_hand - self.ledger.before(student, self.chapter, due, address))

    def _own(self, email: str) -> str:
        """Return the address that a student is found again by; "" where it may be another's."""
        return "" if "@" not in email or email.casefold() in self.shared else email

    def knows(self, student: str) -> bool:
        """Tell whether a table says when a student handed in."""
        return student.casefold() in self.handed

    def settled(
        self,
        result: SubmissionResult,
        handed: Handed | None = None,
        said: tuple[str, ...] = (),
    ) -> SubmissionResult:
        """Return a result with what counts of it; `handed`: what its download says of the time.

        `said`: what else is said of the time, as remarks. Raises UserError where a correction
        names a test that is not there, or leaves a task without tests.
        """
        student = result.student
        rows = self.corrections.of(student)
        result = corrected(result, rows)
        late = lateness(student, self.handed.get(student.casefold(), handed), self.terms)
        whole = next((row for row in rows if row.what == MARK and not row.task), None)
        left = self.in_hand(student, result.whose.email)
        standing = self._standing(result.earned, late, whole, left)
        standing = replace(standing, corrections=tuple(row.text for row in rows))
        lines = dict.fromkeys((*result.whose.remarks, *late.remarks, *said))
        remarks = tuple(x for x in lines if not any(y != x and y.startswith(x) for y in lines))
        of = replace(result.whose, remarks=remarks)
        return replace(result, standing=standing if standing.says else None, of=of)

    def _standing(
        self, earned: float, late: Lateness, whole: Correction | None, in_hand: int
    ) -> Standing:
        at = late.at.isoformat() if late.at else ""
        seconds = int(late.by.total_seconds())
        if whole:  # a mark of the whole is the last word
            return Standing(earned, whole.points, "", at, seconds)
        found = charge(earned, late, self.terms.rule, in_hand)
        return Standing(earned, found.counts, found.line, at, seconds, found.used)

    def spent(self, results: Iterable[SubmissionResult]) -> Ledger:
        """Return the ledger with the days in hand that these results used."""
        due = self.terms.due
        if due is None or not self.terms.rule.in_hand:
            return self.ledger
        spent = []
        for result in results:
            standing = result.standing or Standing(0, 0)
            email = self._own(result.whose.email)
            spent.append(Spent(result.student, standing.days_used, email, standing.late > 0))
        return self.ledger.with_chapter(self.chapter, due, spent)
