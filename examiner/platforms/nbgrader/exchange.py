"""nbgrader's exchange, without links in submissions, and with feedback for those it knows only."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback

from examiner.platforms.nbgrader.plain_files import (
    TIMESTAMP,
    by_student,
    copy_plain_files,
    links_in,
)

NEEDED = (TIMESTAMP, "submission_secret.txt")  # what `nbgrader submit` adds


class Collect(ExchangeCollect):
    """Collects files only: a link would bring in what the instructor alone may read."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission."""
        for line in links_in(Path(src)):
            self.log.warning("%s: %s", Path(src).name, line)
        with tempfile.TemporaryDirectory(prefix="nextword-collect-") as name:
            plain = Path(name) / "submission"
            plain.mkdir()
            copy_plain_files(Path(src), plain)
            super().do_copy(str(plain), dest, log)


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
