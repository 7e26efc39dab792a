"""Which packages a chapter needs that are not installed: said at once, before any test is run."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.errors import MissingPackageError, UserError
from examiner.project import Project


def require_packages(project: Project, chapter: Chapter) -> None:
    """Raise MissingPackageError where a package that the tests import is missing."""
    if package := missing_package(project, chapter):
        raise MissingPackageError(f"chapter {chapter.number}", package)


def missing_package(project: Project, chapter: Chapter) -> str:
    """Return the first package that a chapter's tests import and that is not installed, or ""."""
    names = _needed(project, chapter)
    own = {path.stem for path in project.root.iterdir()}
    for name in sorted(names - own - set(sys.stdlib_module_names)):
        if importlib.util.find_spec(name) is None:
            return name
    return ""


def uses_package(project: Project, chapter: Chapter, package: str) -> bool:
    """Tell whether a chapter's tests import a package."""
    return package in _needed(project, chapter)


def _needed(project: Project, chapter: Chapter) -> set[str]:
    try:
        files = project.suite_files(chapter.stem)
    except UserError:
        return set()  # whoever runs the tests says what is wrong with them
    return {name for path in files for name in _imported(path)}


def _imported(path: Path) -> Iterator[str]:
    """Yield the packages that a file imports when it is imported itself."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError):
        return
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
