"""What Python in the page is given, as one zip: the code that checks, visible tests, stand-ins.

Leaves out Python itself (pyodide.py) and the page's scripts (chapters/_static/practice).
"""

from __future__ import annotations

import importlib.metadata
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from examiner.catalogue.settings import files_of
from examiner.junk import files_in
from examiner.project import Project
from examiner.release.library import EXAMINER, students_rooms
from examiner.release.student import chapter_files
from examiner.release.suites import read_suite

LEFT_OUT = {"apart.py", "terminal.py", "watch.py", "confinement.py", "seccomp.py", "probes.py"}
OWN = ("__init__.py", "given", "practice", "corpora/__init__.py", "corpora/languages.py",
       "corpora/text.py")  # fmt: skip
# in plain Python, all of them: pytest runs the tests, msgpack carries values between two sides
LIBRARIES = ("pytest", "pluggy", "iniconfig", "packaging", "msgpack")


def bundle(project: Project, stems: tuple[str, ...], whole: bool = True) -> bytes:
    """Return the zip that the page's Python unpacks; the same files give the same bytes.

    whole: with the last hints, which a book without solutions keeps back.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files(project, stems, whole).items()):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def files(project: Project, stems: tuple[str, ...], whole: bool = True) -> dict[str, bytes]:
    """Return the files of the zip by their names in it; whole: as in `bundle`."""
    found: dict[str, bytes] = {"course.toml": (project.root / "course.toml").read_bytes()}
    for chapter in project.catalogue.chapters:
        if chapter.stem in stems:
            for name, text in chapter_files(project, chapter, last_hints=whole).items():
                found[f"coursework/{name}"] = text.encode()
            for name, text in read_suite(project, chapter.stem).visible().items():
                found[f"tests/{name}"] = text.encode()
    found |= {f"examiner/{inside.as_posix()}": path.read_bytes() for inside, path in _examiner()}
    found |= {name: path.read_bytes() for name, path in _own(project.root / "nextword")}
    for library in LIBRARIES:
        found |= dict(_library(library))
    return found


def _examiner() -> Iterator[tuple[Path, Path]]:
    for path in files_in(EXAMINER):
        inside = path.relative_to(EXAMINER)
        wanted = path.suffix in (".py", ".ini") and students_rooms(inside.parts[0])
        if wanted and path.name not in LEFT_OUT:
            yield inside, path


def _own(package: Path) -> Iterator[tuple[str, Path]]:
    for name in OWN:
        place = package / name
        for path in files_of(place):
            yield f"nextword/{path.relative_to(package).as_posix()}", path


def _library(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the Python files of an installed library, and its licence."""
    distribution = importlib.metadata.distribution(name)
    for file in distribution.files or ():
        licence = "license" in file.name.lower() or file.name == "COPYING"
        if licence or (file.suffix == ".py" and ".." not in file.parts):
            yield str(file), Path(str(distribution.locate_file(file))).read_bytes()
