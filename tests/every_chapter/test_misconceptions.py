"""Each misconception is a test of its chapter's suite: some test of the task must reject it.

And of the tests' weights: an edge case costs less than the idea. `make test` tries one of six, each
day others, `make test-thorough` all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from examiner.judge.local import on_module
from examiner.judge.mistakes import Answer, Misconception, load_misconceptions, nothing
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.judge.timelimit import time_limit
from examiner.project import find_project
from examiner.results import Verdict
from tests.browser import THOROUGH
from tests.course import CHAPTERS, COURSE
from tests.every_chapter.share_kept import (
    EDGE_KEEPS,
    IDEA_KEEPS,
    needing,
    share_kept,
)
from tests.turns import PARTS, in_turn

PROJECT = find_project(Path(__file__))
STEMS = [chapter.stem for chapter in CHAPTERS]
SECONDS = 60  # for a misconception


@dataclass(frozen=True)
class Case:
    """A misconception of a chapter, with a name for the list of tests."""

    stem: str
    mistake: Misconception

    def __str__(self) -> str:
        return f"{self.stem}-{self.mistake.task_id}-{self.mistake.name}"


def declared(stem: str) -> tuple[Misconception, ...]:
    return load_misconceptions(PROJECT, stem)


def tried(stem: str) -> Sequence[Misconception]:
    return in_turn(declared(stem), PARTS)


CASES = [Case(stem, mistake) for stem in STEMS for mistake in declared(stem)]
TRIED = [Case(stem, mistake) for stem in STEMS for mistake in tried(stem)]


@dataclass(frozen=True)
class Replay:
    """What became of a chapter's misconceptions in the tests of their tasks."""

    verdicts: dict[str, dict[str, Verdict]] = field(default_factory=dict)  # by name, by test
    weights: dict[str, float] = field(default_factory=dict)  # of tests
    of_function: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # task, function

    def kept(self, mistake: Misconception) -> float:
        """Return which share a mistake keeps, of what the tests of its function are worth."""
        tests = self.of_function[mistake.task_id, mistake.symbol]
        return share_kept(tests, self.weights, self.verdicts[mistake.name])


@cache
def replayed(stem: str) -> Replay:
    """Run each misconception through the tests of its task; the suite is collected once."""
    found = Replay()

    def work(suite: Suite) -> None:
        terms = Terms("misconceptions")

        def verdicts(mistake: Answer, first: Sequence[str] = ()) -> dict[str, Verdict]:
            """Run the tests of the task, `first` first, as far as anyone asks for them."""
            session = on_module(suite, stem, mistake.module())
            tests = [test for test in suite.tests if test.mark.id == mistake.task_id]
            tests.sort(key=lambda test: test.name not in first)
            seen: dict[str, Verdict] = {}
            with time_limit(SECONDS):  # around all: a limit for each would take as long as a test
                for test in tests:
                    weighed = test.name in first and mistake.kind  # kept() asks for all of these
                    if first and not THOROUGH and not weighed and Verdict.FAILED in seen.values():
                        break
                    seen[test.name] = session.run(test, terms).verdict
            return seen

        found.weights.update((test.name, test.mark.weight) for test in suite.tests)
        for mistake in tried(stem):
            key = mistake.task_id, mistake.symbol
            if key not in found.of_function:
                broken = verdicts(nothing(mistake.reference, mistake.task_id, [mistake.symbol]))
                found.of_function[key] = needing(broken)
            found.verdicts[mistake.name] = verdicts(mistake, found.of_function[key])

    with_suite(PROJECT.suite(stem), PROJECT.root, work)
    return found


@pytest.mark.slow
@pytest.mark.always
@pytest.mark.parametrize("case", TRIED, ids=str)
def test_each_misconception_is_rejected_by_its_task(case: Case) -> None:
    verdicts = replayed(case.stem).verdicts[case.mistake.name]
    assert Verdict.FAILED in verdicts.values(), verdicts
    # an answer that cannot be used at all would be no mistake that someone can make unnoticed
    assert set(verdicts.values()) <= {Verdict.PASSED, Verdict.FAILED}, verdicts


@pytest.mark.slow
@pytest.mark.always
@pytest.mark.parametrize("case", [case for case in TRIED if case.mistake.kind], ids=str)
def test_an_edge_case_costs_less_than_the_idea(case: Case) -> None:
    kept = replayed(case.stem).kept(case.mistake)
    if case.mistake.kind == "edge":
        assert kept >= EDGE_KEEPS
    else:
        assert kept <= IDEA_KEEPS


@pytest.mark.parametrize("stem", STEMS)
def test_each_task_has_misconceptions_that_differ(stem: str) -> None:
    of_chapter = [case.mistake for case in CASES if case.stem == stem]
    for task in COURSE.catalogue.chapter(stem).tasks:
        sentences = [each.says for each in of_chapter if each.task_id == task.id]
        assert len(sentences) >= 2, f"task {task.id}"
        assert len(set(sentences)) == len(sentences), f"task {task.id}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_misconception_replaces_a_part_of_its_task(case: Case) -> None:
    assert case.mistake.symbol in COURSE.catalogue.task(case.mistake.task_id).symbols
    assert case.mistake.says.endswith(".")


@pytest.mark.slow
def test_each_misconception_has_its_turn() -> None:
    for stem in STEMS:
        turns = [in_turn(declared(stem), PARTS, turn) for turn in range(PARTS)]
        assert {each.name for some in turns for each in some} == {e.name for e in declared(stem)}
