"""What `nextword check` knows besides the tests: examples of docstrings, and locked sentences."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from examiner.check.known import Known, load
from examiner.judge.mistakes import load_misconceptions
from examiner.project import Project, find_project
from tests.course import CHAPTERS

Command = Callable[..., Result]
PROJECT = find_project(Path(__file__))
ADD = "return a + b"
EXAMPLE = '''"""Return the sum. About 1 line.

    >>> add(2, 2)
    4
    >>> print(add("a", "b"))
    ab
    """'''
USES_ADD = '''"""Return how many steps were taken.

        >>> counter = Counter(); add(counter.step(), 1)
        2
        """'''
MISTAKES = """Mistakes.

== 9.1 add | subtracts
> You subtracted.
return a - b

== 9.1 add | multiplies
> You multiplied.
return a * b

== 9.1 add | takes_the_second
> You took the second number.
return b
"""


@pytest.fixture
def course(demo_course: Path, nextword: Command) -> Path:
    solution = demo_course / "solutions" / "demo.py"
    text = solution.read_text("utf-8")
    text = text.replace('"""Return the sum. About 1 line."""', EXAMPLE)
    text = text.replace('"""Return how many steps were taken."""', USES_ADD)
    solution.write_text(text, "utf-8")
    mistakes = demo_course / "tests" / "demo" / "mistakes" / "add.txt"
    mistakes.parent.mkdir(parents=True)
    mistakes.write_text(MISTAKES, "utf-8")
    assert nextword("sync").exit_code == 0
    return demo_course


def write_work(course: Path, old: str = ADD, new: str = ADD) -> None:
    text = (course / "solutions" / "demo.py").read_text("utf-8")
    assert old in text
    (course / "coursework" / "demo.py").write_text(text.replace(old, new), "utf-8")


def by_name(result: Result) -> dict[str, dict[str, Any]]:
    tasks = json.loads(result.output)["submissions"][0]["tasks"]
    return {test["name"]: test for task in tasks for test in task["tests"]}


@pytest.mark.slow
def test_examples_are_visible_tests_and_worth_nothing(course: Path, nextword: Command) -> None:
    write_work(course)
    result = nextword("check", "demo", "--json")
    assert result.exit_code == 0
    names = ["example_of_add", "test_small_sum", "example_of_Counter.step", "test_counter"]
    assert list(by_name(result)) == names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "verdict", "message"),
    [
        ("return 3 if a == 1 else 5", "failed", "add(2, 2)\n  got       5\n  expected  4"),
        ("return (c for c in [a + b])", "failed", "got       [4]"),
        ("return float(a) + b if a == 2 else a + b", "passed", ""),
        ("print('noise'); return a + b", "failed", "noise"),  # in what the example prints
        ("raise NotImplementedError", "missing", "not written yet"),
        ("return {}[a]", "failed", "KeyError in line"),
        pytest.param(
            "while True: pass", "timeout", "took more than 5 s of computing", marks=pytest.mark.slow
        ),
    ],
)
def test_an_example_fails_as_a_test_does(
    course: Path,
    nextword: Command,
    monkeypatch: pytest.MonkeyPatch,
    new: str,
    verdict: str,
    message: str,
) -> None:
    if verdict == "timeout":
        new = f"\n    if a == 2:\n        {new}\n    {ADD}"
    write_work(course, ADD, new)
    test = by_name(nextword("check", "9.1", "--json"))["example_of_add"]
    assert test["verdict"] == verdict
    assert message in test["message"]


def test_an_example_that_uses_a_wrong_function_of_another_task_says_nothing(
    course: Path, nextword: Command
) -> None:
    write_work(course, ADD, "raise NotImplementedError")
    result = nextword("check", "9.2", "--json")
    assert list(by_name(result)) == ["test_counter"]
    assert result.exit_code == 0


@pytest.mark.slow
def test_a_mistake_is_named_and_no_other_answer(course: Path, nextword: Command) -> None:
    for new, says in (
        ("return a - b", "You subtracted."),
        ("return float(a - b)", "You subtracted."),
        ("return a - b if a else 0", ""),  # right where a is 0
        ("return 7", ""),
    ):
        write_work(course, ADD, new)
        [example] = json.loads(nextword("check", "9.1", "--json").output)["submissions"][0][
            "tasks"
        ][0]["examples"]
        assert example["says"] == says
        assert example["call"].startswith("add(")
    write_work(course, ADD, "return a - b")
    shown = nextword("check", "9.1").output
    assert "This looks like: You subtracted." in shown
    assert re.search(r"add\(\d, \d\)\n +gives +-?\d\n +right is  \d\n", shown)


@pytest.mark.parametrize("what", ["demo", "9.2"])
def test_the_function_of_another_task_that_is_behind_an_example_is_named(
    course: Path, nextword: Command, what: str
) -> None:
    solution = course / "solutions" / "demo.py"
    text = solution.read_text("utf-8")
    assert "self.count += 1" in text
    mine = text.replace("self.count += 1", "self.count = add(self.count, 1)")
    (course / "coursework" / "demo.py").write_text(mine.replace(ADD, "return a - b"), "utf-8")
    said = nextword("check", what).output
    assert "it calls `add` (9.1), not right yet either: mend that first" in said
    assert said.count("This looks like") == (what == "demo"), "of add alone"


def test_the_file_hands_over_nothing(course: Path) -> None:
    text = Project(course).known("demo").read_text("utf-8")
    for told in ("subtracted", "a - b", "return"):
        assert told not in text


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "[1", "[]", '{"examples": {"add": 3}, "sentences": {}}'])
def test_a_broken_file_is_no_obstacle(course: Path, nextword: Command, text: str) -> None:
    Project(course).known("demo").write_text(text, "utf-8")
    write_work(course)
    assert nextword("check", "demo").exit_code == 0
    assert load(Project(course).known("demo")) == Known()


@pytest.mark.parametrize("stem", [chapter.stem for chapter in CHAPTERS])
def test_no_file_of_the_course_holds_a_sentence_in_plain_words(stem: str) -> None:
    text = PROJECT.known(stem).read_text("utf-8")
    assert len(load(PROJECT.known(stem)).sentences) > 5
    for mistake in load_misconceptions(PROJECT, stem):
        assert mistake.says[:30] not in text
