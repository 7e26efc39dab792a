"""Verdicts and messages, submission by submission, through the whole path of a grade."""

import pytest

from examiner.results import SubmissionResult, TestResult, Verdict
from tests.examiner.grading.conftest import REFERENCE, TinyCourse

SECRET = "SECRET-IN-A-MESSAGE"


def instead(old: str, new: str) -> str:
    assert old in REFERENCE
    return REFERENCE.replace(old, new)


RIGHT = "return sum(numbers) / len(numbers)"
SOURCES = {
    "right": REFERENCE,
    "numpy_types": instead(
        RIGHT, "import numpy as np\n    return np.float32(0) + np.mean(numbers)"
    ),
    "generators": instead("return [str(w)", "return (str(w)").replace("size)]", "size))"),
    "chatty": instead(
        RIGHT,
        f"print('x' * 10**6); import sys, warnings; warnings.warn('w')\n"
        f"    sys.stderr.write('y'); {RIGHT}",
    ),
    "windows": REFERENCE.replace("\n", "\r\n"),
    "with_mark": "\ufeff" + REFERENCE,
    "stub": instead(RIGHT, 'raise NotImplementedError("9.1 mean")'),
    "swallowed": instead(RIGHT, "raise NotImplementedError").replace(
        'raise ValueError("no numbers")', "raise NotImplementedError"
    ),
    "no_name": instead("def common", "def uncommon"),
    "one_less": instead(RIGHT, "return sum(numbers) / max(1, len(numbers) - 1)"),
    "off_by_one": instead(RIGHT, "return sum(numbers) / len(numbers) + 1"),
    "text": instead(RIGHT, 'return "1.5"'),
    "raises": instead(RIGHT, f'return {{}}["{SECRET}" + str(numbers)]'),
    "endless": instead(RIGHT, "\n    while True:\n        pass"),
    "leaves": instead(RIGHT, "import os; os._exit(0)"),
    "exits": instead(RIGHT, "import sys; sys.exit(0)"),
    "hungry": instead(RIGHT, "return len(bytearray(1 << 40))"),
    "syntax": "def mean(:\n",
    "import_error": "import nothing_of_that_name\n",
    "import_exit": "import os\nos._exit(0)\n",
    "import_notimplemented": "raise NotImplementedError\n",
    "agrees": instead(RIGHT, "return Agrees()")
    + "\nclass Agrees(float):\n    def __eq__(self, other): return True\n    __hash__ = None\n",
    "object": instead(RIGHT, "return Agrees()")
    + "\nclass Agrees:\n    __eq__ = lambda *_: True\n    __float__ = lambda _: 1.5\n",
    "nan": instead(RIGHT, 'return float("nan")'),
}


@pytest.fixture(scope="module")
def results(tiny_of_module: TinyCourse) -> dict[str, SubmissionResult]:
    return tiny_of_module.grade(SOURCES, jobs=2)


def verdicts(result: SubmissionResult) -> list[Verdict]:
    return [task.verdict for task in result.tasks]


def all_tests(result: SubmissionResult) -> list[TestResult]:
    return [test for task in result.tasks for test in task.tests]


@pytest.mark.slow
@pytest.mark.parametrize(
    "student", ["right", "numpy_types", "generators", "chatty", "windows", "with_mark"]
)
def test_a_right_answer_in_any_form_earns_everything(
    results: dict[str, SubmissionResult], student: str
) -> None:
    assert results[student].score == results[student].max_score == 10


