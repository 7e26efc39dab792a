"""The smallest examples of wrong answers: each function has programs that tell right from wrong.

Measured on the mistakes and on answers of others, right and wrong; benchmarks/counterexamples.py
prints the messages.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from examiner.boundary.errors import Stop
from examiner.counterexamples.comparing import differs
from examiner.counterexamples.examples import Examples
from examiner.counterexamples.pool import Case, Outcome, Pool, outcomes, pool_of
from examiner.counterexamples.search import Found, ask, smallest
from examiner.counterexamples.telling import shown
from examiner.judge.local import on_module
from examiner.judge.mistakes import Answer, load_answers, load_misconceptions
from examiner.judge.modules import load_module
from examiner.judge.session import Session
from examiner.judge.suite import Suite, with_suite
from examiner.judge.wording import Source
from examiner.project import find_project
from tests.browser import THOROUGH
from tests.course import CHAPTERS, COURSE

PROJECT = find_project(Path(__file__))
STEMS = [chapter.stem for chapter in CHAPTERS]
# wrong answers that have no example, for no small program tells them from right ones
WITHOUT_EXAMPLE = {
    # in time
    "1.9 train_bpe - everything is counted again before each merge",
    "3.11 spearman - ranks by comparing all",
    "5.2 Translator.translate - stops only when all rows end at once",
    # in memory
    "5.10 grouped_attention - copies keys and values",
    "5.11 blockwise_attention - all keys for each block of queries",
    "5.11 blockwise_attention - all scores of a block of queries in a list",
    "5.11 blockwise_attention - block is ignored",
    "5.11 blockwise_attention - look, block of queries by block of queries",
    "5.11 blockwise_attention - the whole table",
    "5.12 windowed_attention - a mask of T by T",
    # by a library that is forbidden
    "6.1 layer_norm_gradients - autograd",
    "6.8 adamw - torch.optim",
    # with more or other numbers than a small program has
    "1.8 rerank - an unstable argsort",
    "6.9 generate - PAD and BOS are very unlikely",
    # in the order of a set, which is another one in each run
    "2.11 generate - draws from a set of words",
}
LARGEST = 9  # tokens of an example in the median: three by three numbers
FEWEST = 5  # programs of a function
SECONDS = 600.0
EVERY = 28  # programs of which one is pasted, and wrong answers of which one is asked again
SAMPLE = 20  # answers of which one is tried


def session_on(suite: Suite, answer: Answer) -> Session:
    session = on_module(suite, answer.reference.path.stem, answer.module())
    session.talk.begin(0, SECONDS)
    return session


@dataclass(frozen=True)
class Shown:
    """What a wrong or right answer is shown."""

    answer: Answer
    found: Found | None

    def __str__(self) -> str:
        return f"{self.answer} ({self.answer.place})"


@dataclass(frozen=True)
class Chapter:
    """The pools of a chapter, and what its answers are shown."""

    pools: dict[str, Pool]  # by task
    shows: list[Shown]

    @property
    def wrong(self) -> list[Shown]:
        """The wrong answers."""
        return [each for each in self.shows if each.answer.kind != "right"]


def in_suite(stem: str, work: Callable[[Suite, Examples], None]) -> None:
    """Do some work while the suite of a chapter is collected."""
    reference = PROJECT.module("solutions", stem)

    def collected(suite: Suite) -> None:
        work(suite, Examples(suite, stem, reference, load_misconceptions(PROJECT, stem)))

    with_suite(PROJECT.suite(stem), PROJECT.root, collected)


@cache
def surveyed(stem: str) -> Chapter:
    """Ask answers of others for the programs of their functions: one of twelve in a quick run."""
    pools, shows = dict[str, Pool](), list[Shown]()

    def work(suite: Suite, examples: Examples) -> None:
        for answer in load_answers(PROJECT, stem)[:: 1 if THOROUGH else SAMPLE]:
            pool = pools.setdefault(answer.task_id, examples.pool(answer.task_id))
            shows.append(Shown(answer, first_example(suite, pool, answer)))

    in_suite(stem, work)
    return Chapter(pools, shows)


def first_example(suite: Suite, pool: Pool, answer: Answer) -> Found | None:
    session = session_on(suite, answer)
    for symbol in dict.fromkeys([answer.symbol, *answer.bodies]):
        cases = pool.of(answer.task_id, symbol)
        try:
            asked = ask(session.talk, pool, cases) if cases else None
            found = smallest(session.talk, pool, asked) if asked else None
        except Stop as stop:
            return Found(cases[0], Outcome("slow", text=stop.message))
        if found is not None:
            return found
    return None


@pytest.mark.slow
@pytest.mark.turns("stem")
@pytest.mark.parametrize("stem", STEMS)
def test_each_function_has_small_programs(stem: str) -> None:
    pool = pool_of(PROJECT.suite(stem), PROJECT.root, PROJECT.module("solutions", stem))
    functions = [(t.id, each) for t in COURSE.catalogue.chapter(stem).tasks for each in t.symbols]
    few = {symbol for task_id, symbol in functions if len(pool.of(task_id, symbol)) < FEWEST}
    assert not few


@pytest.mark.slow
@pytest.mark.turns("stem")
@pytest.mark.parametrize("stem", STEMS)
def test_what_is_shown_can_be_pasted(stem: str) -> None:
    reference = load_module(PROJECT.module("solutions", stem), f"pasted_{stem}")
    failures = []

    def work(suite: Suite, examples: Examples) -> None:
        session = on_module(suite, stem, reference)
        session.talk.begin(0, SECONDS)
        for task in COURSE.catalogue.chapter(stem).tasks:
            pool = examples.pool(task.id)
            for case in pool.cases[task.id][::EVERY]:
                assert case.right is not None
                call = shown(Found(case, case.right), pool, Source("", "")).call
                [got] = outcomes(session.talk, [[[], call, ""]], 10.0)
                if differs(case, got):
                    failures.append(f"{call}\n{got}\n{case.right}")

    in_suite(stem, work)
    assert not failures, "\n\n".join(failures[:3])


@pytest.mark.slow
@pytest.mark.turns("stem")
@pytest.mark.parametrize("stem", STEMS)
def test_every_wrong_answer_has_a_small_example_or_says_why_not(stem: str) -> None:
    wrong = surveyed(stem).wrong
    have = {str(each.answer): each.found is not None for each in wrong}
    assert [name for name in have if have[name] == (name in WITHOUT_EXAMPLE)] == []
    sizes = [each.found.case.size for each in wrong if each.found]
    assert statistics.median(sizes) <= LARGEST


@pytest.mark.slow
@pytest.mark.turns("stem")
@pytest.mark.parametrize("stem", STEMS)
def test_no_right_answer_has_an_example(stem: str) -> None:
    right = [each for each in surveyed(stem).shows if each.answer.kind == "right"]
    assert right
    assert [str(each) for each in right if each.found] == []


@pytest.mark.thorough
@pytest.mark.parametrize("stem", STEMS)
def test_an_example_is_true_and_the_same_when_it_is_tried_again(stem: str) -> None:
    chapter = surveyed(stem)

    def work(suite: Suite, examples: Examples) -> None:
        for each in chapter.wrong[::EVERY]:
            if each.found is None or each.found.got.kind == "slow":
                continue
            pool = chapter.pools[each.answer.task_id]
            again = first_example(suite, pool, each.answer)
            assert again is not None, each
            assert again.case.key == each.found.case.key, each
            if not each.found.form:
                assert alone_differs(suite, pool, each.answer, each.found.case), each

    in_suite(stem, work)


def alone_differs(suite: Suite, pool: Pool, answer: Answer, case: Case) -> bool:
    """Ask a fresh module for the one program."""
    [got] = outcomes(session_on(suite, answer).talk, pool.programs([case]))
    return differs(case, got)


@pytest.mark.thorough
@pytest.mark.parametrize("stem", STEMS)
def test_each_mistake_is_named(stem: str) -> None:
    """Its sentence is said of it, and of no other mistake: two that look alike are silent."""
    said: dict[str, list[str]] = {}

    def work(suite: Suite, examples: Examples) -> None:
        for task in COURSE.catalogue.chapter(stem).tasks:
            found = examples.sentences(task)
            said[task.id] = [says for each in found.values() for says in each.values()]

    in_suite(stem, work)
    mistakes = load_misconceptions(PROJECT, stem)
    silent = [f"{each} ({each.place})" for each in mistakes if each.says not in said[each.task_id]]
    assert len(silent) <= 0.1 * len(mistakes), silent
