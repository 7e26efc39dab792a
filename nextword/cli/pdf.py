"""`nextword pdf`: the built book on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def pdf(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Such as next-word or 02-ngrams; or all."),
    ] = None,
    site: Annotated[Path | None, typer.Option(help="The built book. Default: _build/html.")] = None,
    to: Annotated[Path | None, typer.Option(help="Where PDFs go. Default: _build/pdf.")] = None,
) -> None:
    """Typeset the whole book and each chapter by itself. Example: nextword pdf 02-ngrams

    Needs a built book (make book), Chromium, and what make setup installs.
    """
    from examiner.project import find_project
    from nextword.press import documents, manuscript, printer, typeset

    root = find_project().root
    known = documents(root)
    for name in wanted or known:
        if name not in known:
            raise typer.BadParameter(f"there is no {name}; choose from {', '.join(known)}")
    with printer() as browser:
        for name in wanted or known:
            document = manuscript(site or root / "_build" / "html", known[name])
            path = (to or root / "_build" / "pdf") / f"{name}.pdf"
            typer.echo(f"{path}: {typeset(browser, document, path)} pages")
