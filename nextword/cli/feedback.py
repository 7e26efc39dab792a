"""`nextword feedback`: nbgrader's feedback as a learning platform takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def feedback(
    assignment: Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Such as ngrams.")],
    download: Annotated[
        Path,
        typer.Argument(
            metavar="DOWNLOAD", help="What the platform gave: the works, as a zip or a folder."
        ),
    ],
    roster: Annotated[
        Path | None, typer.Option(help="CSV of the class, the one that the works were graded with.")
    ] = None,
    to: Annotated[Path, typer.Option(metavar="DIR", help="Where the zip goes.")] = Path(),
) -> None:
    """Pack nbgrader's feedback for upload. Example: nextword feedback ngrams moodle.zip

    Run it in the course folder after `nbgrader generate_feedback`. Exit 1: somebody has no page.
    """
    from examiner.check.terminal import printable
    from examiner.errors import UserError
    from examiner.grading.entries import open_class
    from examiner.grading.hand_back import write_uploads
    from examiner.grading.roster import read_roster
    from examiner.platforms.nbgrader.command import find_course

    course = find_course(download, "")
    with open_class(download, read_roster(roster) if roster else None) as found:
        pages, without = {}, []
        for entry in found.entries:
            folder = course / "feedback" / entry.student / assignment
            if page := next(iter(sorted(folder.glob("*.html"))), None):
                pages[entry.student] = page.read_text("utf-8")
            else:
                without.append(entry.student)
        if not pages:
            raise UserError(
                f"{course / 'feedback'} has no page for anybody in {download}: run `nbgrader "
                f"generate_feedback {assignment}`, and give --roster if the works were graded so"
            )
        made = write_uploads(to, found.entries, pages.get)
    if not made:
        raise UserError(f"{download} is no download of Moodle's or Canvas': see {course}/feedback")
    for path in made:
        typer.echo(f"for upload: {path}, with {len(pages)} of {len(pages) + len(without)} pages")
    for student in without:
        typer.echo(f"{printable(student)}: there is no page of feedback")
    raise typer.Exit(1 if without else 0)
