"""Works laid out as a platform hands them out, for the tests of downloads and of rosters."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from examiner.grading.entries import open_class
from examiner.grading.roster import Roster, read_roster
from examiner.grading.submissions import Submission, read

Files = Mapping[str, str | bytes]


def zipped(files: Files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def laid_out(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def found_in(origin: Path, roster: Roster | None = None) -> dict[str, Submission]:
    with open_class(origin, roster) as there:
        return {entry.student: read(entry, "tiny") for entry in there.entries}


def sources(found: Mapping[str, Submission]) -> dict[str, str]:
    return {student: each.data.decode() or each.problem for student, each in found.items()}


def roster(folder: Path, text: str | bytes) -> Roster:
    path = folder / "class.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_roster(path)
