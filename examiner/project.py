"""Where the parts of a course folder are. Leaves out what they hold.

                    the course                students' folder          an assignment's own
a chapter's tasks   solutions/STEM.toml       coursework/STEM.toml      STEM.toml
students' module    coursework/STEM.py        coursework/STEM.py        STEM.py
known to `check`    coursework/known/         coursework/known/         known/
tests               tests/STEM/suite/         tests/STEM/suite/         tests/STEM/suite/
settings            course.toml               course.toml
dates               schedule.toml
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from examiner.catalogue import Catalogue, read_catalogue, schedule
from examiner.catalogue.settings import FILE, Settings, files_of, read_settings
from examiner.errors import UserError

# What students' files depend on, the same for all courses: the command that people type (temporary
# folders are named after it), the entry of notebooks' metadata, and the folder of progress, caches
# and secrets.
COMMAND = "nextword"
ENTRY = "nextword"
STATE = Path(".nextword")


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

    @cached_property
    def settings(self) -> Settings:
        """What course.toml says; the defaults where there is none."""
        return read_settings(self.root / FILE)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The chapters of the folder, read once; raises UserError where a file is no catalogue."""
        return read_catalogue(self._catalogue_files(), self.settings.title)

    @cached_property
    def schedule(self) -> schedule.Schedule:
        """What schedule.toml says; without the file, nothing is scheduled."""
        stems = [chapter.stem for chapter in self.catalogue.chapters]
        return schedule.read_schedule(self.root / schedule.FILE, stems)

    def _catalogue_files(self) -> list[Path]:
        """Return the catalogue's files; in a flat folder other TOML files may lie beside them."""
        if self.flat:
            found = sorted(self.root.glob("*.toml"))
            return [p for p in found if self.has_suite(p.stem) or p.with_suffix(".py").is_file()]
        places = (self.root / "solutions", self.root / "coursework")
        return next(filter(None, (sorted(place.glob("*.toml")) for place in places)), [])

    def known(self, stem: str) -> Path:
        """Return the file of what `check` knows of a chapter besides its visible tests."""
        return self.package("coursework") / "known" / f"{stem}.json"

    def tasks_file(self, stem: str) -> Path:
        """Return a chapter's file of the catalogue."""
        places = {path.stem: path for path in self._catalogue_files()}
        if stem not in places:
            raise UserError(f"the tasks of {stem} should be in solutions/{stem}.toml")
        return places[stem]

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
        return self._with_helpers(
            [path for path in files_of(self.suite(stem)) if path.suffix == ".py"]
        )

    def suite_data(self, stem: str) -> list[Path]:
        """Return what else lies in the chapter's suite: what its tests may read."""
        return [path for path in files_of(self.suite(stem)) if path.suffix != ".py"]

    def mistake_files(self, stem: str) -> list[Path]:
        """Return the chapter's misconceptions, which only maintainers and instructors have."""
        return sorted((self.root / "tests" / stem / "mistakes").glob("*.txt"))

    def answer_files(self, stem: str) -> list[Path]:
        """Return the chapter's other right and wrong answers, which only maintainers have."""
        return sorted((self.root / "tests" / stem / "answers").glob("*.txt"))

    def module(self, package: str, stem: str) -> Path:
        """Return a chapter's module in `package`, such as coursework/sorting.py."""
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

    def variants(self, stem: str) -> Path:
        """Return where a chapter says what its assignment may ask for instead; few say it."""
        return self.root / "solutions" / "variants" / f"{stem}.toml"

    def state(self, name: str) -> Path:
        """Return a path in the folder that keeps progress and caches; makes the folder."""
        folder = self.root / STATE
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


def _imported(path: Path, root: Path) -> Iterator[Path]:
    """Yield the modules of tests/ that a file imports."""
    try:
        modules = _modules_of_tests(path.read_bytes())
    except SyntaxError as error:
        raise UserError(f"{path.relative_to(root)}:{error.lineno}: {error.msg}") from None
    yield from filter(Path.is_file, (root / module for module in modules))


@lru_cache(maxsize=128)  # a run asks for a suite's files twice
def _modules_of_tests(source: bytes) -> tuple[str, ...]:
    """Return the files that a text may import from tests/, as paths from the course folder."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests."):
            package = str(node.module).replace(".", "/")
            found += [f"{package}.py", *(f"{package}/{name.name}.py" for name in node.names)]
    return tuple(found)


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
