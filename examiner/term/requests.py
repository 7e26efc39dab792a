"""Students' requests for a second look: a folder of text files, and what a page invites to.

    student: ada
    tasks: 2.3, 2.5
    My sum runs over …

Leaves out the answer, which is a row of the overrides (corrections.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from examiner.errors import UserError
from examiner.term.corrections import Corrections
from examiner.term.table import decoded

MAX_BYTES = 1 << 16
LONGEST = 300  # characters that are shown of a text
_NONE = {".csv", ".json"}  # what else instructors keep beside requests
_HEAD = re.compile(r"(student|tasks?)\s*:\s*(.*)", re.IGNORECASE)
# subtle: tried from each of its digits, a long number would take minutes
_TASK = re.compile(r"(?<!\d)\d+(?:\.\d+)+")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True)
class Request:
    """What a student asks to be looked at again."""

    student: str
    tasks: tuple[str, ...]
    text: str
    file: str
    trouble: str = ""  # why nobody can say what is meant

    def answered(self, corrections: Corrections) -> str:
        """Return what the overrides say of it; "" where nobody has answered yet."""
        rows = corrections.of(self.student)
        mine = [row for row in rows if row.student and (row.task in self.tasks or not row.task)]
        return "; ".join(row.text for row in mine)

    def to_json(self, corrections: Corrections) -> dict[str, Any]:
        """Return it as it stands in `grade --json`."""
        said = {"student": self.student, "tasks": list(self.tasks), "text": self.text}
        return said | {
            "file": self.file,
            "trouble": self.trouble,
            "answer": self.answered(corrections),
        }

    def told(self, corrections: Corrections) -> tuple[str, str, str]:
        """Return who asks, for what, and what the answer is."""
        if self.trouble:
            return self.file, self.trouble, ""
        answer = self.answered(corrections) or "not answered yet"
        return self.student, f"{', '.join(self.tasks)}: {self.text}", answer

    def line(self, corrections: Corrections) -> str:
        """Return it as it is listed."""
        who, what, answer = self.told(corrections)
        return f"{who}, {what} [{answer}]" if answer else f"{who} {what}"


def read_requests(
    folder: Path, students: Collection[str], tasks: Collection[str]
) -> tuple[Request, ...]:
    """Read the requests in a folder, by name of the file; a bad one says what is wrong with it.

    Tables are none, and hidden files; any other that is no text is named. Raises UserError where
    there is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"--requests: there is no folder {folder}")
    known = {each.casefold(): each for each in students}
    paths = sorted(p for p in folder.iterdir() if not p.is_symlink() and p.is_file())
    paths = [p for p in paths if not p.name.startswith(".") and p.suffix.lower() not in _NONE]
    return tuple(_request(path, known, tasks) for path in paths)


def _request(path: Path, known: dict[str, str], tasks: Collection[str]) -> Request:
    if path.suffix.lower() != ".txt":
        name = _UNSEEN.sub(" ", path.name)
        return Request("", (), "", name, "is not a text file: save it as text, as NAME.txt")
    try:
        with path.open("rb") as file:
            lines = decoded(file.read(MAX_BYTES)).splitlines()
    except OSError as error:
        name = _UNSEEN.sub(" ", path.name)
        return Request("", (), "", name, f"cannot be read: {error.strerror}")
    # programs for mail write sender and subject above the text
    starts = (n for n, line in enumerate(lines) if _HEAD.fullmatch(line.strip()))
    lines = lines[next(starts, 0) :]
    head: dict[str, str] = {}
    for n, line in enumerate(lines):
        if found := _HEAD.fullmatch(line.strip()):
            head[found[1].casefold().rstrip("s") if found[1][0] in "tT" else "student"] = found[2]
        elif line.strip():  # some programs put an empty line behind each
            lines = lines[n:]
            break
    else:
        lines = []
    text = " ".join(_UNSEEN.sub(" ", " ".join(lines)).split())[:LONGEST]
    name = _UNSEEN.sub(" ", path.name)
    asked = tuple(_TASK.findall(head.get("task", "")))
    student = known.get(head.get("student", "").strip().casefold(), "")
    strange = [task for task in asked if task not in tasks]
    trouble = (
        "" if student else "names no student of the class: its first line should be student: ID"
    )
    if student and (strange or not asked):
        what = f"task {strange[0]}, which is not there" if strange else "no task"
        trouble = f"names {what}: its second line should be tasks: such as {next(iter(tasks))}"
    return Request(student, asked, text, name, trouble)


def invitation(address: str, student: str, chapter: str) -> str:
    """Return the link with which a page invites: a mail begins with what a request needs.

    >>> invitation("mailto:ta@uni.example", "ada", "sorting")[:50]
    'mailto:ta@uni.example?subject=Second%20look%3A%20s'
    """
    if not address.startswith("mailto:"):
        return address
    body = f"student: {student}\ntasks: \n\n"
    mark = "&" if "?" in address else "?"
    subject = quote(f"Second look: {chapter}, {student}")
    return f"{address}{mark}subject={subject}&body={quote(body)}"


def require_address(address: str, where: str) -> None:
    """Raise UserError for what is no address that a page may lead to."""
    if address and not re.fullmatch(r"mailto:[^\s@<>\"]+@[^\s@<>\"]+|https://[^\s<>\"]+", address):
        raise UserError(
            f"{where}: second_look should be mailto:ADDRESS or an https address, it is {address!r}"
        )
