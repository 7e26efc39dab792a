"""A suite of several files, whose tests take turns: what one file has set up is ended in time."""

from pathlib import Path

import pytest

from examiner.boundary.deadline import Deadline
from examiner.judge.suite import Suite, with_suite

PART = '''"""One file of a suite."""

import pytest

EVENTS = []


@pytest.fixture(scope="module")
def shared():
    EVENTS.append("made")
    yield
    EVENTS.append("ended")


@pytest.mark.task("9.1", visible=True)
def test_{name}_visible(shared):
    """It is seen."""
    assert EVENTS[-1] == "made"


@pytest.mark.task("9.1")
def test_{name}_hidden(shared):
    """It is not seen."""
    assert EVENTS[-1] == "made"
'''


@pytest.mark.parametrize("by", [lambda test: not test.mark.visible, lambda test: test.number])
def test_tests_of_several_files_run_in_any_order(tmp_path: Path, by) -> None:
    """Visible tests of all files come first when a class is graded, and each file's then stand."""
    folder = tmp_path / "tests" / "tiny" / "suite"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"test_{name}.py").write_text(PART.format(name=name), "utf-8")
    raised: dict[str, BaseException | None] = {}

    def work(suite: Suite) -> None:
        for test in sorted(suite.tests, key=by):
            raised[test.name], _ = suite.run(test, Deadline(5))

    with_suite(folder, tmp_path, work)
    assert len(raised) == 4
    assert set(raised.values()) == {None}


def test_options_of_the_environment_change_no_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody has set for their own runs of pytest neither stops nor changes grading."""
    folder = tmp_path / "tests" / "tiny" / "suite"
    folder.mkdir(parents=True)
    (folder / "test_one.py").write_text(PART.format(name="one"), "utf-8")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-vv -k hidden")
    monkeypatch.setenv("PYTEST_PLUGINS", "nowhere")
    found: list[str] = []
    with_suite(folder, tmp_path, lambda suite: found.extend(test.name for test in suite.tests))
    assert found == ["test_one_visible", "test_one_hidden"]
