"""The task catalogue: well-formed, in order, and clear about what it does not know."""

from datetime import date
from pathlib import Path

import pytest

from examiner.catalogue import parse_chapter, read_catalogue
from examiner.catalogue.settings import Settings
from examiner.errors import UserError
from examiner.project import Project
from tests.conftest import DEMO_CATALOGUE
from tests.course import CHAPTERS, COURSE

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
    catalogue = COURSE.catalogue
    with pytest.raises(UserError, match=r"the chapters are: .*ngrams"):
        catalogue.chapter("poems")
    with pytest.raises(UserError, match=r"its tasks are 2\.1"):
        catalogue.task("2.99")
    with pytest.raises(UserError, match=r"the tasks are .*2\.1 to"):
        catalogue.resolve("99.1")
    with pytest.raises(UserError, match="there is no chapter 'poems'; the chapters are: "):
        catalogue.resolve("coursework/poems.py")


@pytest.mark.parametrize(("name", "task"), [("build_vocabulary", "1.1"), ("LSTMCell.step", "4.6")])
def test_who_names_a_function_is_told_its_task(name: str, task: str) -> None:
    with pytest.raises(UserError, match=rf"^{name} is a part of task {task}: name that instead$"):
        COURSE.catalogue.resolve(name)


def test_a_chapter_is_found_by_stem_number_and_task() -> None:
    catalogue = COURSE.catalogue
    by_stem, all_tasks = catalogue.resolve("ngrams")
    assert catalogue.resolve("2") == (by_stem, all_tasks)
    assert catalogue.resolve("2.1") == (by_stem, (by_stem.task("2.1"),))


def test_every_chapter_is_found_by_whatever_it_is_called() -> None:
    assert any(each.task_of(each.stem) for each in CHAPTERS)  # `attention` is a function, too
    for each in CHAPTERS:
        for name in (each.stem, str(each.number), each.title):
            assert COURSE.catalogue.resolve(name)[0] is each


def test_every_task_is_complete() -> None:
    for chapter in CHAPTERS:
        for task in chapter.tasks:
            assert task.points > 0
            assert task.minutes > 0
            assert task.symbols
            assert len(set(task.hints)) == 3
            assert all(len(hint) > 20 for hint in task.hints), task.id


def test_the_file_of_a_chapter_is_named_after_it(demo_course: Path) -> None:
    (demo_course / "solutions" / "demo.toml").rename(demo_course / "solutions" / "other.toml")
    with pytest.raises(UserError, match=r"^other\.toml: its stem is 'demo'; .* be demo\.toml"):
        _ = Project(demo_course).catalogue


@pytest.mark.parametrize(
    ("folder", "flat"), [("solutions", False), ("coursework", False), ("", True)]
)
def test_each_kind_of_folder_holds_its_catalogue(tmp_path: Path, folder: str, flat: bool) -> None:
    for name, text in (("demo.toml", DEMO_CATALOGUE), ("demo.py", "")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text, "utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]", "utf-8")
    (tmp_path / "course.toml").write_text('title = "Proofs"', "utf-8")
    (chapter,) = Project(tmp_path, flat).catalogue.chapters
    assert chapter.heading == "Proofs · chapter 9, Demo"


def test_a_folder_without_a_catalogue_has_no_chapter(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no chapter 'demo'; the chapters are: none"):
        Project(tmp_path).catalogue.resolve("demo")
    with pytest.raises(UserError, match=r"no task '9\.1'; the tasks are none"):
        read_catalogue([]).resolve("9.1")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = [", "no TOML"),
        ('titel = "A"', "unknown key 'titel'; the keys are examples, files, "),
        ("title = 3", "title should be a text, it is 3"),
        ('examples = "soon"', 'the time of examples should be "at once", "never" or a day such as'),
        ('library = "numpy"', "library should be a list of texts"),
        ('library = ["no_such_package.part"]', "there is no package no_such_package"),
    ],
)
def test_settings_that_cannot_be_are_told(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "course.toml").write_text(text, "utf-8")
    with pytest.raises(UserError, match=rf"^course\.toml.*{complaint}"):
        _ = Project(tmp_path).settings.packages


def test_a_folder_that_is_newer_than_what_is_installed_is_told_so(tmp_path: Path) -> None:
    """Students keep the environment of their first assignment for the next one."""
    (tmp_path / "course.toml").write_text("key_of_a_later_release = 1\n", "utf-8")
    (tmp_path / "library").mkdir()
    with pytest.raises(UserError, match=r"installed\? pip install -r requirements\.txt$"):
        _ = Project(tmp_path).settings


@pytest.mark.parametrize(
    ("when", "shown"),
    [("at once", True), ("never", False), ("2026-12-01", True), ("2026-12-02", False)],
)
def test_examples_are_shown_from_a_day_on(when: str, shown: bool) -> None:
    assert Settings(examples=when).shows_examples(date(2026, 12, 1)) is shown


def test_chapters_go_by_stem_or_number_in_the_order_asked_each_once() -> None:
    names = ["rnns", "2", "ngrams", "4"]
    assert [each.stem for each in COURSE.catalogue.named(names)] == ["rnns", "ngrams"]
    with pytest.raises(UserError, match="no chapter '99'; the chapters are: language_models,"):
        COURSE.catalogue.named(["2", "99"])
