"""`nextword models`: train what the book ships, or say what is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nextword.cli.bar import Bar
    from nextword.models.checkpoints import Recipe


def models(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="Such as ladder, rnns or ladder/lstm; or all."),
    ] = None,
    package: Annotated[
        str | None, typer.Option(help="The models' package. Default: solutions, else coursework.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="The folder for the models. Default: checkpoints.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Train nothing: say what would be trained, and why.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Train also what is up to date.")] = False,
) -> None:
    """Train the models that the pages show. Example: nextword models rnns

    Each is trained with the chapter's own code and kept with a fingerprint of
    that code and of its text. What has not changed since is not trained again.
    Exit 1: with --check, something is out of date; else, a model could not be
    trained.
    """
    from examiner.project import find_project
    from nextword.cli.bar import Bar
    from nextword.models import train_models as make
    from nextword.models.shipped import FOLDER

    project = find_project()
    code = project.root / (package or project.best_package)
    folder = to or project.root / FOLDER
    recipes = [recipe for recipe in make.chosen(wanted or ()) if recipe.has_chapters(code)]
    old = {recipe.name: why for recipe, why in make.stale(recipes, code, folder)}
    if check:
        for name, why in old.items():
            typer.echo(f"{name}: {why}")
        raise typer.Exit(1 if old else 0)
    wanted_now = [recipe for recipe in recipes if again or recipe.name in old]
    with Bar() as bar:
        done = [_trained(recipe, code, folder, bar) for recipe in wanted_now]
    raise typer.Exit(0 if all(done) else 1)


def _trained(recipe: Recipe, code: Path, folder: Path, bar: Bar) -> bool:
    """Train one model and say how large it is, or why it could not be trained."""
    from nextword.models import train_models as make
    from nextword.models.ladder.measure import RungError

    try:
        path = make.train(recipe, code, folder, bar.progress)
    except RungError as error:
        typer.secho(f"{recipe.name}: {error}", fg="red", err=True)
        return False
    typer.echo(f"{recipe.name}: {path.stat().st_size / 1024:.0f} KB")
    return True
