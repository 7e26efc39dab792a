"""No test of a suite can be passed by code that is not there or never answers."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from examiner.judge.local import on_module
from examiner.judge.suite import Suite, with_suite
from examiner.results import TestResult, Verdict

SUITES = Path(__file__).parents[1]
SUITE = '''"""A suite."""

import pytest


@pytest.fixture
def tiny(coursework):
    return coursework.tiny


@pytest.mark.task("9.1")
def test_error_alone(tiny):
    """Nothing has no mean."""
    with pytest.raises(ValueError):
        tiny.mean([])


@pytest.mark.task("9.1")
def test_value_first(tiny):
    """Nothing has no mean, and one number has."""
    assert tiny.mean([1]) == 1
    with pytest.raises(ValueError):
        tiny.mean([])


@pytest.mark.task("9.1")
def test_early_end(tiny):
    """The end of a test that found nothing to look at."""
    if hasattr(tiny, "mean"):
        return
'''


def results(tmp_path: Path, source: str) -> dict[str, TestResult]:
    module, found = ModuleType("tiny"), dict[str, TestResult]()
    module.__file__ = str(tmp_path / "tiny.py")
    exec(source, vars(module))
    (tmp_path / "test_tiny.py").write_text(SUITE, "utf-8")

    def work(suite: Suite) -> None:
        session = on_module(suite, "tiny", module)
        found.update({test.name: session.run(test) for test in suite.tests})

    with_suite(tmp_path / "test_tiny.py", tmp_path, work)
    return found


def test_who_never_answers_passes_nothing(tmp_path: Path) -> None:
    found = results(tmp_path, "def mean(numbers):\n    raise ValueError")
    assert {name: each.verdict for name, each in found.items()} == dict.fromkeys(
        ("test_error_alone", "test_value_first", "test_early_end"), Verdict.FAILED
    )
    assert found["test_error_alone"].message == "your code gave no answer in this test"


def test_a_test_that_asks_for_an_error_alone_fails_right_code_too(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        "def mean(numbers):\n    return (sum(numbers) / len(numbers) if numbers else int('x'))",
    )
    assert found["test_value_first"].verdict is Verdict.PASSED
    assert found["test_error_alone"].verdict is Verdict.FAILED


def early_ends(function: ast.FunctionDef) -> Iterator[int]:
    """The lines of a test in which it may end, or look whether there is anything to test."""
    left: list[ast.AST] = [*function.body]
    while left:
        node = left.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Return) or called in ("hasattr", "getattr"):
            yield node.lineno
        left += ast.iter_child_nodes(node)


@pytest.mark.parametrize(
    "path", sorted(SUITES.glob("*/suite/test_*.py")), ids=lambda path: path.stem
)
def test_no_test_ends_before_its_end(path: Path) -> None:
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found = list(early_ends(node))
            assert not found, f"{path}:{found[0]}: who lacks what {node.name} looks for passes it"


def test_an_early_end_is_seen() -> None:
    (test,) = [n for n in ast.parse(SUITE).body if getattr(n, "name", "") == "test_early_end"]
    assert isinstance(test, ast.FunctionDef)
    assert len(list(early_ends(test))) == 2
