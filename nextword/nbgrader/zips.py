"""Unpacks students' zips: for `grade --gradebook`, and as plugins of `nbgrader zip_collect`.

A zip that is broken or full of tricks costs its student's work alone, and its name is said.
Leaves out looking a zip over (grading/archives.py).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin

from nextword.check.terminal import printable
from nextword.grading.archives import Archive, ArchiveError
from nextword.nbgrader.plain_files import MAX_FILE, TIMESTAMP, plain_files

MAX_DEPTH = 3  # zips in zips: what a learning platform packs holds what students packed


def unpack(origin: Path, target: Path) -> None:
    """Unpack a zip into a folder: its paths and sizes are looked over first, links are refused.

    A folder that holds all the rest is left out. Raises ArchiveError; what was written until then
    stays.
    """
    archive = Archive(origin)
    try:
        roots = {path.parts[0] for path in archive.files}
        strip = len(roots) == 1 and all(len(path.parts) > 1 for path in archive.files)
        for inside in archive.files:
            parts = inside.parts[1:] if strip else inside.parts
            if parts == (TIMESTAMP,):
                continue  # of a zip all is the student's; the time has to come from somebody else
            path = target.joinpath(*parts)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(inside, MAX_FILE))
            except (OSError, ValueError) as error:  # too long a name; a file that is a folder, too
                reason = getattr(error, "strerror", None) or str(error)
                raise ArchiveError(
                    f"{inside} in {origin.name} cannot be unpacked: {reason}"
                ) from None
    finally:
        archive.close()


class Extract(ExtractorPlugin):
    """Unpacks every zip of a download, also those inside; what cannot be unpacked is named."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack or copy the files of a folder into another."""
        found = list(plain_files(Path(archive_path)))
        if not found:
            self.log.warning("No files found in directory: %s", archive_path)
        for path in found:
            inside = path.relative_to(archive_path)
            self._take(path, Path(extracted_path) / inside, MAX_DEPTH)

    def _take(self, path: Path, target: Path, depth: int) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() != ".zip" or not depth:
            if path != target:
                shutil.copyfile(path, target)
            return
        folder = target.with_suffix("")
        try:
            folder.mkdir(exist_ok=True)
            unpack(path, folder)
        except (ArchiveError, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            self.log.warning("%s: nothing was taken of it: %s", *map(_shown, (path, error)))
            return
        for inner in [each for each in plain_files(folder) if each.suffix.lower() == ".zip"]:
            self._take(inner, inner, depth - 1)
            inner.unlink()


def _shown(what: Any) -> str:
    return printable(what.name if isinstance(what, Path) else str(what))


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
