"""`nextword grade`: a class of submissions, each in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.catalogue import Chapter
    from examiner.grading.outcome import Outcome
    from examiner.grading.roster import Roster
    from examiner.grading.run import Options
    from examiner.project import Project


def grade(
    chapter: Annotated[str, typer.Argument(metavar="CHAPTER", help="Such as ngrams or 2.")],
    submissions: Annotated[
        Path | None,
        typer.Argument(
            metavar="SUBMISSIONS",
            help="One folder or zip per student, or a learning platform's download.",
        ),
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
    jsonl_file: Annotated[
        Path | None, typer.Option("--jsonl", help="Write a line of JSON here as each one ends.")
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write the grades here.")] = None,
    decimal_comma: Annotated[
        bool,
        typer.Option(
            "--decimal-comma", help="--csv for spreadsheets that write 1,5: parted by semicolons."
        ),
    ] = False,
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
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Grade again what has not changed.")
    ] = False,
    examples: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help='When students see on which inputs they are wrong: "at once", "never" or from a '
            "day on, such as 2026-12-01; default: the course's.",
        ),
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When it is due, such as 2026-12-01T18:00; a day alone: its end; default: as "
            "schedule.toml says.",
        ),
    ] = None,
    late: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help='What lateness costs: "10 % a day, 15 minutes of grace, at most 50 %, nothing '
            "after 7 days, 3 days in hand\", or parts of it; default: the course's.",
        ),
    ] = None,
    extensions: Annotated[
        Path | None, typer.Option(help="CSV of more time: student, until or days, reason.")
    ] = None,
    times: Annotated[
        Path | None, typer.Option(help="CSV of when works were handed in; Moodle's worksheet.")
    ] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="CSV of corrections: what, student, task, value, reason.")
    ] = None,
    requests: Annotated[
        Path | None, typer.Option(help="Folder of text files that ask for a second look.")
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option(
            metavar="PLATFORM",
            help="Write the points for the import of canvas, moodle or gradescope; with Canvas' "
            "gradebook or Moodle's grading worksheet as --roster, into that file's columns.",
        ),
    ] = None,
    marks_column: Annotated[
        str, typer.Option(metavar="NAME", help="The assignment in Canvas; default: the title.")
    ] = "",
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
    from examiner.grading.run import CLASS, Options, processors
    from examiner.platforms.marks.forms import form_for
    from examiner.project import find_project
    from nextword.cli.cluster import elsewhere, require_one_way
    from nextword.cli.marks import write_marks
    from nextword.cli.stopping import tidily
    from nextword.cli.term import Said, second_look, term_of, times_of

    if decimal_comma and not csv_file:
        raise UserError("--decimal-comma goes with --csv FILE")
    if os.name != "posix":
        raise UserError("grading needs Linux or macOS; `nextword check` works everywhere")
    if gradebook:
        given: dict[str, object] = {"--out": out, "--json": json_file, "--csv": csv_file}
        given |= {"--jsonl": jsonl_file}
        given |= {"--seed": seed is not None, "--package": package}
        given |= {
            "--examples": examples,
            "--regrade": regrade,
            "--sandbox": sandbox != "bubblewrap",
            "--workers": workers,
            "--scheduler": scheduler,
            **{"--due": due, "--late": late, "--extensions": extensions},
            "--overrides": overrides,
            "--requests": requests,
            "--marks": marks,
        }
        told = times_of(Said(times=times))
        raise typer.Exit(
            _into_gradebook(chapter, submissions, gradebook, jobs, roster, told, given)
        )
    confined = is_confined(sandbox)
    project = find_project()
    found = project.catalogue.chapter(chapter)
    place = out or project.root / "grades" / found.stem
    people = read_roster(roster) if roster else None
    form = form_for(marks, found, roster, people, marks_column) if marks else None
    said = Said(due, late, extensions, times, overrides)
    options = Options(
        out=place,
        jobs=jobs or processors(),
        seed=seed,
        confined=confined,
        regrade=regrade,
        packages=tuple(package or ()),
        roster=people,
        examples=shows_examples(project, examples),
        json_lines=jsonl_file,
        term=term_of(project, found, place.parent, said),
        requests=requests,
        times=times_of(said),
        second_look=second_look(project),
    )
    require_one_way(jobs=jobs, workers=workers, scheduler=scheduler, certificates=certificates)
    with tidily(), elsewhere(options, workers, scheduler, certificates, audit) as chosen:
        outcome = _graded(project, found, submissions, chosen)
    # all files before the first word: whoever reads no further (`| head`) has them, too
    _write(outcome, json_file, csv_file, comma=decimal_comma)
    lines = write_marks(form, outcome.results, options.out / CLASS) if form else []
    _tell(outcome, options.out)
    for line in lines:
        typer.echo(line)
    if _is_heard():
        outcome.told()
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


def _is_heard() -> bool:
    """Tell whether somebody still reads what was printed: `| head -1` goes away after a line."""
    import io
    import select
    import sys

    if sys.stdout is None:  # closed before we began
        return False
    sys.stdout.flush()
    try:
        watched = select.poll()
        watched.register(sys.stdout.fileno(), 0)
    except (AttributeError, io.UnsupportedOperation):  # of a test, or where nothing can be asked
        return True
    gone = select.POLLERR | select.POLLHUP
    return not any(event & gone for _, event in watched.poll(0))


def _into_gradebook(
    chapter: str,
    submissions: Path | None,
    url: str,
    jobs: int,
    roster: Path | None,
    times: Roster | None,
    given: Mapping[str, object],
) -> int:
    """Grade into nbgrader's gradebook, which knows none of the options given; the exit code."""
    from examiner.errors import UserError
    from examiner.platforms.nbgrader.command import grade_class

    if unused := [option for option, value in given.items() if value]:
        raise UserError(f"--gradebook goes without {' and '.join(unused)}: leave it out")
    return grade_class(chapter, submissions, url, jobs, roster, times)


