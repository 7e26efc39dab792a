"""A student's feedback on a module as one HTML page and as Markdown."""

from __future__ import annotations

import hashlib
import html
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.grading.page import Page, Part, messages, sentence
from examiner.grading.store import file_name, write_atomically
from examiner.plural import count
from examiner.project import COMMAND
from examiner.results import SubmissionResult, TaskResult, Verdict
from examiner.term.moments import shown
from examiner.term.requests import invitation

PROVISIONAL = (
    "Provisional: some tests could not be judged, through a fault of the grader. "
    "The score can only rise."
)

BY_HAND = "marked by hand"


def page(chapter: Chapter, result: SubmissionResult, second_look: str = "") -> str:
    """Return the student's page as HTML; `second_look`: the address that it invites to."""
    link = invitation(second_look, result.student, chapter.stem) if second_look else ""
    return Page(
        student=result.whose.called,
        title=chapter.title,
        course=chapter.heading,
        points=result.score,
        most=result.max_score,
        parts=[_part(task, result) for task in result.tasks],
        handed_in=_handed_in(result),
        notices=_notices(result),
        second_look=link,
    ).to_html()


def _part(result: TaskResult, of: SubmissionResult) -> Part:
    task = result.task
    anchor, heading = "task-" + task.id.replace(".", "-"), f"{task.id} {task.title}"
    if of.was_not_read:  # the notice says why, once
        return Part(anchor, heading, result.score, task.points)
    return Part(
        anchor=anchor,
        heading=heading,
        points=result.score,
        most=task.points,
        task=task,
        verdict=result.verdict if result.by_hand is None else None,
        by_hand="" if result.by_hand is None else BY_HAND,
        tests=result.tests,
        examples=result.examples,
        nudge="" if result.verdict is Verdict.PASSED else f"`{_hint(result)}`",
    )


@dataclass(frozen=True)
class Pages:
    """Where students' pages are: in one folder, or in many where there would be too many in one."""

    out: Path
    spread: bool = False  # over folders that are named after a hash of the student
    second_look: str = ""  # the address that pages invite to

    def path(self, student: str, ending: str = ".html") -> Path:
        """Return where a student's page is."""
        name = file_name(student)
        folder = self.out / _folder_of(student) if self.spread else self.out
        return folder / f"{name}{ending}"

    def write(self, chapter: Chapter, told: SubmissionResult) -> dict[str, str]:
        """Write a student's two pages; return them by the endings of their names.

        Pages that lie where they were when the class was larger, or smaller, are removed.
        """
        look = self.second_look
        pages = {".md": markdown(chapter, told, look), ".html": page(chapter, told, look)}
        elsewhere = Pages(self.out, not self.spread)
        for ending, text in pages.items():
            write_atomically(self.path(told.student, ending), text, durable=False)
            with suppress(OSError):
                elsewhere.path(told.student, ending).unlink(missing_ok=True)
        return pages

    def read(self, student: str) -> str | None:
        """Return a student's page, None where there is none."""
        with suppress(OSError):
            return self.path(student).read_text("utf-8")
        return None


def _folder_of(student: str) -> str:
    """Return one of 256 names, the same whoever else is in the class.

    >>> _folder_of("ada")
    'fd'
    """
    return hashlib.sha256(student.encode(errors="surrogatepass")).hexdigest()[:2]


def _hint(result: TaskResult) -> str:
    return f"{COMMAND} check {result.task.id} --hint"


def _handed_in(result: SubmissionResult) -> str:
    """Return when it was handed in, in words; "" where nobody says."""
    at = result.standing.handed_in if result.standing else ""
    return f"handed in on {shown(datetime.fromisoformat(at))}" if at else ""


def _notices(result: SubmissionResult) -> list[str]:
    said = [result.notice, *(result.standing.lines if result.standing else ())]
    return [text for text in (*said, PROVISIONAL if result.provisional else "") if text]


# ------------------------------------------------------------------------------ Markdown


def _plain(text: str) -> str:
    """Escape text for Markdown: no line breaks, no HTML, no markup."""
    one_line = html.escape(" ".join(text.split()), quote=False)
    return re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", one_line)


def _code(text: str) -> str:
    return "\n".join(f"      {line}" for line in text.splitlines())


def markdown(chapter: Chapter, result: SubmissionResult, second_look: str = "") -> str:
    """Return the student's feedback as Markdown, for systems that take text."""
    lines = [f"# {_plain(result.whose.called)}: {_plain(chapter.title)}", ""]
    lines += [f"**{result.score:g} of {count(result.max_score, 'point')}**", ""]
    if at := _handed_in(result):
        lines += [at, ""]
    for notice in _notices(result):
        lines += [f"> {_plain(notice)}", ""]
    done = [task for task in result.tasks if task.verdict is Verdict.PASSED]
    for task in [*(task for task in result.tasks if task not in done), *done]:
        lines += _task_lines(task, result)
    if second_look:
        link = invitation(second_look, result.student, chapter.stem)
        lines += [f"Is something wrong? [Ask for a second look]({link})", ""]
    return "\n".join(lines) + "\n"


def _task_lines(result: TaskResult, of: SubmissionResult) -> list[str]:
    part, look = _part(result, of), result.verdict.look
    state = part.by_hand or f"{look.sign} {look.word}"
    points = f"{result.score:g} / {result.task.points}"
    if of.was_not_read:
        return [f"## {_plain(part.heading)}: {points}", ""]
    lines = [f"## {_plain(part.heading)}: {points}, {state}", ""]
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
        if said := messages(tests):
            lines += ["", _code(said)]
        lines.append("")
    return lines
