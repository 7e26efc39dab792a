"""Which programs a release carries: the examiner, or the part of it that checks, and the packages
that students' code needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from examiner.errors import UserError
from examiner.junk import files_in
from examiner.project import Project

EXAMINER = Path(__file__).parents[1]
ROOMS_THAT_CHECK = {
    *("boundary", "candidate", "catalogue", "check", "counterexamples", "judge", "suite"),
}

Rooms = Callable[[str], bool]  # tells of a folder or module of the examiner whether it goes


def students_rooms(room: str) -> bool:
    """Tell whether students get a part of the examiner: what checks, not what grades or releases.

    >>> students_rooms("judge"), students_rooms("results.py"), students_rooms("grading")
    (True, True, False)
    """
    return room in ROOMS_THAT_CHECK or "." in room  # a single module


def all_rooms(room: str) -> bool:
    """Tell that any part of the examiner goes where a class is graded."""
    return True


def library_files(project: Project, rooms: Rooms) -> Iterator[tuple[Path, Path]]:
    """Yield the files that are installed, each with its place in the folder that holds them.

    Raises UserError where one of those that the course's settings name is missing.
    """
    for package in sorted({EXAMINER, *project.settings.packages}):
        for path in files_in(package):
            inside = path.relative_to(package)
            if package != EXAMINER or rooms(inside.parts[0]):
                yield package.name / inside, path
    for name in project.settings.files:
        source = project.root / name
        if not source.is_file():
            raise UserError(f"{source} is missing: a release is made from the full course")
        yield Path(name), source
