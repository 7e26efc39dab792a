"""When work was handed in, by what a learning platform says of it.

A platform's word counts. What is said of the time by a zip, a commit or a file in the student's own
folder is a remark alone: anybody can set it.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from examiner.term.moments import moment, shown, span

# headers by their letters alone, the platform's own first
COLUMNS = (
    *("lastmodifiedsubmission", "zuletztgeandertabgabe", "dernieremodificationtravailremis"),
    "ultimamodificacionentrega",
    *("handedin", "submittedat", "submissiontime", "submittedtime", "timestamp", "time"),
)
STATUS = ("status", "statut", "estado", "stato")
TIMESTAMP = "timestamp.txt"  # nbgrader notes in it when a work was collected
# " late" as Moodle says it in the languages that it is used in most
_LATE = (
    *(" late", "zu spät", "verspätet", "en retard", "después", "de retraso", "in ritardo"),
    *("de atraso", "te laat"),
)

MAX_ZIP, MAX_LOG = 64 << 20, 1 << 16  # bytes that are looked at for a remark
_COMMIT = re.compile(r"> (\d{9,11}) [+-]\d{4}\tcommit")


@dataclass(frozen=True)
class Handed:
    """What is known of when a work was handed in; the parts may all be missing."""

    at: datetime | None = None  # without a zone where the source names none
    late_by: timedelta | None = None  # after the platform's own due date
    late: bool = False  # late, says the platform, and not by how much
    source: str = ""  # who says so: "Moodle"


def in_row(cells: Mapping[str, str], source: str) -> Handed | None:
    """Return what a row of a table says of the time, by its columns; None if it says nothing.

    >>> row = {"status": "Submitted for grading - 1 day 3 hours late"}
    >>> in_row(row, "Moodle").late_by.total_seconds() / 3600
    27.0
    """
    status, late = _status(cells)
    late_by = span(status) if late else None
    at = moment(_time(cells))
    if at is None and not late:
        return None
    return Handed(at, late_by, late, source)


def says_no_time(cells: Mapping[str, str]) -> str:
    """Return what stands in the columns of times and is none; "" where all is well."""
    text, (status, late) = _time(cells), _status(cells)
    if text.strip(" -\u2013\u2014") and moment(text) is None:
        return text
    numbers = late and any(letter.isdigit() for letter in status)
    return status if numbers and span(status) is None else ""


def _time(cells: Mapping[str, str]) -> str:
    return next((cells[key] for key in COLUMNS if cells.get(key)), "")


def _status(cells: Mapping[str, str]) -> tuple[str, bool]:
    """Return the part of a row's status that says late, "1 day 3 hours late", and whether one does.

    Moodle joins several: "Submitted for grading - 1 day 3 hours late - Extension granted - ".
    """
    parts = next((cells[key] for key in STATUS if cells.get(key)), "").split(" - ")
    late = [part for part in parts if any(word in f" {part}".casefold() for word in _LATE)]
    return (late or parts)[-1], bool(late)


def of_gradescope(said: Mapping[str, Any]) -> Handed | None:
    """Return when Gradescope's metadata says that a work was handed in."""
    at = said.get(":created_at")
    if isinstance(at, str):
        at = moment(at)
    if not isinstance(at, datetime):
        return None
    return Handed(at if at.tzinfo else at.replace(tzinfo=UTC), source="Gradescope")


# ------------------------------------------------------------------- what students can set


def remarks(paths: tuple[Path, ...]) -> tuple[str, ...]:
    """Return what the works themselves say of their time, as lines for an instructor."""
    found = []
    for path in paths:
        for says in (_zip_says, _commit_says, _note_says):
            try:
                line = says(path)
            except (OSError, ValueError, zipfile.BadZipFile, struct.error, OverflowError):
                continue
            if line:
                found.append(f"{line}; whoever hands in can set this time")
    return tuple(found)


def _zip_says(path: Path) -> str:
    if path.is_symlink() or path.suffix.lower() != ".zip" or not path.is_file():
        return ""
    if path.stat().st_size > MAX_ZIP:
        return ""
    with zipfile.ZipFile(path) as archive:
        times = [info.date_time for info in archive.infolist() if not info.is_dir()]
    if not times or max(times)[0] <= 1980:  # what is written where there is no time
        return ""
    return f"the newest file in {path.name} says {datetime(*max(times)):%Y-%m-%d %H:%M}"


def _commit_says(path: Path) -> str:
    """Read the log that git keeps: git itself would obey the settings in a student's folder."""
    log = path / ".git" / "logs" / "HEAD"
    if any(part.is_symlink() for part in (path, *list(log.parents)[:2], log)) or not log.is_file():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - MAX_LOG))
        lines = file.read(MAX_LOG).decode(errors="replace").splitlines()
    found = [each for line in lines if (each := _COMMIT.search(line))]
    if not found:
        return ""
    return f"its last commit says {shown(datetime.fromtimestamp(int(found[-1][1]), UTC))}"


def _note_says(path: Path) -> str:
    note = path / TIMESTAMP
    if path.is_symlink() or note.is_symlink() or not note.is_file():
        return ""
    at = moment(note.read_bytes()[:200].decode(errors="replace"))
    return f"its {TIMESTAMP} says {at:%Y-%m-%d %H:%M %Z}".rstrip() if at else ""
