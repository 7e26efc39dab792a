"""Runs a whole suite, hidden tests too, on a module that its author trusts: with tracebacks, or
as often as asked, each time with another seed.

Leaves out the students (examiner.py) and mutants of the reference.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from traceback import StackSummary, TracebackException

from examiner.catalogue import Chapter
from examiner.ending import end_with_parent
from examiner.errors import SuiteError
from examiner.judge.local import on_module, time_bound
from examiner.judge.mistakes import Misconception, load_misconceptions
from examiner.judge.modules import load_module
from examiner.judge.runs import Terms
from examiner.judge.suite import Suite, SuiteTest, with_suite
from examiner.plural import count
from examiner.project import COMMAND, Project
from examiner.results import Verdict

CHUNKS = 4  # in which each process gets its seeds: so often is told how far it is


@dataclass
class TaskSurvey:
    """What the tests of one task are."""

    visible: int = 0
    hidden: int = 0
    misconceptions: int = 0
    seconds: float = 0.0  # of one run of its tests


@dataclass(frozen=True)
class Failing:
    """A test that a trusted module did not pass in some runs."""

    task: str
    test: str
    seeds: tuple[str, ...]  # of the runs that failed; one, where every seed gives the same inputs
    runs: int
    verdicts: tuple[Verdict, ...]  # that it got

    def __str__(self) -> str:
        how = ", ".join(verdict.value for verdict in self.verdicts)
        times = f"fails in {len(self.seeds)} of {count(self.runs, 'run')} ({how})"
        return f'{self.test} {times}, first with --seed "{self.seeds[0]}"'

    def command(self, package: str) -> str:
        """Return what shows the first failure, with its traceback."""
        return f'{COMMAND} check {self.task} --hidden --package {package} --seed "{self.seeds[0]}"'


@dataclass
class Survey:
    """What the tests of one chapter are, by task, and which of them the reference failed."""

    tasks: dict[str, TaskSurvey]
    failures: list[Failing] = field(default_factory=list)

    def told(self, package: str) -> list[str]:
        """Return two lines on each test that failed: how often, and what shows it."""
        return [
            line for each in self.failures for line in (str(each), f"    {each.command(package)}")
        ]


@dataclass
class _Part:
    """What some of the runs found, by test."""

    seconds: dict[str, list[float]]  # of each run
    failed: dict[str, list[tuple[str, Verdict]]]  # with the seeds


def survey(
    project: Project,
    chapter: Chapter,
    *,
    seeds: Sequence[str],
    package: str = "solutions",
    jobs: int = 1,
    report: Callable[[int], None] = lambda done: None,
) -> Survey:
    """Run each hidden test of the chapter's suite with each seed, under its limits.

    Tests whose inputs are the same with every seed run once. `jobs` processes share the seeds;
    `report` is told how many are done. Raises SuiteError for a suite that cannot be read, and for a
    test or a misconception of a task that the chapter lacks.
    """
    module = project.module(package, chapter.stem)
    found = Survey({task.id: TaskSurvey() for task in chapter.tasks})

    def work(suite: Suite) -> None:
        _count(found, chapter, suite, load_misconceptions(project, chapter.stem))
        if jobs == 1:
            parts = [_part(suite, module, seeds, first=True, report=report)]
        else:
            parts = _shared_out(project, module, seeds, jobs, report)
        for test in suite.tests:
            _sum_up(found, test, parts)

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


def _part(
    suite: Suite,
    module: Path,
    seeds: Sequence[str],
    *,
    first: bool,
    report: Callable[[int], None] = lambda done: None,
) -> _Part:
    """Run the tests with these seeds; those that draw nothing with the `first` one alone."""
    found = _Part({}, {})
    surveyed = load_module(module, f"nextword_surveyed_{module.stem}")
    session = on_module(suite, module.stem, surveyed)
    for number, seed in enumerate(seeds):
        terms, once = Terms(seed, bound=time_bound), first and number == 0
        for test in suite.tests if once else filter(_draws, suite.tests):
            result = session.run(test, terms).result
            found.seconds.setdefault(test.name, []).append(result.seconds)
            if result.verdict is not Verdict.PASSED:
                found.failed.setdefault(test.name, []).append((seed, result.verdict))
        report(number + 1)
    return found


def _draws(test: SuiteTest) -> bool:
    return test.draws


def _shared_out(
    project: Project,
    module: Path,
    seeds: Sequence[str],
    jobs: int,
    report: Callable[[int], None],
) -> list[_Part]:
    """Have several processes run the tests, a few seeds at a time; each collects the suite."""
    size = max(1, -(-len(seeds) // (jobs * CHUNKS)))
    chunks = [seeds[start : start + size] for start in range(0, len(seeds), size)]
    parts, done = list[_Part](), 0
    spawn = multiprocessing.get_context("spawn")  # a fork may hang in its parent's threads
    jobs = min(jobs, len(chunks))
    with ProcessPoolExecutor(jobs, spawn, initializer=end_with_parent) as pool:
        told = [
            pool.submit(_apart, project, module, chunk, first=chunk is chunks[0])
            for chunk in chunks
        ]
        for chunk, each in zip(chunks, told, strict=True):
            parts.append(each.result())
            report(done := done + len(chunk))
    return parts


def _apart(project: Project, module: Path, seeds: Sequence[str], *, first: bool) -> _Part:
    """Do a part of the work in a process of its own."""
    parts: list[_Part] = []

    def work(suite: Suite) -> None:
        parts.append(_part(suite, module, seeds, first=first))

    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    with_suite(project.suite(module.stem), project.root, work)
    return parts[0]


def _sum_up(found: Survey, test: SuiteTest, parts: Sequence[_Part]) -> None:
    """Add what the parts found of a test."""
    seconds = [each for part in parts for each in part.seconds.get(test.name, ())]
    found.tasks[test.mark.id].seconds += sum(seconds) / len(seconds)
    failed = [each for part in parts for each in part.failed.get(test.name, ())]
    if failed:
        seeds = tuple(seed for seed, _ in failed)
        verdicts = tuple(dict.fromkeys(verdict for _, verdict in failed))
        failing = Failing(test.mark.id, test.name, seeds, len(seconds), verdicts)
        found.failures.append(failing)


@dataclass(frozen=True)
class Failure:
    """A test that a trusted module did not pass."""

    test: SuiteTest
    verdict: Verdict
    message: str
    traceback: str


def _own_frames(whole: TracebackException, root: Path) -> str:
    """Return a traceback without the frames of pytest and of the boundary."""
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
        terms = Terms(seed, bound=time_bound, traced=True)
        checked = load_module(module, f"nextword_checked_{chapter.stem}")
        session = on_module(suite, chapter.stem, checked)
        for test in suite.tests:
            if test.mark.id not in task_ids:
                continue
            judged = session.run(test, terms)
            if judged.verdict is not Verdict.PASSED:
                shown = _own_frames(judged.trace, project.root) if judged.trace else ""
                found.append(Failure(test, judged.verdict, judged.result.message, shown))

    with_suite(project.suite(chapter.stem), project.root, work)
    return found
