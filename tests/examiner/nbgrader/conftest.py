"""A course folder of nbgrader, a class that hands in, and nbgrader's own command line."""

import copy
import importlib.util
import json
import logging
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from examiner.grading.run import Options, settle_ahead
from examiner.platforms.nbgrader.course import assignment, examiner_project
from examiner.project import Project
from examiner.release.nbgrader import assignment_of, reference_answers
from tests.course import COURSE
from tests.examiner.grading.conftest import sandbox_works
from tests.examiner.nbgrader.commands import run_forked

if importlib.util.find_spec("nbgrader") is None:  # it comes with the extra `instructor`
    collect_ignore_glob = ["test_*.py"]

ROOT = Path(__file__).parents[3]
BIN = Path(sys.executable).parent
MadeOnce = Callable[[str, Callable[[Path], object]], Path]
CANARY = "canary-4f1b"  # stands in hidden tests; must never reach a student


@dataclass
class Course:
    """An nbgrader course folder with the n-gram assignment."""

    root: Path

    def run(self, *command: str, status: int = 0, seconds: float = 300) -> str:
        """Run a command in the course folder; return what it says."""
        environment = os.environ | {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "OMP_NUM_THREADS": "1",
            "JUPYTER_DATA_DIR": str(self.root / "jupyter"),
            "JUPYTER_RUNTIME_DIR": str(self.root / "runtime"),
        }
        ended, said = run_forked(command, self.root, environment, seconds)
        assert ended == status, f"{command} ended with {ended}:\n{said[-6000:]}"
        return said

    def stock(self) -> None:
        """Take our engine out of the config: nbgrader then grades alone."""
        path = self.root / "nbgrader_config.py"
        lines = path.read_text("utf-8").splitlines()
        kept = [line for line in lines if "examiner.platforms.nbgrader" not in line]
        assert len(kept) == len(lines) - 2
        path.write_text("\n".join(kept) + "\n", "utf-8")

    def add_config(self, text: str) -> None:
        """Add settings."""
        with (self.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    def notebook(self, step: str) -> dict[str, Any]:
        """Return the assignment's notebook in `source` or `release`."""
        path = self.root / step / "ngrams" / "ngrams.ipynb"
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        for cell in found["cells"]:
            cell["source"] = "".join(cell["source"])
        return found

    def solved(self) -> dict[str, Any]:
        """Return the released notebook with the reference's answers."""
        made = self.notebook("release")
        answers = cells_by_id(self.notebook("source"))
        for name, cell in cells_by_id(made).items():
            if cell["metadata"]["nbgrader"]["solution"]:
                cell["source"] = answers[name]["source"]
        return made

    def answered(self, answers: dict[str, Any]) -> dict[str, Any]:
        """Return the released notebook with what the reference answers: nothing is computed."""
        made = self.notebook("release")
        cells = cells_by_id(made)
        for check in self.notebook("source")["cells"]:
            said = check["metadata"].get("nextword", {})
            if "check" in said:
                lines = [f"{name} = {answers[name]!r}" for name in said["reads"]]
                text = "\n".join(["from math import inf", *lines])
                cells[said["check"]]["source"] = text
        return made

    def hand_in(
        self,
        student: str,
        notebook: Any,
        module: str,
        *,
        name: str = "ngrams.ipynb",
        to: str = "submitted",
    ) -> Path:
        """Put a submission where `nbgrader collect` would, or into another folder like that."""
        folder = self.root / to / student / "ngrams"
        shutil.copytree(self.root / "release" / "ngrams", folder)
        (folder / "ngrams.ipynb").unlink()
        (folder / "ngrams.py").write_text(module, "utf-8")
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        (folder / name).write_text(text, "utf-8")
        return folder

    def grades(self) -> dict[str, float]:
        """Return the scores that `nbgrader export` gives, by student."""
        import csv

        self.run("nbgrader", "export", "--to", "grades.csv")
        with (self.root / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def cells_by_id(notebook: dict[str, Any]) -> dict[str, dict[str, Any]]:
    marked = [cell for cell in notebook["cells"] if "nbgrader" in cell["metadata"]]
    return {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in marked}


@pytest.fixture(scope="session", autouse=True)
def _programs() -> Iterator[None]:
    """nbgrader calls alembic by name."""
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{BIN}{os.pathsep}{before}"
    yield
    os.environ["PATH"] = before


@pytest.fixture
def log() -> logging.Logger:
    """A log of the test's own: other tests of this process may have turned nbgrader's off."""
    return logging.getLogger("tests.examiner.nbgrader")


@pytest.fixture(scope="session")
def cells() -> Callable[[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Return a notebook's marked cells by their ids."""
    return cells_by_id


@pytest.fixture(scope="session")
def reference() -> str:
    """The reference's module."""
    return (ROOT / "solutions" / "ngrams.py").read_text("utf-8")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The course's chapter on n-grams, whose assignment measures shorter texts."""
    root = tmp_path_factory.mktemp("project")
    parts = [f"solutions/ngrams.{ending}" for ending in ("py", "ipynb", "toml")]
    parts += ["tests/ngrams/suite", "tests/ngrams/mistakes", "coursework/known"]
    parts += ["course.toml", *COURSE.settings.files]
    for each in [*parts, "tests/__init__.py"]:
        (root / each).parent.mkdir(parents=True, exist_ok=True)
        copy_of = shutil.copytree if (ROOT / each).is_dir() else shutil.copy
        copy_of(ROOT / each, root / each)
    notebook = root / "solutions" / "ngrams.ipynb"
    text = notebook.read_text("utf-8")
    short = text.replace(", 30_000)", ", 2_000)").replace(", 3_000)", ", 400)")
    assert len(short) < len(text) - 3
    notebook.write_text(short, "utf-8")
    return Project(root)


@pytest.fixture(scope="session")
def answers(project: Project, made_once: MadeOnce) -> dict[str, Any]:
    """What the reference answers in the notebook."""

    def ask(folder: Path) -> None:
        notebook = assignment_of(project, COURSE.catalogue.chapter("ngrams"))
        said = reference_answers(notebook, ROOT / "solutions" / "ngrams.py")
        folder.mkdir()
        (folder / "said.pickle").write_bytes(pickle.dumps(said))

    folder = made_once("nbgrader-answers", ask)
    found: dict[str, Any] = pickle.loads((folder / "said.pickle").read_bytes())
    return found


@pytest.fixture(scope="session")
def _released(project: Project, made_once: MadeOnce) -> Path:
    """A released course folder, generated once; tests get copies."""

    def release(root: Path) -> None:
        here = Course(project.root)
        here.run("nextword", "release", "ngrams", "--format", "nbgrader", "--to", str(root))
        for path in (root / "source" / "ngrams" / "ngrams.ipynb", *root.rglob("test_counting.py")):
            _plant(path)
        Course(root).run("nbgrader", "generate_assignment", "ngrams")
        # asks the reference what checks expect and which inputs tests take: copies find both kept
        assignment(root, "ngrams")
        if sandbox_works():
            examiner = examiner_project(root)
            settle_ahead(examiner, examiner.catalogue.chapter("ngrams"), Options(root / "no-class"))

    return made_once("nbgrader-released", release)


def _plant(path: Path) -> None:
    """Put a canary among the hidden tests, so that a leak can be seen."""
    text = path.read_text("utf-8")
    if path.suffix == ".py" and "grader" in path.parts:
        path.write_text(f"{text}\nSECRET = {CANARY!r}\n", "utf-8")
    elif path.suffix == ".ipynb":
        assert "### BEGIN HIDDEN TESTS" in text
        marker = "### BEGIN HIDDEN TESTS\\n"
        path.write_text(text.replace(marker, f'{marker}",\n    "# {CANARY}\\n'), "utf-8")


@pytest.fixture(scope="module")
def course(_released: Path, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A released course folder of the module's own, with its database."""
    root = tmp_path_factory.mktemp("nbgrader") / "course"
    shutil.copytree(_released, root)
    return Course(root)


@pytest.fixture(scope="session")
def duplicate() -> Callable[[Any], Any]:
    """Copy a cell or a notebook."""
    return copy.deepcopy
