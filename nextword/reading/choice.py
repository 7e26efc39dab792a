"""Which pages a reader means by "2", "ngrams", "2.5", "02-ngrams-smoothing" or "ladder"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from examiner.errors import UserError
from examiner.project import Project

SECTION = re.compile(r"\d+\.\d+")
EVERYTHING = "all"


@dataclass(frozen=True)
class Choice:
    """The pages to write, in reading order, and the one to open."""

    pages: tuple[Path, ...]
    first: Path


def choose(project: Project, wanted: str) -> Choice:
    """Return the pages of a chapter, a section, a page or of everything.

    Raises UserError where there is no such page; the message lists what there is.
    """
    name = wanted.removesuffix(".ipynb").lower()
    chapters = chapter_pages(project)
    others = {path.stem: path for path in _others(project, chapters)}
    every = [*(path for pages in chapters.values() for path in pages), *others.values()]
    if name == EVERYTHING and every:
        return Choice(tuple(every), every[0])
    if SECTION.fullmatch(name):
        return _section(project, name, chapters)
    for number, pages in chapters.items():
        if name in {str(number), f"{number:02d}", _stem(project, number)} and pages:
            return Choice(tuple(pages), pages[0])
        if found := [path for path in pages if path.stem == name]:
            return Choice(tuple(pages), found[0])
    if name in others:
        return Choice((others[name],), others[name])
    raise UserError(f"there is no page {wanted}; choose from {known(project)}")


def known(project: Project) -> str:
    """Return what can be read, in words: "1 language_models, 2 ngrams, data, ladder or all"."""
    chapters = chapter_pages(project)
    names = [f"{number} {_stem(project, number)}" for number, pages in chapters.items() if pages]
    names += [path.stem for path in _others(project, chapters)]
    if not names:
        raise UserError(f"{project.root / 'chapters'} holds no notebooks to read")
    return f"{', '.join(names)} or {EVERYTHING}"


def chapter_pages(project: Project) -> dict[int, list[Path]]:
    """Return the pages of each chapter by its number."""
    return {
        chapter.number: project.notebooks(chapter.number, chapter.stem)
        for chapter in project.catalogue.chapters
    }


def _stem(project: Project, number: int) -> str:
    return next(each.stem for each in project.catalogue.chapters if each.number == number)


def _others(project: Project, chapters: dict[int, list[Path]]) -> list[Path]:
    """Pages that belong to no chapter, such as the ladder."""
    taken = {path for pages in chapters.values() for path in pages}
    return [p for p in sorted((project.root / "chapters").glob("*.ipynb")) if p not in taken]


def _section(project: Project, section: str, chapters: dict[int, list[Path]]) -> Choice:
    """The pages of a chapter, opened at the one that holds the section."""
    pages = chapters.get(int(section.partition(".")[0]), [])
    for path in pages:
        if re.search(rf'"#+ {re.escape(section)} ', path.read_text("utf-8")):
            return Choice(tuple(pages), path)
    raise UserError(f"there is no section {section}; choose from {known(project)}")
