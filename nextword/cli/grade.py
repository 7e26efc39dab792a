"""`nextword grade`: a class of submissions, each in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.catalogue import Chapter
    from examiner.grading.run import Options, Outcome
    from examiner.project import Project


def grade(
    chapter: Annotated[str, typer.Argument(help="Such as ngrams.")],
    submissions: Annotated[
        Path | None,
        typer.Argument(help="One folder or zip per student, or a learning platform's download."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="CSV of the class: ids, names, e-mail addresses.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Workers; 0: one per processor.")] = 0,
    workers: Annotated[
        int, typer.Option(min=0, help="Start a Dask cluster of so many workers on this machine.")
    ] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Have a Dask cluster grade, such as tls://host:8786."),
    ] = None,
    certificates: Annotated[
        Path | None, typer.Option(help="What `nextword cluster certificates` wrote.")
    ] = None,
    audit: Annotated[
        float, typer.Option(min=0, max=1, help="Share of a cluster's results that are tried twice.")
    ] = 0.02,
    kernels: Annotated[
        str,
        typer.Option(help="native, or common: the same last digits on processors that differ."),
    ] = "native",
    out: Annotated[
        Path | None, typer.Option(help="Where feedback goes; default: grades/CHAPTER.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all results here.")
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the grades here.")] = None,
    seed: Annotated[
        str | None,
        typer.Option(help="Secret that hidden inputs are drawn from; default: the course's."),
    ] = None,
    package: Annotated[
        list[str] | None, typer.Option(help="Grade this package of the course folder too.")
    ] = None,
    sandbox: Annotated[
        str, typer.Option(help="bubblewrap, or none: for trusted code only.")
    ] = "bubblewrap",
    regrade: Annotated[bool, typer.Option(help="Grade again what has not changed.")] = False,
    examples: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help='When students see on which inputs they are wrong: "at once", "never" or from a '
            "day on, such as 2026-12-01; default: the course's.",
        ),
    ] = None,
    gradebook: Annotated[
        str | None, typer.Option(metavar="URL", help="Write into nbgrader's gradebook.")
    ] = None,
) -> None:
    """Grade a class. Example: nextword grade ngrams submissions/ --json grades.json

    Every student gets a page of feedback under --out. Exit 1: something could not be judged.
    """
    import os

    # before numpy is loaded: its threads would be copied into the workers
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    from examiner.errors import UserError
    from examiner.sandbox import kernels as instructions

    instructions.choose(kernels)
    from examiner.grading.roster import read_roster
    from examiner.grading.run import Options, processors
    from examiner.project import find_project
    from nextword.cli.cluster import elsewhere, require_one_way

    if os.name != "posix":
        raise UserError("grading needs Linux or macOS; `nextword check` works everywhere")
    if gradebook:
        given: dict[str, object] = {"--out": out, "--json": json_file, "--csv": csv_file}
        given |= {"--seed": seed is not None, "--package": package}
        given |= {
            "--examples": examples,
            "--regrade": regrade,
            "--sandbox": sandbox != "bubblewrap",
            "--workers": workers,
            "--scheduler": scheduler,
        }
        raise typer.Exit(_into_gradebook(chapter, submissions, gradebook, jobs, roster, given))
    confined = is_confined(sandbox)
    project = find_project()
    found = project.catalogue.chapter(chapter)
    options = Options(
        out=out or project.root / "grades" / found.stem,
        jobs=jobs or processors(),
        seed=seed,
        confined=confined,
        regrade=regrade,
        packages=tuple(package or ()),
        roster=read_roster(roster) if roster else None,
        examples=shows_examples(project, examples),
    )
    require_one_way(jobs=jobs, workers=workers, scheduler=scheduler, certificates=certificates)
    with elsewhere(options, workers, scheduler, certificates, audit) as chosen:
        outcome = _graded(project, found, submissions, chosen)
    _write(outcome, json_file, csv_file)
    _tell(outcome, options.out)
    raise typer.Exit(0 if outcome.all_judged else 1)


def is_confined(sandbox: str) -> bool:
    """Tell whether other people's code runs behind walls, as `--sandbox` says."""
    from examiner.errors import UserError

    if sandbox not in ("bubblewrap", "none"):
        raise UserError(f"--sandbox {sandbox}: expected bubblewrap or none")
    return sandbox != "none"


def shows_examples(project: Project, when: str | None) -> bool:
    """Tell whether students see their examples today, as asked for or as the course says."""
    from dataclasses import replace
    from datetime import date

    from examiner.catalogue.settings import require_a_time

    settings = project.settings
    if when is not None:
        require_a_time(when, "--examples")
        settings = replace(settings, examples=when)
    return settings.shows_examples(date.today())


def _into_gradebook(
    chapter: str,
    submissions: Path | None,
    url: str,
    jobs: int,
    roster: Path | None,
    given: Mapping[str, object],
) -> int:
    """Grade into nbgrader's gradebook, which knows none of the options given; the exit code."""
    from examiner.errors import UserError
    from examiner.platforms.nbgrader.command import grade_class

    if unused := [option for option, value in given.items() if value]:
        raise UserError(f"--gradebook goes without {' and '.join(unused)}: leave it out")
    return grade_class(chapter, submissions, url, jobs, roster)


def _graded(
    project: Project, chapter: Chapter, submissions: Path | None, options: Options
) -> Outcome:
    """Grade the class and draw how it goes."""
    from rich.console import Console

    from examiner.grading.run import grade
    from examiner.grading.terminal import Display
    from examiner.release.samples import write_samples
    from examiner.sandbox.trial import WHAT_IS_LOST

    write_samples(project, chapter.stem)
    errors = Console(stderr=True)
    if not options.confined:
        errors.print(f"[bold red]--sandbox none[/]: {WHAT_IS_LOST}")
    display = Display(errors)
    with display.shown():
        return grade(project, chapter, submissions, options, display)


def _write(outcome: Outcome, json_file: Path | None, csv_file: Path | None) -> None:
    """Write the results and the grades where they were asked for."""
    from examiner.grading.store import write_atomically
    from examiner.grading.tables import grades_csv

    if json_file:
        write_atomically(json_file, json.dumps(outcome.to_json(), indent=1, ensure_ascii=False))
    if csv_file:
        write_atomically(csv_file, grades_csv(outcome))


def _tell(outcome: Outcome, out: Path) -> None:
    """Show the class, and say where its pages are."""
    from rich.console import Console

    from examiner.grading.terminal import show

    console = Console()
    show(console, outcome)
    console.print(f"feedback: {out}/", highlight=False, soft_wrap=True)
    for path in outcome.uploads:
        console.print(f"for upload: {path}", highlight=False, soft_wrap=True)
