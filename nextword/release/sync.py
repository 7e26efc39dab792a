"""Writes coursework/ from solutions/, or tells how the two differ."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from nextword.catalogue import chapters
from nextword.errors import UserError
from nextword.project import Project
from nextword.release.assignment import student_assignment
from nextword.release.stubs import make_stub


@dataclass(frozen=True)
class Product:
    """A file of coursework/: what it holds and what it should hold."""

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
        return "".join(difflib.unified_diff(before, after, name, f"{name} (from solutions)"))


def products(project: Project) -> list[Product]:
    """Return every file that follows from solutions/; raises UserError for bad markers."""
    source, target = project.root / "solutions", project.root / "coursework"
    if not source.is_dir():
        raise UserError(f"{source} is missing: only the full course, not a student's copy, has it")
    made = [Product(target / "__init__.py", _package_docstring())]
    for chapter in chapters():
        path = source / f"{chapter.stem}.py"
        if not path.is_file():
            raise UserError(f"{path} is missing: the catalogue has a chapter {chapter.stem}")
        name = path.relative_to(project.root).as_posix()
        stub = make_stub(path.read_text("utf-8"), chapter, name)
        made.append(Product(target / path.name, stub))
        if assignment := student_assignment(project, chapter):
            made.append(Product(target / f"{chapter.stem}.ipynb", assignment))
    return made


def _package_docstring() -> str:
    return '"""The functions and classes that you write, one module per chapter."""\n'


def write(project: Project) -> list[Path]:
    """Bring coursework/ up to date; return the files that changed."""
    changed = [product for product in products(project) if not product.fresh]
    for product in changed:
        product.path.parent.mkdir(exist_ok=True)
        product.path.write_text(product.wanted, encoding="utf-8", newline="\n")
    return [product.path for product in changed]
