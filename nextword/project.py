"""Where the parts of a course folder are. Leaves out what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nextword.errors import UserError


@dataclass(frozen=True)
class Project:
    """A course folder: a clone of the course, or what `nextword release` gave to students.

    Flat is an assignment's own folder: the module lies in it, beside tests/.
    """

    root: Path
    flat: bool = False

    def package(self, name: str) -> Path:
        """Return the folder of a package; a flat folder has no packages, and is one itself."""
        return self.root if self.flat else self.root / name

    def suite(self, stem: str) -> Path:
        """Return the chapter's suite; raises UserError where it is missing."""
        return self._existing(self.root / "tests" / "suites" / f"test_{stem}.py", "the tests")

    def misconceptions(self, stem: str) -> Path | None:
        """Return the chapter's misconceptions, which only maintainers and instructors have."""
        path = self.root / "tests" / "misconceptions" / f"{stem}.py"
        return path if path.is_file() else None

    def module(self, package: str, stem: str) -> Path:
        """Return a chapter's module in `package`, such as coursework/ngrams.py."""
        return self._existing(self.package(package) / f"{stem}.py", f"the module of {stem}")

    def notebook(self, number: int, stem: str) -> Path | None:
        """Return a chapter's narrative notebook, None where it is not written yet."""
        path = self.root / "chapters" / f"{number:02d}-{stem.replace('_', '-')}.ipynb"
        return path if path.is_file() else None

    def assignment(self, stem: str) -> Path | None:
        """Return a chapter's assignment notebook, None where it has none."""
        path = self.root / "solutions" / f"{stem}.ipynb"
        return path if path.is_file() else None

    def state(self, name: str) -> Path:
        """Return a path in the folder that keeps progress and caches; makes the folder."""
        folder = self.root / ".nextword"
        folder.mkdir(exist_ok=True)
        return folder / name

    def _existing(self, path: Path, what: str) -> Path:
        if not path.is_file():
            shown = path.relative_to(self.root)
            raise UserError(f"{what} should be in {shown}, but there is no such file")
        return path


def find_project(start: Path | None = None) -> Project:
    """Return the course folder that holds `start` (default: the working folder).

    It is the nearest folder upwards that has tests/suites and coursework or solutions, or the
    module or notebook of one of the suites.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        packages = (folder / "coursework", folder / "solutions")
        if (folder / "tests" / "suites").is_dir() and any(map(Path.is_dir, packages)):
            return Project(folder)
        for suite in (folder / "tests" / "suites").glob("test_*.py"):
            module = folder / suite.name.removeprefix("test_")
            if module.is_file() or module.with_suffix(".ipynb").is_file():
                return Project(folder, flat=True)
    raise UserError(
        f"no course folder at or above {here}: go to the folder that holds coursework/ and tests/"
    )
