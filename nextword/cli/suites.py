"""`nextword suites`: what each task's tests are, and whether the reference passes every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from examiner.catalogue import Chapter
    from examiner.judge.mutants import Hunt
    from examiner.judge.survey import Survey
    from examiner.project import Project

MOST_ALIVE = 0.05  # of the mutants that are mistakes


def suites(
    chapters: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER", help="Such as ngrams; or all.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, help="Run each test so often, each time with another seed.")
    ] = 1,
    seed: Annotated[str, typer.Option(help="What the seeds begin with; a number follows.")] = "run",
    jobs: Annotated[
        int, typer.Option(min=0, help="Processes that share the runs; 0: one per processor.")
    ] = 1,
    package: Annotated[str, typer.Option(help="The package whose code must pass.")] = "solutions",
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Change the reference by machine, and test that.")
    ] = False,
) -> None:
    """Show the tests of each task. Example: nextword suites ngrams --runs 200

    A test whose inputs are the same with every seed runs once. --seed "$(date)" gives seeds that
    were never used before. With --mutants: which share of small mistakes, made in the reference by
    machine, the tests notice with each of five seeds. Exit 1: the reference fails a test in some
    run, a task has no hidden test, or more than 5 % of a chapter's mutants go unnoticed.
    """
    import os

    # before numpy is loaded: tests have one thread when a class is graded
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    from rich.console import Console

    from examiner.errors import UserError
    from examiner.project import find_project

    if not seed.strip():
        raise UserError("--seed is empty: give a text that the seeds begin with, or leave it out")
    seeds = [f"{seed} {number}" for number in range(runs)]
    project, console = find_project(), Console(highlight=False, soft_wrap=True)
    catalogue = project.catalogue
    chosen = [catalogue.resolve(name)[0] for name in chapters or ()] or catalogue.chapters
    good = True
    for chapter in chosen:
        found = _surveyed(project, chapter, seeds, package, jobs or os.cpu_count() or 1)
        hunted = _hunted(project, chapter) if mutants else None
        console.print(_table(chapter, found, hunted))
        bare = [task for task, row in found.tasks.items() if not row.hidden]
        for line in found.told(package):
            console.print(line, markup=False)
        for task in bare:
            console.print(f"{chapter.stem}: task {task} has no hidden test")
        good = good and not found.failures and not bare
        if hunted:
            good = _tell(console, chapter, hunted) and good
    raise typer.Exit(0 if good else 1)


def _surveyed(
    project: Project, chapter: Chapter, seeds: Sequence[str], package: str, jobs: int
) -> Survey:
    """Survey a chapter's suite with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    from examiner.errors import SuiteError, UserError
    from examiner.judge.survey import survey

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        line = bar.add_task(chapter.stem, total=len(seeds))

        def report(done: int) -> None:
            bar.update(line, completed=done)

        try:
            return survey(project, chapter, seeds=seeds, package=package, jobs=jobs, report=report)
        except SuiteError as error:
            raise UserError(str(error)) from error


def _hunted(project: Project, chapter: Chapter) -> Hunt:
    """Run the chapter's mutants with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import Progress

    from examiner.judge.mutants import hunt

    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        line = bar.add_task(f"{chapter.stem}: mutants", total=None)
        return hunt(
            project,
            chapter,
            report=lambda done, of: bar.update(line, completed=done, total=of),
        )


def _tell(console: Console, chapter: Chapter, hunted: Hunt) -> bool:
    """Print the mutants that no test noticed; tell whether they are few."""
    alive = [each for each in hunted.survivors if not each.reason]
    for each in hunted.survivors:
        why = f"no mistake: {each.reason}" if each.reason else f"alive with --seed {each.seed!r}"
        text = f"{chapter.stem}: {each.mutant.task_id} {each.mutant.symbol}: {each.mutant.change}"
        console.print(f"{text} ({why})", markup=False)
    return len(alive) <= MOST_ALIVE * sum(hunted.made.values())


def _table(chapter: Chapter, found: Survey, hunted: Hunt | None) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, title=f"{chapter.number} {chapter.title}")
    table.add_column("task")
    killed = ("mutants killed",) if hunted else ()
    for title in ("points", "visible", "hidden", "misconceptions", *killed, "seconds"):
        table.add_column(title, justify="right")
    for task, row in found.tasks.items():
        counts = (chapter.task(task).points, row.visible, row.hidden, row.misconceptions)
        share = ["{} of {}".format(*hunted.killed(task))] if hunted else []
        table.add_row(task, *map(str, counts), *share, f"{row.seconds:.2f}")
    return table
