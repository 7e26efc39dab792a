"""Writes what follows from solutions/ and the catalogue, or tells how the two differ: coursework/,
the exercise boxes of the chapters' notebooks, the points of the assignments, the index of tasks,
and what `check` knows of each chapter besides its visible tests.

A course may have further products. The modules that its settings name as `products` hold

    page(text) -> text      what else is renewed in a page of chapters/, given its text
    files(root) -> {path: text}      further files, for the course folder `root`
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from examiner.catalogue import Chapter
from examiner.catalogue.settings import FILE
from examiner.errors import UserError
from examiner.project import Project
from examiner.release.assignment import read_notebook, student_assignment
from examiner.release.exercises import task_index, with_boxes, with_points
from examiner.release.known import known_text
from examiner.release.samples import write_samples
from examiner.release.variants import read_variants, require_places
from examiner.stubs import make_stub


class Further(Protocol):
    """A module of the course that has products of its own."""

    def page(self, text: str) -> str:
        """Return the text of a page with what the module renews in it."""

    def files(self, root: Path) -> Mapping[Path, str]:
        """Return the files that the module makes."""


@dataclass(frozen=True)
class Product:
    """A file that is written from others: what it holds and what it should hold."""

    path: Path
    wanted: str

    @property
    def present(self) -> str | None:
        """The text of the file, None where there is none."""
        return self.path.read_text("utf-8") if self.path.is_file() else None

    @property
    def fresh(self) -> bool:
        """Whether the file holds what it should."""
        return self.present == self.wanted

    def diff(self, root: Path) -> str:
        """Return a unified diff from what the file holds to what it should."""
        name = self.path.relative_to(root).as_posix()
        before = (self.present or "").splitlines(keepends=True)
        after = self.wanted.splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, name, f"{name} (as it should be)"))


def products(project: Project) -> list[Product]:
    """Return every file that follows from solutions/ and the catalogue.

    Raises UserError for bad markers, and for a notebook that lacks a task's cell.
    """
    source = project.root / "solutions"
    if not source.is_dir():
        raise UserError(f"{source} is missing: only the full course, not a student's copy, has it")
    made = [Product(project.root / "coursework" / "__init__.py", _package_docstring())]
    for chapter in project.catalogue.chapters:
        made += _products_of(project, chapter)
    pages = project.root / "chapters"
    if pages.is_dir():
        index = task_index(
            [chapter for chapter in project.catalogue.chapters if chapter.tasks],
            written=lambda c: bool(project.notebooks(c.number, c.stem)),
        )
        made.append(Product(pages / "tasks.md", index))
    return _with_further(project, made)


def _with_further(project: Project, made: list[Product]) -> list[Product]:
    """Return the products with those that the course's own modules make, or make of them."""
    texts = {product.path: product.wanted for product in made}
    for module in map(_further, project.settings.products):
        for path in sorted(project.root.glob("chapters/*.ipynb")):
            text = texts[path] if path in texts else path.read_text("utf-8")
            texts[path] = module.page(text)
        texts |= module.files(project.root)
    return [Product(path, text) for path, text in texts.items()]


def _further(name: str) -> Further:
    try:
        return cast(Further, importlib.import_module(name))
    except ModuleNotFoundError as error:
        raise UserError(f"{FILE}: `products` names {name}: {error}") from None


def _products_of(project: Project, chapter: Chapter) -> Iterator[Product]:
    path = project.root / "solutions" / f"{chapter.stem}.py"
    if not path.is_file():
        raise UserError(f"{path} is missing: the catalogue has a chapter {chapter.stem}")
    target = project.root / "coursework"
    solution = path.read_text("utf-8")
    name = path.relative_to(project.root).as_posix()
    yield Product(target / path.name, make_stub(solution, chapter, name))
    if assignment := project.assignment(chapter.stem):
        text = with_points(assignment.read_text("utf-8"), assignment.name, chapter)
        variants = read_variants(project.variants(chapter.stem))
        require_places(read_notebook(text, assignment.name), variants, assignment.name)
        yield Product(assignment, text)
        yield Product(target / assignment.name, student_assignment(text, assignment.name, chapter))
    if project.has_suite(chapter.stem):
        yield Product(project.known(chapter.stem), known_text(project, chapter))
    if notebooks := project.notebooks(chapter.number, chapter.stem):
        pages = {notebook.name: notebook.read_text("utf-8") for notebook in notebooks}
        for name, text in with_boxes(pages, chapter, solution).items():
            yield Product(project.root / "chapters" / name, text)


def _package_docstring() -> str:
    return '"""The functions and classes that you write, one module per chapter."""\n'


def write(project: Project) -> list[Path]:
    """Bring every product and the sample classes up to date; return the files that changed."""
    changed = [product for product in products(project) if not product.fresh]
    for product in changed:
        product.path.parent.mkdir(parents=True, exist_ok=True)
        product.path.write_text(product.wanted, encoding="utf-8", newline="\n")
    samples = [
        path for each in project.catalogue.chapters for path in write_samples(project, each.stem)
    ]
    return [*(product.path for product in changed), *samples]
