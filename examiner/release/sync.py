"""Writes what follows from solutions/ and the catalogue, or tells how the two differ: coursework/,
the exercise boxes of the chapters' notebooks, the points of the assignments, the index of tasks,
and what `nextword check` knows of each chapter besides its visible tests. The scripts of figures to
touch are products too: in the notebooks' stored outputs, and the village's stories."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from examiner.catalogue import Chapter, chapters
from examiner.check.known import known_path
from examiner.errors import UserError
from examiner.project import Project
from examiner.release.assignment import student_assignment
from examiner.release.exercises import task_index, with_boxes, with_points
from examiner.release.figures import STORIES, with_scripts
from examiner.release.known import known_text
from examiner.release.samples import write_samples
from examiner.stubs import make_stub
from nextword.explorables.stories import program


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
    for chapter in chapters():
        made += _products_of(project, chapter)
    pages = project.root / "chapters"
    if pages.is_dir():
        index = task_index(
            [chapter for chapter in chapters() if chapter.tasks],
            written=lambda c: bool(project.notebooks(c.number, c.stem)),
        )
        made.append(Product(pages / "tasks.md", index))
        made += _figures(project, {product.path for product in made})
    return made


def _figures(project: Project, done: set[Path]) -> Iterator[Product]:
    """The village's stories in JavaScript, and pages whose boxes are not products already."""
    if (project.root / STORIES).is_file():
        yield Product(project.root / STORIES, program())
    for path in sorted((project.root / "chapters").glob("*.ipynb")):
        if path not in done:
            yield Product(path, with_scripts(path.read_text("utf-8")))


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
        yield Product(assignment, text)
        yield Product(target / assignment.name, student_assignment(text, assignment.name, chapter))
    if project.has_suite(chapter.stem):
        yield Product(known_path(project.root, chapter.stem), known_text(project, chapter))
    if notebooks := project.notebooks(chapter.number, chapter.stem):
        pages = {notebook.name: notebook.read_text("utf-8") for notebook in notebooks}
        for name, text in with_boxes(pages, chapter, solution).items():
            yield Product(project.root / "chapters" / name, with_scripts(text))


def _package_docstring() -> str:
    return '"""The functions and classes that you write, one module per chapter."""\n'


def write(project: Project) -> list[Path]:
    """Bring every product and the sample classes up to date; return the files that changed."""
    changed = [product for product in products(project) if not product.fresh]
    for product in changed:
        product.path.parent.mkdir(exist_ok=True)
        product.path.write_text(product.wanted, encoding="utf-8", newline="\n")
    samples = [path for each in chapters() for path in write_samples(project, each.stem)]
    return [*(product.path for product in changed), *samples]
