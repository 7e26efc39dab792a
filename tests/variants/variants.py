"""Right and wrong answers to a chapter that its suite was not written for, and what grading makes
of them.

A variant is the reference with another body in one function, or in a few that belong together. They
measure the examiner: how many mistakes are caught, how many get the sentence that says so, whether
one is charged twice, and whether an edge case costs less than the idea.

The files of a chapter are <chapter>_right*.txt and <chapter>_wrong*.txt. A variant is a head and a
body; a line "-- symbol" begins the body of a further function:

    == task symbol | what is different | edge or idea, if it is one | misconceptions that name it

Of the head, the last two parts may be left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from examiner.results import SubmissionResult, TaskResult, Verdict
from examiner.stubs import marked_regions

HERE = Path(__file__).parent
EDGE_KEEPS, IDEA_KEEPS = 0.6, 0.4  # at least and at most, of what the function is worth
_HEAD = re.compile(
    r"^== (?P<task>\S+) (?P<symbol>\S+) \| (?P<what>[^|\n]+?)"
    r"(?: \| (?P<kind>edge|idea))?(?: \| (?P<is>\S+))?$"
)
_FURTHER = re.compile(r"(?m)^-- (\S+)\n")


@dataclass(frozen=True)
class Variant:
    """One function's body, as a student might have written it, or those of a few functions."""

    task_id: str
    symbol: str
    what: str
    kind: str  # "edge", "idea", or "" for something between
    named_by: frozenset[str]  # misconceptions whose sentence is right, by name; none: no sentence
    bodies: dict[str, str]  # by function

    def __str__(self) -> str:
        return f"{self.task_id} {self.symbol} - {self.what}".replace("/", " over ")

    @property
    def function(self) -> tuple[str, str]:
        """The task and the function that it is about."""
        return self.task_id, self.symbol

    def module(self, reference: str) -> str:
        """Return the text of the reference with these bodies."""
        text = reference
        for symbol, body in self.bodies.items():
            lines = text.splitlines()
            region = marked_regions(text, "reference")[symbol]
            indent = re.match(r"\s*", lines[region.begin - 1])
            body = textwrap.indent(body, indent.group() if indent else "")
            text = "\n".join([*lines[: region.begin - 1], body, *lines[region.end :]]) + "\n"
        return text


def nothing(task_id: str, symbol: str) -> Variant:
    """Return the variant that does nothing: what it loses is what the function is worth."""
    body = 'raise RuntimeError("this function does nothing")'
    return Variant(task_id, symbol, "does nothing", "", frozenset(), {symbol: body})


def read(name: str) -> list[Variant]:
    """Read all files of variants whose names begin with this one, such as ngrams_wrong."""
    return [each for path in sorted(HERE.glob(f"{name}*.txt")) for each in _read_file(path)]


def _read_file(path: Path) -> Iterator[Variant]:
    _, *parts = re.split(r"(?m)^(?=== )", path.read_text("utf-8"))
    for part in parts:
        head, _, text = part.partition("\n")
        said = _HEAD.match(head)
        assert said, f"{path.name}: {head}"
        names = frozenset((said["is"] or "").split(",")) - {""}
        body, *further = _FURTHER.split(text)
        bodies = dict(zip([said["symbol"], *further[::2]], [body, *further[1::2]], strict=True))
        bodies = {symbol: body.strip("\n") for symbol, body in bodies.items()}
        yield Variant(said["task"], said["symbol"], said["what"], said["kind"] or "", names, bodies)


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
    kept: float  # share of what its function is worth

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
    def unfair(self) -> bool:
        """Whether an edge case costs too much, or a missed idea too little."""
        too_little = self.variant.kind == "edge" and self.kept < EDGE_KEEPS
        return too_little or (self.variant.kind == "idea" and self.kept > IDEA_KEEPS)

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
    names: dict[str, str],
) -> Iterator[Outcome]:
    """Yield what became of each; `names` gives a misconception's name by its sentence.

    The results hold, for each function, those of the variant that does nothing.
    """
    for variant in variants:
        result = results[str(variant)]
        tasks = {each.task.id: each for each in result.tasks}
        own = tasks.pop(variant.task_id)
        lost = tuple(each for each in tasks.values() if each.score < each.task.points)
        tests = [test for each in result.tasks for test in each.tests]
        said = frozenset(names[test.misconception] for test in tests if test.misconception)
        worth = _failing(results[str(nothing(*variant.function))], variant.task_id)
        lacks = _failing(result, variant.task_id)
        kept = sum(worth[test] for test in worth.keys() - lacks.keys()) / sum(worth.values())
        yield Outcome(variant, own, lost, said, kept)


def _failing(result: SubmissionResult, task_id: str) -> dict[str, float]:
    """Return the weights of a task's tests that did not pass."""
    tests = next(each.tests for each in result.tasks if each.task.id == task_id)
    return {test.name: test.weight for test in tests if test.verdict is not Verdict.PASSED}
