"""The task catalogue: well-formed, in order, and clear about what it does not know."""

import pytest

from examiner import catalogue
from examiner.catalogue import parse_chapter
from examiner.errors import UserError

TASK = """
[[tasks]]
id = "9.{number}"
title = "A task"
symbols = ["{symbol}"]
see = "section 9.1"
points = 2
minutes = 5
difficulty = "easy"
hints = ["a", "b", "c"]
"""
HEAD = 'stem = "demo"\nnumber = 9\ntitle = "Demo"\n'


def test_tasks_are_sorted_by_number_not_by_letter() -> None:
    text = HEAD + TASK.format(number=10, symbol="f") + TASK.format(number=9, symbol="g")
    assert [task.id for task in parse_chapter(text).tasks] == ["9.9", "9.10"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (TASK.format(number=1, symbol="f").replace('"c"', '"c", "d"'), "4 hints"),
        (TASK.format(number=1, symbol="f").replace("easy", "fun"), "difficulty"),
        (TASK.format(number=1, symbol="f").replace("9.1", "8.1"), "stands in chapter 9"),
        (TASK.format(number=1, symbol="f") + TASK.format(number=2, symbol="f"), "f belongs to"),
        (TASK.format(number=1, symbol="f") + 'hint = "a"\n', "task 9.1: unknown key 'hint'"),
        (TASK.format(number=1, symbol="f").replace("minutes = 5", ""), "'minutes' is missing"),
        (TASK.format(number=1, symbol="f").replace('"9.1"', '"one"'), "task one: an id is"),
        ('author = "me"\n', "unknown key 'author'"),
        ("[[tasks]", "no TOML"),
    ],
)
def test_contradictions_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=rf"^demo\.toml.*{complaint}"):
        parse_chapter(HEAD + text, "demo.toml")


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"the chapters are: .*ngrams"):
        catalogue.chapter("poems")
    with pytest.raises(UserError, match=r"its tasks are 2\.1"):
        catalogue.task("2.99")
    with pytest.raises(UserError, match=r"the tasks are .*2\.1 to"):
        catalogue.resolve("99.1")


def test_a_chapter_is_found_by_stem_number_and_task() -> None:
    by_stem, all_tasks = catalogue.resolve("ngrams")
    assert catalogue.resolve("2") == (by_stem, all_tasks)
    assert catalogue.resolve("2.1") == (by_stem, (by_stem.task("2.1"),))


def test_every_task_is_complete() -> None:
    for chapter in catalogue.chapters():
        for task in chapter.tasks:
            assert task.points > 0
            assert task.minutes > 0
            assert task.symbols
            assert len(set(task.hints)) == 3
            assert all(len(hint) > 20 for hint in task.hints), task.id
