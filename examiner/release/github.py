"""What GitHub Classroom reads in a handout: a workflow, and a test for each task.

The visible tests alone run there: a student's repository, its workflow among the rest, is the
student's to change, so what counts is graded elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from examiner.catalogue import Chapter
from examiner.check.needs import uses_package
from examiner.project import COMMAND, Project
from examiner.release.student import write_text

WORKFLOW = Path(".github", "workflows", "classroom.yml")
TESTS = Path(".github", "classroom", "autograding.json")
MINUTES = 5  # for a task: most take seconds, of which the first takes some to load libraries
TEMPLATE = """\
# Checks each task by its visible tests at every push, and shows the points in GitHub Classroom.
# These points are for students to see how far they are; they are not the grade.
name: GitHub Classroom
on: [push, workflow_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  check:
    if: github.actor != 'github-classroom[bot]'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
          cache: pip
          cache-dependency-path: requirements.txt
      - run: python -m pip install -r requirements.txt
{torch}      - uses: education/autograding@v1
"""
TORCH = "      - run: {command} install-torch\n"


def github_files(project: Project, chosen: Sequence[Chapter]) -> dict[Path, str]:
    """Return the files by their places in the handout."""
    uses = any(uses_package(project, chapter, "torch") for chapter in chosen)
    torch = TORCH.format(command=COMMAND) if uses else ""
    tests = [
        {
            "name": f"{task.id} {task.title}",
            "setup": "",
            "run": f"{COMMAND} check {task.id}",
            "input": "",
            "output": "",
            "comparison": "included",
            "timeout": MINUTES,
            "points": task.points,
        }
        for chapter in chosen
        for task in chapter.tasks
    ]
    text = json.dumps({"tests": tests}, indent=2, ensure_ascii=False)
    return {WORKFLOW: TEMPLATE.format(torch=torch), TESTS: f"{text}\n"}


def add_github(project: Project, chosen: Sequence[Chapter], target: Path) -> list[Path]:
    """Write them into a handout; return their paths."""
    made = []
    for place, text in github_files(project, chosen).items():
        write_text(target / place, text)
        made.append(target / place)
    return made
