"""What a handout holds for GitHub Classroom."""

import json

import yaml

from examiner.project import Project
from examiner.release.github import TESTS, WORKFLOW, github_files
from tests.course import COURSE

SORTING = Project(COURSE.root / "tests" / "examiner" / "sorting")


def test_each_task_is_a_test_with_its_points() -> None:
    chapter = SORTING.catalogue.chapter("sorting")
    files = github_files(SORTING, [chapter])
    tests = json.loads(files[TESTS])["tests"]
    assert [test["run"] for test in tests] == [f"nextword check {t.id}" for t in chapter.tasks]
    assert sum(test["points"] for test in tests) == chapter.points
    fields = {"name", "setup", "run", "input", "output", "comparison", "timeout", "points"}
    assert all(set(test) == fields for test in tests)


def test_the_workflow_installs_what_the_chapters_use() -> None:
    for stem, uses in [("ngrams", False), ("attention", True)]:
        made = github_files(COURSE, [COURSE.catalogue.chapter(stem)])[WORKFLOW]
        steps = yaml.safe_load(made)["jobs"]["check"]["steps"]
        assert steps[-1]["uses"].startswith("education/autograding@")
        assert ({"run": "nextword install-torch"} in steps) == uses
        assert {"run": "python -m pip install -r requirements.txt"} in steps


def test_nothing_hidden_is_in_them() -> None:
    chapter = SORTING.catalogue.chapter("sorting")
    text = "".join(github_files(SORTING, [chapter]).values())
    assert "solutions" not in text
    assert not any(hint in text for task in chapter.tasks for hint in task.hints)
