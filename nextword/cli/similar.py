"""`nextword similar`: submissions that are more alike than their stub makes them, in groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from examiner.similar.compare import Comparison
    from examiner.similar.groups import Group

GROUPS, PAIRS = 20, 5  # that the terminal shows


def similar(
    chapter: Annotated[str, typer.Argument(metavar="CHAPTER", help="Such as ngrams or 2.")],
    submissions: Annotated[
        Path,
        typer.Argument(
            metavar="SUBMISSIONS", help="A folder or zip with one folder or zip per student."
        ),
    ],
    past: Annotated[
        list[Path] | None,
        typer.Option(help="A class of a year past, to be compared with this one; repeatable."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="CSV of the class: ids, names, e-mail addresses.")
    ] = None,
    least: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the shorter one that counts as alike.")
    ] = 0.6,
    common: Annotated[
        int,
        typer.Option(
            min=2, help="Leave out what more than N share (or 5 % of all, if that is more)."
        ),
    ] = 10,
    reference: Annotated[
        bool, typer.Option(help="Leave out what stands in the reference and known right answers.")
    ] = True,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0: one per processor.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="The page; default: grades/CHAPTER/similar.html.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all groups and pairs here.")
    ] = None,
) -> None:
    """Show who handed in nearly the same code. Example: nextword similar ngrams submissions/

    What the stubs give does not count. The page shows groups of students, and pairs side by side.
    """
    from rich.console import Console

    from examiner.errors import UserError
    from examiner.grading.roster import read_roster
    from examiner.grading.run import processors
    from examiner.project import find_project
    from examiner.release.samples import write_samples
    from examiner.similar.compare import compare, opened
    from examiner.similar.index import Limits
    from examiner.similar.known import known
    from examiner.similar.pages import write_pages, write_text
    from nextword.cli.stopping import tidily

    project = find_project()
    found = project.catalogue.chapter(chapter)
    write_samples(project, found.stem)
    people = read_roster(roster) if roster else None
    if out is not None and out.is_dir():
        raise UserError(f"{out} is a folder: name a file in it, such as --out {out}/similar.html")
    target = out or project.root / "grades" / found.stem / "similar.html"
    console = Console(highlight=False, soft_wrap=True)
    notes: list[str] = []
    with tidily(), opened(submissions, past or [], people, notes.append) as members:
        given = known(project, found.stem, reference=reference)
        limits = Limits(least=least, common=common).at(len(members))
        with _bar(len(members)) as tick:
            result = compare(members, found.stem, given, limits, jobs or processors(), tick)
        pages = write_pages(target, found, result, given, limits.common)
    if json_file:
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False)
        write_text(json_file, f"{text}\n")
    for line in [*_lines(result), *notes]:
        console.print(line, markup=False)
    others = f" and {len(pages) - 1} more beside it" if len(pages) > 1 else ""
    console.print(f"side by side: {target}{others}", markup=False)


def _lines(found: Comparison) -> Iterator[str]:
    """Yield what the terminal shows: the strongest groups, and what was not compared."""
    from examiner.plural import count

    for number, group in enumerate(found.groups[:GROUPS], start=1):
        yield f"group {number}: {_names(group)}"
        for pair in group.pairs[:PAIRS]:
            same = " (one student, it seems)" if pair.is_of_one_student else ""
            yield f"  {pair.share:4.0%}  {pair.one.name} and {pair.other.name}{same}"
        if (more := len(group.pairs) - PAIRS) > 0:
            yield f"        and {count(more, 'more pair')}"
    if (more := len(found.groups) - GROUPS) > 0:
        yield f"and {count(more, 'more group')}"
    if not found.groups:
        yield "no two submissions are that similar"
    if found.like_the_reference:
        likes = [f"{like.student} {like.share:.0%}" for like in found.like_the_reference]
        yield f"much of the reference itself: {_some(likes)}"
    years = f", with {found.past:,} of years past" if found.past else ""
    yield (
        f"compared: {count(found.compared, 'submission')}{years}; "
        f"too little beyond what is known: {found.short:,}"
    )
    if found.unread:
        reasons = [f"{name} ({why})" for name, why in found.unread]
        yield f"not read: {_some(reasons)}"


def _names(group: Group) -> str:
    return _some([member.name for member in group.members])


def _some(words: list[str], most: int = 10) -> str:
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show on stderr how many have been read; yields what moves the bar on."""
    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    task = progress.add_task("reading", total=total)

    def tick(done: int) -> None:
        progress.advance(task, done)
        if progress.tasks[0].finished or done > 1:
            progress.refresh()

    with progress:
        yield tick
