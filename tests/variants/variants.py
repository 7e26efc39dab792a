"""Right and wrong answers to a chapter that its suite was not written for, and what grading makes
of them.

A variant is the reference with another body in one function. They measure the examiner: how many
mistakes are caught, how many get the sentence that says so, and whether one is charged twice.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from nextword.catalogue import Chapter
from nextword.release.stubs import marked_regions
from nextword.results import SubmissionResult, TaskResult, Verdict

HERE = Path(__file__).parent
_HEAD = re.compile(r"^== (?P<task>\S+) (?P<symbol>\S+) \| (?P<what>[^|\n]+?)(?: \| (?P<is>\S+))?$")


@dataclass(frozen=True)
class Variant:
    """One function's body, as a student might have written it."""

    task_id: str
    symbol: str
    what: str
    named_by: frozenset[str]  # misconceptions whose sentence is right, by name; none: no sentence
    body: str

    def __str__(self) -> str:
        return f"{self.task_id} {self.symbol} - {self.what}".replace("/", " over ")

    def module(self, reference: str) -> str:
        """Return the text of the reference with this body."""
        lines = reference.splitlines()
        region = marked_regions(reference, "reference")[self.symbol]
        indent = " " * (len(lines[region.begin - 1]) - len(lines[region.begin - 1].lstrip()))
        body = textwrap.indent(self.body, indent).splitlines()
        return "\n".join([*lines[: region.begin - 1], *body, *lines[region.end :]]) + "\n"


def read(name: str) -> list[Variant]:
    """Read a file of variants, such as ngrams_wrong."""
    found = []
    _, *parts = re.split(r"(?m)^(?=== )", (HERE / f"{name}.txt").read_text("utf-8"))
    for part in parts:
        head, _, body = part.partition("\n")
        said = _HEAD.match(head)
        assert said, head
        names = frozenset((said["is"] or "").split(",")) - {""}
        found.append(Variant(said["task"], said["symbol"], said["what"], names, body.strip("\n")))
    return found


def write_class(variants: Iterable[Variant], reference: Path, folder: Path) -> None:
    """Write a folder for each variant, as students hand them in."""
    text = reference.read_text("utf-8")
    for variant in variants:
        (folder / str(variant)).mkdir(parents=True)
        (folder / str(variant) / reference.name).write_text(variant.module(text), "utf-8")


@dataclass(frozen=True)
class Outcome:
    """What became of a wrong variant."""

    variant: Variant
    task: TaskResult  # its own
    others: tuple[TaskResult, ...]  # further tasks that lost points
    named: frozenset[str]  # misconceptions whose sentences were said

    @property
    def caught(self) -> bool:
        """Whether its own task lost points."""
        return self.task.score < self.task.task.points

    @property
    def named_right(self) -> bool:
        """Whether a right sentence was said, and no other."""
        return bool(self.named) and self.named <= self.variant.named_by

    @property
    def named_wrong(self) -> bool:
        """Whether a sentence was said that is not of this mistake."""
        return bool(self.named - self.variant.named_by)

    @property
    def silent(self) -> bool:
        """Whether a hidden test failed of which nothing is said but that it failed."""
        return any(
            not (test.message or test.misconception)
            for test in self.task.tests
            if test.verdict is Verdict.FAILED and not test.visible
        )


def outcomes(
    variants: Iterable[Variant],
    results: dict[str, SubmissionResult],
    chapter: Chapter,
    names: dict[str, str],
) -> Iterator[Outcome]:
    """Yield what became of each; `names` gives a misconception's name by its sentence."""
    for variant in variants:
        result = results[str(variant)]
        tasks = {each.task.id: each for each in result.tasks}
        own = tasks.pop(variant.task_id)
        lost = tuple(each for each in tasks.values() if each.score < each.task.points)
        tests = [test for each in result.tasks for test in each.tests]
        said = frozenset(names[test.misconception] for test in tests if test.misconception)
        yield Outcome(variant, own, lost, said)
