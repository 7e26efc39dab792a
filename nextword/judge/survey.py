"""Runs a suite on the reference, as often as asked, each time with another seed.

Leaves out the students (examiner.py) and mutants of the reference.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from nextword.catalogue import Chapter
from nextword.judge.diagnosis import Local
from nextword.judge.marks import SuiteError
from nextword.judge.misconceptions import Misconception, load_misconceptions, load_module
from nextword.judge.suite import Suite, SuiteTest, with_suite
from nextword.project import Project
from nextword.results import Verdict


@dataclass
class TaskSurvey:
    """What the tests of one task are."""

    visible: int = 0
    hidden: int = 0
    misconceptions: int = 0
    seconds: float = 0.0  # of one run of its tests


@dataclass
class Survey:
    """What the tests of one chapter are, by task, and which of them the reference failed."""

    tasks: dict[str, TaskSurvey]
    failures: dict[str, str] = field(default_factory=dict)  # test -> what became of it, how often


def survey(project: Project, chapter: Chapter, *, runs: int, package: str = "solutions") -> Survey:
    """Run each test of the chapter's suite `runs` times, hidden ones on fresh inputs each time.

    Raises SuiteError for a suite that cannot be read, and for a test or a misconception of a task
    that the chapter lacks.
    """
    module = project.module(package, chapter.stem)
    path = project.misconceptions(chapter.stem)
    found = Survey({task.id: TaskSurvey() for task in chapter.tasks})

    def work(suite: Suite) -> None:
        _count(found, chapter, suite, load_misconceptions(path) if path else ())
        outcomes = _run(found, suite, chapter.stem, module, runs)
        for (name, verdict), times in outcomes.items():
            if verdict is not Verdict.PASSED:
                found.failures[name] = f"{verdict.value} in {times} of {runs} runs"

    with_suite(project.suite(chapter.stem), project.root, work)
    return found


def _count(
    found: Survey, chapter: Chapter, suite: Suite, mistakes: tuple[Misconception, ...]
) -> None:
    suite.require_tasks_of(chapter)
    for test in suite.tests:
        row = found.tasks[test.mark.id]
        row.visible += test.mark.visible
        row.hidden += not test.mark.visible
    for mistake in mistakes:
        if mistake.task_id not in found.tasks:
            raise SuiteError(f"{mistake.name}: {chapter.stem} has no task {mistake.task_id}")
        found.tasks[mistake.task_id].misconceptions += 1


def _run(
    found: Survey, suite: Suite, stem: str, module: Path, runs: int
) -> Counter[tuple[str, Verdict]]:
    local = Local(suite, stem, load_module(module, f"nextword_surveyed_{stem}"))
    outcomes: Counter[tuple[str, Verdict]] = Counter()
    for number in range(runs):
        suite.seed = f"run {number}"
        for test in suite.tests:
            verdict, seconds = _timed(local, test)
            outcomes[test.name, verdict] += 1
            found.tasks[test.mark.id].seconds += seconds / runs
    return outcomes


def _timed(local: Local, test: SuiteTest) -> tuple[Verdict, float]:
    started = time.perf_counter()
    verdict = local.run(test)
    return verdict, time.perf_counter() - started
