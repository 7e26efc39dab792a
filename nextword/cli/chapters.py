"""The chapters of the package that a command works with, imported from the course folder."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import typer


@contextmanager
def opened(package: str | None) -> Iterator[Callable[[str], ModuleType]]:
    """Inside, a chapter's module can be had by its stem.

    package: None takes the reference, or the reader's own files where there is none. An open task
    is named, and the command exits with 1.
    """
    from examiner.project import find_project
    from nextword.models.store import importable

    project = find_project()
    chosen = package or project.best_package

    def chapter(stem: str) -> ModuleType:
        project.module(chosen, stem)  # raises where it is missing
        return importlib.import_module(f"{chosen}.{stem}")

    with importable(project.root, chosen):
        try:
            yield chapter
        except NotImplementedError as error:
            typer.secho(f"{chosen}: open task {error}", fg="red", err=True)
            raise typer.Exit(1) from None
