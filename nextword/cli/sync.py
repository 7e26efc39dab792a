"""`nextword sync`: coursework/ from solutions/."""

from __future__ import annotations

from typing import Annotated

import typer


def sync(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail with a diff if they differ.")
    ] = False,
) -> None:
    """Write the stubs in coursework/ from solutions/. Example: nextword sync --check"""
    from nextword.project import find_project
    from nextword.release import sync as work

    project = find_project()
    if check:
        stale = [product for product in work.products(project) if not product.fresh]
        for product in stale:
            typer.echo(product.diff(project.root))
        if stale:
            typer.secho("coursework/ differs from solutions/: run `nextword sync`", err=True)
            raise typer.Exit(1)
        typer.echo("coursework/ is what solutions/ says")
        return
    changed = work.write(project)
    for path in changed:
        typer.echo(f"wrote {path.relative_to(project.root).as_posix()}")
    if not changed:
        typer.echo("coursework/ is up to date")