@pytest.mark.parametrize(
    ("student", "verdict", "score"),
    [
        ("stub", Verdict.FAILED, 1),  # the guard before the stub's line is the student's
        ("swallowed", Verdict.MISSING, 0),
        ("one_less", Verdict.FAILED, 1),
        ("off_by_one", Verdict.FAILED, 1),
        ("text", Verdict.FAILED, 1),
        ("raises", Verdict.FAILED, 1),
        ("endless", Verdict.TIMEOUT, 1),
        ("leaves", Verdict.CRASHED, 1),
        ("exits", Verdict.CRASHED, 1),
        ("hungry", Verdict.MEMORY, 1),
        ("agrees", Verdict.FAILED, 1),
        ("object", Verdict.FAILED, 1),
        ("nan", Verdict.FAILED, 1),
    ],
)
def test_one_task_fails_alone(
    results: dict[str, SubmissionResult], student: str, verdict: Verdict, score: float
) -> None:
    first, second = results[student].tasks
    assert (first.verdict, first.score) == (verdict, score)
    assert second.verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("student", "verdict"),
    [
        ("syntax", Verdict.FAILED),
        ("import_error", Verdict.FAILED),
        ("import_exit", Verdict.CRASHED),
        ("import_notimplemented", Verdict.MISSING),
    ],
)
def test_what_cannot_be_imported_earns_nothing(
    results: dict[str, SubmissionResult], student: str, verdict: Verdict
) -> None:
    assert verdicts(results[student]) == [verdict, verdict]
    assert results[student].score == 0
    assert "cannot be imported" in results[student].notice


def test_a_missing_name_is_missing(results: dict[str, SubmissionResult]) -> None:
    by_name = {test.name: test for test in all_tests(results["no_name"])}
    assert by_name["test_two_bags"].verdict is Verdict.MISSING
    assert by_name["test_two_bags"].message == "tiny.py has no common"
    assert by_name["test_draws"].verdict is Verdict.PASSED


@pytest.mark.slow
def test_an_iteration_that_is_stopped_passes_no_test(tiny: TinyCourse) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    old = "    numbers = [float"
    new = "    assert all(n > 0 for n in map(tiny.mean, [[1], [2]]))\n    return\n"
    text = suite.read_text("utf-8").replace(old, new + old)
    suite.write_text(text, "utf-8")
    results = tiny.grade({"right": REFERENCE, "stops": instead(RIGHT, "raise StopIteration")})
    assert results["right"].score == 10
    verdicts = {test.name: test.verdict for test in all_tests(results["stops"])}
    assert verdicts["test_any_mean"] is Verdict.FAILED


@pytest.mark.slow
def test_a_test_runs_out_of_memory_before_the_machine_does(tiny: TinyCourse) -> None:
    suite = tiny.project.suite("tiny") / "test_tiny.py"
    text = suite.read_text("utf-8").replace(
        "assert tiny.mean([1, 2]) == 1.5", "assert len(bytes(int(tiny.mean([1, 2])))) < 4 << 30"
    )
    suite.write_text(text, "utf-8")
    results = tiny.grade({"right": REFERENCE, "large": instead(RIGHT, "return 3 << 30")})
    assert results["right"].score == 10
    first = results["large"].tasks[0].tests[0]
    assert first.verdict is Verdict.FAILED
    assert first.message == "your code's answer needs too much memory"


def test_a_misconception_is_named(results: dict[str, SubmissionResult]) -> None:
    sentences = {test.name: test.misconception for test in all_tests(results["one_less"])}
    assert sentences["test_mean_of_two"].startswith("You divided by one less")
    assert sentences["test_any_mean"].startswith("You divided by one less")
    assert sentences["test_no_mean"] == ""
    assert not any(test.misconception for test in all_tests(results["off_by_one"]))


def test_an_error_shows_the_students_own_line(results: dict[str, SubmissionResult]) -> None:
    by_name = {test.name: test for test in all_tests(results["raises"])}
    assert SECRET + "[1, 2]" in by_name["test_mean_of_two"].message  # a visible test
    hidden = by_name["test_any_mean"].message
    assert hidden.startswith("KeyError in line 12 of tiny.py: `return {}[")
    assert "[0." not in hidden


def test_hidden_assertions_are_never_shown(results: dict[str, SubmissionResult]) -> None:
    by_name = {test.name: test for test in all_tests(results["off_by_one"])}
    assert by_name["test_any_mean"].message == ""
    shown = "mean([1, 2])\n  got       2.5\n  expected  1.5"
    assert by_name["test_mean_of_two"].message == shown


def test_json_is_as_the_contract_says(results: dict[str, SubmissionResult]) -> None:
    found = results["one_less"].to_json()
    assert {"student", "score", "max_score", "tasks"} <= found.keys()
    task = found["tasks"][0]
    assert {"id", "title", "score", "max_score", "verdict", "tests"} <= task.keys()
    assert {"name", "verdict", "message", "misconception"} <= task["tests"][0].keys()
