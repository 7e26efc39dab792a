"""Runs a suite with pytest in this process and returns what it found."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nextword.catalogue import Chapter
from nextword.check.explain import MissingModuleError, StudentImportError
from nextword.check.plugin import Reporter, SuitePlugin
from nextword.judge.marks import SuiteError
from nextword.project import Project
from nextword.results import SubmissionResult, group_by_task

VISIBLE_SEED = "visible"  # visible tests give the same inputs to everyone, every time


class ImportedPackage:
    """A folder as a package; each attribute is one of its modules, imported afresh."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._modules: dict[str, ModuleType | Exception] = {}

    def __getattr__(self, stem: str) -> ModuleType:
        """Import the chapter's module once; each test that uses it sees the same outcome."""
        if stem.startswith("_"):
            raise AttributeError(stem)
        if stem not in self._modules:
            self._modules[stem] = self._import(stem)
        found = self._modules[stem]
        if isinstance(found, Exception):
            raise found
        return found

    def _import(self, stem: str) -> ModuleType | Exception:
        if not (self._folder / f"{stem}.py").is_file():
            return MissingModuleError(f"there is no {self._folder.name}/{stem}.py")
        for name in [each for each in sys.modules if each.split(".")[0] == self._name]:
            del sys.modules[name]  # an earlier check in this process has seen an older text
        importlib.invalidate_caches()
        package = ModuleType(self._name)  # by path: another package of this name may be installed
        package.__path__ = [str(self._folder)]
        sys.modules[self._name] = package
        try:
            return importlib.import_module(f"{self._name}.{stem}")
        except (Exception, SystemExit) as error:
            wrapped = StudentImportError(f"{stem}.py cannot be imported")
            wrapped.__cause__ = error
            return wrapped


def run_suite(
    suite: Path,
    package: Any,
    *,
    root: Path,
    seed: str = VISIBLE_SEED,
    task_ids: Collection[str] | None = None,
    visible_only: bool = True,
    report: Reporter | None = None,
) -> SuitePlugin:
    """Run the suite's tests on `package` (module of the chapter as its attribute).

    Raises SuiteError when the suite cannot be read or a collected test was not run.
    """
    plugin = SuitePlugin(
        package, seed=seed, task_ids=task_ids, visible_only=visible_only, report=report
    )
    settings = Path(__file__).with_name("pytest.ini")
    options = ["-c", str(settings), "--rootdir", str(root), "--noconftest", "-q"]
    # no cache beside the student's files, no doctests, no plugins of other projects
    options += ["-p", "no:cacheprovider", "--import-mode=importlib"]
    forget_suites()
    with _alone(root):
        status = pytest.main([*options, str(suite)], plugins=[plugin])
    if status in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        raise SuiteError(f"pytest could not run {suite.name} (exit {int(status)})")
    if status == pytest.ExitCode.INTERRUPTED and not plugin.errors:
        raise KeyboardInterrupt
    plugin.verify()
    return plugin


def forget_suites() -> None:
    """Drop imported suites, which pytest would take for those of another course folder."""
    for name in [name for name in sys.modules if name.startswith("tests.suites")]:
        del sys.modules[name]


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Let pytest run quietly, with the course folder importable and no plugin autoloaded."""
    before = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(0, str(root))
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        sys.path.remove(str(root))
        if before is None:
            del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        else:
            os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = before


def check_chapter(
    project: Project,
    chapter: Chapter,
    *,
    package: str = "coursework",
    task_ids: Collection[str] | None = None,
    report: Reporter | None = None,
) -> SubmissionResult:
    """Run the chapter's visible tests on the student's package; tasks left out have no tests."""
    found = run_suite(
        project.suite(chapter.stem),
        ImportedPackage(project.package(package), package),
        root=project.root,
        task_ids=task_ids,
        report=report,
    )
    tasks = group_by_task(chapter, found.results)
    if task_ids is not None:
        tasks = tuple(task for task in tasks if task.task.id in task_ids)
    return SubmissionResult("you", tasks)


__all__ = ["ImportedPackage", "SuiteError", "check_chapter", "run_suite"]
