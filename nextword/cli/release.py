"""`nextword release`: what students, or another platform, get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from examiner.plural import count

if TYPE_CHECKING:
    from examiner.catalogue import Chapter
    from examiner.project import Project
    from examiner.release.variants import Drawing


class Format(StrEnum):
    """What a release is made for."""

    STUDENT = "student"
    NBGRADER = "nbgrader"
    GRADESCOPE = "gradescope"


def release(
    chapters: Annotated[list[str], typer.Argument(metavar="CHAPTER", help="Such as ngrams or 2.")],
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="DIR", help="A new or empty folder, or nbgrader's course folder."
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.STUDENT,
    variant: Annotated[
        str, typer.Option(metavar="SECRET", help="Draw what assignment notebooks ask for.")
    ] = "",
    per_student: Annotated[
        Path | None,
        typer.Option(
            metavar="ROSTER", help="A notebook for each student of this CSV; with --variant."
        ),
    ] = None,
    last_hints: Annotated[
        bool, typer.Option(help="Give students the last hint of each task, too.")
    ] = True,
    early: Annotated[
        bool, typer.Option("--early", help="Also before the day that schedule.toml says.")
    ] = False,
    github: Annotated[
        bool, typer.Option("--github", help="With what GitHub Classroom runs at each push.")
    ] = False,
) -> None:
    """Write an assignment into a folder. Example: nextword release ngrams --to handout"""
    from examiner.catalogue.schedule import require_released
    from examiner.errors import UserError
    from examiner.project import find_project
    from examiner.release.student import HANDOUT

    project = find_project()
    if github and form is not Format.STUDENT:
        raise UserError("--github goes with students' folders: leave out --format")
    chosen = project.catalogue.named(chapters)
    if not early and form is Format.STUDENT:
        require_released(project.schedule, [chapter.stem for chapter in chosen])
    drawing = _drawing(project, chosen, form, variant, per_student)
    if not last_hints and form is not Format.STUDENT:
        raise UserError("--no-last-hints is for students' folders")
    files, next_step = _made(project, chosen, to, form, drawing, last_hints)
    where = to / HANDOUT if drawing.students and form is Format.STUDENT else to
    if github:
        from examiner.release.github import add_github

        files += add_github(project, chosen, where)
        next_step = "push it as the template repository of an assignment in GitHub Classroom"
    typer.echo(f"wrote {count(len(files), 'file')} to {where}; {next_step}")
    for line in _told(project, chosen, drawing, to):
        typer.echo(line)


def _made(
    project: Project,
    chosen: Sequence[Chapter],
    to: Path,
    form: Format,
    drawing: Drawing,
    last_hints: bool,
) -> tuple[list[Path], str]:
    """Write the release; return its files and what to do with them."""
    if form is Format.NBGRADER:
        from examiner.release.nbgrader import release_nbgrader

        files = release_nbgrader(project, chosen, to, drawing)
        return files, f"next: cd {to}; nbgrader generate_assignment {chosen[0].stem}"
    if form is Format.GRADESCOPE:
        from examiner.platforms.gradescope import release_gradescope

        files = release_gradescope(project, chosen, to)
        return files, "upload the zip as the autograder of a programming assignment"
    from examiner.release.student import HANDOUT, release_student

    files = release_student(project, chosen, to, drawing, last_hints)
    if drawing.students:
        return files, f"give students {to / HANDOUT} (README.md says how)"
    return files, "give students this folder (README.md says how)"


def _drawing(
    project: Project, chosen: Sequence[Chapter], form: Format, secret: str, roster: Path | None
) -> Drawing:
    """Return how assignments are drawn; raises UserError for options that contradict each other."""
    from examiner.errors import UserError
    from examiner.release.variants import Drawing

    if roster and not secret:
        raise UserError("--per-student needs --variant SECRET, from which notebooks are drawn")
    if secret and form is Format.GRADESCOPE:
        raise UserError("--variant is for notebooks; Gradescope's autograder judges the module")
    if secret and not any(project.variants(each.stem).is_file() for each in chosen):
        raise UserError(
            f"no variants of {', '.join(each.stem for each in chosen)}: they would stand in "
            f"solutions/variants/{chosen[0].stem}.toml"
        )
    if roster is None:
        return Drawing(secret)
    from examiner.grading.roster import read_roster
    from examiner.grading.store import file_name

    people = read_roster(roster).people
    return Drawing(secret, {person.id: file_name(person.id) for person in people})


def _told(project: Project, chosen: Sequence[Chapter], drawing: Drawing, to: Path) -> Iterator[str]:
    """Yield which variants were drawn."""
    from examiner.release.student import PERSONAL
    from examiner.release.variants import read_variants, told

    for chapter in chosen if drawing.secret else ():
        variants = read_variants(project.variants(chapter.stem))
        if not variants:
            yield f"{chapter.stem}: the same for all, it has no variants"
        elif drawing.students:
            made = count(len(drawing.students), "notebook")
            yield f"{chapter.stem}: {made} in {to / PERSONAL}, in a folder for each student"
        else:
            yield f"{chapter.stem}: {told(drawing.choices(variants, chapter.stem), variants)}"
