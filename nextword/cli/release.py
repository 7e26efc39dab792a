"""`nextword release`: what students, or another platform, get."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from examiner.plural import count


class Format(StrEnum):
    """What a release is made for."""

    STUDENT = "student"
    NBGRADER = "nbgrader"
    GRADESCOPE = "gradescope"


def release(
    chapters: Annotated[list[str], typer.Argument(metavar="CHAPTER...", help="Such as ngrams.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="A new or empty folder.")],
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.STUDENT,
) -> None:
    """Write an assignment into a folder. Example: nextword release ngrams --to handout"""
    from examiner import catalogue
    from examiner.project import find_project

    chosen = [catalogue.chapter(stem) for stem in dict.fromkeys(chapters)]
    project = find_project()
    if form is Format.NBGRADER:
        from examiner.release.nbgrader import release_nbgrader

        files = release_nbgrader(project, chosen, to)
        next_step = f"next: cd {to}; nbgrader generate_assignment {chosen[0].stem}"
    elif form is Format.GRADESCOPE:
        from examiner.platforms.gradescope import release_gradescope

        files = release_gradescope(project, chosen, to)
        next_step = "upload the zip as the autograder of a programming assignment"
    else:
        from examiner.release.student import release_student

        files = release_student(project, chosen, to)
        next_step = "give students this folder (README.md says how)"
    typer.echo(f"wrote {count(len(files), 'file')} to {to}; {next_step}")
