"""The autograder zip, run in a folder that is laid out like Gradescope's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from nextword.catalogue import chapter
from nextword.project import Project
from nextword.release.gradescope import release_gradescope, results
from tests.nbgrader.conftest import ROOT

NGRAMS = chapter("ngrams")


@pytest.fixture(scope="module")
def autograder():
    """A folder like /autograder; not in /tmp, which is another one in the sandbox."""
    root = Path(tempfile.mkdtemp(prefix="autograder-", dir="/var/tmp"))
    root.chmod(0o755)
    (made,) = release_gradescope(Project(ROOT), [NGRAMS], root / "zips")
    assert made.name == "ngrams-autograder.zip"
    with zipfile.ZipFile(made) as archive:
        assert {"setup.sh", "run_autograder"} <= set(archive.namelist())
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111
        archive.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    metadata = {"id": 1234, "users": [{"email": "ada@example.org", "id": 1, "name": "Ada"}]}
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    yield root
    shutil.rmtree(root)


def run(root: Path, files: dict[str, str]) -> dict:
    for name in ("submission", "results"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    for name, text in files.items():
        (root / "submission" / name).write_text(text, "utf-8")
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
    subprocess.run(["bash", str(root / "run_autograder")], env=environment, timeout=200, check=True)
    return json.loads((root / "results" / "results.json").read_text("utf-8"))


def test_a_right_submission_gets_every_point(autograder, reference):
    found = run(autograder, {"ngrams.py": reference})
    assert found["score"] == NGRAMS.points
    assert {test["status"] for test in found["tests"] if test["max_score"]} == {"passed"}


def test_results_have_what_gradescope_asks_for(autograder, reference):
    wrong = reference.replace("return [BOS] * (n - 1)", "return [BOS] * n")
    found = run(autograder, {"ngrams.py": wrong, "conftest.py": "raise SystemExit"})
    assert 0 < found["score"] < NGRAMS.points
    assert found["score"] == pytest.approx(sum(test["score"] for test in found["tests"]))
    assert found["stdout_visibility"] == "hidden"
    for test in found["tests"]:
        assert set(test) >= {"name", "score", "max_score", "status", "output", "visibility"}
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
    first = found["tests"][0]
    assert first["status"] == "failed"
    assert "There are n - 1 begin symbols" in first["output"]


def test_nothing_handed_in_is_said(autograder):
    found = run(autograder, {"notes.txt": "none"})
    assert found["score"] == 0
    assert "there is no ngrams.py" in found["output"]


def test_a_task_becomes_one_entry():
    test = {"behaviour": "It adds.", "verdict": "failed", "message": "m", "misconception": "why"}
    task = {"id": "2.1", "title": "T", "score": 1, "max_score": 2, "verdict": "failed"}
    result = {"score": 1, "notice": "", "provisional": True, "tasks": [{**task, "tests": [test]}]}
    made = results(NGRAMS, result, ["no sandbox"])
    assert made["tests"][0]["output"] == "- It adds.\n  m\n  Perhaps this: why"
    assert made["tests"][1]["visibility"] == "hidden"
    assert "can only rise" in made["output"]
