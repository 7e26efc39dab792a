"""A student's feedback as one HTML page and as Markdown. All that students wrote is escaped."""

from __future__ import annotations

import base64
import hashlib
import html
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

from nextword.catalogue import Chapter
from nextword.results import SubmissionResult, TaskResult, TestResult, Verdict

WORDS = {
    Verdict.PASSED: "✓ done",
    Verdict.FAILED: "✗ not right yet",
    Verdict.TIMEOUT: "✗ too slow",
    Verdict.MEMORY: "✗ too much memory",
    Verdict.CRASHED: "✗ stopped",
    Verdict.MISSING: "· not written yet",
    Verdict.NOT_JUDGED: "? not judged",
}
KINDS = {
    Verdict.FAILED: "Your code gives another result.",
    Verdict.TIMEOUT: "Your code took too long.",
    Verdict.MEMORY: "Your code ran out of memory.",
    Verdict.CRASHED: "Your code stopped in the middle.",
    Verdict.MISSING: "Not written yet.",
    Verdict.NOT_JUDGED: "We could not judge this. It is our fault, not yours.",
}
PROVISIONAL = (
    "Some tests could not be judged, through a fault of the grader. The score is provisional: "
    "it can only rise."
)


@cache
def style_sheet(more: str = "") -> tuple[str, str]:
    """Return the style sheet and its hash, which is all that the page's policy lets through.

    `more` is put at its end.
    """
    css = resources.files(__package__).joinpath("feedback.css").read_text("utf-8") + more
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return css, f"sha256-{digest}"


def page(chapter: Chapter, result: SubmissionResult) -> str:
    """Return the student's page: no script, nothing loaded, readable on a phone and on paper."""
    css, digest = style_sheet()
    name, title = html.escape(result.student), html.escape(chapter.title)
    policy = f"default-src 'none'; style-src '{digest}'; base-uri 'none'; form-action 'none'"
    tasks = "".join(_section(task) for task in result.tasks)
    rows = "".join(_row(task) for task in result.tasks)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: {title}</title>
