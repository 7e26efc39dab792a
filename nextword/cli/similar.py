"""`nextword similar`: submissions that are more alike than their stub makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def similar(
    chapter: Annotated[str, typer.Argument(help="Such as ngrams.")],
    submissions: Annotated[
        Path, typer.Argument(help="A folder or zip with one folder or zip per student.")
    ],
    least: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the shorter one that counts as alike.")
    ] = 0.6,
    out: Annotated[
        Path | None, typer.Option(help="The page; default: grades/CHAPTER/similar.html.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the pairs as JSON.")] = False,
) -> None:
    """Show who handed in nearly the same code. Example: nextword similar ngrams submissions/

    What the stubs give does not count. The page shows each pair side by side.
    """
    from rich.console import Console

    from examiner import catalogue
    from examiner.grading.run import gather
    from examiner.grading.similar import page, similar_pairs
    from examiner.grading.store import write_atomically
    from examiner.project import find_project
    from examiner.release.samples import write_samples

    project, found = find_project(), catalogue.chapter(chapter)
    write_samples(project, found.stem)
    stub = project.module("coursework", found.stem).read_text("utf-8")
    pairs = similar_pairs(gather(project, found, submissions).submissions, stub, least)
    target = out or project.root / "grades" / found.stem / "similar.html"
    write_atomically(target, page(found, pairs), durable=False)
    if as_json:
        typer.echo(json.dumps([each.to_json() for each in pairs], indent=1, ensure_ascii=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    for pair in pairs:
        text = f"{pair.share:4.0%}  {pair.one.student} and {pair.other.student}"
        console.print(text, markup=False)
    if not pairs:
        console.print("no two submissions are that similar")
    console.print(f"side by side: {target}")
