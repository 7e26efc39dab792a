"""`nextword suites`: what each task's tests are, and whether the reference passes every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from nextword.catalogue import Chapter
    from nextword.judge.survey import Survey
    from nextword.project import Project


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

    from nextword import catalogue
    from nextword.project import find_project

    project, console = find_project(), Console(highlight=False, soft_wrap=True)
    chosen = [catalogue.resolve(name)[0] for name in chapters or ()] or catalogue.chapters()
    good = True
    for chapter in chosen:
        found = _surveyed(project, chapter, runs, package)
        console.print(_table(chapter, found))
        bare = [task for task, row in found.tasks.items() if not row.hidden]
        for test, why in found.failures.items():
            console.print(f"{chapter.stem}: {test} {why}", markup=False)
        for task in bare:
            console.print(f"{chapter.stem}: task {task} has no hidden test")
        good = good and not found.failures and not bare
    raise typer.Exit(0 if good else 1)


def _surveyed(project: Project, chapter: Chapter, runs: int, package: str) -> Survey:
    """Survey a chapter's suite with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    from nextword.errors import UserError
    from nextword.judge.marks import SuiteError
    from nextword.judge.survey import survey

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        line = bar.add_task(chapter.stem, total=runs)

        def report(done: int) -> None:
            bar.update(line, completed=done)

        try:
            return survey(project, chapter, runs=runs, package=package, report=report)
        except SuiteError as error:
            raise UserError(str(error)) from error


def _table(chapter: Chapter, found: Survey) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, title=f"{chapter.number} {chapter.title}")
    table.add_column("task")
    for title in ("points", "visible", "hidden", "misconceptions", "seconds"):
        table.add_column(title, justify="right")
    for task, row in found.tasks.items():
        counts = (chapter.task(task).points, row.visible, row.hidden, row.misconceptions)
        table.add_row(task, *map(str, counts), f"{row.seconds:.2f}")
    return table
