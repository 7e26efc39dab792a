"""The class list: reads it from a CSV file of any common make, and finds whose a submission is.

Headers are found whatever their case, spaces and hyphens. Known are those of a plain list (id,
name, e-mail), of nbgrader's `db student import`, of Moodle's participants, grades and grading
worksheet ("Identifier" holds the number in the names of a download; it is another one for each
assignment), and of Canvas' gradebook export ("ID" holds the number in the names of a download, in
nbgrader's list `lms_user_id`). The words are in headers.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from examiner.errors import UserError
from examiner.grading.downloads import CANVAS, MOODLE, Sender
from examiner.grading.headers import (
    CANVAS_IDS,
    EMAILS,
    FIRST,
    IDENTIFIERS,
    IDS,
    LAST,
    NAMES,
    ROLES,
)
from examiner.judge.wording import clean, one_line
from examiner.term.table import letters, read_rows
from examiner.term.times import Handed, in_row, says_no_time

# who is no student, by the beginnings of what platforms call them
STAFF = (
    *("instructor", "teacher", "non-editing teacher", "ta", "teaching assistant", "assistant"),
    *("manager", "grader", "reader", "observer", "designer", "tutor", "trainer", "dozent"),
    *("lehrende", "enseignant", "docente", "profesor", "professor", "designer", "auditor"),
)
NOTHING = "nothing was handed in"
PARTICLES = {"van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "la", "le", "el"}
_PARTICIPANT = re.compile(r"(?:Participant|Participante|Partecipante|Teilnehmer/in) ?([0-9]+)")
_NUMBERED = re.compile(r"[^\W\d_]+[ */:][^@]*[0-9]+")  # a participant in another language


@dataclass(frozen=True)
class Student:
    """A row of the roster."""

    id: str
    name: str = ""
    email: str = ""
    first: str = ""
    last: str = ""
    ids: frozenset[str] = field(default=frozenset())  # all that it may be found by, casefolded
    numbers: frozenset[tuple[str, str]] = field(default=frozenset())  # (platform, its number)
    handed: Handed | None = field(default=None, compare=False)  # when, where the table says it
    is_in_doubt: bool = field(default=False, compare=False)  # a work fits this row and others

    @property
    def absence(self) -> str:
        """What is said where no work is known to be this student's."""
        return "perhaps a work that fits several rows" if self.is_in_doubt else NOTHING

    @property
    def names(self) -> set[str]:
        """Its name as it may be written, the last name first or last, by its letters alone."""
        words = self.name.replace(",", " ").split()
        forms = {"".join(words[n:] + words[:n]) for n in range(len(words))}
        forms |= {self.first + self.last, self.last + self.first}
        return {letters(form) for form in forms} - {""}


class Roster:
    """Who is in the class."""

    def __init__(self, name: str, people: Sequence[Student]) -> None:
        self.name, self.people = name, tuple(people)
        self._ids, self._names = _index(people, "ids"), _index(people, "names")
        self._numbers = _index(people, "numbers")

    def find(self, name: str, sender: Sender | None) -> tuple[Student, ...]:
        """Return whom a submission may be of: nobody, one, or several that it cannot tell apart.

        A platform's number is looked up as such: it may by chance be another student's id.
        """
        if sender is None:
            return self._ids.get(name.casefold(), ()) or self._names.get(letters(name), ())
        for number in (sender.key, *sender.others):
            found = self._numbers.get((sender.platform, number), ())
            if found and (not sender.others or letters(sender.name) in found[0].names):
                return found
        if sender.others or not sender.name:
            return ()
        # whose number there is another one did not send this, whatever the sender is called
        named = self._names.get(letters(sender.name), ())
        return tuple(p for p in named if sender.platform not in {each for each, _ in p.numbers})


def _index(people: Iterable[Student], attribute: str) -> dict[object, tuple[Student, ...]]:
    found: dict[object, tuple[Student, ...]] = {}
    for person in people:
        for key in getattr(person, attribute):
            found[key] = (*found.get(key, ()), person)
    return found


def read_roster(path: Path, what: str = "the roster", *, times: bool = False) -> Roster:
    """Read a roster; raises UserError with what is wrong with it, and in which line.

    `times`: it is read for the times in it, and must not hold what is none.
    """
    rows = read_rows(path, what)
    head = [_header(text) for text in rows[0][1]] if rows else []
    known = {*IDS, *NAMES, *FIRST, *LAST, *EMAILS, *CANVAS_IDS, *IDENTIFIERS, "lmsuserid"}
    if not known & set(head):
        shown = clean(", ".join(rows[0][1]), 100) if rows else "nothing"
        raise UserError(
            f"{what} {path} has no column that is known: expected a first line such as "
            f"`id,name,email`; found: {shown}"
        )
    people: dict[str, Student] = {}
    for number, row in rows[1:]:
        cells = _cells(head, row)
        if strange := says_no_time(cells) if times else "":
            text = f"{strange!r} is no time such as 2026-12-01T18:00"
            raise UserError(f"{what} {path}, line {number}: {text}")
        person = _person(cells)
        if person is None:
            continue
        first = people.setdefault(person.id.casefold(), person)
        if first is not person and not (person.ids or person.numbers or times):
            text = f"two rows say {person.id!r}, and nothing else tells whether they are one person"
            remedy = "give both an id or an address in a column of its own, or remove one"
            raise UserError(f"{what} {path}, line {number}: {text}: {remedy}")
        if first != person:
            raise UserError(f"{what} {path}, line {number}: {person.id!r} is there twice")
        if first.handed != person.handed:
            text = "is there twice, with different times: keep the row that counts"
            raise UserError(f"{what} {path}, line {number}: {person.id!r} {text}")
    if not people:
        raise UserError(f"{what} {path} names no student")
    return Roster(path.name, list(people.values()))


