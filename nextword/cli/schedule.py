"""`nextword schedule`: a term's dates, what is next, and a file for calendars."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.project import Project

HOW = 'what to write stands on the book\'s page "For instructors", under "A calendar"'


def schedule(
    ics: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an iCalendar file here.")
    ] = None,
) -> None:
    """Show when chapters are handed out and due. Example: nextword schedule --ics term.ics

    The dates stand in schedule.toml. Exit 1: there is no such file, or it names no chapter.
    """
    from datetime import UTC

    from examiner.catalogue.schedule import FILE
    from examiner.files import SHARED, write_whole
    from examiner.project import find_project
    from examiner.release.calendar import calendar_of

    project = find_project()
    found = project.schedule
    if not found.chapters:
        path = project.root / FILE
        why = f"{path} names no chapter" if path.exists() else f"there is no {path}"
        typer.secho(f"nothing is scheduled: {why}; {HOW}", err=True)
        raise typer.Exit(1)
    _show(project, datetime.now(UTC))
    if ics:
        data = calendar_of(found, project.catalogue, project.settings)
        write_whole(ics, data, mode=SHARED)
        typer.echo(f"wrote {ics}: import it into a calendar, or give it to your students")


def _show(project: Project, now: datetime) -> None:
    from rich.console import Console
    from rich.table import Table

    from examiner.catalogue.schedule import shown
    from examiner.release.calendar import next_of, until

    table = Table(box=None, pad_edge=False)
    for title in ("week", "chapter", "handed out", "due"):
        table.add_column(title)
    for dates in project.schedule.chapters:
        chapter = project.catalogue.chapter(dates.stem)
        moments = (_short(each) for each in (dates.release, dates.due))
        week = str(dates.week or "")
        table.add_row(week, f"{chapter.number} {chapter.title}", *moments)
    console = Console(highlight=False)
    console.print(table)
    if coming := next_of(project.schedule, now):
        dates, what, moment = coming
        said = "is handed out" if what == "out" else "is due"
        title = project.catalogue.chapter(dates.stem).title
        console.print(f"\nnext: {title} {said} on {shown(moment)}, {until(moment, now)}")
    else:
        console.print("\nall of it is over")


def _short(moment: datetime | None) -> str:
    return f"{moment:%a %Y-%m-%d %H:%M}" if moment else ""
