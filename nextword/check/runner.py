"""Runs a chapter's suite on a package of this process, as `nextword check` does.

The tests are judged by the examiner's own path (nextword.judge); only its walls are missing.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Collection
from pathlib import Path

from nextword.catalogue import Chapter
from nextword.judge.local import on_file
from nextword.judge.marks import SuiteError
from nextword.judge.session import Refusal, Session
from nextword.judge.suite import VISIBLE_SEED, Suite, with_suite
from nextword.judge.timelimit import time_limit
from nextword.project import Project
from nextword.results import SubmissionResult, TestResult, group_by_task

Reporter = Callable[[str, TestResult], None]
Opener = Callable[[Suite], Session | Refusal]


def run_suite(
    suite: Path,
    opener: Opener,
    *,
    root: Path,
    seed: str = VISIBLE_SEED,
    task_ids: Collection[str] | None = None,
    visible_only: bool = True,
    report: Reporter = lambda task_id, result: None,
) -> list[tuple[str, TestResult]]:
    """Run a suite's tests on the module that `opener` gives; return (task id, result) of each.

    Raises SuiteError when the suite cannot be read or has no test for these tasks.
    """
    results: list[tuple[str, TestResult]] = []

    def work(found: Suite) -> None:
        found.seed = seed
        found.bound = lambda deadline: time_limit(deadline.seconds)
        wanted = [
            test
            for test in found.tests
            if (task_ids is None or test.mark.id in task_ids)
            and (test.mark.visible or not visible_only)
        ]
        if not wanted:
            raise SuiteError(f"{suite.name} has no test for this task")
        session = opener(found)
        for test in wanted:
            result = session.of(test) if isinstance(session, Refusal) else session.run(test)
            results.append((test.mark.id, result))
            report(test.mark.id, result)

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with_suite(suite, root, work)
    return results


def check_chapter(
    project: Project,
    chapter: Chapter,
    *,
    package: str = "coursework",
    task_ids: Collection[str] | None = None,
    report: Reporter = lambda task_id, result: None,
) -> SubmissionResult:
    """Run the chapter's visible tests on the student's package; tasks left out have no tests."""
    module = project.package(package) / f"{chapter.stem}.py"
    found = run_suite(
        project.suite(chapter.stem),
        lambda suite: on_file(suite, module),
        root=project.root,
        task_ids=task_ids,
        report=report,
    )
    tasks = group_by_task(chapter, found)
    if task_ids is not None:
        tasks = tuple(task for task in tasks if task.task.id in task_ids)
    return SubmissionResult("you", tasks)


__all__ = ["SuiteError", "check_chapter", "run_suite"]
