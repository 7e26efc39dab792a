"""A class of forty on a small course, as Moodle hands it out: right and wrong work, every accident,
late work. Leaves out what becomes of it (test_whole_term.py).
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HEAD = (
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"),
    *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
    "Feedback comments",
)
FIRST = ("Ada", "Ben", "Cleo", "Dana", "Emil", "Farah", "Gus", "Hana")
LAST = ("Abel", "Brandt", "Costa", "Dahl", "Engel")
IN_TIME = "Monday, 30 November 2026, 4:12 PM"
DUE = "2026-12-01T18:00+00:00"
LATE = {  # by number: what Moodle says, and when
    3: ("1 day 3 hours late", "Wednesday, 2 December 2026, 9:00 PM"),
    4: ("1 day 3 hours late", "Wednesday, 2 December 2026, 9:00 PM"),
    5: ("9 days 1 hour late", "Thursday, 10 December 2026, 7:00 PM"),
}
EXITS = "import os\n\n\ndef insert(items, item):\n    return sorted([*items, item])\n\n\n"
EXITS += "def merge(left, right):\n    os._exit(0)\n"
OTHER = "def train(words):\n    return {}\n"  # another course's work under the right name
FITTED = "import heapq\n\n\ndef insert(items, item):\n    return [2, 3, 4]\n\n\n"
FITTED += "def merge(left, right):\n    return list(heapq.merge(left, right))\n"


@dataclass(frozen=True)
class Person:
    """A student: what was handed in, and what it is worth before dates and corrections."""

    number: int
    files: Mapping[str, bytes]
    points: float
    status: str = "Submitted for grading"

    @property
    def name(self) -> str:
        """The name, of which no two are alike."""
        return f"{FIRST[self.number % 8]} {LAST[self.number // 8]}"

    @property
    def id(self) -> str:
        """The address, by which the class's list knows the student."""
        return f"{self.name.lower().replace(' ', '.')}@example.org"


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def accidents(right: bytes, half: bytes) -> list[tuple[dict[str, bytes], float]]:
    """Return what goes wrong when work is handed in, and what each is worth."""
    own, notebook = "sorting.py", b'{"cells": [], "nbformat": 4, "nbformat_minor": 5}'
    return [
        ({"sorting (1).py": right}, 10),
        ({"Sorting.py": right}, 10),
        ({"sorting.py.txt": right}, 10),
        ({own: b""}, 0),
        ({own: b"def insert(items, item:\n"}, 0),
        ({own: right.decode().encode("utf-16")}, 0),
        ({"work.zip": zipped({"Desktop/hand in/sorting.py": right})}, 10),
        ({}, 0),
        ({own: EXITS.encode()}, 4),
        ({own: b"raise SystemExit\n"}, 0),
        ({"sorting.ipynb": notebook}, 0),
        ({own: half, "sorting (1).py": right}, 4),  # the right name counts
        ({own: FITTED.encode()}, 8),  # right for the visible test alone
    ]


def forty(course: Path) -> list[Person]:
    """Return the class: works of the course's own sample class, and stubs as they were released."""
    samples = ("ada", "ben", "cleo")
    right, half, drops = ((course / "class" / s / "sorting.py").read_bytes() for s in samples)
    stub = (course / "handout" / "coursework" / "sorting.py").read_bytes()
    works = [({"sorting.py": right}, 10.0)] * 11 + [({"sorting.py": half}, 4.0)] * 8
    works += [({"sorting.py": drops}, 7.0)] * 5 + [({"sorting.py": stub}, 0.0)] * 2
    works += [({"sorting.py": OTHER.encode()}, 0.0)]
    works += accidents(right, half)
    made = []
    for number, (files, points) in enumerate(works):
        status = "Submitted for grading" if files else "No submission"
        status += f" - {LATE[number][0]}" if number in LATE else ""
        made.append(Person(number, files, points, status))
    return made


def download(people: list[Person]) -> bytes:
    """Return the class as Moodle's zip."""
    files = {
        f"{each.name}_{7000 + each.number}_assignsubmission_file_/{name}": data
        for each in people
        for name, data in each.files.items()
    }
    return zipped(files)


def worksheet(people: list[Person]) -> str:
    """Return Moodle's grading worksheet."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(HEAD)
    for each in people:
        _, when = LATE.get(each.number, ("", IN_TIME if each.files else "-"))
        row = (f"Participant {7000 + each.number}", each.name, each.id, each.status, "", "10.00")
        table.writerow((*row, "Yes", when, "-", ""))
    return "\ufeff" + text.getvalue()


def canvas_download(people: list[Person]) -> bytes:
    """Return the class as Canvas' zip."""
    files = {
        f"{_last_first(each)}_{500 + each.number}_9{each.number}_{name}": data
        for each in people
        for name, data in each.files.items()
    }
    return zipped(files)


def _last_first(person: Person) -> str:
    return "".join(person.name.lower().split()[::-1])


def canvas_gradebook(people: list[Person]) -> str:
    """Return Canvas' export, with an assignment of another course's beside ours."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Sorting (4711)"))
    table.writerow(("    Points Possible", "", "", "", "", "10"))
    for each in people:
        first, last = each.name.split()
        table.writerow((f"{last}, {first}", 500 + each.number, each.id, each.id, "S1", ""))
    table.writerow(("Student, Test", 999, "", "", "S1", ""))
    return text.getvalue()
