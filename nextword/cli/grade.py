"""`nextword grade`: a class of submissions, each in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


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
    out: Annotated[
        Path | None, typer.Option(help="Where feedback goes; default: grades/CHAPTER.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all results here.")
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the grades here.")] = None,
    seed: Annotated[
        str, typer.Option(help="Secret that hidden inputs are drawn from; default: the course's.")
    ] = "",
    package: Annotated[
        list[str] | None, typer.Option(help="Grade this package of the course folder too.")
    ] = None,
    sandbox: Annotated[
        str, typer.Option(help="bubblewrap, or none: for trusted code only.")
    ] = "bubblewrap",
    regrade: Annotated[bool, typer.Option(help="Grade again what has not changed.")] = False,
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
    from rich.console import Console

    from nextword import catalogue
    from nextword.errors import UserError
    from nextword.grading.roster import read_roster
    from nextword.grading.run import Options, grade
    from nextword.grading.store import write_atomically
    from nextword.grading.tables import grades_csv
    from nextword.grading.terminal import Display, show
    from nextword.project import find_project
    from nextword.release.samples import write_samples
    from nextword.sandbox.trial import WHAT_IS_LOST

    if os.name != "posix":
        raise UserError("grading needs Linux or macOS; `nextword check` works everywhere")
    if gradebook:
        from nextword.nbgrader.command import grade_class

        given: dict[str, object] = {
            "--out": out,
            "--json": json_file,
            "--csv": csv_file,
            "--seed": seed,
            "--package": package,
        }
        given |= {"--regrade": regrade, "--sandbox": sandbox != "bubblewrap"}
        if unused := [option for option, value in given.items() if value]:
            raise UserError(f"--gradebook goes without {' and '.join(unused)}: leave it out")

        raise typer.Exit(grade_class(chapter, submissions, gradebook, jobs, roster))
    if sandbox not in ("bubblewrap", "none"):
        raise UserError(f"--sandbox {sandbox}: expected bubblewrap or none")
    project = find_project()
    found = catalogue.chapter(chapter)
    options = Options(
        out=out or project.root / "grades" / found.stem,
        **({"jobs": jobs} if jobs else {}),
        seed=seed,
        confined=sandbox != "none",
        regrade=regrade,
        packages=tuple(package or ()),
        roster=read_roster(roster) if roster else None,
    )
    write_samples(project, found.stem)
    errors = Console(stderr=True)
    if not options.confined:
        errors.print(f"[bold red]--sandbox none[/]: {WHAT_IS_LOST}")
    display = Display(errors)
    with display.shown():
        outcome = grade(project, found, submissions, options, display)
    if json_file:
        write_atomically(json_file, json.dumps(outcome.to_json(), indent=1, ensure_ascii=False))
    if csv_file:
        write_atomically(csv_file, grades_csv(outcome))
    console = Console()
    show(console, outcome)
    console.print(f"feedback: {options.out}/", highlight=False, soft_wrap=True)
    for path in outcome.uploads:
        console.print(f"for upload: {path}", highlight=False, soft_wrap=True)
    raise typer.Exit(0 if outcome.all_judged else 1)
