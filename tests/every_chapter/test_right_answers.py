"""No right work is refused by luck: answers that are marked right pass with seeds that are new.

They are right in another way than the reference is: another order of a sum, another dtype, another
way to draw. `make test` tries a part of them, each day others; `TURN=all` and `make test-thorough`
try all, with more seeds. Leaves out the reference itself (test_fresh_seeds.py).
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from examiner.catalogue import Chapter
from examiner.judge.local import on_module, time_bound
from examiner.judge.mistakes import Answer, load_answers
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, with_suite
from examiner.project import find_project
from examiner.results import Verdict
from tests.browser import THOROUGH
from tests.course import CHAPTERS
from tests.turns import ALL, PARTS, in_turn

PROJECT = find_project(Path(__file__))
SEEDS = 10 if THOROUGH else 3 if ALL else 1
NEW = os.environ.get("SEED") or secrets.token_hex(8)


def right(stem: str) -> list[Answer]:
    return [answer for answer in load_answers(PROJECT, stem) if answer.kind == "right"]


def refused(suite: Suite, stem: str, answer: Answer, seeds: Sequence[str]) -> Iterator[str]:
    """Tell which tests of its task an answer fails, and with which seeds."""
    session = on_module(suite, stem, answer.module())
    tests = [test for test in suite.tests if test.mark.id == answer.task_id]
    for seed in seeds:
        terms = Terms(seed, bound=time_bound)
        for test in tests if seed == seeds[0] else [test for test in tests if test.draws]:
            judged = session.run(test, terms)
            if judged.verdict is not Verdict.PASSED:
                what = judged.result.message or judged.raised or judged.verdict.value
                yield f'{answer.place}, {answer}: {test.name} with "{seed}": {what}'


# by chance, before a test of each was mended: chapter, answer, seed
REFUSED_ONCE = [("transformers", "6.9 generate - by the cumulative sum", "0156479ecd86ba3c 2")]


@pytest.mark.slow
@pytest.mark.parametrize(("stem", "name", "seed"), REFUSED_ONCE)
def test_chance_refuses_no_right_answer_again(stem: str, name: str, seed: str) -> None:
    [answer] = [each for each in right(stem) if str(each) == name]

    def work(suite: Suite) -> None:
        assert list(refused(suite, stem, answer, [seed])) == []

    with_suite(PROJECT.suite(stem), PROJECT.root, work)


@pytest.mark.slow
@pytest.mark.always
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_right_answers_pass_with_seeds_that_are_new(chapter: Chapter) -> None:
    seeds = [f"{NEW} {number}" for number in range(SEEDS)]
    answers, found = in_turn(right(chapter.stem), PARTS), list[str]()

    def work(suite: Suite) -> None:
        for answer in answers:
            found.extend(refused(suite, chapter.stem, answer, seeds))

    with_suite(PROJECT.suite(chapter.stem), PROJECT.root, work)
    assert not found, "\n".join([*found, f"SEED={NEW} in the environment draws the same again"])


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_each_task_has_right_answers(chapter: Chapter) -> None:
    assert {answer.task_id for answer in right(chapter.stem)} == {t.id for t in chapter.tasks}
