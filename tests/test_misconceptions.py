"""Each misconception is a test of its chapter's suite: some test of the task must reject it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from nextword import catalogue
from nextword.judge.local import on_module
from nextword.judge.misconceptions import Misconception, load_misconceptions, wrong_module
from nextword.judge.suite import Suite, with_suite
from nextword.judge.timelimit import time_limit
from nextword.project import find_project
from nextword.results import Verdict

PROJECT = find_project(Path(__file__))
STEMS = [chapter.stem for chapter in catalogue.chapters()]


@dataclass(frozen=True)
class Case:
    """A misconception of a chapter, with a name for the list of tests."""

    stem: str
    mistake: Misconception

    def __str__(self) -> str:
        return f"{self.stem}-{self.mistake.task_id}-{self.mistake.name}"


def declared(stem: str) -> tuple[Misconception, ...]:
    path = PROJECT.misconceptions(stem)
    return load_misconceptions(path) if path else ()


CASES = [Case(stem, mistake) for stem in STEMS for mistake in declared(stem)]


@cache
def verdicts_of(stem: str) -> dict[str, dict[str, Verdict]]:
    """Each misconception's verdicts in the tests of its task; the suite is collected once."""
    found: dict[str, dict[str, Verdict]] = {}

    def work(suite: Suite) -> None:
        suite.seed = "misconceptions"
        suite.bound = lambda deadline: time_limit(deadline.seconds)
        for mistake in declared(stem):
            module = wrong_module(PROJECT.module("solutions", stem), mistake)
            session = on_module(suite, stem, module)
            tests = [test for test in suite.tests if test.mark.id == mistake.task_id]
            found[mistake.name] = {test.name: session.run(test).verdict for test in tests}

    with_suite(PROJECT.suite(stem), PROJECT.root, work)
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_misconception_is_rejected_by_its_task(case: Case) -> None:
    verdicts = verdicts_of(case.stem)[case.mistake.name]
    assert Verdict.FAILED in verdicts.values(), verdicts
    # an answer that cannot be used at all would be no mistake that someone can make unnoticed
    assert set(verdicts.values()) <= {Verdict.PASSED, Verdict.FAILED}, verdicts


@pytest.mark.parametrize("stem", STEMS)
def test_each_task_has_misconceptions_that_differ(stem: str) -> None:
    of_chapter = [case.mistake for case in CASES if case.stem == stem]
    for task in catalogue.chapter(stem).tasks:
        sentences = [each.says for each in of_chapter if each.task_id == task.id]
        assert len(sentences) >= 2, f"task {task.id}"
        assert len(set(sentences)) == len(sentences), f"task {task.id}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_misconception_replaces_a_part_of_its_task(case: Case) -> None:
    assert case.mistake.replaces in catalogue.task(case.mistake.task_id).symbols
    assert case.mistake.says.endswith(".")
