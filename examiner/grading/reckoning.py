"""Joins what was handed in with the term: who is known, when each work came, what counts of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from examiner.catalogue import Chapter
from examiner.files import locked
from examiner.grading.downloads import GRADESCOPE, MOODLE
from examiner.grading.handed_in import HandedIn
from examiner.grading.roster import Roster
from examiner.grading.store import write_atomically
from examiner.grading.told_times import told_times
from examiner.plural import count
from examiner.results import SubmissionResult
from examiner.term import corrections, dates
from examiner.term.ledger import FILE, Ledger, called, read_ledger
from examiner.term.requests import Request, read_requests
from examiner.term.standing import Term
from examiner.term.times import remarks

Settled = Callable[[SubmissionResult], SubmissionResult]


class Asked(Protocol):
    """What of a run's options is used here."""

    @property
    def term(self) -> Term:
        """Dates and corrections."""

    @property
    def requests(self) -> Path | None:
        """A folder of requests for a second look."""

    @property
    def times(self) -> Roster | None:
        """A table of when works were handed in."""


@dataclass(frozen=True)
class Reckoned:
    """What follows from the class and the term."""

    settled: Settled  # says what counts of a result
    term: Term  # with what is known of the class
    requests: tuple[Request, ...] = ()  # for a second look
    notes: tuple[str, ...] = ()  # for the instructor


def reckoned(found: HandedIn, options: Asked, chapter: Chapter) -> Reckoned:
    """Join a class with its term; raises UserError for a row of somebody who is not in it."""
    term, lost = replace(options.term, shared=_shared(found)), ""
    if options.times:
        told, lost = told_times(found.entries, options.times)
        told = {student.casefold(): handed for student, handed in told.items()}
        term = replace(term, handed={**term.handed, **told})
    here = [entry.student for entry in found.entries]
    students = [*here, *found.names, *(person.id for person in found.absent)]
    corrections.require_known(term.corrections.rows, students)
    dates.require_known((term.terms.extensions or {}).values(), students, term.terms.due)
    handed = {entry.student: entry.handed for entry in found.entries if entry.handed}
    places = {}
    if term.terms.due:  # where nobody gave a time, what the works say of it is of use
        untold = [e for e in found.entries if e.student not in handed and not term.knows(e.student)]
        places = {entry.student: said for entry in untold if (said := remarks(entry.paths))}
    asked: tuple[Request, ...] = ()
    if options.requests:
        asked = read_requests(options.requests, students, [task.id for task in chapter.tasks])

    def settled(result: SubmissionResult) -> SubmissionResult:
        said = places.get(result.student, ())
        return term.settled(result, handed.get(result.student), said)

    notes = (found.passed_over, lost, _lent_anew(found, term))
    return Reckoned(settled, term, asked, tuple(filter(None, notes)))


def _shared(found: HandedIn) -> frozenset[str]:
    """Return the ids and addresses that several students of a class have."""
    every = [called(e.student, e.email) for e in found.entries]
    every += [called(person.id, person.email) for person in found.absent]
    times = Counter(name for names in every for name in names)
    return frozenset(name for name, number in times.items() if number > 1)


def _lent_anew(found: HandedIn, term: Term) -> str:
    """Return a line on students whose days in hand cannot be followed; "" where there are none.

    What Moodle calls a participant, and Gradescope a submission, is new for each assignment.
    """
    if not (term.terms.due and term.terms.rule.in_hand):
        return ""
    of_one = tuple(f"{platform}-" for platform in (MOODLE, GRADESCOPE))
    who = [e.student for e in found.entries if e.platform and e.student.startswith(of_one)]
    if not who:
        return ""
    text = f"{count(len(who), 'student')} known by a number of this assignment alone"
    return (
        f"days in hand: {text}, such as {who[0]}: what they used before is not found; "
        f"give a roster with ids or addresses"
    )


def keep_days(out: Path, term: Term, results: Iterable[SubmissionResult]) -> list[str]:
    """Write down the days in hand that were used; return the chapters to grade again for that."""
    due = term.terms.due
    if due is None or not term.terms.rule.in_hand:
        return []
    with locked(out / FILE):
        before = read_ledger(out / FILE)
        ledger = replace(term, ledger=before).spent(results)
        write_atomically(out / FILE, ledger.to_json())
    again = ledger.to_grade_again(before, term.chapter, due)
    return [term.chapter, *again] if _is_stale(term, before, due) else again


def _is_stale(term: Term, now: Ledger, due: datetime) -> bool:
    """Tell whether another command has changed meanwhile what chapters due before had used."""
    students = {(row.student, row.email) for row in (*term.ledger.rows, *now.rows)}
    return any(
        len({each.before(student, term.chapter, due, email) for each in (term.ledger, now)}) > 1
        for student, email in students
    )
