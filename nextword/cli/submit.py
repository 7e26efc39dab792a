"""`nextword submit`: the file to hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def submit(
    chapter: Annotated[str, typer.Argument(help="Such as ngrams or 2.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Default: CHAPTER.zip here.")
    ] = None,
) -> None:
    """Pack your work into the file to hand in. Example: nextword submit ngrams

    Says what is still missing; the file is written all the same. Exit 1: something is missing.
    """
    from examiner import catalogue
    from examiner.check.submit import pack, work_folder

    found, _ = catalogue.resolve(chapter)
    made = pack(found, work_folder(found), to or Path(f"{found.stem}.zip"))
    typer.echo(f"wrote {made.path} with {' and '.join(made.files)}: hand in this file")
    if not made.missing:
        typer.echo("nothing is missing; `nextword check` tells whether it is right")
        return
    typer.secho("\nstill missing:", fg="yellow")
    for line in made.missing:
        typer.echo(f"  {line}")
    raise typer.Exit(1)
