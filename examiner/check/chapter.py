"""A chapter's visible tests on a student's own package, as `nextword check` runs them."""

from __future__ import annotations

from collections.abc import Collection

from examiner.catalogue import Chapter
from examiner.check.apart import Printed, Reporter, run_apart
from examiner.check.example_names import is_example
from examiner.check.job import job_of
from examiner.check.needs import require_packages
from examiner.project import Project
from examiner.results import SubmissionResult, group_by_task


def check_chapter(
    project: Project,
    chapter: Chapter,
    *,
    package: str = "coursework",
    task_ids: Collection[str] | None = None,
    report: Reporter = lambda task_id, result: None,
    printed: Printed = lambda text: None,
) -> SubmissionResult:
    """Run the chapter's visible tests on the student's package; tasks left out have no tests.

    `printed` hears the beginning of what the student's code prints meanwhile.
    Raises MissingPackageError where the tests import a package that is not installed.
    """
    require_packages(project, chapter)
    job = job_of(project, chapter, package=package, task_ids=task_ids)
    heard = run_apart(job, report, printed)
    first = sorted(heard.results, key=lambda pair: not is_example(pair[1].name))
    tasks = group_by_task(chapter, first, heard.examples)
    if task_ids is not None:
        tasks = tuple(task for task in tasks if task.task.id in task_ids)
    return SubmissionResult("you", tasks, notice=heard.refused)
