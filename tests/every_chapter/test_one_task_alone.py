"""What a student does most often: `nextword check` of one task, in a process that is new.

Whole suites run many tests one after another, and what the first of them loads, the others find.
Leaves out whole chapters (test_fresh_seeds.py).
"""

import subprocess
import sys
from pathlib import Path

import pytest

from examiner.project import find_project
from tests.course import CHAPTERS

PROJECT = find_project(Path(__file__))
TASKS = [task.id for chapter in CHAPTERS for task in chapter.tasks]


@pytest.mark.slow
@pytest.mark.turns("task")
@pytest.mark.parametrize("task", TASKS)
def test_a_task_passes_alone(task: str) -> None:
    """Also 6.1, whose first call makes torch import half of itself."""
    command = [sys.executable, "-m", "nextword", "check", task, "--package", "solutions"]
    done = subprocess.run(command, cwd=PROJECT.root, capture_output=True, text=True)
    assert "1 of 1 task passes" in done.stdout
