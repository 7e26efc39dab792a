"""`nextword check`: the visible tests on ./coursework, with staged hints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from examiner.plural import count

if TYPE_CHECKING:
    from examiner.catalogue import Chapter, Task
    from examiner.project import Project
    from examiner.results import SubmissionResult

EPILOG = "Example: nextword check 2.3"


def check(
    what: Annotated[
        str | None,
        typer.Argument(metavar="CHAPTER|TASK", help="Such as ngrams, 2 or 2.3; default: all."),
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Show the next hint, alone.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again on every save, task after task.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    package: Annotated[str, typer.Option(help="The package to check.")] = "coursework",
    hidden: Annotated[
        bool, typer.Option("--hidden", help="For authors: the hidden tests too, with tracebacks.")
    ] = False,
    seed: Annotated[
        str | None, typer.Option(help="What --hidden draws inputs from; default: a new one.")
    ] = None,
) -> None:
    """Run the visible tests on your code. Example: nextword check 2.3

    Shows what passes, what does not and why. With --hint: only the next hint for the first
    function that is not right yet, one step closer each time you ask. With --watch: stays, checks
    the first open task on every save, and goes on to the next when it passes; Ctrl-C ends it.
    """
    from examiner.check.terminal import show_hint
    from examiner.errors import UserError
    from examiner.project import find_project
    from examiner.results import Verdict

    project = find_project()
    catalogue = project.catalogue
    if what:
        wanted = [catalogue.resolve(what)]
    else:  # a folder that was handed out holds some of the chapters
        wanted = [(c, c.tasks) for c in catalogue.chapters if project.has_suite(c.stem)]
    if not wanted:
        raise UserError(f"there are no tests in {project.root / 'tests'}")
    if hidden:
        if not (project.root / "solutions").is_dir():
            raise UserError("--hidden is for authors: this folder has only the visible tests")
        raise typer.Exit(0 if _hidden(project, wanted, package, seed) else 1)
    if watch:
        from examiner.check.watch import watch as stay

        stay(project, wanted, package)
        raise typer.Exit
    results: list[SubmissionResult] = []
    hinted = False
    possible = wanted if what else _possible(project, wanted)
    for chapter, tasks in possible:
        results.append(_checked(project, chapter, tasks, package, quiet=as_json or hint))
        if hint and (hinted := show_hint(project, results[-1])):
            break
    if hint and not hinted:
        typer.echo("Every task passes: no hint is needed.")
    if as_json:
        answers = [
            {"chapter": chapter.stem, "submissions": [result.to_json()]}
            for (chapter, _), result in zip(possible, results, strict=False)
        ]
        typer.echo(json.dumps(answers[0] if what else answers, indent=1, ensure_ascii=False))
    complete = all(t.verdict is Verdict.PASSED for result in results for t in result.tasks)
    raise typer.Exit(0 if complete and len(possible) == len(wanted) else 1)


def _possible(
    project: Project, wanted: Sequence[tuple[Chapter, Sequence[Task]]]
) -> list[tuple[Chapter, Sequence[Task]]]:
    """Leave out, and say so, the chapters whose tests need a package that is not installed."""
    from examiner.check.needs import missing_package
    from nextword.cli import ASKED_FOR

    possible, lacking = [], dict[str, list[str]]()
    for chapter, tasks in wanted:
        if package := missing_package(project, chapter):
            lacking.setdefault(package, []).append(str(chapter.number))
        else:
            possible.append((chapter, tasks))
    for package, numbers in lacking.items():
        which = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
        several = len(numbers) > 1
        text = f"left out, since {'they need' if several else 'it needs'} {package}, which is not"
        how = f": {ASKED_FOR[package]}" if package in ASKED_FOR else ""
        head = f"Chapters {which} are" if several else f"Chapter {which} is"
        typer.echo(f"{head} {text} installed{how}", err=True)
    return possible


def _checked(
    project: Project, chapter: Chapter, tasks: Sequence[Task], package: str, *, quiet: bool
) -> SubmissionResult:
    """Run the visible tests of some tasks and show, unless quiet, what comes of each."""
    from datetime import UTC, datetime

    from examiner.check.chapter import check_chapter
    from examiner.check.firsts import firsts_file, note
    from examiner.check.terminal import CheckReport

    report = CheckReport(chapter, quiet=quiet)
    report.start(project.package(package))
    whole = len(tasks) == len(chapter.tasks)
    result = check_chapter(
        project,
        chapter,
        package=package,
        task_ids=None if whole else {task.id for task in tasks},
        report=report.test,
        printed=report.prints,
    )
    report.finish(result)
    if package == "coursework":
        if not quiet:
            stems = [each.stem for each in project.catalogue.chapters]
            _warn(project.package(package) / f"{chapter.stem}.py", stems)
        note(firsts_file(project), result.tasks, datetime.now(UTC))
    return result


def _warn(module: Path, chapters: Sequence[str]) -> None:
    """Say what works here, and would not where the work is graded."""
    import ast

    from examiner.check.contents import newer_copies
    from examiner.check.submit import left_behind

    for line in newer_copies(module, chapters):
        typer.secho(line, fg="yellow")
    try:
        tree = ast.parse(module.read_text("utf-8-sig"))
    except (OSError, SyntaxError, ValueError):
        return  # the tests have said so
    for line in left_behind(module, tree):
        typer.secho(line, fg="yellow")


def _hidden(
    project: Project,
    wanted: Sequence[tuple[Chapter, Sequence[Task]]],
    package: str,
    given: str | None,
) -> bool:
    """Show what fails of all tests, with tracebacks; tell whether nothing does."""
    import secrets

    from examiner.errors import SuiteError, UserError
    from examiner.judge.survey import failures

    if given is not None and not given.strip():
        raise UserError("--seed is empty: give any text, or leave --seed out to draw a new seed")
    seed = given or secrets.token_hex(4)
    complete = True
    for chapter, tasks in wanted:
        ids = {task.id for task in tasks}
        try:
            found = failures(project, chapter, package=package, seed=seed, task_ids=ids)
        except SuiteError as error:
            raise UserError(str(error)) from error
        for each in found:
            head = f"{each.test.mark.id} {each.test.name}: {each.verdict.value}"
            typer.secho(head, fg="red")
            typer.echo(each.traceback or each.message)
        became = count(len(found), "failing test") if found else "good"
        typer.echo(f'{chapter.stem}: {became} (hidden inputs drawn from --seed "{seed}")')
        complete = complete and not found
    return complete
