"""`nextword progress`: what is done in every chapter."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def progress(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    package: Annotated[str, typer.Option(help="The package to look at.")] = "coursework",
) -> None:
    """Show which tasks are done, over all chapters. Example: nextword progress"""
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    from examiner.check.progress import measure
    from examiner.check.terminal import printable
    from examiner.project import find_project

    found = measure(find_project(), package)
    if as_json:
        typer.echo(json.dumps([each.to_json() for each in found], indent=1))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("chapter", "", "tasks", "next", "about"):
        table.add_column(title)
    for each in found:
        total, done = len(each.chapter.tasks), len(each.done)
        left = f"{each.minutes_left} min left" if each.minutes_left else ""
        table.add_row(
            f"{each.chapter.number} {each.chapter.title}",
            ProgressBar(total=total, completed=done, width=20),
            f"{done} of {total}",
            f"needs {each.missing}" if each.missing else each.next_task or "done",
            left,
        )
    Console(highlight=False).print(table)
    for each in found:
        if each.trouble:
            typer.secho(f"\nchapter {each.chapter.number}: {printable(each.trouble)}", fg="red")
