"""Does the slow part of `nbgrader autograde` for many students at once, ahead of its own loop.

nbgrader's loop takes one student after the other, and so writes one after the other; here the
modules are judged and the notebooks run before it comes to them. What is found is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from examiner.platforms.nbgrader.background import Background, Processes
from examiner.platforms.nbgrader.course import Assignment
from examiner.platforms.nbgrader.handed_in import read
from examiner.platforms.nbgrader.kernel import Executed, KernelStep
from examiner.platforms.nbgrader.module_grades import class_faults, module_results, notices
from examiner.platforms.nbgrader.notebook import run_steps, steps_of
from examiner.platforms.nbgrader.restore_cells import ReleasedNotebook, mend


@dataclass(frozen=True)
class RunSettings:
    """How notebooks of an assignment are run."""

    of: Assignment
    kept: Sequence[str]  # files of the student's that stay when the source's are copied
    seconds: float  # for each cell


@dataclass
class Ahead:
    """What is under way for a class."""

    background: Background
    how: RunSettings
    _modules: Future[dict[str, dict[str, Any]]] | None = None
    _notebooks: dict[Path, tuple[list[KernelStep], Future[Executed]]] = field(default_factory=dict)

    def judge_modules(self, root: Path, folders: Mapping[str, Path], jobs: int) -> None:
        """Have the examiner judge the modules in these folders, by student, so many at once."""
        chapter = self.how.of.chapter
        self._modules = self.background.modules(module_results, root, chapter, folders, jobs)

    def module(self, root: Path, student: str, folder: Path) -> dict[str, Any]:
        """Return what the examiner says of a student's module."""
        known = self._modules.result() if self._modules else {}
        if student in known:
            return known[student]
        assert self.how.of.chapter is not None
        return module_results(root, self.how.of.chapter, {student: folder})[student]

    def faults(self) -> list[str]:
        """Return what the log shall say of tests at fault, once for the class."""
        return class_faults(self._judged())

    def notices(self) -> dict[str, str]:
        """Return what the log shall say of students' whole modules."""
        return notices(self._judged())

    def _judged(self) -> dict[str, dict[str, Any]]:
        done = self._modules is not None and self._modules.done()
        if self._modules is None or not done or self._modules.exception():
            return {}
        return self._modules.result()

    def run_notebook(self, path: Path, of: Assignment, original: ReleasedNotebook) -> None:
        """Have a notebook that a student handed in for an assignment run, if it can be read."""
        try:
            notebook = read(path)
        except ValueError:
            return
        mend(notebook, of, original)
        steps = steps_of(notebook, of, self.how.seconds)
        self._notebooks[path] = (steps, self.background.notebook(self._run, steps, path.parent))

    def wait(self, paths: Iterable[Path]) -> None:
        """Wait for the modules and for these notebooks; raises what ended the work on them."""
        if self._modules:
            self._modules.result()
        for path in paths:
            if path in self._notebooks:
                _, executed = self._notebooks[path]
                executed.result()

    def ran(self, path: Path, steps: list[KernelStep]) -> Executed:
        """Return what the steps of a handed-in notebook gave; run now if they were others then."""
        taken, executed = self._notebooks.pop(path, (None, None))
        if executed is not None and taken == steps:
            return executed.result()
        return self._run(steps, path.parent, self.background.processes)

    def _run(self, steps: list[KernelStep], folder: Path, processes: Processes) -> Executed:
        return run_steps(steps, self.how.of, folder, self.how.kept, processes)
