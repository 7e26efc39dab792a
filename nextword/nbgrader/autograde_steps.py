"""The steps of `nbgrader autograde` that run, judge and score a notebook.

Leaves out mending it first (restore_cells.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, NbGraderPreprocessor

from nextword.nbgrader import module_grades
from nextword.nbgrader.course import Assignment, assignment
from nextword.nbgrader.gradebook import Book, Row, write_row
from nextword.nbgrader.notebook import SHARED, run, score
from nextword.nbgrader.plain_files import by_student

Resources = dict[str, Any]

_judged: dict[tuple[Path, str], dict[str, dict[str, Any]]] = {}  # by course folder and assignment


def _coursedir(step: NbGraderPreprocessor) -> Any:
    """Return the converter's course directory: preprocessor -> exporter -> converter."""
    return step.parent.parent.coursedir


def _assignment(step: NbGraderPreprocessor, resources: Resources) -> Assignment:
    root = Path(_coursedir(step).root)
    return assignment(root, resources["nbgrader"]["assignment"])


def _handed_in(step: NbGraderPreprocessor, student: str, name: str) -> Path:
    coursedir = _coursedir(step)
    return Path(coursedir.format_path(coursedir.submitted_directory, student, name))


class SandboxedExecute(Execute):
    """Runs the student's cells in a kernel in the sandbox; takes nbgrader's options for Execute."""

    def preprocess(
        self, nb: NotebookNode, resources: Resources, **_: Any
    ) -> tuple[NotebookNode, Resources]:
        """Run the notebook."""
        where, of = resources["nbgrader"], _assignment(self, resources)
        handed_in = _handed_in(self, where["student"], where["assignment"])
        kept = self.parent.parent.exclude_overwriting.get(where["assignment"], [])
        executed = run(nb, of, handed_in, kept, float(self.timeout or 3600))
        if executed.note:
            self.parent.parent.remarks.append(f"{where['student']}: {executed.note}")
        resources[SHARED] = {"executed": executed}
        return nb, resources


class Examine(NbGraderPreprocessor):
    """Judges the module and the fetched answers, and writes points and messages below the cells."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Score every test cell of the course."""
        of, shared = _assignment(self, resources), resources.setdefault(SHARED, {})
        module = self._module(of, resources) if of.chapter is not None else None
        shared["scores"] = score(nb, of, module, shared.get("executed"))
        return nb, resources

    def _module(self, of: Assignment, resources: Resources) -> dict[str, Any]:
        """Return the examiner's result; it judges all students that are to be graded at once."""
        assert of.chapter is not None
        coursedir, student = _coursedir(self), resources["nbgrader"]["student"]
        root, name = Path(coursedir.root), resources["nbgrader"]["assignment"]
        known = _judged.setdefault((root, name), {})
        if student not in known:
            folders = {student: _handed_in(self, student, name)}
            if not known:
                everyone = str(_handed_in(self, "*", name))
                folders |= dict(by_student(everyone, coursedir.student_id))
            self.log.info("The examiner judges %d modules", len(folders))
            known |= module_grades.module_results(root, of.chapter, folders)
        return known.pop(student)  # handed in again later, it is judged again


class SaveScores(NbGraderPreprocessor):
    """Writes a notebook's points and the penalty for being late to the gradebook."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Write what the notebook earned."""
        where = resources["nbgrader"]
        scores = resources.get(SHARED, {}).get("scores", {})
        row = Row(where["student"], where["assignment"], where["notebook"], nb, scores)
        with Gradebook(where["db_url"], _coursedir(self).course_id) as gradebook:
            write_row(Book(gradebook, self.config), row)
        return nb, resources
