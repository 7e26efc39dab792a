"""A suite of several files, whose tests take turns: what one file has set up is ended in time."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from examiner.boundary.deadline import Deadline
from examiner.judge.runs import Run, Terms
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
            raised[test.name] = suite.run(test, Run(None, Deadline(5), Terms())).raised

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


SAYS = '''"""A suite."""

import pytest


@pytest.mark.task("9.1", visible=True)
def test_same(coursework, rng):
    """Two packages differ."""
    assert (coursework.mean, rng.integers(9) < 9) == (1.5, True)


@pytest.mark.task("9.1")
def test_drawn(coursework, rng):
    """The draw is told."""
    coursework.draws.append(int(rng.integers(1 << 40)))
'''


def test_a_run_is_a_value(tmp_path: Path) -> None:
    """What one run is given and finds says nothing of another."""
    path = tmp_path / "test_tiny.py"
    path.write_text(SAYS, "utf-8")
    wrong, right = (SimpleNamespace(mean=mean, draws=[]) for mean in (1, 1.5))

    def work(suite: Suite) -> None:
        same, drawn = suite.tests
        found = suite.run(same, Run(wrong, Deadline(5), Terms(traced=True)))
        fine = suite.run(same, Run(right, Deadline(5), Terms()))
        assert isinstance(found.raised, AssertionError)
        assert found.raised.__traceback__ is None, "frames would hold the student's objects"
        assert found.trace is not None
        assert found.compared is not None
        assert found.compared.left == (1, True)
        assert found.asked == "(coursework.mean, rng.integers(9) < 9) == (1.5, True)"
        assert (fine.raised, fine.compared, fine.asked, fine.trace) == (None, None, "", None)
        for terms in (Terms("a"), Terms("b"), Terms("a", {"test_drawn": 1}), Terms("a")):
            assert suite.run(drawn, Run(right, Deadline(5), terms)).raised is None

    with_suite(path, tmp_path, work)
    first, second, third, again = right.draws
    assert len({first, second, third}) == 3
    assert first == again
    assert not wrong.draws


def test_a_second_suite_of_the_same_name_is_read_itself(tmp_path: Path) -> None:
    """One process reads several: what it knew by that name is not given again."""
    names: list[list[str]] = []
    for number, folder in enumerate((tmp_path / "one", tmp_path / "two")):
        folder.mkdir()
        text = SAYS.replace("test_drawn", f"test_drawn_{number}")
        (folder / "test_tiny.py").write_text(text, "utf-8")
        path = folder / "test_tiny.py"
        with_suite(path, folder, lambda suite: names.append([test.name for test in suite.tests]))
    assert names[0][1:] == ["test_drawn_0"]
    assert names[1][1:] == ["test_drawn_1"]
