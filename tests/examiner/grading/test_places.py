"""The examiner works wherever the course lies: also under the folder for temporary files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_course_under_the_temporary_folder(tmp_path: Path) -> None:
    for folder in ("nextword", "solutions", "coursework", "examiner", "tests/ngrams"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "course" / folder, ignore=ignored)
    shutil.copy(ROOT / "course.toml", tmp_path / "course")
    answer = tmp_path / "answer.json"
    nextword = [sys.executable, "-c", "from nextword.cli import main; main()"]
    options = ["--package", "solutions", "--json", str(answer), "--out", str(tmp_path / "grades")]
    run = subprocess.run(
        [*nextword, "grade", "ngrams", *options],
        cwd=tmp_path / "course",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "course")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    (submission,) = json.loads(answer.read_text("utf-8"))["submissions"]
    assert submission["score"] == submission["max_score"]
