"""The page that a student gets back from nbgrader: points, what failed in words, the comments.

Everything that a student or a marker wrote is escaped; the page runs no script and loads nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import GetGrades

from nextword.catalogue import Task
from nextword.grading import feedback
from nextword.nbgrader.course import Assignment, assignment
from nextword.nbgrader.notebook import SHARED, id_of
from nextword.nbgrader.safe import shortened
from nextword.release.assignment import without
from nextword.results import TestResult, Verdict

PROVISIONAL = "Not everything is marked yet: the total is provisional."
FIGURES = "img { display: block; max-width: 100%; height: auto; background: #ffffff; }\n"
PNG = re.compile(r"[A-Za-z0-9+/=\s]+")
MAX_FIGURES = 20


class GetMarks(GetGrades):
    """nbgrader's step that fetches the marks; a part that has none yet gets none, rather than 0."""

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._get_score(cell, resources)
        place = (self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(cell.metadata.nbgrader.grade_id, *place)
        if grade.auto_score is None and grade.manual_score is None:
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
        return page(nb, of, where), resources


def page(nb: NotebookNode, of: Assignment, about: Mapping[str, Any]) -> str:
    """Return the page; `about` holds student, assignment, score, max_score and late_penalty."""
    css, digest = feedback.style_sheet(FIGURES)
    policy = (
        f"default-src 'none'; style-src '{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    student, title = html.escape(about["student"]), html.escape(_title(of))
    parts = list(_parts(nb, of))
    rows = "".join(_row(name, head, points, most) for name, head, points, most, _ in parts)
    score, most = about["score"], about["max_score"]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{student}: {title}</title>
<style>{css}</style>
</head>
<body>
<header>
<p>{title}</p>
<h1>{student}</h1>
<p class="total"><strong>{score:g}</strong> of {most:g} points</p>
{feedback.bar(score, most, "all points")}
{_notices(nb, about, any(points is None for _, _, points, _, _ in parts))}
</header>
<main>
<nav aria-label="Parts"><ol>
{rows}</ol></nav>
{"".join(body for *_, body in parts)}</main>
<footer><p>Hidden tests are described by what they ask for, never by their inputs.</p></footer>
</body>
</html>
"""


def _title(of: Assignment) -> str:
    if of.chapter is None:
        return of.name
    return f"Next Word · chapter {of.chapter.number}, {of.chapter.title}"


def _notices(nb: NotebookNode, about: Mapping[str, Any], waits: bool) -> str:
    said = nb.metadata.get(SHARED, {})
    texts = [PROVISIONAL if waits else "", said.get("handed_in", ""), said.get("notice", "")]
    texts += said.get("mended", [])
    if about["late_penalty"]:
        texts.append(f"Handed in late: {about['late_penalty']:g} points were taken off.")
    return "\n".join(f'<p class="notice">{html.escape(text)}</p>' for text in texts if text)


Part = tuple[str, str, float | None, float, str]  # anchor, heading, points, most points, HTML


def _parts(nb: NotebookNode, of: Assignment) -> Iterator[Part]:
    """Yield a part for every graded cell, with the marker's comments where they were written."""
    pending, figures = "", 0
    module = {task["id"]: task for task in nb.metadata.get(SHARED, {}).get("tasks", [])}
    for index, cell in enumerate(nb.cells):
        if not utils.is_grade(cell) and not utils.is_task(cell):
            pending += _comment(cell) if utils.is_solution(cell) else ""
            continue
        name = id_of(cell)
        kind = of.kind(name)
        task = _task(of, name) if kind == "task" else None
        head = f"{task.id} {task.title}" if task else (of.headings.get(name) or name)
        body = _tests(task, module.get(task.id, {})) if task else _told(cell, kind)
        if utils.is_task(cell):
            work, figures = _own_work(nb.cells[index + 1 :], figures)
            body += work
        body += pending + _comment(cell)
        pending = ""
        meta = cell.metadata.nbgrader
        points = meta.get("score")
        yield name, head, points, float(meta.points), _section(name, head, points, meta, body, task)


def _task(of: Assignment, name: str) -> Task:
    assert of.chapter is not None
    return of.chapter.task(of.said(name)["task"])


def _row(name: str, head: str, points: float | None, most: float) -> str:
    bar, of = "<span>waits</span>", f"? / {most:g}"
    if points is not None:
        bar, of = feedback.bar(points, most, head), _of(points, most)
    return (
        f'<li><a href="#{html.escape(name)}">{html.escape(head)}</a>{bar}'
        f'<span class="points">{of}</span></li>\n'
    )


def _of(points: float | None, most: float) -> str:
    return f"not marked yet ({most:g})" if points is None else f"{points:g} / {most:g}"


def _section(
    name: str, head: str, points: float | None, meta: Any, body: str, task: Task | None
) -> str:
    where = ""
    if task:
        text = f"See {task.see}. About {task.minutes} minutes, {task.difficulty}."
        where = f'<p class="where">{html.escape(text)}</p>'
    hint = ""
    if task and points is not None and points < task.points:
        hint = f"<p>A nudge: {html.escape(task.hints[0])}</p>"
    return (
        f'<section id="{html.escape(name)}"><div class="head"><h2>{html.escape(head)}</h2>'
        f'<span class="points">{_of(points, float(meta.points))}</span></div>'
        f"{where}{body}{hint}</section>\n"
    )


def _tests(task: Task, result: Mapping[str, Any]) -> str:
    """Return what the tests of a task found."""
    tests = [
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
    wrong = [test for test in tests if test.verdict is not Verdict.PASSED]
    right = [test for test in tests if test.verdict is Verdict.PASSED]
    parts = [feedback.wrong_tests(group) for group in feedback.groups(wrong)]
    if right:
        parts.append(feedback.right_tests(right, len(tests)))
    return "\n".join(parts)


def _told(cell: NotebookNode, kind: str | None) -> str:
    """Return what a test said below its cell, or what a student wrote."""
    if utils.is_solution(cell):
        return f"<h3>Your answer</h3><pre>{html.escape(shortened(cell.source))}</pre>"
    if utils.is_task(cell):
        return f"<pre>{html.escape(without(cell.source, 'MARK SCHEME').strip())}</pre>"
    if kind == "check":
        message = cell.metadata.get(SHARED, {}).get("message", "")
        return f"<pre>{html.escape(message)}</pre>" if message else ""
    texts = [o.evalue for o in cell.get("outputs", []) if o.output_type == "error"]
    return "".join(f"<pre>{html.escape(text)}</pre>" for text in texts)


def _own_work(cells: list[NotebookNode], figures: int) -> tuple[str, int]:
    """Return the cells that a student wrote below a piece of work, and the figures used up."""
    parts = ["<h3>Your work</h3>"]
    for cell in cells:
        if id_of(cell):
            break
        parts.append(f"<pre>{html.escape(shortened(cell.source))}</pre>")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data and PNG.fullmatch(data["image/png"]) and figures < MAX_FIGURES:
                figures += 1
                image = "".join(data["image/png"].split())
                parts.append(
                    f'<img class="figure" alt="Your figure {figures}" '
                    f'src="data:image/png;base64,{image}">'
                )
            elif text := output.get("text") or data.get("text/plain"):
                parts.append(f"<pre>{html.escape(text[:4000])}</pre>")
    return "\n".join(parts if len(parts) > 1 else []), figures


def _comment(cell: NotebookNode) -> str:
    text = cell.metadata.get("nbgrader", {}).get("comment")
    if not text:
        return ""
    return f'<p class="thought"><strong>Comment:</strong> {html.escape(text)}</p>'