def _header(text: str) -> str:
    """Return a header by its letters alone.

    >>> _header("E-mail Address"), _header("SIS User ID")
    ('emailaddress', 'sisuserid')
    """
    return letters(text)


def person_in(head: Sequence[str], row: Sequence[str]) -> Student | None:
    """Return who a row is, by a header as it is written; None for one that is no student's."""
    return _person(_cells([_header(text) for text in head], row))


def _cells(head: Iterable[str], row: Iterable[str]) -> dict[str, str]:
    cells: dict[str, str] = {}
    for key, cell in zip(head, row, strict=False):
        cells.setdefault(key, one_line(cell, 200))
    return cells


def _person(cells: Mapping[str, str]) -> Student | None:
    """Return who a row is; None for one that is no student's."""
    of_canvas = bool({*CANVAS_IDS} & set(cells))
    name, first, last = _named(cells)
    if of_canvas and (name.startswith("Points Possible") or name == "Student, Test"):
        return None
    if is_staff(_first(cells, ROLES)):
        return None
    if of_canvas and not first and name.count(",") == 1:  # "Lovelace, Ada"
        last, first = (part.strip() for part in name.split(","))
        name = f"{first} {last}"
    email = _first(cells, EMAILS)
    ids = [cells[key] for key in (*CANVAS_IDS, *IDS) if cells.get(key)]
    numbers = set()
    for key in IDENTIFIERS:
        if found := _PARTICIPANT.fullmatch(cells.get(key, "")):
            numbers.add((MOODLE, found[1]))
            ids = [each for each in ids if each != cells[key]]
        elif cells.get(key) and key not in IDS and not _NUMBERED.fullmatch(cells[key]):
            ids.append(cells[key])  # in French lists it is what somebody logs in by
    if of_canvas and cells.get("id"):
        numbers.add((CANVAS, cells["id"]))
    if cells.get("lmsuserid"):
        numbers.add((CANVAS, cells["lmsuserid"]))
    handles = [*ids, *([email] if email else []), *("-".join(number) for number in sorted(numbers))]
    if not handles and not name:
        return None
    known = frozenset(each.casefold() for each in (*ids, email) if each)
    of_moodle = any(platform == MOODLE for platform, _ in numbers)
    handed = in_row(cells, "Moodle" if of_moodle else "the table")
    one = Student(*((handles or [name])[0], name, email, first, last), known, frozenset(numbers))
    return replace(one, handed=handed)


def _named(cells: Mapping[str, str]) -> tuple[str, str, str]:
    """Return a row's name, and its first and last name where they have cells of their own.

    A lone part may be all of the name, or the other part stands under "Name", as in German.

    >>> _named({"vorname": "Ada", "name": "Lovelace"}), _named({"nombre": "Ada Lovelace"})
    (('Ada Lovelace', 'Ada', 'Lovelace'), ('Ada Lovelace', '', ''))
    """
    name, first, last = (_first(cells, keys) for keys in (NAMES, FIRST, LAST))
    if name and bool(first) != bool(last):
        words = {letters(word) for word in name.replace(",", " ").split()}
        if not {letters(word) for word in (first or last).split()} <= words:
            first, last = first or name, last or name
    if first and last:
        return f"{first} {last}", first, last
    return name or first or last, "", ""


def is_staff(roles: str) -> bool:
    """Tell whether a person of these roles, parted by commas, is no student.

    >>> is_staff("TA"), is_staff("Student"), is_staff("Student, Teacher"), is_staff("")
    (True, False, False, False)
    """
    held = [" ".join(role.casefold().split()) for role in re.split("[,;/]", roles)]
    if any(role.startswith(("student", "etudiant", "étudiant", "estudiante")) for role in held):
        return False
    return any(role == name or role.startswith(f"{name} ") for role in held for name in STAFF)


def parted(person: Student) -> tuple[str, str]:
    """Return first and last name; where the roster has them in one, the last word is the last name.

    Particles go with it. It is a guess where people write the last name first.

    >>> parted(Student("1", "Ludwig van Beethoven"))
    ('Ludwig', 'van Beethoven')
    """
    if person.first or person.last:
        return person.first, person.last
    if person.name.count(",") == 1:
        last, first = (part.strip() for part in person.name.split(","))
        return first, last
    words = person.name.split()
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES:
        start -= 1
    return " ".join(words[: max(start, 0)]), " ".join(words[max(start, 0) :])


def _first(cells: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((cells[key] for key in keys if cells.get(key)), "")
