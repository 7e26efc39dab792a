"""`nextword models`: train what the book ships, or say what is out of date."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nextword.cli.bar import Bar
    from nextword.models.store import Recipe


def models(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Such as ladder, rnns or ladder/lstm; or all."),
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
    jobs: Annotated[int, typer.Option(min=1, help="Models that are trained side by side.")] = 1,
) -> None:
    """Train the models that the pages show. Example: nextword models rnns

    Each is trained with the chapter's own code and kept with a fingerprint of
    that code and of its text. What has not changed since is not trained again.
    Exit 1: with --check, something is out of date; else, a model could not be
    trained.
    """
    from examiner.project import find_project
    from nextword.cli.bar import Bar
    from nextword.models import train_models
    from nextword.models.expected import longest_first, seconds
    from nextword.models.store import FOLDER, stale

    project = find_project()
    code = project.root / (package or project.best_package)
    folder = to or project.root / FOLDER
    recipes = [recipe for recipe in train_models.chosen(wanted or ()) if recipe.has_chapters(code)]
    old = {recipe.name: why for recipe, why in stale(recipes, code, folder)}
    if check:
        for name, why in old.items():
            typer.echo(f"{name}: {why}")
        raise typer.Exit(1 if old else 0)
    wanted_now = [recipe for recipe in recipes if again or recipe.name in old]
    known = (folder, project.root / FOLDER)  # files that say how long the trainings took
    several = len(wanted_now) > 1
    if several and jobs > 1:
        wanted_now = longest_first(wanted_now, *known)
    if several:
        _say_how_long([seconds(recipe, *known) for recipe in wanted_now], jobs)
    if several and jobs > 1:
        done = _side_by_side([recipe.name for recipe in wanted_now], code, folder, jobs)
    else:
        with Bar() as bar:
            done = [_trained(recipe, code, folder, bar) for recipe in wanted_now]
    raise typer.Exit(0 if all(done) else 1)


def _say_how_long(each: list[float | None], jobs: int) -> None:
    """Say before many trainings begin when they will be done; each: in their order."""
    from examiner.plural import count, duration
    from nextword.models.expected import until_all_are_done

    known = [seconds for seconds in each if seconds is not None]
    how = f"{jobs} side by side" if jobs > 1 else "one after another"
    long = duration(until_all_are_done(known, jobs))
    unknown = len(each) - len(known)
    besides = f" and however long {count(unknown, 'new one')} will take" if unknown else ""
    typer.echo(
        f"{count(len(each), 'model')}, {how}: {long}{besides}, by what they took before; "
        "begun again, it goes on where it was",
        err=True,
    )


def _side_by_side(names: list[str], code: Path, folder: Path, jobs: int) -> list[bool]:
    """Train each model in a process of its own, so many at a time; tell which could be trained.

    One thread each: two processes with a thread learn more in a minute than one with two.
    """
    import os
    import subprocess
    import sys
    from concurrent.futures import ThreadPoolExecutor

    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    places = ["--package", str(code), "--to", str(folder.resolve())]

    def train(name: str) -> bool:
        command = [sys.executable, "-m", "nextword", "models", name, "--again", *places]
        return subprocess.run(command, env=environment).returncode == 0

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(train, names))


def _trained(recipe: Recipe, code: Path, folder: Path, bar: Bar) -> bool:
    """Train one model and say how large it is, or why it could not be trained."""
    from nextword.models import train_models
    from nextword.models.store import TrainingError

    try:
        report = partial(bar.progress, recipe.name, "training")
        path = train_models.train(recipe, code, folder, report)
    except TrainingError as error:
        typer.secho(f"{recipe.name}: {error}", fg="red", err=True)
        return False
    typer.echo(f"{recipe.name}: {path.stat().st_size / 1024:.0f} KB")
    return True
