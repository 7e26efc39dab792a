"""The steps of `nbgrader autograde` that run, judge and score a notebook.

Leaves out mending it first (restore_cells.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, NbGraderPreprocessor

from examiner.platforms.nbgrader.changes import change, note_key
from examiner.platforms.nbgrader.course import Assignment, assignment, edits_of
from examiner.platforms.nbgrader.gradebook import Book, GradedNotebook, write_scores
from examiner.platforms.nbgrader.notebook import SHARED, score, show, steps_of

Resources = dict[str, Any]


def _coursedir(step: NbGraderPreprocessor) -> Any:
    """Return the converter's course directory: preprocessor -> exporter -> converter."""
    return step.parent.parent.coursedir


def _root(step: NbGraderPreprocessor) -> Path:
    return Path(_coursedir(step).root)


def _assignment(step: NbGraderPreprocessor, resources: Resources) -> Assignment:
    root, where = _root(step), resources["nbgrader"]
    edits = edits_of(root, where["assignment"], where["student"])
    return assignment(root, where["assignment"], edits)


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
        steps = steps_of(nb, of, self.seconds)
        executed = self.parent.parent.ahead.ran(handed_in / f"{where['notebook']}.ipynb", steps)
        show(nb, steps, executed)
        if executed.note:
            self.parent.parent.remarks[where["student"]].append(executed.note)
        resources[SHARED] = {"executed": executed}
        return nb, resources

    @property
    def seconds(self) -> float:
        """The time of each cell; nbgrader's setting may be that there is no limit."""
        return float(self.timeout or 3600)


class Examine(NbGraderPreprocessor):
    """Judges the module and the fetched answers, and writes points and messages below the cells."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Score every test cell of the course."""
        of, shared = _assignment(self, resources), resources.setdefault(SHARED, {})
        module = None
        if of.chapter is not None:
            student = resources["nbgrader"]["student"]
            folder = _handed_in(self, student, of.name)
            module = self.parent.parent.ahead.module(_root(self), student, folder)
        shared["scores"] = score(nb, of, module, shared.get("executed"))
        note_key(nb, of, module)
        return nb, resources


class SaveScores(NbGraderPreprocessor):
    """Writes a notebook's points and the penalty for being late to the gradebook."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Write what the notebook earned."""
        where = resources["nbgrader"]
        student, notebook = where["student"], where["notebook"]
        scores = resources.get(SHARED, {}).get("scores", {})
        graded = GradedNotebook(student, where["assignment"], notebook, nb, scores)
        with Gradebook(where["db_url"], _coursedir(self).course_id) as gradebook:
            written = write_scores(Book(gradebook, self.config), graded)
        converter: Any = self.parent.parent
        converter.written[student].append(written)
        before = converter.keys.get((student, notebook), {})
        if found := change(_assignment(self, resources), written, before, nb):
            converter.changes.append(found)
        return nb, resources
