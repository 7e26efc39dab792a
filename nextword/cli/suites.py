"""`nextword suites`: what each task's tests are, and whether the reference passes every time."""

from __future__ import annotations

from typing import Annotated

import typer


def suites(
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="[CHAPTER...]", help="Such as ngrams; or all.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, help="Run each test so often, each time with another seed.")
    ] = 1,
    package: Annotated[str, typer.Option(help="The package whose code must pass.")] = "solutions",
) -> None:
    """Show the tests of each task. Example: nextword suites ngrams --runs 200

    Exit 1: the reference fails a test in some run, or a task has no hidden test.
    """
    from rich.console import Console
    from rich.table import Table

    from nextword import catalogue
    from nextword.errors import UserError
    from nextword.judge.marks import SuiteError
    from nextword.judge.survey import survey
    from nextword.project import find_project

    project, console = find_project(), Console(highlight=False, soft_wrap=True)
    chosen = [catalogue.resolve(name)[0] for name in chapters or ()] or catalogue.chapters()
    good = True
    for chapter in chosen:
        table = Table(box=None, pad_edge=False, title=f"{chapter.number} {chapter.title}")
        table.add_column("task")
        for title in ("points", "visible", "hidden", "misconceptions", "seconds"):
            table.add_column(title, justify="right")
        try:
            found = survey(project, chapter, runs=runs, package=package)
        except SuiteError as error:
            raise UserError(str(error)) from error
        for task, row in found.tasks.items():
            counts = (chapter.task(task).points, row.visible, row.hidden, row.misconceptions)
            table.add_row(task, *map(str, counts), f"{row.seconds:.2f}")
        console.print(table)
        failures = [f"{test}: {why}" for test, why in found.failures.items()]
        bare = [
            f"task {task} has no hidden test" for task, r in found.tasks.items() if not r.hidden
        ]
        for line in (*failures, *bare):
            console.print(f"[red]{chapter.stem}[/] ", end="")
            console.print(line, markup=False)
        good = good and not failures and not bare
    raise typer.Exit(0 if good else 1)
