"""What `nextword grade --gradebook` does on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from examiner.check.terminal import printable
from examiner.errors import UserError
from examiner.grading.terminal import changes_table
from examiner.platforms.nbgrader import require_nbgrader
from examiner.plural import count, duration
from examiner.project import COMMAND

if TYPE_CHECKING:
    from examiner.grading.roster import Roster
    from examiner.platforms.nbgrader.grade_class import GradedStudent  # it needs nbgrader


def find_course(submissions: Path, gradebook: str) -> Path:
    """Return the nbgrader course folder that is meant.

    It is the working folder, or one that holds the submissions or the gradebook's file.
    """
    file = Path(gradebook.removeprefix("sqlite:///"))
    for start in (Path.cwd(), submissions.resolve(), file.resolve() if file.exists() else None):
        for folder in (start, *start.parents) if start else ():
            if (folder / "nbgrader_config.py").is_file() and (folder / "source").is_dir():
                return folder
    raise UserError(
        "run this in the nbgrader course folder (the one with nbgrader_config.py and source/); "
        f"`{COMMAND} release CHAPTER --format nbgrader --to DIR` makes one"
    )


def grade_class(
    assignment: str,
    submissions: Path | None,
    gradebook: str,
    jobs: int,
    roster: Path | None = None,
    times: Roster | None = None,
) -> int:
    """Grade a class into a gradebook and print what it earned; return the exit status."""
    require_nbgrader()
    if submissions is None:
        raise UserError(f"say where the submissions are: {COMMAND} grade CHAPTER submitted/ …")
    from examiner.grading.roster import read_roster
    from examiner.platforms.nbgrader.grade_class import grade_into

    course = find_course(submissions, gradebook)
    errors = Console(stderr=True)
    found = grade_into(
        course,
        assignment,
        submissions,
        gradebook,
        jobs=jobs,
        roster=read_roster(roster) if roster else None,
        times=times,
        say=lambda text: errors.print(text, markup=False),
    )
    console = Console()
    console.print(_table(assignment, found))
    changes = [change for each in found for change in each.changes]
    if changes:
        console.print(changes_table(changes))
    for each in found:
        for text in each.remarks:
            errors.print(f"{printable(each.written.student)}: {printable(text)}", markup=False)
    return 0 if all(each.judged for each in found) else 1


def _table(assignment: str, found: Sequence[GradedStudent]) -> Table:
    """Return a line for each student; of marks by hand, how many are still to be given."""
    table = Table("student", "points", "of", "late", "waits for marks", title=assignment)
    for each in found:
        written = each.written
        late = duration(written.late) if written.late else ""
        if written.penalty:
            late += f": -{written.penalty:g}"
        waits = count(len(written.waiting), "part") if written.waiting else ""
        points = f"{written.points:g}" if each.judged else "not judged"
        max_points = f"{written.max_points:g}" if each.judged else ""
        table.add_row(escape(printable(written.student)), points, max_points, late, waits)
    return table
