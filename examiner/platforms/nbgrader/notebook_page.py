"""The page that a student gets back from nbgrader: points, what failed in words, the comments.

Leaves out the page's look and its escaping (grading/page.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import GetGrades

from examiner.catalogue import Task
from examiner.grading.page import Block, Page, Part
from examiner.platforms.nbgrader.course import Assignment, assignment
from examiner.platforms.nbgrader.gradebook import is_unmarked
from examiner.platforms.nbgrader.notebook import SHARED, id_of
from examiner.platforms.nbgrader.shown_in_bounds import Room
from examiner.platforms.nbgrader.student_markdown import (
    shortened,
    still,
    still_without_html,
)
from examiner.plural import count, duration
from examiner.release.assignment import without
from examiner.results import SmallestExample, TestResult, Verdict, says_it_all

PROVISIONAL = "Not everything is marked yet: the total is provisional."
PNG = re.compile(r"[A-Za-z0-9+/=\s]+")
HEADING = re.compile(r"\A#+ [^\n]*\n*")
MAX_FIGURES = 20
MAX_OWN_WORK = 200_000  # characters of the cells that a student wrote below one piece of work


class GetMarks(GetGrades):
    """nbgrader's step that fetches the marks, and with them who the student is.

    A part that has no mark yet gets none, rather than 0.
    """

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Fetch the marks."""
        nb, resources = super().preprocess(nb, resources)
        about = resources["nbgrader"]
        with Gradebook(about["db_url"]) as gradebook:
            work = gradebook.find_submission(about["assignment"], about["student"])
            names = (work.student.first_name, work.student.last_name)
            about["name"] = " ".join(filter(None, names))
            about["late"] = work.total_seconds_late
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._get_score(cell, resources)
        place = (self.notebook_id, self.assignment_id, self.student_id)
        if is_unmarked(self.gradebook.find_grade(cell.metadata.nbgrader.grade_id, *place)):
            cell.metadata.nbgrader.score = None


class FeedbackPage(Exporter):
    """Writes a graded notebook as the student's page; GetMarks adds the marks first."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kwargs: Any
    ) -> tuple[str, Any]:
        """Return the page of a notebook whose cells carry score and comment."""
        nb, resources = super().from_notebook_node(nb, resources, **kwargs)
        where = resources["nbgrader"]
        converter: Any = self.parent
        of = assignment(Path(converter.coursedir.root), where["assignment"])
        return page(nb, of, where).to_html(), resources


def page(nb: NotebookNode, of: Assignment, about: Mapping[str, Any]) -> Page:
    """Return the page.

    `about` holds student, name, assignment, score, max_score, late (seconds) and late_penalty.
    """
    parts = _parts(nb, of)
    chapter = of.chapter
    title = chapter.heading if chapter else of.name
    return Page(
        student=about["name"] or about["student"],
        title=title,
        course=f"{title} · {about['student']}" if about["name"] else title,
        points=about["score"],
        most=about["max_score"],
        parts=parts,
        notices=_notices(nb, about, any(part.points is None for part in parts)),
    )


def _notices(nb: NotebookNode, about: Mapping[str, Any], waits: bool) -> list[str]:
    said = nb.metadata.get(SHARED, {})
    texts = [PROVISIONAL if waits else "", said.get("handed_in", ""), said.get("notice", "")]
    texts += said.get("mended", [])
    if about["late"]:
        costs = count(about["late_penalty"], "point") if about["late_penalty"] else "nothing"
        texts.append(f"Handed in {duration(about['late'])} late, which costs {costs}.")
    return [text for text in texts if text]


def _parts(nb: NotebookNode, of: Assignment) -> list[Part]:
    """Return a part for every graded cell, with the marker's comments where they were written."""
    found: list[Part] = []
    pending: list[Block] = []
    figures = Figures()
    said = nb.metadata.get(SHARED, {})
    module = {task["id"]: task for task in said.get("tasks", [])}
    tests = [test for task in module.values() for test in _tests(task)]
    if says_it_all(said.get("notice", ""), tests):
        module = {}
    for index, cell in enumerate(nb.cells):
        if not utils.is_grade(cell) and not utils.is_task(cell):
            pending += _comment(cell) if utils.is_solution(cell) else []
            continue
        blocks = _told(cell, of.kind(id_of(cell)))
        if utils.is_task(cell):
            blocks += _own_work(nb.cells[index + 1 :], figures)
        found.append(_part(cell, of, module, [*blocks, *pending, *_comment(cell)]))
        pending = []
    return found


