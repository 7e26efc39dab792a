"""Runs a whole suite, hidden tests too, on a module that its author trusts: with tracebacks, or
as often as asked, each time with another seed.

Leaves out the students (examiner.py) and mutants of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from traceback import StackSummary, TracebackException

from nextword.catalogue import Chapter
from nextword.judge.local import on_module
from nextword.judge.marks import SuiteError
from nextword.judge.misconceptions import Misconception, load_misconceptions, load_module
from nextword.judge.session import Session
from nextword.judge.suite import Suite, SuiteTest, with_suite
from nextword.plural import count
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
    failures: dict[str, str] = field(default_factory=dict)  # test -> how often, and first when


def survey(
    project: Project,
    chapter: Chapter,
    *,
    runs: int,
    package: str = "solutions",
    report: Callable[[int], None] = lambda done: None,
) -> Survey:
    """Run each test of the chapter's suite `runs` times, hidden ones on fresh inputs each time.

    `report` is told after each run how many are done.
    Raises SuiteError for a suite that cannot be read, and for a test or a misconception of a task
    that the chapter lacks.
    """
    module = project.module(package, chapter.stem)
    path = project.misconceptions(chapter.stem)
    found = Survey({task.id: TaskSurvey() for task in chapter.tasks})

    def work(suite: Suite) -> None:
        _count(found, chapter, suite, load_misconceptions(path) if path else ())
        surveyed = load_module(module, f"nextword_surveyed_{chapter.stem}")
        session = on_module(suite, chapter.stem, surveyed)
        for name, seeds in _run(found, suite, session, runs, report).items():
            times = f"fails in {len(seeds)} of {count(runs, 'run')}"
            found.failures[name] = f'{times}, first with --seed "{seeds[0]}"'

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
    found: Survey, suite: Suite, session: Session, runs: int, report: Callable[[int], None]
) -> dict[str, list[str]]:
    """Return the seeds with which each test failed."""
    failed: dict[str, list[str]] = {}
    for number in range(runs):
        suite.seed = f"run {number}"
        for test in suite.tests:
            result = session.run(test)
            if result.verdict is not Verdict.PASSED:
                failed.setdefault(test.name, []).append(suite.seed)
            found.tasks[test.mark.id].seconds += result.seconds / runs
        report(number + 1)
    return failed


@dataclass(frozen=True)
class Failure:
    """A test that a trusted module did not pass."""

    test: SuiteTest
    verdict: Verdict
    message: str
    traceback: str


def _own_frames(error: BaseException, root: Path) -> str:
    """Return the traceback without the frames of pytest and of the boundary."""
    whole = TracebackException.from_exception(error)
    own = [str(root / name) for name in ("tests", "solutions", "coursework")]
    kept = [frame for frame in whole.stack if frame.filename.startswith(tuple(own))]
    whole.stack = StackSummary.from_list(kept)
    return "".join(whole.format(chain=False))


def failures(
    project: Project, chapter: Chapter, *, package: str, seed: str, task_ids: Collection[str]
) -> list[Failure]:
    """Run the tasks' tests, hidden ones too, by the examiner's path; return those that fail.

    Raises SuiteError for a suite that cannot be read.
    """
    module = project.module(package, chapter.stem)
    found: list[Failure] = []

    def work(suite: Suite) -> None:
        suite.require_tasks_of(chapter)
        suite.seed = seed
        checked = load_module(module, f"nextword_checked_{chapter.stem}")
        session = on_module(suite, chapter.stem, checked)
        raised: list[str] = []
        suite.raised = lambda error: raised.append(_own_frames(error, project.root))
        for test in suite.tests:
            raised.clear()
            if test.mark.id not in task_ids:
                continue
            result = session.run(test)
            if result.verdict is not Verdict.PASSED:
                found.append(Failure(test, result.verdict, result.message, "".join(raised)))

    with_suite(project.suite(chapter.stem), project.root, work)
    return found
