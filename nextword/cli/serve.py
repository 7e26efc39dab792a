"""`nextword serve`: grades what arrives in an inbox, for as long as it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.inbox.arrivals import Arrival, Inbox
    from examiner.inbox.serving import Counter
    from examiner.results import SubmissionResult


def serve(
    chapter: Annotated[
        str,
        typer.Argument(
            metavar="CHAPTER", help="Such as ngrams; several with commas: ngrams,attention."
        ),
    ],
    inbox: Annotated[
        str,
        typer.Argument(
            metavar="INBOX", help="A folder, or postgresql://… for a table that hosts share."
        ),
    ],
    jobs: Annotated[int, typer.Option(min=0, help="Workers; 0: one per processor.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Where results and pages go; default: grades/CHAPTER.")
    ] = None,
    rate: Annotated[
        int, typer.Option(min=1, help="How many of a student's are graded in an hour.")
    ] = 12,
    host: Annotated[str, typer.Option(help="Who may see the page of what waits.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=-1, max=65535, help="Of that page; 0: any, -1: no page.")
    ] = 8765,
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
    due: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="When it is due, as for `grade`; default: as schedule.toml says."
        ),
    ] = None,
    late: Annotated[
        str | None,
        typer.Option(
            metavar="RULE", help="What lateness costs, as for `grade`; default: the course's."
        ),
    ] = None,
    extensions: Annotated[
        Path | None, typer.Option(help="CSV of more time: student, until or days, reason.")
    ] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="CSV of corrections: what, student, task, value, reason.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing more waits.")] = False,
    lti: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Take work in by LTI 1.3: what `lti keys` wrote."),
    ] = None,
) -> None:
    """Grade what arrives. Example: nextword serve ngrams inbox

    A folder gets incoming/, where STUDENT.zip or STUDENT.py is put; work/, done/ and refused/. Of
    several chapters each has a folder in it. Work is late by the hour at which it arrived; dates
    and corrections are read at the start. Stop with Ctrl-C. Exit 1: something could not be judged.
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
    from examiner.inbox.postgres import without_password
    from examiner.inbox.serving import Counter
    from examiner.inbox.serving import serve as run
    from examiner.project import find_project
    from nextword.cli.stopping import politely, tidily
    from nextword.cli.term import Said, require_one_chapter, second_look, term_of

    project = find_project()
    chapters = project.catalogue.named(chapter.split(","))
    alone = len(chapters) == 1
    said = Said(due, late, extensions, None, overrides)
    require_one_chapter(said, chapters)
    results = out or project.root / "grades" / (chapters[0].stem if alone else "")
    options = Options(
        out=results,
        jobs=jobs or processors(),
        seed=seed,
        confined=confined,
        examples=shows_examples(project, None),
        second_look=second_look(project),
    )
    watcher = Watcher()
    with ExitStack() as stack:
        stack.enter_context(tidily())
        counters = []
        for each in chapters:
            where = results if alone else results / each.stem
            term = term_of(project, each, where.parent, said)
            opened = open_inbox(inbox, each.stem, rate, alone=alone)
            stack.callback(opened.close)
            counters.append(Counter(each, opened, replace(options, out=where, term=term)))
        if lti:
            counters = stack.enter_context(with_door(lti, counters, watcher))
        title = chapters[0].title if alone else project.settings.title
        board = Board(f"{title}: the inbox", host, port) if port >= 0 else None
        if board:
            stack.callback(board.close)
        asked = stack.enter_context(politely())
        typer.echo(f"grading what arrives in {without_password(inbox)}; results: {results}/")
        for counter in counters:
            if text := counter.options.term.terms.text:
                typer.echo(text if alone else f"{counter.chapter.stem}: {text}")
        if board:
            typer.echo(f"what waits: {board.address}")
        done = run(project, counters, watcher, board=board, stopping=lambda: bool(asked), once=once)
    typer.echo(f"stopped; graded {done}")
    raise typer.Exit(1 if watcher.unjudged else 0)


def open_inbox(where: str, chapter: str, rate: int, *, alone: bool = True) -> Inbox:
    """Return the inbox of a chapter at an address; raises UserError where it cannot be used."""
    from examiner.errors import UserError

    if where.startswith(("postgresql://", "postgres://")):
        from examiner.inbox.postgres import PostgresInbox

        return PostgresInbox(where, chapter, rate)
    from examiner.inbox.folder import FolderInbox

    folder, is_within = Path(where), not alone
    if is_within and folder.is_dir():  # a chapter's own; the one that was named must be there
        folder = folder / chapter
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder} cannot be made: {error.strerror}") from None
    return FolderInbox(folder, rate, is_within=is_within)


@contextmanager
def with_door(path: Path, counters: list[Counter], watcher: Watcher) -> Iterator[list[Counter]]:
    """Open a platform's door; yield the counters, whose results also go back to it."""
    from examiner.platforms.lti import keys
    from examiner.platforms.lti.settings import read_settings

    keys.require_library()
    from examiner.platforms.lti.opening import opened

    settings = read_settings(path)
    shelves = {each.chapter.stem: (each.chapter, each.inbox) for each in counters}
    with opened(settings, keys.read(settings.keys), shelves, watcher.say) as tool:
        names = ", ".join(each.name for each in settings.platforms) or "no platform yet"
        typer.echo(f"by LTI for {names}: port {tool.door.port} of {settings.host}")
        stems = [each.chapter.stem for each in counters]
        forwarding = [tool.inboxes[stem] for stem in stems]
        yield [replace(c, inbox=i) for c, i in zip(counters, forwarding, strict=True)]


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
        for line in result.standing.lines if result.standing else ():
            typer.echo(f"         {line}")
