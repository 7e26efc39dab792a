"""`nextword doctor`: what works on this machine."""

from __future__ import annotations

import typer


def doctor() -> None:
    """Say what works on this machine and what to do about the rest. Example: nextword doctor"""
    from nextword.doctor import examine

    complete = True
    for finding in examine():
        word = "good" if finding.good else ("BAD" if finding.needed else "missing")
        colour = "green" if finding.good else ("red" if finding.needed else "yellow")
        typer.secho(f"{word:<8}", fg=colour, nl=False)
        typer.echo(f"{finding.what:<44} {finding.detail}")
        complete = complete and (finding.good or not finding.needed)
    typer.echo("\nready for `nextword check`" if complete else "\nsomething that is needed is BAD")
    raise typer.Exit(0 if complete else 1)
