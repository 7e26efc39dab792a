"""`nextword claims`: what the book says of trained models, and how it was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def claims(
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the list here, too.")
    ] = None,
) -> None:
    """List what the book claims of trained models. Example: nextword claims --json claims.json

    Each with its section, how often it was tried, the effect and its spread, and
    the bounds that every value must keep. Exit 1: no page has stored a claim.
    """
    import json
    from itertools import groupby

    from rich.console import Console
    from rich.text import Text

    from examiner.files import SHARED, write_whole
    from examiner.project import find_project
    from nextword.claims.book import as_json, stated

    found = list(stated(find_project().root / "chapters"))
    if not found:
        typer.secho("no page in chapters has stored a claim: run `make notebooks-run`", err=True)
        raise typer.Exit(1)
    console = Console(highlight=False)
    for section, group in groupby(found, key=lambda each: f"{each.title}: {each.section}"):
        console.print(Text(section, style="bold"))
        for each in group:
            console.print(Text(f"  {each.claim.says}"))
            console.print(Text(f"    {each.claim.line}", style="dim"))
    often = sum(not each.claim.is_observation for each in found)
    console.print(f"{len(found)} claims, {often} of them tried several times")
    if json_file:
        data = json.dumps([as_json(each) for each in found], indent=1)
        write_whole(json_file, data.encode(), mode=SHARED)
