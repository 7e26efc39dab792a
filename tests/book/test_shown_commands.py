"""What the pages for instructors and for students show of a command is what the command prints."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer.main
from typer.testing import Result

from examiner.project import find_project
from nextword.cli import app
from tests.console_blocks import Shown, require_same, shown_on

ROOT = find_project(Path(__file__)).root
NAMES = (
    *("instructors.md", "grading.md", "grading-machines.md", "platforms.md", "nbgrader.md"),
    "race.md",
    "setup.md",
)
PAGES = [ROOT / "chapters" / name for name in NAMES]
SHOWN = [shown for page in PAGES for shown in shown_on(page)]
README = (ROOT / "README.md").read_text("utf-8")
INSTRUCTORS = (ROOT / "chapters" / "instructors.md").read_text("utf-8")
NEEDS_SANDBOX = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
Command = Callable[..., Result]


def of_ours() -> Iterator[str]:
    """Every command line of ours that a page or the README names in a block."""
    for shown in SHOWN:
        if shown.words[0] == "nextword":
            yield shown.command
    for block in re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"^(?:\.venv/bin/|.* -m )?(nextword .*)$", block, re.MULTILINE)


def the(command: str) -> Shown:
    (found,) = [each for each in SHOWN if each.command == command and each.page != "setup.md"]
    return found


@pytest.mark.parametrize("line", sorted(set(of_ours())))
def test_every_command_of_a_page_exists_with_its_options(line: str) -> None:
    name, *words = Shown("", line, ()).words[1:]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    commands[name].make_context(name, words)


def test_pages_show_commands_that_this_test_finds() -> None:
    assert len(SHOWN) > 30
    assert len(set(of_ours())) > 15


@pytest.mark.slow
def test_what_sync_says(nextword: Command) -> None:
    result = nextword("sync", "--check")
    require_same(the("nextword sync --check").lines, result.output)


@pytest.mark.slow
def test_what_lti_says(nextword: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in (
        "nextword lti keys lti --address https://grader.example.org",
        "nextword lti show lti/lti.toml",
    ):
        result = nextword(*line.split()[1:])
        require_same(the(line).lines, result.output)


@pytest.mark.slow
def test_what_a_check_says_of_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "coursework").mkdir()
    shutil.copytree(ROOT / "tests" / "ngrams", tmp_path / "tests" / "ngrams")
    shutil.copytree(ROOT / "coursework" / "known", tmp_path / "coursework" / "known")
    shutil.copy(ROOT / "solutions" / "ngrams.toml", tmp_path / "coursework")
    reference = (ROOT / "solutions" / "ngrams.py").read_text("utf-8")
    wrong = reference.replace("return [BOS] * (n - 1)", "return [BOS] * n")
    assert wrong != reference
    (tmp_path / "coursework" / "ngrams.py").write_text(wrong, "utf-8")
    (tmp_path / "pyproject.toml").touch()
    program = Path(sys.executable).with_name("nextword")
    done = subprocess.run(
        [program, "check", "2.1"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    require_same(the("nextword check 2.1").lines, done.stdout)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What `nextword grade` prints of the sample class, and the folder with what it wrote."""
    out = tmp_path_factory.mktemp("grades")
    shown = the("nextword grade ngrams tests/ngrams/class --json grades.json")
    *words, name = shown.words[1:]
    program = Path(sys.executable).with_name("nextword")
    done = subprocess.run(
        [program, *words, out / name, "--out", out],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},  # as wide as the page
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.replace(f"{out}/", "grades/ngrams/").replace(str(out), "grades/ngrams"), out


@NEEDS_SANDBOX
@pytest.mark.slow
def test_what_grading_says(graded: tuple[str, Path]) -> None:
    shown = the("nextword grade ngrams tests/ngrams/class --json grades.json")
    require_same(shown.lines, graded[0])


@NEEDS_SANDBOX
@pytest.mark.slow
def test_the_page_that_a_student_gets(graded: tuple[str, Path]) -> None:
    (part,) = re.findall(r"^```text\n(# bob.*?)^```", INSTRUCTORS, re.MULTILINE | re.DOTALL)
    require_same(tuple(part.splitlines()), (graded[1] / "bob.md").read_text("utf-8"))


@NEEDS_SANDBOX
@pytest.mark.slow
def test_the_grades_as_data(graded: tuple[str, Path]) -> None:
    (part,) = re.findall(r"^```json\n(.*?)^```", INSTRUCTORS, re.MULTILINE | re.DOTALL)
    shown = json.loads(part)
    found = json.loads((graded[1] / "grades.json").read_text("utf-8"))
    assert set(shown) <= set(found)
    (bob,) = shown["submissions"]
    (his,) = [each for each in found["submissions"] if each["student"] == bob["student"]]
    (task,) = bob.pop("tasks")
    (same,) = [each for each in his["tasks"] if each["id"] == task["id"]]
    assert bob == {key: his[key] for key in bob}
    assert {key: same[key] for key in task if key != "tests"} | {"tests": ["..."]} == task
    (met,) = shown["mistakes"]
    mistakes = [each for each in found["mistakes"] if each["task"] == met["task"]]
    beginning = met["says"].removesuffix("...")
    assert any(
        each["says"].startswith(beginning) and "bob" in each["students"] for each in mistakes
    )


def test_what_the_schedule_of_the_page_brings_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nextword: Command
) -> None:
    (text,) = re.findall(r"^```toml\n(zone = .*?)^```", INSTRUCTORS, re.MULTILINE | re.DOTALL)
    for folder in ("solutions", "tests"):
        (tmp_path / folder).mkdir()
    for path in (ROOT / "solutions").glob("*.toml"):
        shutil.copy(path, tmp_path / "solutions")
    (tmp_path / "schedule.toml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    shown = the("nextword schedule --ics term.ics").lines
    told = nextword("schedule", "--ics", "term.ics").output.splitlines()
    table = len(text.partition("[chapters]\n")[2].splitlines()) + 1
    assert [line.rstrip() for line in told[:table]] == [line.rstrip() for line in shown[:table]]
    assert told[-1] == shown[-1]
