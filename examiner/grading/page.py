"""The page of feedback that a student opens, and what is said of a test on it.

Leaves out where the parts come from: a module (feedback.py) or a notebook
(examiner/platforms/nbgrader).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from examiner import templates
from examiner.catalogue import Task
from examiner.plural import count
from examiner.results import SmallestExample, TestResult, Verdict, passes_only_what_is_visible
from examiner.templates import environment, marked, unmarked

WRITTEN = ("written", "comment")  # the kinds of block whose text is HTML


@dataclass(frozen=True)
class Block:
    """Something to read below a heading: a heading, text, figure (a PNG in `data`) or comment.

    The text of a comment, and of one that is `written`, is HTML that holds nothing a browser would
    run or load.
    """

    kind: str
    text: str
    data: str = ""


@dataclass(frozen=True)
class Part:
    """A part of the page: a task of the chapter, or a graded cell of a notebook."""

    anchor: str
    heading: str
    points: float | None  # None: a person has not marked it yet
    most: float
    task: Task | None = None
    verdict: Verdict | None = None
    by_hand: str = ""  # says so where a person's mark stands in the tests' place
    tests: Sequence[TestResult] = ()
    blocks: Sequence[Block] = ()
    nudge: str = ""
    examples: Sequence[SmallestExample] = ()  # of what is wrong

    @property
    def is_done(self) -> bool:
        """Whether all of it is right, and there is nothing to read."""
        right = self.verdict is Verdict.PASSED if self.verdict else self.points == self.most
        return right and (bool(self.by_hand) or not (self.blocks or self.wrong or self.shown))

    @property
    def right(self) -> list[TestResult]:
        """The tests that passed."""
        return [test for test in self.tests if test.verdict is Verdict.PASSED]

    @property
    def only_visible(self) -> bool:
        """Whether it passes visible tests alone, which then count nothing."""
        return passes_only_what_is_visible(self.tests) and not self.by_hand

    @property
    def given(self) -> str:
        """What the second tries say: "Right, given a right 2.1"; "" if there was none."""
        said = dict.fromkeys(test.message for test in self.right if test.message)
        return "; ".join(text[0].upper() + text[1:] for text in said)

    @property
    def shown(self) -> list[TestResult]:
        """The failed tests of which the examples say enough."""
        return [t for t in self.tests if self.examples and t.verdict is Verdict.FAILED]

    @property
    def wrong(self) -> list[list[TestResult]]:
        """The other tests that did not pass; those of which the same is to be said stand together.

        So do all that met something unwritten. Where there are no examples, these are all.
        """
        found: dict[tuple[str, str, str], list[TestResult]] = {}
        for test in self.tests:
            if test.verdict is not Verdict.PASSED and test not in self.shown:
                unwritten = test.verdict is Verdict.MISSING
                said = (test.verdict, test.misconception, "" if unwritten else test.message)
                found.setdefault(said, []).append(test)
        return list(found.values())


@dataclass(frozen=True)
class Page:
    """What a student is told."""

    student: str
    title: str  # of the browser's window, behind the student
    course: str  # the line above the student's name
    points: float
    most: float
    parts: Sequence[Part]
    handed_in: str = ""  # when, in words
    notices: Sequence[str] = ()
    second_look: str = ""  # the address that it invites to

    @property
    def open(self) -> list[Part]:
        """What is still wrong, or waits for a person, or has a comment."""
        return [part for part in self.parts if not part.is_done]

    @property
    def done(self) -> list[Part]:
        """What is right."""
        return [part for part in self.parts if part.is_done]

    @property
    def has_examples(self) -> bool:
        """Whether it shows on which inputs something is wrong."""
        return any(part.examples for part in self.parts)

    @property
    def has_figures(self) -> bool:
        """Whether the page's policy must let pictures through that stand in the page itself."""
        return any(
            block.kind == "figure" or (block.kind in WRITTEN and "<img" in block.text)
            for part in self.parts
            for block in part.blocks
        )

    def to_html(self) -> str:
        """Return the page: no script, nothing loaded, readable on a phone and on paper."""
        return rendered("feedback.html", page=self)


def rendered(template: str, **values: Any) -> str:
    """Return a page of the graders' as HTML: its style sheet is the only thing that it may use."""
    css, digest = style_sheet()
    return _templates().get_template(template).render(css=css, digest=digest, **values)


def sentence(test: TestResult) -> str:
    """Return what went wrong in words; the message of a visible test is shown as it is."""
    if test.message and not test.visible and test.verdict is not Verdict.MISSING:
        return test.message[0].upper() + test.message[1:]
    return test.verdict.look.sentence


def messages(tests: Sequence[TestResult]) -> str:
    """Return what visible tests of one of the groups in `Part.wrong` say, each message once."""
    said = dict.fromkeys(test.message for test in tests if test.visible and test.message)
    return "\n".join(said) if tests[0].visible or tests[0].verdict is Verdict.MISSING else ""


def _quoted(text: str) -> Markup:
    """Return text as HTML in which what stands between backticks is code.

    >>> _quoted("in line 3: `a < b`")
    Markup('in line 3: <code>a &lt; b</code>')
    """
    # subtle: up to the last one, since a quoted line of a student's may hold backticks itself
    return Markup(re.sub("`(.*)`", r"<code>\1</code>", str(escape(text))))


@cache
def _templates() -> Environment:
    found = environment("examiner.grading")
    filters: dict[str, Any] = {
        "number": lambda value: f"{value:g}",
        "count": count,
        "sentence": sentence,
        "messages": messages,
        "quoted": _quoted,
        "marked": marked,
        "unmarked": unmarked,
    }
    found.filters |= filters
    return found


def style_sheet() -> tuple[str, str]:
    """Return the style sheet of pages of feedback, and its hash."""
    return templates.style_sheet("examiner.grading", "feedback.css")
