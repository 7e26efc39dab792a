"""`nextword race`: readers' own models on stories that nobody has seen, and the board of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nextword.race.board import Board
    from nextword.race.run import Raced


def race(
    submissions: Annotated[
        Path | None,
        typer.Argument(metavar="ENTRIES", help="A folder of entries, or one entry: see --entries."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all results here.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where the board is kept; default: grades/race.")
    ] = None,
    words: Annotated[int, typer.Option(min=1, help="Words of fresh stories.")] = 100_000,
    seed: Annotated[
        str | None,
        typer.Option(help="Secret that the stories are told from; default: drawn for this race."),
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Write the secret into --json, too.")
    ] = False,
    track: Annotated[
        str | None, typer.Option(help="small, open or ten-minutes alone; default: all.")
    ] = None,
    train_seconds: Annotated[
        float, typer.Option(min=1.0, help="Of each of two cores, in the track ten-minutes.")
    ] = 600.0,
    sandbox: Annotated[
        str, typer.Option(help="bubblewrap, or none: for trusted code only.")
    ] = "bubblewrap",
    entries: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Race nothing: write the course's own entries here, where they are not yet.",
        ),
    ] = None,
) -> None:
    """Race models on fresh stories. Example: nextword race submissions/ --json board.json

    Each entry runs behind walls and is given a word only after it has said how
    likely every word is there. The stories are told for this race; their true
    perplexity, the floor, is known. The board says how far above it each model
    is, with an interval, so that no place is luck. Exit 1: something could not
    be judged, and not by an entry's fault.
    """
    import os

    from examiner.errors import UserError

    if os.name != "posix":
        raise UserError("a race needs Linux or macOS")
    if entries is not None and submissions is not None:
        raise UserError(
            f"--entries writes and races nothing: leave out {submissions}, or --entries"
        )
    if entries is not None:
        _write_entries(entries)
        return
    if submissions is None:
        raise UserError(
            "which entries? Give a folder of them, or write the course's own: "
            "nextword race --entries DIR"
        )
    from nextword.cli.grade import is_confined

    board = _raced(submissions, words, seed, track, train_seconds, out, is_confined(sandbox))
    if json_file:
        text = json.dumps(board.to_json(reveal=reveal), indent=1, ensure_ascii=False) + "\n"
        _write(json_file, text)
    raise typer.Exit(1 if any(place.raced.fault for place in board.places) else 0)


def _raced(
    submissions: Path,
    words: int,
    seed: str | None,
    track: str | None,
    train_seconds: float,
    out: Path | None,
    confined: bool,
) -> Board:
    """Hold the race, say how it goes, and keep the board."""
    from contextlib import ExitStack

    from rich.console import Console

    from examiner.errors import UserError
    from examiner.grading.beside import require_apart
    from examiner.project import find_project
    from examiner.race.entry import Track
    from examiner.sandbox.trial import WHAT_IS_LOST
    from nextword.cli.bar import Bar
    from nextword.race import board, stories
    from nextword.race.run import Options, Race, opened

    if track is not None and track not in tuple(Track):
        raise UserError(f"--track {track}: expected {', '.join(Track)}")
    folder = out or find_project().root / "grades" / "race"
    require_apart(folder, submissions)
    options = Options(stories.drawn_secret(seed), words, Track(track) if track else None, confined)
    rules = replace(options.rules, train_seconds=train_seconds)
    options = replace(options, rules=rules)
    console = Console()
    if not confined:
        Console(stderr=True).print(f"[bold red]--sandbox none[/]: {WHAT_IS_LOST}")
    with ExitStack() as stack:
        found = stack.enter_context(opened(submissions))
        board.require_usable(folder)
        held = stack.enter_context(Race(options))
        console.print(
            f"{held.ground.words:,} words of {len(held.ground.texts):,} fresh stories, seed "
            f"{stories.digest_of(options.secret)}",
            highlight=False,
        )
        with Bar() as bar:
            raced = held.hold(found, bar.progress, _say)
        made = board.keep(raced, held.ground, options, folder)
    _show(console, made)
    console.print(f"board: {folder / board.PAGE}", highlight=False, soft_wrap=True)
    return made


def _say(raced: Raced) -> None:
    """Print one line on an entry that is done."""
    from nextword.race.board import said

    name = raced.handed.student
    if raced.scores is None:
        typer.echo(f"{name}: out: {raced.problem}")
        return
    apart = "knows the program; " if raced.scores.knows else ""
    above, seconds = said(raced.scores.above, 2), raced.scores.seconds
    typer.echo(f"{name}: {apart}{above} % above the floor, {seconds:.1f} s of processor")


def _show(console: object, made: Board) -> None:
    """Print the ranking of each track."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from examiner.race.entry import Track
    from nextword.race.board import perplexity

    assert isinstance(console, Console)
    for track in Track:
        places = made.of_track(track)
        if not places:
            continue
        table = Table(title=f"{track.value}, floor {made.floor:.4f}", box=box.SIMPLE_HEAD)
        for head in ("place", "model", "above the floor", "perplexity", "accepted", "seconds"):
            table.add_column(head, justify="left" if head in ("place", "model") else "right")
        for place in places:
            scores = place.raced.scores
            assert scores is not None
            table.add_row(
                f"{place.rank}{' tie' if place.shared else ''}",
                escape(place.raced.handed.about.name),
                f"{scores.above.value:.2f} %",
                f"{perplexity(scores.surprise).value:.3f}",
                f"{100 * scores.accepted.value:.1f} %",
                f"{scores.seconds:.1f}",
            )
        console.print(table)


def _write(path: Path, text: str) -> None:
    from examiner.errors import unwritable
    from examiner.files import SHARED, write_whole

    try:
        write_whole(path, text.encode(), mode=SHARED)
    except OSError as error:
        raise unwritable(path, error) from error


def _write_entries(folder: Path) -> None:
    """Write the course's own entries."""
    from examiner.project import find_project
    from nextword.race.shipped import write_entries

    def report(name: str, is_written: bool) -> None:
        text = f"wrote {folder / name}" if is_written else f"{folder / name} is kept as it is"
        typer.echo(text)

    project = find_project()
    write_entries(folder, project.best_package, project.root, report)
