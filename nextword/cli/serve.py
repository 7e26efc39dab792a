"""`nextword serve`: grades what arrives in an inbox, for as long as it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.inbox.arrivals import Arrival, Inbox
    from examiner.results import SubmissionResult


def serve(
    chapter: Annotated[str, typer.Argument(help="Such as ngrams.")],
    inbox: Annotated[
        str, typer.Argument(help="A folder, or postgresql://… for a table that hosts share.")
    ],
    jobs: Annotated[int, typer.Option(min=0, help="Workers; 0: one per processor.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Where results and pages go; default: grades/CHAPTER.")
    ] = None,
    rate: Annotated[
        int, typer.Option(min=1, help="How many of a student's are graded in an hour.")
    ] = 12,
    host: Annotated[str, typer.Option(help="Who may see the page of what waits.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=-1, help="Of that page; 0: any, -1: no page.")] = 8765,
    seed: Annotated[
        str | None,
        typer.Option(help="Secret that hidden inputs are drawn from; default: the course's."),
    ] = None,
    sandbox: Annotated[
        str, typer.Option(help="bubblewrap, or none: for trusted code only.")
    ] = "bubblewrap",
    kernels: Annotated[
        str,
        typer.Option(help="native, or common: the same last digits on processors that differ."),
    ] = "native",
    once: Annotated[bool, typer.Option(help="Stop when nothing more waits.")] = False,
) -> None:
    """Grade what arrives. Example: nextword serve ngrams inbox

    A folder gets incoming/, where STUDENT.zip or STUDENT.py is put; work/, done/ and refused/. Stop
    with Ctrl-C. Exit 1: something could not be judged.
    """
    import os

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    from examiner.sandbox import kernels as instructions
    from nextword.cli.grade import is_confined, shows_examples

    instructions.choose(kernels)
    confined = is_confined(sandbox)
    from examiner.grading.run import Options, processors
    from examiner.inbox.board import Board
    from examiner.inbox.serving import serve as run
    from examiner.project import find_project
    from nextword.cli.stopping import politely

    project = find_project()
    found = project.catalogue.chapter(chapter)
    options = Options(
        out=out or project.root / "grades" / found.stem,
        jobs=jobs or processors(),
        seed=seed,
        confined=confined,
        examples=shows_examples(project, None),
    )
    opened = open_inbox(inbox, found.stem, rate)
    watcher = Watcher()
    board = Board(f"{found.title}: the inbox", host, port) if port >= 0 else None
    try:
        with politely() as asked:
            typer.echo(f"grading what arrives in {inbox}; results: {options.out}/")
            if board:
                typer.echo(f"what waits: {board.address}")
            done = run(
                project,
                found,
                opened,
                options,
                watcher,
                board=board,
                stopping=lambda: bool(asked),
                once=once,
            )
    finally:
        opened.close()
        if board:
            board.close()
    typer.echo(f"stopped; graded {done}")
    raise typer.Exit(1 if watcher.unjudged else 0)


def open_inbox(where: str, chapter: str, rate: int) -> Inbox:
    """Return the inbox at an address; raises UserError where it cannot be used."""
    if where.startswith(("postgresql://", "postgres://")):
        from examiner.inbox.postgres import PostgresInbox

        return PostgresInbox(where, chapter, rate)
    from examiner.inbox.folder import FolderInbox

    return FolderInbox(Path(where), rate)


class Watcher:
    """Prints a line for each result, and for what a person should know."""

    def __init__(self) -> None:
        self.unjudged = 0

    def say(self, line: str) -> None:
        """Print what a person should know."""
        typer.secho(f"nextword: {line}", fg="yellow", err=True)

    def graded(self, arrival: Arrival, result: SubmissionResult) -> None:
        """Print a result."""
        import time

        from examiner.plural import count

        self.unjudged += result.provisional
        note = ", NOT JUDGED" if result.provisional else ""
        points = f"{result.score:g} of {count(result.max_score, 'point')}"
        took = time.time() - arrival.arrived
        typer.echo(f"{time.strftime('%H:%M:%S')} {result.student}: {points}{note}, {took:.1f} s")
