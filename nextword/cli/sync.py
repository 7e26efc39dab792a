"""`nextword sync`: stubs, exercise boxes, points and the index of tasks from their sources."""

from __future__ import annotations

from typing import Annotated

import typer


def sync(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail with a diff if they differ.")
    ] = False,
) -> None:
    """Write what follows from solutions/ and the catalogue. Example: nextword sync --check

    These are the stubs and assignments in coursework/, the exercise boxes of the chapters, the
    points in the assignment notebooks, the index of tasks, and the scripts of figures to touch.
    """
    from examiner.project import find_project
    from examiner.release import sync as work

    project = find_project()
    if check:
        stale = [product for product in work.products(project) if not product.fresh]
        for product in stale:
            typer.echo(product.diff(project.root))
        if stale:
            typer.secho("not what solutions/ and the catalogue say: run `nextword sync`", err=True)
            raise typer.Exit(1)
        typer.echo("all is what solutions/ and the catalogue say")
        return
    changed = work.write(project)
    for path in changed:
        typer.echo(f"wrote {path.relative_to(project.root).as_posix()}")
    if not changed:
        typer.echo("all is up to date")
