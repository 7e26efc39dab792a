"""`nextword ladder`: every model of the book on the same text, above the floor."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nextword.cli.bar import Bar
    from nextword.models.ladder.climb import Ladder

PICTURES = (".png", ".svg", ".pdf")
UNTOLD = 60.0  # seconds that a rung is taken for whose time nobody knows


class Split(StrEnum):
    """What the ladder can be split by."""

    KIND = "kind"


def ladder(
    corpus: Annotated[
        str, typer.Option(help="village, pydocs, shakespeare or the path of a text file.")
    ] = "village",
    rung: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Climb this rung, such as lstm; may be said again."),
    ] = None,
    train: Annotated[
        bool | None,
        typer.Option(
            "--train/--no-train",
            help="Train on this computer, or show only what is known. Default: train rungs that "
            "are named, and where the book ships no numbers.",
        ),
    ] = None,
    package: Annotated[
        str | None, typer.Option(help="The models' package. Default: solutions, else coursework.")
    ] = None,
    tokens: Annotated[
        int,
        typer.Option(
            min=1_000,
            help="Training tokens; a tenth as many are scored. Below 100,000 a model tells fewer "
            "than 200 stories, at least 20, of which some may be valid.",
        ),
    ] = 1_000_000,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the numbers to this file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write the picture to this file, such as ladder.png.")
    ] = None,
    by: Annotated[
        Split | None,
        typer.Option(help="kind: also show which kinds of facts each model misses (village)."),
    ] = None,
) -> None:
    """Show every model of the book above the floor. Example: nextword ladder --rung lstm

    All models read the same text. The village's true perplexity, the floor,
    is known: the table says how far above it each model is, and how many of
    the stories that a model tells are stories of the village.
    The book's own numbers are shown at once. --rung trains and measures the
    models that you name with your code, --train all of them (an hour or more);
    what was measured before with the same code is not measured again.
    With --by kind a second table says how many bits each model loses on which
    kind of fact (names, counts, causes, ...), and --plot draws that table.
    """
    from examiner.project import find_project
    from nextword.models.ladder import known

    project = find_project()
    _require_writable(json_file)
    _require_writable(plot, PICTURES)
    chosen = package or project.best_package
    wanted = _names(rung or [])
    shipped = known.shipped(project.root, corpus, tokens)
    climbs = train if train is not None else bool(wanted) or not shipped
    if climbs:
        result = _climbed(project.root, chosen, corpus, tokens, wanted, shipped)
    else:
        result = known.ladder(project.root, chosen, corpus, tokens, wanted)
    if result.rows:
        _show(result, by, json_file, plot)
    _compare(result, shipped)
    for reason in dict.fromkeys(result.missing.values()):
        rungs = ", ".join(name for name, why in result.missing.items() if why == reason)
        typer.secho(f"{chosen}: {reason}; no {rungs}", fg="red", err=True)
    raise typer.Exit(1 if result.missing else 0)


def _names(asked: Sequence[str]) -> list[str]:
    """The rungs' own names; raises `UserError` for one that there is not."""
    from nextword.models.ladder.climb import rungs_of

    return [rung.name for rung in rungs_of(asked)] if asked else []


def _climbed(
    root: Path,
    package: str,
    corpus: str,
    tokens: int,
    wanted: Sequence[str],
    shipped: Mapping[str, dict[str, Any]],
) -> Ladder:
    """Train what was not measured yet, and say how long that takes."""
    from nextword.cli.bar import Bar
    from nextword.models.ladder.climb import climb

    took = {name: facts["row"]["seconds"] for name, facts in shipped.items()}
    with Bar() as bar:
        ascent = Ascent(bar, took)
        return climb(root, package, corpus, tokens, ascent.progress, wanted, ascent.begin)


class Ascent:
    """How far a climb is: a bar for each rung and, if there are several, one for all."""

    def __init__(self, bar: Bar, took: Mapping[str, float]) -> None:
        self.bar, self.took = bar, took  # seconds of each rung when the book was made
        self.seconds: dict[str, float] = {}  # that the rungs to be trained may take
        self.done: dict[str, float] = {}  # the share of each that is trained

    def begin(self, rungs: Sequence[str]) -> None:
        """Say what will be trained, and how long that took when the book was made."""
        self.seconds = {name: max(1.0, self.took.get(name, UNTOLD)) for name in rungs}
        known = sum(self.took.get(name, 0.0) for name in rungs)
        if known >= UNTOLD:
            names = ", ".join(rungs)
            typer.echo(f"training {names}: took {minutes(known)} when the book was made", err=True)

    def progress(self, rung: str, doing: str, share: float) -> None:
        """Show what is done with a rung, how far that is, and how far all are."""
        if len(self.seconds) > 1:
            trained = {"reading": 0.0, "training": share}.get(doing, 1.0)
            self.done[rung] = max(trained, self.done.get(rung, 0.0))
            done = sum(self.seconds.get(name, 0.0) * part for name, part in self.done.items())
            number = f"rung {len(self.done)} of {len(self.seconds)}"
            self.bar.progress("all", number, done / sum(self.seconds.values()))
        self.bar.progress(rung, doing, share)


def minutes(seconds: float) -> str:
    """A time in words, about.

    >>> minutes(61), minutes(130), minutes(4_000)
    ('1 minute', '2 minutes', '67 minutes')
    """
    from examiner.plural import count

    return count(max(1, round(seconds / 60)), "minute")


def _compare(result: Ladder, shipped: Mapping[str, dict[str, Any]]) -> None:
    """Say what the book's own models of the same rungs reach, where others were measured here."""
    pairs = [
        f"{row.name} {row.perplexity:.3f} here, {shipped[row.name]['row']['perplexity']:.3f} there"
        for row in result.rows
        if row.name in shipped and row.name not in result.shipped and row.perplexity is not None
    ]
    if pairs:
        typer.echo("beside the book's: " + "; ".join(pairs))


def _show(result: Ladder, by: Split | None, json_file: Path | None, plot: Path | None) -> None:
    """Print the tables, and write the files that were asked for."""
    import io

    from rich.console import Console

    from examiner.files import SHARED, write_whole
    from nextword.models.ladder import by_kind, show

    console = Console()
    console.print(show.table(result, console.width))
    if by:
        console.print(by_kind.table(result))
    if json_file:
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False)
        write_whole(json_file, f"{text}\n".encode(), mode=SHARED)
    if plot:
        picture = by_kind.plot(result) if by else show.plot(result)
        drawn = io.BytesIO()
        picture.savefig(drawn, format=plot.suffix[1:], dpi=150)
        write_whole(plot, drawn.getvalue(), mode=SHARED)


def _require_writable(path: Path | None, endings: tuple[str, ...] = ()) -> None:
    """Raise now, not after a minute of training, when a file cannot be written."""
    from examiner.errors import UserError

    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise UserError(f"{path} cannot be written: there is no folder {path.resolve().parent}")
    if endings and path.suffix not in endings:
        *others, last = endings
        raise UserError(
            f"{path} cannot be drawn as {path.suffix!r}: use {', '.join(others)} or {last}"
        )
