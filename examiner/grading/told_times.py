"""When works were handed in by a table of times: finds whose each row is, the surest way first.

Leaves out reading the table (roster.py), and what lateness costs (examiner/term).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from examiner.grading.downloads import sender_of
from examiner.grading.roster import Roster, Student
from examiner.grading.works import Entry
from examiner.term.table import letters
from examiner.term.times import Handed

MOST_NAMED = 5  # of the rows that fit nobody


def told_times(entries: Sequence[Entry], times: Roster) -> tuple[dict[str, Handed], str]:
    """Return when each student handed in, by student, and a line on rows that fit no work here.

    The table may call students otherwise than the class's list does, as Moodle's worksheet calls
    them by address. A row that fits two works, or a work that fits two rows, is not guessed at.
    """
    found: dict[str, Student] = {}
    for fitting in (_by_id, _by_number, _by_address, _by_name):
        taken = {person.id for person in found.values()}
        left = [entry for entry in entries if entry.student not in found]
        fits = {
            entry.student: {p.id: p for p in fitting(times, entry) if p.id not in taken}
            for entry in left
        }
        claims = Counter(row for rows in fits.values() for row in rows)
        for student, rows in fits.items():
            if len(rows) == 1 and claims[next(iter(rows))] == 1:
                found[student] = next(iter(rows.values()))
    known = {person.id for person in found.values()}
    lost = [person.id for person in times.people if person.handed and person.id not in known]
    told = {student: person.handed for student, person in found.items() if person.handed}
    return told, _lost(times.name, lost)


def _lost(table: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    more = f" and {len(rows) - MOST_NAMED:,} more" if len(rows) > MOST_NAMED else ""
    return f"{table}: a time, and no work here that it fits: {', '.join(rows[:MOST_NAMED])}{more}"


def _by_id(times: Roster, entry: Entry) -> Iterable[Student]:
    name = entry.student.casefold()
    return _those(times, entry.student, lambda p: name in (p.id.casefold(), *p.ids))


def _by_number(times: Roster, entry: Entry) -> Iterator[Student]:
    """Yield whose number a platform wrote into the names of a download."""
    for label in entry.labels:
        sender = sender_of(label, folder=True) or sender_of(label, folder=False)
        if sender and not sender.others:
            number = (sender.platform, sender.key)
            yield from (p for p in times.find(sender.key, sender) if number in p.numbers)


def _by_address(times: Roster, entry: Entry) -> Iterable[Student]:
    return _those(times, entry.email, lambda p: entry.email.casefold() in p.ids)


def _by_name(times: Roster, entry: Entry) -> Iterable[Student]:
    return _those(times, entry.name, lambda p: letters(entry.name) in p.names)


def _those(times: Roster, key: str, fits: Callable[[Student], bool]) -> Iterator[Student]:
    return (person for person in (times.find(key, None) if key else ()) if fits(person))
