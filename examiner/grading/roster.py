"""The class list: reads it from a CSV file of any common make, and finds whose a submission is.

Headers are found whatever their case, spaces and hyphens. Known are those of a plain list (id,
name, e-mail), of nbgrader's `db student import`, of Moodle's participants, grades and grading
worksheet ("Identifier" holds the number in the names of a download; it is another one for each
assignment), and of Canvas' gradebook export ("ID" holds the number in the names of a download, in
nbgrader's list `lms_user_id`).
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from examiner.errors import UserError
from examiner.grading.downloads import CANVAS, MOODLE, Sender
from examiner.judge.wording import clean

MAX_BYTES = 16 << 20
IDS = (
    *("studentid", "studentnumber", "matriculationnumber", "matrikelnummer", "sid", "id"),
    *("idnumber", "username", "userid", "user", "login", "loginid", "netid"),
)
NAMES = ("name", "fullname", "studentname", "student")
FIRST = ("firstname", "givenname", "forename", "first", "vorname")
LAST = ("lastname", "surname", "familyname", "last", "nachname")
EMAILS = ("email", "emailaddress", "mail", "mailaddress")
CANVAS_IDS = ("sisuserid", "sisloginid")
_PARTICIPANT = re.compile(r"(?:Participant|Participante|Partecipante|Teilnehmer/in) ?([0-9]+)")


@dataclass(frozen=True)
class Person:
    """A row of the roster."""

    id: str
    name: str = ""
    email: str = ""
    first: str = ""
    last: str = ""
    ids: frozenset[str] = field(default=frozenset())  # all that it may be found by, casefolded
    numbers: frozenset[tuple[str, str]] = field(default=frozenset())  # (platform, its number)

    @property
    def names(self) -> set[str]:
        """Its name as it may be written, the last name first or last, by its letters alone."""
        words = self.name.replace(",", " ").split()
        forms = {"".join(words[n:] + words[:n]) for n in range(len(words))}
        forms |= {self.first + self.last, self.last + self.first}
        return {letters(form) for form in forms} - {""}


def letters(text: str) -> str:
    """Return a name's letters and digits alone, without case and accents.

    >>> letters("Müller, José-Luis")
    'mullerjoseluis'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if c.isalnum())


class Roster:
    """Who is in the class."""

    def __init__(self, name: str, people: Sequence[Person]) -> None:
        self.name, self.people = name, tuple(people)
        self._ids, self._names = _index(people, "ids"), _index(people, "names")
        self._numbers = _index(people, "numbers")

    def find(self, name: str, sender: Sender | None) -> tuple[Person, ...]:
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


def _index(people: Iterable[Person], attribute: str) -> dict[object, tuple[Person, ...]]:
    found: dict[object, tuple[Person, ...]] = {}
    for person in people:
        for key in getattr(person, attribute):
            found[key] = (*found.get(key, ()), person)
    return found


def read_roster(path: Path) -> Roster:
    """Read a roster; raises UserError with what is wrong with it, and in which line."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise UserError(f"the roster {path} cannot be read: {error.strerror}") from None
    if data is None:
        raise UserError(f"the roster {path} is larger than {MAX_BYTES >> 20} MB: is it a CSV file?")
    rows = _rows(path, _decoded(data))
    head = [_header(text) for text in rows[0][1]] if rows else []
    known = {*IDS, *NAMES, *FIRST, *LAST, *EMAILS, *CANVAS_IDS, "identifier", "lmsuserid"}
    if not known & set(head):
        shown = clean(", ".join(rows[0][1]), 100) if rows else "nothing"
        raise UserError(
            f"the roster {path} has no column that is known: expected a first line such as "
            f"`id,name,email`; found: {shown}"
        )
    people: dict[str, Person] = {}
    for number, row in rows[1:]:
        cells: dict[str, str] = {}
        for key, cell in zip(head, row, strict=False):
            cells.setdefault(key, " ".join(clean(cell, 200).split()))
        person = _person(cells)
        if person is None:
            continue
        if people.setdefault(person.id.casefold(), person) != person:
            raise UserError(f"the roster {path}, line {number}: {person.id!r} is there twice")
    if not people:
        raise UserError(f"the roster {path} names no student")
    return Roster(path.name, list(people.values()))


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # Excel's "Unicode text"
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that hold something, with their lines; the header says what parts cells."""
    text = re.sub(r"^sep=.\r?\n", "", text)  # a word of Excel's to itself
    first = text.lstrip("\r\n").splitlines()[:1]
    mark = max(",;\t", key=first[0].count) if first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        line = reader.line_num
        raise UserError(f"the roster {path}, line {line}, is no CSV: {error}") from None


def _header(text: str) -> str:
    """Return a header by its letters alone.

    >>> _header("E-mail Address"), _header("SIS User ID")
    ('emailaddress', 'sisuserid')
    """
    return letters(text)


def _person(cells: Mapping[str, str]) -> Person | None:
    """Return who a row is; None for one that is no student's."""
    of_canvas = bool({*CANVAS_IDS} & set(cells))
    name = _first(cells, NAMES)
    if of_canvas and (name.startswith("Points Possible") or name == "Student, Test"):
        return None
    first, last = _first(cells, FIRST), _first(cells, LAST)
    name = " ".join(filter(None, (first, last))) or name
    if of_canvas and not first and name.count(",") == 1:  # "Lovelace, Ada"
        last, first = (part.strip() for part in name.split(","))
        name = f"{first} {last}"
    email = _first(cells, EMAILS)
    ids = [cells[key] for key in (*CANVAS_IDS, *IDS) if cells.get(key)]
    numbers = set()
    for key in ("identifier", "id"):
        if found := _PARTICIPANT.fullmatch(cells.get(key, "")):
            numbers.add((MOODLE, found[1]))
            ids = [each for each in ids if each != cells[key]]
    if of_canvas and cells.get("id"):
        numbers.add((CANVAS, cells["id"]))
    if cells.get("lmsuserid"):
        numbers.add((CANVAS, cells["lmsuserid"]))
    handles = [*ids, *([email] if email else []), *("-".join(number) for number in sorted(numbers))]
    if not handles and not name:
        return None
    known = frozenset(each.casefold() for each in (*ids, email) if each)
    return Person(*((handles or [name])[0], name, email, first, last), known, frozenset(numbers))


def _first(cells: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((cells[key] for key in keys if cells.get(key)), "")
