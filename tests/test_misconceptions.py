"""Each misconception is a test of its chapter's suite: some test of the task must reject it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from nextword import catalogue
from nextword.check.runner import run_suite
from nextword.judge.local import on_module
from nextword.judge.misconceptions import Misconception, load_misconceptions, wrong_module
from nextword.results import Verdict

ROOT = Path(__file__).parents[1]
STEMS = [path.stem for path in sorted((ROOT / "solutions").glob("*.py")) if path.stem[0] != "_"]


@dataclass(frozen=True)
class Case:
    """A misconception of a chapter, with a name for the list of tests."""

    stem: str
    mistake: Misconception

    def __str__(self) -> str:
        return f"{self.stem}-{self.mistake.task_id}-{self.mistake.name}"


@cache
def cases() -> tuple[Case, ...]:
    folder = ROOT / "tests" / "misconceptions"
    return tuple(
        Case(stem, mistake)
        for stem in STEMS
        for mistake in load_misconceptions(folder / f"{stem}.py")
    )


@pytest.mark.parametrize("case", cases(), ids=str)
def test_each_misconception_is_rejected_by_its_task(case: Case) -> None:
    module = wrong_module(ROOT / "solutions" / f"{case.stem}.py", case.mistake)
    results = run_suite(
        ROOT / "tests" / "suites" / f"test_{case.stem}.py",
        lambda suite: on_module(suite, case.stem, module),
        root=ROOT,
        seed="misconceptions",
        task_ids=[case.mistake.task_id],
        visible_only=False,
    )
    verdicts = {result.name: result.verdict for _, result in results}
    assert Verdict.FAILED in verdicts.values(), verdicts
    # an answer that cannot be used at all would be no mistake that someone can make unnoticed
    assert set(verdicts.values()) <= {Verdict.PASSED, Verdict.FAILED}, verdicts


@pytest.mark.parametrize("stem", STEMS)
def test_each_task_has_misconceptions_that_differ(stem: str) -> None:
    of_chapter = [case.mistake for case in cases() if case.stem == stem]
    for task in catalogue.chapter(stem).tasks:
        sentences = [each.says for each in of_chapter if each.task_id == task.id]
        assert len(sentences) >= 2, f"task {task.id}"
        assert len(set(sentences)) == len(sentences), f"task {task.id}"


@pytest.mark.parametrize("case", cases(), ids=str)
def test_each_misconception_replaces_a_part_of_its_task(case: Case) -> None:
    assert case.mistake.replaces in catalogue.task(case.mistake.task_id).symbols
    assert case.mistake.says.endswith(".")
