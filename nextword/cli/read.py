"""`nextword read`: the chapters as notebooks of one's own, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def read(
    page: Annotated[
        str | None,
        typer.Argument(metavar="PAGE", help="Such as 2, ngrams, 2.5, 02-ngrams, ladder or all."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Your folder. Default: reading.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Write notebooks anew; changed ones are kept aside.")
    ] = False,
    opens: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the notebook in JupyterLab.")
    ] = True,
    from_repository: Annotated[
        str, typer.Option(metavar="URL", help="For Colab: notebooks that fetch the course there.")
    ] = "",
) -> None:
    """Read a chapter as notebooks that run your code. Example: nextword read 2"""
    from examiner.project import find_project
    from nextword.reading.choice import choose, known
    from nextword.reading.lab import open_in_lab, require_lab
    from nextword.reading.shelf import FOLDER, place

    project = find_project()
    if page is None:
        typer.echo(f"nextword read PAGE, where PAGE is one of: {known(project)}")
        return
    choice = choose(project, page)
    folder = (to or project.root / FOLDER).resolve()
    for placed in place(project, choice.pages, folder, again=again, repository=from_repository):
        typer.echo(f"{_shown(folder)}/{placed}")
    first = folder / choice.first.name
    if not opens:
        return
    require_lab(first)
    root = project.root if first.is_relative_to(project.root) else folder
    typer.echo(f"Opening {first.name} in JupyterLab; Ctrl-C here stops it.")
    if address := open_in_lab(first, root):
        typer.echo(f"A JupyterLab of this folder runs already: {address}")


def _shown(folder: Path) -> str:
    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)
