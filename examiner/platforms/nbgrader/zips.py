"""Lays out what students handed in: for `grade --gradebook`, and as plugins of `zip_collect`.

A zip that is broken or full of tricks costs its student's work alone, and its name is said.
Leaves out finding the works (grading/entries.py) and looking a zip over (grading/archives.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import Unicode

from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.entries import open_class, require_one_work
from examiner.grading.roster import read_roster
from examiner.grading.works import Entry, ProblemError, open_work
from examiner.platforms.nbgrader.plain_files import (
    MAX_FILE,
    TIMESTAMP,
    copy_plain_files,
    is_plain,
    links_in,
    plain_files,
)
from examiner.results import Verdict


def ask_for_an_id(entry: Entry) -> None:
    """Raise ProblemError unless it is known whose a work is, by an id that can name a folder."""
    student = entry.student
    if entry.problem:
        raise ProblemError(entry.problem, Verdict.NOT_JUDGED)
    if "/" in student or student.startswith(".") or len(student.encode()) > 200:
        raise ProblemError(
            f"the id {student[:50]!r} cannot be a folder's name, as nbgrader wants it",
            Verdict.NOT_JUDGED,
        )


def last_of(entry: Entry) -> tuple[Entry, list[str]]:
    """Return what counts of a folder and zips of one name, the last by name, and a line on that."""
    if len(entry.paths) < 2 or entry.platform or entry.problem:
        return entry, []
    last = entry.paths[-1]
    text = f"handed in more than once: {printable(last.name)} was graded"
    return replace(entry, paths=(last,)), [text]


def unpack(entry: Entry, target: Path, wanted: Collection[str]) -> list[str]:
    """Write what a student handed in into a folder, the files that are wanted at its top.

    Returns a line on each thing that could not be read. Raises ProblemError where that is not the
    student's fault.
    """
    target.mkdir(parents=True, exist_ok=True)
    try:
        with open_work(entry, wanted) as work:
            require_one_work(entry, work.files)
            notes = [*work.troubles, *work.lay_out(target)]
    except ProblemError as problem:
        if problem.verdict is Verdict.NOT_JUDGED:
            raise
        notes = [str(problem)]
    if is_plain(target / TIMESTAMP):  # the time has to come from somebody else
        (target / TIMESTAMP).unlink()
    return notes


def lay_out(entry: Entry, target: Path, wanted: Collection[str]) -> list[str]:
    """Put a student's work into a folder as nbgrader wants it, what is `wanted` at its top.

    Of what somebody handed in under one name in several forms, the last by name is taken. Returns a
    line on each thing that was not as it should be. Raises ProblemError where nothing of it may be
    judged.
    """
    ask_for_an_id(entry)
    entry, notes = last_of(entry)
    notes += entry.remarks
    origin = entry.paths[0] if entry.paths else None
    if not origin or entry.platform or not origin.is_dir() or origin.is_symlink():
        return notes + unpack(entry, target, wanted)
    nested = origin / target.name
    folder = nested if nested.is_dir() and not nested.is_symlink() else origin
    notes += links_in(folder)
    if not _is_ready(folder, wanted):
        notes += unpack(entry, target, wanted)
        copy_plain_files(
            folder, target, [folder / TIMESTAMP]
        )  # it stood beside the work, not in it
        return notes
    target.mkdir(parents=True, exist_ok=True)
    copied = {path.relative_to(target) for path in copy_plain_files(folder, target)}
    left = {path.relative_to(folder) for path in plain_files(folder)} - copied
    return notes + [f"{path} is larger than {MAX_FILE >> 20} MB: left out" for path in sorted(left)]


def _is_ready(folder: Path, wanted: Collection[str]) -> bool:
    """Tell whether what is wanted lies at a folder's top, or no zip could hold it."""
    names = {path.name for path in folder.iterdir() if is_plain(path)}
    endings = {Path(name).suffix.lower() for name in names}
    return names.issuperset(wanted) or (bool(endings & {".py", ".ipynb"}) and ".zip" not in endings)


class Extract(ExtractorPlugin):
    """Lays out a class as it was collected or downloaded; what cannot be unpacked is named."""

    roster = Unicode("", help="CSV of the class: ids, names, e-mail addresses.").tag(config=True)

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Put each student's files into a folder that has the student's id for its name."""
        roster = read_roster(Path(self.roster)) if self.roster else None
        Path(extracted_path).mkdir(parents=True, exist_ok=True)
        try:
            with open_class(Path(archive_path), roster) as found:
                for entry in found.entries:
                    self._take(entry, Path(extracted_path))
                for person in found.absent:
                    self.log.warning("%s: %s", printable(person.id), person.absence)
        except UserError as error:
            self.log.warning("%s", printable(str(error)))

    def _take(self, entry: Entry, place: Path) -> None:
        loose = entry.paths[0] if entry.paths and not entry.platform else None
        if loose and is_plain(loose) and loose.suffix.lower() != ".zip":
            shutil.copyfile(loose, place / loose.name)  # for a regexp of the instructor's own
            return
        entry, notes = last_of(entry)
        notes += entry.remarks
        try:
            ask_for_an_id(entry)
            notes += unpack(entry, place / entry.student, self._wanted(place))
        except (ProblemError, OSError) as error:
            notes.append(str(error))
        for text in notes:
            self.log.warning("%s: %s", printable(entry.student), printable(text))

    def _wanted(self, place: Path) -> list[str]:
        """Return the names of module and notebook: nbgrader's folder has the assignment's name."""
        return [f"{place.parent.name}{suffix}" for suffix in (".py", ".ipynb")]


class Collect(FileNameCollectorPlugin):
    """Takes one file of a name from each student: the outermost; of equal ones the first."""

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Return student and file of a path; None for one that is passed over."""
        found: dict[str, Any] | None = super().collect(submitted_file)
        if not found:
            return None
        path, student = Path(submitted_file), found["student_id"]
        place = Path(*path.parts[: path.parts.index(student) + 1])
        same = [each for each in plain_files(place) if each.name == path.name]
        first = min(same, key=lambda each: (len(each.parts), str(each)))
        if first != path:
            where = first.relative_to(place.parent)
            text = f"{student}: {path.name} is there more than once: {where} was taken"
            self.log.warning("%s", printable(text))
            return None
        return found
