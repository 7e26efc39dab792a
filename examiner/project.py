"""Where the parts of a course folder are. Leaves out what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from examiner.errors import UserError


@dataclass(frozen=True)
class Project:
    """A course folder: a clone of the course, or what `nextword release` gave to students.

    Flat is an assignment's own folder: the module lies in it, beside tests/.
    """

    root: Path
    flat: bool = False

    @property
    def best_package(self) -> str:
        """The package that is sure to be right: solutions where they are, else coursework."""
        return "solutions" if (self.root / "solutions").is_dir() else "coursework"

    def package(self, name: str) -> Path:
        """Return the folder of a package; a flat folder has no packages, and is one itself."""
        return self.root if self.flat else self.root / name

    def has_suite(self, stem: str) -> bool:
        """Tell whether the chapter's tests are in this folder."""
        return self._suite(stem).is_dir()

    def suite(self, stem: str) -> Path:
        """Return the folder of the chapter's suite, tests/<stem>/suite.

        Raises UserError where it is missing.
        """
        folder = self._suite(stem)
        if not folder.is_dir():
            shown = folder.relative_to(self.root)
            raise UserError(f"the tests should be in {shown}, but there is no such folder")
        return folder

    def _suite(self, stem: str) -> Path:
        return self.root / "tests" / stem / "suite"

    def suite_files(self, stem: str) -> list[Path]:
        """Return the files of the chapter's suite with the helpers in tests/ that they import."""
        return self._with_helpers(_python_files(self.suite(stem)))

    def mistake_files(self, stem: str) -> list[Path]:
        """Return the chapter's misconceptions, which only maintainers and instructors have."""
        return sorted((self.root / "tests" / stem / "mistakes").glob("*.txt"))

    def answer_files(self, stem: str) -> list[Path]:
        """Return the chapter's other right and wrong answers, which only maintainers have."""
        return sorted((self.root / "tests" / stem / "answers").glob("*.txt"))

    def module(self, package: str, stem: str) -> Path:
        """Return a chapter's module in `package`, such as coursework/ngrams.py."""
        return self._existing(self.package(package) / f"{stem}.py", f"the module of {stem}")

    def notebooks(self, number: int, stem: str) -> list[Path]:
        """Return a chapter's pages in reading order: NN-stem.ipynb, then each NN-stem-*.ipynb."""
        pages, name = self.root / "chapters", f"{number:02d}-{stem.replace('_', '-')}"
        first = pages / f"{name}.ipynb"
        return [path for path in (first, *sorted(pages.glob(f"{name}-*.ipynb"))) if path.is_file()]

    def assignment(self, stem: str) -> Path | None:
        """Return a chapter's assignment notebook, None where it has none."""
        path = self.root / "solutions" / f"{stem}.ipynb"
        return path if path.is_file() else None

    def state(self, name: str) -> Path:
        """Return a path in the folder that keeps progress and caches; makes the folder."""
        folder = self.root / ".nextword"
        folder.mkdir(exist_ok=True)
        return folder / name

    def _with_helpers(self, files: list[Path]) -> list[Path]:
        found, waiting = list(files), list(files)
        while waiting:
            new = [path for path in _imported(waiting.pop(), self.root) if path not in found]
            found, waiting = found + new, waiting + new
        return found

    def _existing(self, path: Path, what: str) -> Path:
        if not path.is_file():
            shown = path.relative_to(self.root)
            raise UserError(f"{what} should be in {shown}, but there is no such file")
        return path


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _imported(path: Path, root: Path) -> Iterator[Path]:
    """Yield the modules of tests/ that a file imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except SyntaxError as error:
        raise UserError(f"{path.relative_to(root)}:{error.lineno}: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            package = root / str(node.module).replace(".", "/")
            names = [package.with_suffix(".py"), *(package / f"{n.name}.py" for n in node.names)]
            yield from filter(Path.is_file, names)


def find_project(start: Path | None = None) -> Project:
    """Return the course folder that holds `start` (default: the working folder).

    It is the nearest folder upwards that has tests and coursework or solutions, or the module or
    notebook of one of the suites in its tests.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        packages = (folder / "coursework", folder / "solutions")
        if (folder / "tests").is_dir() and any(map(Path.is_dir, packages)):
            return Project(folder)
        for stem in [path.parent.name for path in folder.glob("tests/*/suite")]:
            if any((folder / f"{stem}{ending}").is_file() for ending in (".py", ".ipynb")):
                return Project(folder, flat=True)
    raise UserError(
        f"no course folder at or above {here}: go to the folder that holds coursework/ and tests/"
    )
