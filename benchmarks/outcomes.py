"""What grading makes of right and wrong answers that a suite was not written for.

How many mistakes are caught, how many get the sentence that says so, whether one is charged twice,
and whether an edge case costs less than the idea. Leaves out reading the answers
(examiner.judge.mistakes) and grading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from examiner.judge.mistakes import Answer, nothing
from examiner.results import SubmissionResult, TaskResult, Verdict

EDGE_KEEPS, IDEA_KEEPS = 0.6, 0.4  # at least and at most, of what the function is worth


def idle(answer: Answer) -> Answer:
    """Return the answer with a function that does nothing: it loses what that is worth."""
    return nothing(answer.reference, answer.task_id, [answer.symbol])


def write_class(answers: Iterable[Answer], stem: str, folder: Path) -> None:
    """Write a folder for each answer, as students hand them in."""
    for answer in answers:
        (folder / str(answer)).mkdir(parents=True)
        (folder / str(answer) / f"{stem}.py").write_text(answer.text, "utf-8")


@dataclass(frozen=True)
class Outcome:
    """What became of a wrong answer."""

    answer: Answer
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
        return bool(self.named) and self.named <= self.answer.named_by

    @property
    def named_wrong(self) -> bool:
        """Whether a sentence was said that is not of this mistake."""
        return bool(self.named - self.answer.named_by)

    @property
    def unfair(self) -> bool:
        """Whether an edge case costs too much, or a missed idea too little."""
        too_little = self.answer.kind == "edge" and self.kept < EDGE_KEEPS
        return too_little or (self.answer.kind == "idea" and self.kept > IDEA_KEEPS)

    @property
    def silent(self) -> bool:
        """Whether a hidden test failed of which nothing is said but that it failed."""
        return any(
            not (test.message or test.misconception or self.task.examples)
            for test in self.task.tests
            if test.verdict is Verdict.FAILED and not test.visible
        )


def outcomes(
    answers: Iterable[Answer],
    results: dict[str, SubmissionResult],
    names: dict[str, str],
) -> Iterator[Outcome]:
    """Yield what became of each; `names` gives a misconception's name by its sentence.

    The results hold, for each function, those of the answer that does nothing.
    """
    for answer in answers:
        result = results[str(answer)]
        tasks = {each.task.id: each for each in result.tasks}
        own = tasks.pop(answer.task_id)
        lost = tuple(each for each in tasks.values() if each.score < each.task.points)
        tests = [test for each in result.tasks for test in each.tests]
        said = frozenset(names[test.misconception] for test in tests if test.misconception)
        worth = _failing(results[str(idle(answer))], answer.task_id)
        lacks = _failing(result, answer.task_id)
        kept = sum(worth[test] for test in worth.keys() - lacks.keys()) / sum(worth.values())
        yield Outcome(answer, own, lost, said, kept)


def _failing(result: SubmissionResult, task_id: str) -> dict[str, float]:
    """Return the weights of a task's tests that did not pass."""
    tests = next(each.tests for each in result.tasks if each.task.id == task_id)
    return {test.name: test.weight for test in tests if test.verdict is not Verdict.PASSED}
