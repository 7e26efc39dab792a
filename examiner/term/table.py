"""Tables as spreadsheets write them: CSV in any common encoding, parted by comma, semicolon or tab.

Leaves out what the columns mean, but for `chapter`, by which a table serves a term.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from examiner.catalogue import Catalogue
from examiner.errors import UserError

MAX_BYTES = 16 << 20


@dataclass(frozen=True)
class Row:
    """A row of a table: its cells by the letters of their headers, and where it stands."""

    cells: dict[str, str]
    where: str  # "the overrides term.csv, line 4", as messages begin

    def get(self, *headers: str) -> str:
        """Return the first of these cells that holds something, else ""."""
        return next((self.cells[key] for key in headers if self.cells.get(key)), "")

    def is_of(self, stem: str, course: Catalogue) -> bool:
        """Tell whether the row is of this chapter: it names it as commands do, or names none.

        Raises UserError, naming the row, where it names none of the course's chapters.
        """
        named = self.get("chapter")
        try:
            return not named or course.chapter(named).stem == stem
        except UserError as error:
            raise UserError(f"{self.where}: {error}") from None


def letters(text: str) -> str:
    """Return a name's letters and digits alone, without case and accents.

    >>> letters("Müller, José-Luis")
    'mullerjoseluis'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if c.isalnum())


def nobody(student: str, students: Collection[str]) -> str:
    """Return what is said of a row whose student is not in the class.

    >>> nobody("Ada Lovelace", ["ada"])
    "no student 'Ada Lovelace' in this class: give an id as the grades have it, such as 'ada'"
    """
    text = f"no student {student!r} in this class"
    some = next(iter(students), "")
    return f"{text}: give an id as the grades have it, such as {some!r}" if some else text


def read_rows(path: Path, what: str) -> list[tuple[int, list[str]]]:
    """Return the rows that hold something, with their lines; the first is the header.

    Raises UserError, one line that begins with `what`, where the file cannot be read.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise UserError(f"{what} {path} cannot be read: {error.strerror}") from None
    if data is None:
        raise UserError(f"{what} {path} is larger than {MAX_BYTES >> 20} MB: is it a CSV file?")
    if data.startswith(b"PK\x03\x04"):
        raise UserError(f"{what} {path} is a spreadsheet's own file: save it as CSV")
    text = re.sub(r"^sep=.\r?\n", "", decoded(data))  # a word of Excel's to itself
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark_in(text))
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        line = reader.line_num
        raise UserError(f"{what} {path}, line {line}, is no CSV: {error}") from None


def read_table(path: Path, what: str, needed: Sequence[str], known: Sequence[str]) -> list[Row]:
    """Read a table whose columns are known by name, whatever their case, spaces and order.

    Raises UserError where a column of `needed` is missing, or one is there that is not `known`.
    """
    rows = read_rows(path, what)
    head = [letters(text) for text in rows[0][1]] if rows else []
    lacking = [name for name in needed if name not in head]
    strange = [text for text, key in zip(rows[0][1] if rows else [], head, strict=True) if key]
    strange = [text for text in strange if letters(text) not in known]
    if lacking or strange:
        fault = f"has no column {lacking[0]!r}" if lacking else f"has a column {strange[0]!r}"
        raise UserError(f"{what} {path} {fault}: expected a first line such as {','.join(known)}")
    found = []
    for line, row in rows[1:]:
        cells = {key: text.strip() for key, text in zip(head, row, strict=False) if key}
        found.append(Row(cells, f"{what} {path.name}, line {line}"))
    return found


def mark_in(text: str) -> str:
    """Return what parts the cells of a table, as its header says.

    >>> mark_in("id;name;e-mail, if any"), mark_in("id")
    (';', ',')
    """
    first = text.lstrip("\r\n").splitlines()[:1]
    return max(",;\t", key=first[0].count) if first else ","


def decoded(data: bytes) -> str:
    """Return a table's text, as the spreadsheets of Windows and others encode it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # Excel's "Unicode text"
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
