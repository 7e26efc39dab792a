"""`nextword release`: what students, or another platform, get."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """What a release is made for."""

    STUDENT = "student"


def release(
    chapters: Annotated[list[str], typer.Argument(metavar="CHAPTER...", help="Such as ngrams.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="A new or empty folder.")],
    form: Annotated[Format, typer.Option("--format", help="What to make.")] = Format.STUDENT,
) -> None:
    """Write an assignment into a folder. Example: nextword release ngrams --to handout"""
    from nextword import catalogue
    from nextword.project import find_project
    from nextword.release.student import release_student

    chosen = [catalogue.chapter(stem) for stem in dict.fromkeys(chapters)]
    files = release_student(find_project(), chosen, to)
    typer.echo(f"wrote {len(files)} files to {to}; give students this folder (README.md says how)")
