"""`nextword new-chapter`: the files of a chapter, with one example task."""

from __future__ import annotations

from typing import Annotated

import typer


def new_chapter(
    stem: Annotated[str, typer.Argument(metavar="STEM", help="Names its module, such as agents.")],
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, max=99, help="Of the chapter.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="As in the table of contents.")],
) -> None:
    """Write the files of a new chapter. Example: nextword new-chapter agents 8 "Agents"

    They hold one example task, which passes every test: replace it, piece by piece.
    CONTRIBUTING.md says in which order.
    """
    from examiner.project import find_project
    from examiner.release import chapter_skeleton

    project = find_project()
    for path in chapter_skeleton.new_chapter(project, stem, number, title):
        typer.echo(f"wrote {path.relative_to(project.root).as_posix()}")
    typer.echo(f"next: nextword suites {stem}; CONTRIBUTING.md says how a chapter comes to be")
