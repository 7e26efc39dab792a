"""`nextword submit`: the file to hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def submit(
    chapter: Annotated[str, typer.Argument(metavar="CHAPTER", help="Such as ngrams or 2.")],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Default: CHAPTER.zip here.")
    ] = None,
    progress: Annotated[
        bool,
        typer.Option(
            "--progress/--no-progress",
            help="With progress.json: in which hour each task first passed its visible tests.",
        ),
    ] = True,
) -> None:
    """Pack your work into the file to hand in. Example: nextword submit ngrams

    Says what is still missing; the file is written all the same. Exit 1: something is missing.
    """
    from examiner.check.firsts import IN_SUBMISSION, firsts_file, to_hand_in
    from examiner.check.submit import pack, work_of

    found, folder, project = work_of(chapter)
    noted = to_hand_in(firsts_file(project), found) if progress else b""
    besides = {IN_SUBMISSION: noted} if noted else {}
    made = pack(found, folder, to or Path(f"{found.stem}.zip"), besides)
    *others, last = made.files
    packed = f"{', '.join(others)} and {last}" if others else last
    typer.echo(f"wrote {made.path} with {packed}: hand in this file")
    if noted:
        typer.echo(
            f"{IN_SUBMISSION} says in which hour each task first passed, and nothing else; "
            "your marks do not depend on it. To leave it out: --no-progress"
        )
    if not made.missing:
        typer.echo("nothing is missing; `nextword check` tells whether it is right")
        return
    typer.secho("\nstill missing:", fg="yellow")
    for line in made.missing:
        typer.echo(f"  {line}")
    raise typer.Exit(1)
