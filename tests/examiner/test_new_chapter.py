"""The skeleton of a chapter passes everything that the course asks of a chapter, as it is."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.browser import THOROUGH
from tests.test_architecture import ROOT, tracked

pytestmark = pytest.mark.slow

Command = Callable[..., Result]
Run = Callable[..., str]
TESTS = (
    "tests/book/test_book.py tests/examiner/test_catalogue.py solutions "
    "tests/every_chapter/test_misconceptions.py tests/word_pairs/test_reference.py "
    "tests/examiner/grading/test_sample_class.py"
)


OF_THE_BUILT_BOOK = "test_solutions_are_in_the_page"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course."""
    copy = tmp_path_factory.mktemp("new") / "course"
    for path in tracked("*"):
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return copy


@pytest.fixture(scope="module")
def run(course: Path) -> Run:
    """Run a module or script in the copy, with the copy's own library; it must succeed."""

    def command(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *([] if arguments[0].endswith(".py") else ["-m"]), *arguments],
            cwd=course,
            env={**os.environ, "PYTHONPATH": str(course), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return command


@pytest.fixture(scope="module")
def chapter(run: Run) -> str:
    """The stem of a new chapter."""
    run("nextword", "new-chapter", "word_pairs", "9", "Pairs of words")
    return "word_pairs"


def test_a_new_chapter_is_in_sync_and_well_formed(run: Run, chapter: str) -> None:
    run("nextword", "sync", "--check")
    run("ruff", "check", ".")
    run("ruff", "format", "--check", ".")
    run(".ci/lint_prose.py")


def test_the_tests_of_a_new_chapter_pass(run: Run, chapter: str) -> None:
    run("nextword", "suites", chapter, "--runs", "5")
    run("nextword", "check", chapter, "--hidden", "--package", "solutions")
    names = f"{chapter} or {chapter.replace('_', '-')} or test_catalogue"
    names = f"{names} or every_page" if THOROUGH else f"({names}) and not {OF_THE_BUILT_BOOK}"
    shown = run("pytest", "-q", "-p", "no:cacheprovider", *TESTS.split(), "-k", names)
    assert " passed" in shown
    assert "skipped" not in shown


def test_a_new_chapter_can_be_released_and_run(run: Run, chapter: str, course: Path) -> None:
    for form in ("student", "nbgrader", "gradescope"):
        run("nextword", "release", chapter, "--to", f"{form}s", "--format", form)
    stored = next((course / "chapters").glob("09-*.ipynb"))
    run("pytest", "-q", "-p", "no:cacheprovider", "--nbval", str(stored))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["ngrams", "7", "Again"], "chapter 2 is ngrams already"),
        (["again", "2", "Again"], "chapter 2 is ngrams already"),
        (["word-pairs", "7", "Pairs"], "'word-pairs' cannot name a module"),
        (["class", "7", "Class"], "'class' cannot name a module"),
    ],
)
def test_a_name_or_number_that_is_taken_or_wrong_is_refused(
    nextword: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
) -> None:
    monkeypatch.chdir(ROOT)
    result = nextword("new-chapter", *arguments)
    assert result.exit_code == 2
    assert complaint in result.output


def test_nothing_is_overwritten(demo_course: Path, nextword: Command) -> None:
    result = nextword("new-chapter", "pairs", "8", "Pairs")
    assert result.exit_code == 2
    assert "the installed nextword is not that of" in result.output
    assert not (demo_course / "solutions" / "pairs.py").exists()