def _part(
    cell: NotebookNode, of: Assignment, module: Mapping[str, Any], blocks: list[Block]
) -> Part:
    name, meta = id_of(cell), cell.metadata.nbgrader
    points = meta.get("score")
    if of.kind(name) != "task":
        heading = of.headings.get(name) or name
        return Part(name, heading, points, float(meta.points), blocks=blocks)
    task = _task(of, name)
    return Part(
        anchor=name,
        heading=f"{task.id} {task.title}",
        points=points,
        most=float(meta.points),
        task=task,
        tests=_tests(module.get(task.id, {})),
        examples=[SmallestExample(**each) for each in module.get(task.id, {}).get("examples", ())],
        blocks=[block for block in blocks if block.kind == "comment"],
        nudge=task.hints[0] if points is not None and points < task.points and module else "",
    )


def _task(of: Assignment, name: str) -> Task:
    assert of.chapter is not None
    return of.chapter.task(of.said(name)["task"])


def _tests(result: Mapping[str, Any]) -> list[TestResult]:
    """Return what the examiner said of a task's tests."""
    return [
        TestResult(
            name=each["name"],
            behaviour=each["behaviour"],
            verdict=Verdict(each["verdict"]),
            visible=each["visible"],
            message=each["message"],
            misconception=each["misconception"],
        )
        for each in result.get("tests", [])
    ]


def _told(cell: NotebookNode, kind: str | None) -> list[Block]:
    """Return what a test said below its cell, or what a student wrote."""
    if utils.is_solution(cell):
        return [Block("heading", "Your answer"), _written(cell)]
    if utils.is_task(cell):
        return [Block("written", still(_asked(cell)))]
    if kind == "check":
        message = cell.metadata.get(SHARED, {}).get("message", "")
        return [Block("text", message)] if message else []
    texts = [o.evalue for o in cell.get("outputs", []) if o.output_type == "error"]
    return [Block("text", text) for text in texts]


def _asked(cell: NotebookNode) -> str:
    """Return what a piece of work was to be, without the heading: the part has it."""
    return HEADING.sub("", without(cell.source, "MARK SCHEME").strip())


def _written(cell: NotebookNode) -> Block:
    """Return what a student wrote in a cell: Markdown as a page, code as it is."""
    if cell.cell_type == "markdown":
        return Block("written", still(cell.source, cell.get("attachments") or {}))
    return Block("text", shortened(cell.source))


class Figures:
    """The pictures of a page, of which there may be MAX_FIGURES."""

    def __init__(self) -> None:
        self._count = 0

    def take(self, data: str) -> Block | None:
        """Return a picture, unless it is none or one too many."""
        if self._count == MAX_FIGURES or not PNG.fullmatch(data):
            return None
        self._count += 1
        return Block("figure", f"Your figure {self._count}", "".join(data.split()))


def _own_work(cells: list[NotebookNode], figures: Figures) -> list[Block]:
    """Return the cells that a student wrote below a piece of work."""
    found = []
    room = Room(MAX_OWN_WORK)
    for cell in cells:
        if id_of(cell) or not room.characters:
            break
        cell.source = room.cut(cell.source)
        found.append(_written(cell))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if figure := figures.take(data.get("image/png", "")):
                found.append(figure)
            elif text := output.get("text") or data.get("text/plain"):
                found.append(Block("text", text[:4000]))
    return [Block("heading", "Your work"), *found] if found else []


def _comment(cell: NotebookNode) -> list[Block]:
    text = cell.metadata.get("nbgrader", {}).get("comment")
    return [Block("comment", still_without_html(text))] if text else []
