"""nbgrader's exchange, without links in submissions, without work in another's name, and with
feedback for those it knows only."""

from __future__ import annotations

import pwd
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import parse_utc

from examiner.platforms.nbgrader.plain_files import (
    TIMESTAMP,
    by_student,
    copy_plain_files,
    links_in,
    time_in,
)
from examiner.project import COMMAND

NEEDED = (TIMESTAMP, "submission_secret.txt")  # what `nbgrader submit` adds


# what a submission says of its time, and when its folder was made: so far apart are they at most
UNEVEN_CLOCKS = timedelta(minutes=10)


class Collect(ExchangeCollect):
    """Collects files only, and of each user only what that user handed in.

    A link would bring in what the instructor alone may read. Everybody may write to the exchange's
    inbox, also a folder that is named after somebody else; nbgrader warns, and takes it.
    """

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find the last submission of each student, leaving out what another user wrote."""
        super().init_src()
        self.src_records = [each for each in self.src_records if each["username"] is not None]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        record: dict[str, Any] = super()._path_to_record(path)
        if self.check_owner and (owner := _owner(Path(path))) != record["username"]:
            self.log.warning(
                "left out: %s is named after %s, but %s made it",
                record["filename"],
                record["username"],
                owner,
            )
            return {**record, "username": None}
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission."""
        for line in (*links_in(Path(src)), *_early(Path(src))):
            self.log.warning("%s: %s", Path(src).name, line)
        with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-collect-") as name:
            plain = Path(name) / "submission"
            plain.mkdir()
            copy_plain_files(Path(src), plain)
            super().do_copy(str(plain), dest, log)


def _owner(path: Path) -> str:
    """Return the name of the user whose folder this is, of a link that of the link's maker."""
    number = path.lstat().st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def _early(folder: Path) -> list[str]:
    """Return a line where a submission says that it was handed in long before its folder was made.

    `nbgrader submit` runs as the student, who can write any time; that of the folder's last change
    is the system's own.
    """
    try:
        said = time_in(folder)
    except ValueError as error:
        return [str(error)]
    made = datetime.fromtimestamp(folder.stat().st_ctime, UTC).replace(tzinfo=None)
    if said is None or parse_utc(said) + UNEVEN_CLOCKS >= made:
        return []
    return [
        f"says that it was handed in at {said}, but was written at {made:%Y-%m-%d %H:%M:%S} UTC"
    ]


class ReleaseFeedback(ExchangeReleaseFeedback):
    """Releases the pages of work that came through the exchange, and names the others."""

    def _pattern(self) -> str:
        step, name = self.coursedir.feedback_directory, self.coursedir.assignment_id
        return str(self.coursedir.format_path(step, "*", name))

    def copy_files(self) -> None:
        """Copy the pages to the exchange."""
        excluded = self.coursedir.student_id_exclude
        others = {
            student: folder
            for student, folder in by_student(self._pattern(), self.coursedir.student_id or "*")
            if not all((folder / name).is_file() for name in NEEDED)
        }
        self.coursedir.student_id_exclude = ",".join(filter(None, [excluded, *others]))
        try:
            super().copy_files()
        finally:
            self.coursedir.student_id_exclude = excluded
        for student, folder in others.items():
            self.log.warning(
                "%s did not hand in through nbgrader's exchange, which therefore cannot give "
                "the feedback back: send %s yourself",
                student,
                folder,
            )
