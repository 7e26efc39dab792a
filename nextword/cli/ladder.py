"""`nextword ladder`: every model of the book on the same text, above the floor."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nextword.models.ladder.climb import Ladder

PICTURES = (".png", ".svg", ".pdf")


class Split(StrEnum):
    """What the ladder can be split by."""

    KIND = "kind"


def ladder(
    corpus: Annotated[
        str, typer.Option(help="village, pydocs, shakespeare or the path of a text file.")
    ] = "village",
    package: Annotated[
        str | None, typer.Option(help="The models' package. Default: solutions, else coursework.")
    ] = None,
    tokens: Annotated[
        int, typer.Option(min=1_000, help="Training tokens; a tenth as many are scored.")
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
    """Train and score every model of the book. Example: nextword ladder --plot ladder.png

    All models read the same text. The village's true perplexity, the floor,
    is known: the table says how far above it each model is, and how many of
    the stories that a model tells are stories of the village.
    What was measured before is not measured again. With --by kind a second
    table says how many bits each model loses on which kind of fact (names,
    counts, causes, ...), and --plot draws that table.
    """
    from examiner.project import find_project
    from nextword.cli.bar import Bar
    from nextword.models.ladder.climb import climb

    project = find_project()
    _require_writable(json_file)
    _require_writable(plot, PICTURES)
    chosen = package or project.best_package
    with Bar() as bar:
        result = climb(project.root, chosen, corpus, tokens, bar.progress)
    if result.rows:
        _show(result, by, json_file, plot)
    for reason in dict.fromkeys(result.missing.values()):
        rungs = ", ".join(name for name, why in result.missing.items() if why == reason)
        typer.secho(f"{chosen}: {reason}; no {rungs}", fg="red", err=True)
    raise typer.Exit(1 if result.missing else 0)


def _show(result: Ladder, by: Split | None, json_file: Path | None, plot: Path | None) -> None:
    """Print the tables, and write the files that were asked for."""
    from rich.console import Console

    from nextword.models.ladder import by_kind, show

    Console().print(show.table(result))
    if by:
        Console().print(by_kind.table(result))
    if json_file:
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False)
        json_file.write_text(text + "\n", encoding="utf-8")
    if plot:
        picture = by_kind.plot(result) if by else show.plot(result)
        picture.savefig(plot, dpi=150)


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
