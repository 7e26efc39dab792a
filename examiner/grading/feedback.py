"""A student's feedback on a module as one HTML page and as Markdown."""

from __future__ import annotations

import html
import re
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.grading.page import Page, Part, sentence
from examiner.grading.store import file_name, write_atomically
from examiner.plural import count
from examiner.project import COMMAND
from examiner.results import SubmissionResult, TaskResult, Verdict

PROVISIONAL = (
    "Provisional: some tests could not be judged, through a fault of the grader. "
    "The score can only rise."
)


def page(chapter: Chapter, result: SubmissionResult) -> str:
    """Return the student's page as HTML."""
    return Page(
        student=result.whose.called,
        title=chapter.title,
        course=chapter.heading,
        points=result.score,
        most=result.max_score,
        parts=[_part(task) for task in result.tasks],
        notices=_notices(result),
    ).to_html()


def _part(result: TaskResult) -> Part:
    task = result.task
    return Part(
        anchor="task-" + task.id.replace(".", "-"),
        heading=f"{task.id} {task.title}",
        points=result.score,
        most=task.points,
        task=task,
        verdict=result.verdict,
        tests=result.tests,
        examples=result.examples,
        nudge="" if result.verdict is Verdict.PASSED else f"`{_hint(result)}`",
    )


def _hint(result: TaskResult) -> str:
    return f"{COMMAND} check {result.task.id} --hint"


def _notices(result: SubmissionResult) -> list[str]:
    return [text for text in (result.notice, PROVISIONAL if result.provisional else "") if text]


# ------------------------------------------------------------------------------ Markdown


def _plain(text: str) -> str:
    """Escape text for Markdown: no line breaks, no HTML, no markup."""
    one_line = html.escape(" ".join(text.split()), quote=False)
    return re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", one_line)


def _code(text: str) -> str:
    return "\n".join(f"      {line}" for line in text.splitlines())


def write(out: Path, chapter: Chapter, shown: SubmissionResult) -> dict[str, str]:
    """Write a student's two pages into a folder; return them by the endings of their names."""
    pages = {".md": markdown(chapter, shown), ".html": page(chapter, shown)}
    for ending, text in pages.items():
        write_atomically(out / f"{file_name(shown.student)}{ending}", text, durable=False)
    return pages


def markdown(chapter: Chapter, result: SubmissionResult) -> str:
    """Return the student's feedback as Markdown, for systems that take text."""
    lines = [f"# {_plain(result.whose.called)}: {_plain(chapter.title)}", ""]
    lines += [f"**{result.score:g} of {count(result.max_score, 'point')}**", ""]
    for notice in _notices(result):
        lines += [f"> {_plain(notice)}", ""]
    done = [task for task in result.tasks if task.verdict is Verdict.PASSED]
    for task in [*(task for task in result.tasks if task not in done), *done]:
        lines += _task_lines(task)
    return "\n".join(lines) + "\n"


def _task_lines(result: TaskResult) -> list[str]:
    part, look = _part(result), result.verdict.look
    points = f"{result.score:g} / {result.task.points}"
    lines = [f"## {_plain(part.heading)}: {points}, {look.sign} {look.word}", ""]
    if part.given:
        lines += [f"{_plain(part.given)}. What goes wrong here is charged there.", ""]
    if not (part.wrong or part.shown):
        return lines
    for example in part.examples:
        if example.says:
            lines += [f"**This looks like:** {_plain(example.says)}", ""]
        lines += [_code(example.lines), ""]
    lines += [f"See {_plain(result.task.see)}. A nudge: `{_hint(result)}`", ""]
    if part.shown:
        lines += ["Tests that see it:", ""]
        lines += [*(f"- {_plain(test.behaviour)}" for test in part.shown), ""]
    for tests in part.wrong:
        first = tests[0]
        lines += [f"- {_plain(test.behaviour)}" for test in tests]
        lines += ["", f"  {_plain(sentence(first))}"]
        if first.misconception:
            lines += ["", f"  **This looks like:** {_plain(first.misconception)}"]
        if first.message and first.visible:
            lines += ["", _code(first.message)]
        lines.append("")
    return lines
