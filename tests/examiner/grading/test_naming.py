"""Which mistake is named: the one that alone explains all that went wrong in a task."""

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


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return sum(numbers) / len(numbers) + 1", "mean gives a number that is too large"),
        ("return -sum(numbers) / len(numbers)", "mean gives a number with the wrong sign"),
        ("return [sum(numbers)]", "mean gives a list where a number is expected"),
    ],
)
def test_where_nothing_is_named_the_direction_is_said(
    tiny: TinyCourse, body: str, message: str
) -> None:
    found = by_name(grade(tiny, DOUBLES, ann=body)["ann"])
    assert found["test_any_mean"].message == message
    page = (tiny.project.root / "grades" / "ann.html").read_text("utf-8")
    assert message[0].upper() + message[1:] in page


def test_the_direction_is_no_channel_for_text(tiny: TinyCourse) -> None:
    body = "return {f'{numbers}': 'SECRET'}"
    found = by_name(grade(tiny, DOUBLES, ann=body)["ann"])
    assert found["test_any_mean"].message == "mean gives a dict where a number is expected"
