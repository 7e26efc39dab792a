"""Which mistake is named: the one that alone explains all that went wrong in a task."""

import re
import time
from pathlib import Path

import pytest

from examiner.results import SubmissionResult, TestResult
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

RIGHT = "return sum(numbers) / len(numbers)"
RAISES = "if not len(numbers):\n    raise ValueError\n"


def mistake(name: str, body: str, says: str, of: str = "mean", task: str = "9.1") -> str:
    return f"== {task} {of} | {name}\n> {says}\n{RAISES if of == 'mean' else ''}{body}\n"


def grade(tiny: TinyCourse, mistakes: str, **bodies: str) -> dict[str, SubmissionResult]:
    path = tiny.project.root / "tests" / "tiny" / "mistakes" / "mean.txt"
    path.write_text(mistakes, "utf-8")
    return tiny.grade({name: REFERENCE.replace(RIGHT, body) for name, body in bodies.items()})


def by_name(result: SubmissionResult) -> dict[str, TestResult]:
    return {test.name: test for task in result.tasks for test in task.tests}


def named(result: SubmissionResult) -> set[str]:
    return {test.misconception for test in by_name(result).values()} - {""}


DOUBLES = mistake("doubles", "return 2 * sum(numbers) / len(numbers)", "Twice too much.")
DOUBLES_TOO = mistake("sums_twice", "return (sum(numbers) + sum(numbers)) / len(numbers)", "Again.")
# like a constant 3 for the numbers 1 and 2, and otherwise not
ALWAYS_THREE = mistake("is_three", "return 3.0", "Always three.")


def test_a_mistake_is_named_in_all_tests_that_it_fails(tiny: TinyCourse) -> None:
    found = grade(tiny, DOUBLES, ann="return 2 * (sum(numbers) / len(numbers))")["ann"]
    assert named(found) == {"Twice too much."}
    wrong = [test.misconception for test in by_name(found).values() if test.misconception]
    assert len(wrong) == 2


def test_what_a_mistake_warns_of_is_told_to_nobody(
    tiny: TinyCourse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"

    def show(message: Warning, *_: object, **__: object) -> None:
        if "of a mistake" in str(message):  # and not what Python says of forks
            told.touch()

    monkeypatch.setattr("warnings.showwarning", show)
    warns = "import warnings\nwarnings.warn('of a mistake')\nreturn 2 * "
    found = grade(tiny, DOUBLES.replace("return 2 * ", warns), ann=f"return 2 * ({RIGHT[7:]})")
    assert named(found["ann"]) == {"Twice too much."}
    assert not told.exists()


def test_of_two_mistakes_with_the_same_answers_none_is_named(tiny: TinyCourse) -> None:
    found = grade(tiny, DOUBLES + DOUBLES_TOO, ann="return 2 * sum(numbers) / len(numbers)")
    assert named(found["ann"]) == set()


def test_one_that_explains_a_part_only_is_not_named(tiny: TinyCourse) -> None:
    found = grade(
        tiny,
        DOUBLES + ALWAYS_THREE,
        doubles="return 2 * sum(numbers) / len(numbers)",  # 3 as well, in the visible test
        three="return 3",
        adds="return sum(numbers) / len(numbers) + 1.5",  # 3 in the visible test
    )
    assert named(found["doubles"]) == {"Twice too much."}
    assert named(found["three"]) == {"Always three."}
    assert named(found["adds"]) == set()


def test_one_that_fails_what_the_student_passes_is_not_named(tiny: TinyCourse) -> None:
    wrong = "return 3.0 if list(numbers) == [1, 2] else sum(numbers) / len(numbers)"
    assert named(grade(tiny, ALWAYS_THREE + DOUBLES, ann=wrong)["ann"]) == set()


def test_an_example_tells_nothing_of_hidden_tests(tiny: TinyCourse) -> None:
    """What it gives comes from a process that has seen none, whatever the code remembers."""
    body = "SEEN.append([float(n) for n in numbers]); return str(SEEN)"
    source = REFERENCE.replace(RIGHT, body) + "\nSEEN = []\n"
    found = tiny.grade({"ann": source})["ann"]
    [example] = found.tasks[0].examples
    assert example.call == "mean([3.0])"
    assert set(re.findall(r"0\.\d{3,}", example.gives)) == set(), "hidden inputs are such numbers"


def test_a_process_that_ends_is_told_with_the_call_that_ends_it(tiny: TinyCourse) -> None:
    body = (
        "import os\n    if len(numbers) == 2: os._exit(7)\n    return sum(numbers) / len(numbers)"
    )
    found = tiny.grade({"ann": REFERENCE.replace(RIGHT, body)})["ann"]
    [example] = found.tasks[0].examples
    assert example.call.count(",") == 1, "a list of two numbers"
    assert example.gives == "your code ended the program (exit 7)"


def test_earlier_tasks_that_are_wrong_are_lent(tiny: TinyCourse) -> None:
    """The example of a task shows its own mistake, and not that of a function it calls."""
    text = REFERENCE.replace(RIGHT, "return 7")
    text = text.replace("return self.counts[word]", "return self.counts[word] + mean([1]) * 2")
    found = tiny.grade({"ann": text})["ann"]
    [example] = found.tasks[1].examples
    given = re.match(r'Bag\((.*)\)\.count\("(.)"\)', example.call)
    assert given is not None
    assert float(example.gives) == given[1].count(given[2]) + 2


@pytest.mark.parametrize(("examples", "shown"), [(True, 1), (False, 0)])
def test_examples_can_be_held_back(tiny: TinyCourse, examples: bool, shown: int) -> None:
    found = tiny.grade({"ann": REFERENCE.replace(RIGHT, "return 7")}, examples=examples)["ann"]
    assert len(found.tasks[0].examples) == 1, "the instructor has them in any case"
    for name in ("ann.html", "ann.md"):
        page = (tiny.project.root / "grades" / name).read_text("utf-8")
        assert page.count("right is") == shown
    told = (tiny.project.root / "grades" / "class" / "report.html").read_text("utf-8")
    assert "Where they differ" in told
    assert "mean([3.0])" in told


@pytest.mark.slow
def test_a_page_begins_with_what_is_wrong(tiny: TinyCourse) -> None:
    wrong = REFERENCE.replace("return self.counts[word]", "return 7")
    tiny.grade({"ann": wrong})
    page = (tiny.project.root / "grades" / "ann.html").read_text("utf-8")
    assert page.index("9.2 A bag of words") < page.index("Done: 1 of 2") < page.index("9.1 Mean")


def test_what_no_mistake_explains_is_shown_all_the_same(tiny: TinyCourse) -> None:
    found = grade(tiny, DOUBLES, ann="return [sum(numbers)]")["ann"]
    [example] = found.tasks[0].examples
    assert (example.call, example.gives, example.right) == ("mean([3.0])", "[3.0]", "3.0")
    assert example.where == "a list where a number is expected"
    page = (tiny.project.root / "grades" / "ann.html").read_text("utf-8")
    assert '<pre class="call">mean([3.0])</pre>' in page


@pytest.mark.slow
def test_code_that_sleeps_in_every_program_is_not_asked_for_ever(
    tiny: TinyCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examiner.counterexamples.examples.SECONDS", 0.2)
    body = "import time\n    time.sleep(0.0 if len(numbers) == 5 else 9.0)\n    return 7"
    before = time.monotonic()
    found = tiny.grade({"ann": REFERENCE.replace(RIGHT, body)})["ann"]
    [example] = found.tasks[0].examples
    assert example.gives.startswith("waited for more than 0.6 s"), example
    assert time.monotonic() - before < 40