def _graded(
    project: Project, chapter: Chapter, submissions: Path | None, options: Options
) -> Outcome:
    """Grade the class and draw how it goes."""
    from rich.console import Console

    from examiner.grading.run import grade
    from examiner.grading.terminal import Display
    from examiner.release.samples import write_samples
    from examiner.sandbox.trial import WHAT_IS_LOST

    if submissions and submissions.resolve().is_relative_to(project.root / "tests"):
        write_samples(project, chapter.stem)  # a class of the course's own; it may be read-only
    errors = Console(stderr=True)
    if not options.confined:
        errors.print(f"[bold red]--sandbox none[/]: {WHAT_IS_LOST}")
    display = Display(errors)
    with display.shown():
        return grade(project, chapter, submissions, options, display)


def _write(outcome: Outcome, json_file: Path | None, csv_file: Path | None, *, comma: bool) -> None:
    """Write the results and the grades where they were asked for."""
    from examiner.grading.store import write_atomically
    from examiner.grading.tables import grades_csv

    if json_file:
        write_atomically(json_file, outcome.json_pieces())
    if csv_file:
        write_atomically(csv_file, grades_csv(outcome, comma=comma))


def _tell(outcome: Outcome, out: Path) -> None:
    """Show the class, and say where its pages are."""
    from rich.console import Console
    from rich.markup import escape

    from examiner.grading.outcome import TABLE
    from examiner.grading.run import REPORT
    from examiner.grading.terminal import show

    console = Console()
    show(console, outcome)
    console.print(f"feedback: {out}/", highlight=False, soft_wrap=True)
    if outcome.pages and outcome.pages.spread:
        first = outcome.results[0].student
        text = f"pages are spread over folders: that of {first} is {outcome.pages.path(first)}, and"
        console.print(escape(f"{text} {out / TABLE} says where each is"), soft_wrap=True)
    console.print(f"the class: {out / REPORT}", highlight=False, soft_wrap=True)
    for path in outcome.uploads:
        console.print(f"for upload: {path}", highlight=False, soft_wrap=True)