<style>{css}</style>
</head>
<body>
<header>
<p>Next Word · chapter {chapter.number}, {title}</p>
<h1>{name}</h1>
<p class="total"><strong>{result.score:g}</strong> of {result.max_score} points</p>
{bar(result.score, result.max_score, "all points")}
{_notices(result)}
</header>
<main>
<nav aria-label="Tasks"><ol>
{rows}</ol></nav>
{tasks}</main>
<footer><p>Hidden tests are described by what they ask for, never by their inputs.</p></footer>
</body>
</html>
"""


def bar(score: float, most: float, label: str) -> str:
    """Return a bar as HTML that shows a score of the most that there is.

    >>> bar(3, 4.5, "2.1")
    '<progress value="3" max="4.5" aria-label="2.1: 3 of 4.5"></progress>'
    """
    text = f"{label}: {score:g} of {most:g}"
    return (
        f'<progress value="{score:g}" max="{most:g}" aria-label="{html.escape(text)}"></progress>'
    )


def _notices(result: SubmissionResult) -> str:
    texts = [html.escape(result.notice)] if result.notice else []
    if result.provisional:
        texts.append(f"<strong>Provisional.</strong> {PROVISIONAL}")
    return "\n".join(f'<p class="notice" role="note">{text}</p>' for text in texts)


def _anchor(task: TaskResult) -> str:
    return "task-" + task.task.id.replace(".", "-")


def _row(task: TaskResult) -> str:
    title = html.escape(f"{task.task.id} {task.task.title}")
    points = f"{task.score:g} / {task.task.points}"
    return (
        f'<li><a href="#{_anchor(task)}">{title}</a>'
        f"{bar(task.score, task.task.points, task.task.id)}"
        f'<span class="points">{points}</span></li>\n'
    )


def _section(task: TaskResult) -> str:
    about = task.task
    wrong = [test for test in task.tests if test.verdict is not Verdict.PASSED]
    right = [test for test in task.tests if test.verdict is Verdict.PASSED]
    where = f"See {about.see}. About {about.minutes} minutes, {about.difficulty}."
    parts = [
        f'<section id="{_anchor(task)}">',
        f'<div class="head"><h2>{html.escape(f"{about.id} {about.title}")}</h2>',
        f'<span class="verdict {task.verdict.value}">{WORDS[task.verdict]}</span>',
        f'<span class="points">{task.score:g} / {about.points}</span></div>',
        f'<p class="where">{html.escape(where)}</p>',
        *map(wrong_tests, groups(wrong)),
    ]
    if wrong:
        parts.append(f"<p>A nudge: <code>nextword check {about.id} --hint</code></p>")
    if right:
        parts.append(right_tests(right, len(task.tests)))
    return "\n".join([*parts, "</section>\n"])


def right_tests(tests: Sequence[TestResult], of: int) -> str:
    """Return, as HTML, what the tests ask for that passed, folded away."""
    count = f"{len(tests)} of {of} tests passed"
    return f"<details><summary>{count}</summary>{_list(tests)}</details>"


def _list(tests: Sequence[TestResult]) -> str:
    items = "".join(f"<li>{_asked(test)}</li>" for test in tests)
    return f"<ul>{items}</ul>"


def groups(tests: Sequence[TestResult]) -> list[list[TestResult]]:
    """Put the tests together of which the same is to be said, in their order."""
    found: dict[tuple[str, str, str], list[TestResult]] = {}
    for test in tests:
        found.setdefault((test.verdict, test.misconception, test.message), []).append(test)
    return list(found.values())


def took(test: TestResult) -> str:
    """Return how long a test took, or "" where that is not known.

    subtle: of a hidden test only roughly. Code could sleep for as long as its input says.
    """
    if not test.seconds:
        return ""
    if not test.visible:
        return f"{math.ceil(test.seconds)} s" if test.seconds > 1 else "up to 1 s"
    return f"{test.seconds:.2g} s" if test.seconds >= 0.01 else "less than 0.01 s"


def _asked(test: TestResult) -> str:
    """Return what a test asks for, and how long it took, as HTML."""
    time = took(test)
    return html.escape(test.behaviour) + (f' <span class="took">{time}</span>' if time else "")


def _sentence(test: TestResult) -> str:
    """Return what went wrong in words; the message of a visible test is shown as it is."""
    if test.message and not test.visible and test.verdict is not Verdict.MISSING:
        return test.message[0].upper() + test.message[1:]
    return KINDS[test.verdict]


def wrong_tests(tests: Sequence[TestResult]) -> str:
    """Return, as HTML, what is said of a group of tests that did not pass (see `groups`)."""
    first = tests[0]
    parts = ['<div class="test">', f"<h3>{_asked(first)}</h3>"]
    if len(tests) > 1:
        parts[1:] = [f"<h3>{len(tests)} tests, all in the same way</h3>", _list(tests)]
    said = re.sub("`(.*)`", r"<code>\1</code>", html.escape(_sentence(first)))
    parts.append(f"<p>{said}</p>")
    if first.misconception:
        thought = html.escape(first.misconception)
        parts.append(f'<p class="thought"><strong>Perhaps this:</strong> {thought}</p>')
    if first.message and first.visible:
        parts.append(f"<pre>{html.escape(first.message)}</pre>")
    return "\n".join([*parts, "</div>"])


# ------------------------------------------------------------------------------ Markdown


def _plain(text: str) -> str:
    """Escape text for Markdown: no line breaks, no HTML, no markup."""
    one_line = html.escape(" ".join(text.split()), quote=False)
    return re.sub(r"([\\`*_\[\]#|~!])", r"\\\1", one_line)


def _code(text: str) -> str:
    return "\n".join(f"      {line}" for line in text.splitlines())


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def markdown(chapter: Chapter, result: SubmissionResult) -> str:
    """Return the student's feedback as Markdown, for systems that take text."""
    lines = [f"# {_plain(result.student)}: {_plain(chapter.title)}", ""]
    lines += [f"**{result.score:g} of {result.max_score} points**", ""]
    if result.notice:
        lines += [f"> {_plain(result.notice)}", ""]
    if result.provisional:
        lines += [f"> **Provisional.** {PROVISIONAL}", ""]
    for task in result.tasks:
        about = task.task
        points = f"{task.score:g} / {about.points}"
        lines += [f"## {about.id} {_plain(about.title)}: {points}, {WORDS[task.verdict]}", ""]
        wrong = [test for test in task.tests if test.verdict is not Verdict.PASSED]
        if not wrong:
            continue
        lines += [f"See {_plain(about.see)}. A nudge: `nextword check {about.id} --hint`", ""]
        for group in groups(wrong):
            first = group[0]
            lines += [f"- {_plain(test.behaviour)}{_in_brackets(took(test))}" for test in group]
            lines += ["", f"  {_plain(_sentence(first))}"]
            if first.misconception:
                lines += ["", f"  **Perhaps this:** {_plain(first.misconception)}"]
            if first.message and first.visible:
                lines += ["", _code(first.message)]
            lines.append("")
    return "\n".join(lines) + "\n"
