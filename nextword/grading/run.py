"""A whole run of `nextword grade`: reads the submissions, grades what is new, writes the feedback.

Leaves out the command line's options and what the terminal shows (cli/grade.py, report.py).
"""

from __future__ import annotations

import os
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from nextword.candidate.server import Plan
from nextword.catalogue import Chapter
from nextword.errors import UserError
from nextword.grading import feedback
from nextword.grading.agenda import Met, mistakes_met, page
from nextword.grading.entries import open_class
from nextword.grading.hand_back import write_uploads
from nextword.grading.roster import Person, Roster
from nextword.grading.store import REASONS, Kept, Key, Store, file_name, run_key, write_atomically
from nextword.grading.submissions import Submission, read, read_package
from nextword.grading.workers import Course, Finished, WorkerPool
from nextword.grading.works import Entry
from nextword.judge.marks import SuiteError
from nextword.judge.misconceptions import Misconception, load_misconceptions
from nextword.judge.suite import Suite, with_suite
from nextword.project import Project
from nextword.results import SubmissionResult, TestResult, Verdict
from nextword.sandbox import trial as sandbox

REFERENCE = "solutions"
CLASS = "class"  # a folder of its own: pages are named after students
AGENDA = Path(CLASS, "mistakes.html")


class Watcher(Protocol):
    """Shows how a run goes on."""

    def begin(self, total: int, known: int) -> None:
        """Take note of how many submissions there are, and how many have been graded before."""

    def finished(self, result: SubmissionResult) -> None:
        """Take note of a submission that has been graded."""

    def tick(self) -> None:
        """Redraw."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Options:
    """How to grade."""

    out: Path
    jobs: int = field(default_factory=processors)
    seed: str = ""  # "": the course folder's own, made once
    confined: bool = True  # in the sandbox
    user: int | None = None  # whom candidates become that are not confined
    regrade: bool = False  # even what has not changed
    packages: tuple[str, ...] = ()  # of the course folder, graded as submissions
    roster: Roster | None = None


@dataclass(frozen=True)
class Change:
    """A score that is another one than in the run before."""

    student: str
    before: float
    after: float
    why: str

    def __str__(self) -> str:
        return f"{self.before:g} -> {self.after:g} points ({self.why})"


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    chapter: Chapter
    results: tuple[SubmissionResult, ...]
    graded: int  # of them graded in this run; the others had not changed
    changes: tuple[Change, ...]
    absent: tuple[Person, ...] = ()  # of the roster: nothing was handed in
    uploads: tuple[Path, ...] = ()  # feedback as a learning platform takes it
    keys: tuple[Key, ...] = ()  # of the results: what each depends on

    @property
    def all_judged(self) -> bool:
        """Whether no test was left unjudged by a fault of the grader."""
        return not any(result.provisional for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as `grade --json` writes it."""
        return {
            "chapter": self.chapter.stem,
            "submissions": [result.to_json() for result in self.results],
            "absent": [{"student": p.id, "name": p.name, "email": p.email} for p in self.absent],
            "mistakes": [met.to_json() for met in self.mistakes],
        }

    @property
    def mistakes(self) -> list[Met]:
        """What the class got wrong, by task."""
        return mistakes_met(self.chapter, self.results)


class Proof:
    """Holds results back until the reference has been graded by the same path.

    What the reference does not pass here (a sandbox that hides a package, a machine that is too
    slow, a wrong test) is the grader's fault: no student pays for it.
    """

    def __init__(self, index: int, finished: Finished) -> None:
        self.index = index  # of the reference among the submissions
        self.done = False
        self._finished = finished
        self._held: list[tuple[int, SubmissionResult]] = []
        self._unfair: dict[str, str] = {}  # test -> what became of the reference in it

    def finished(self, index: int, result: SubmissionResult) -> None:
        """Take a result and pass on what can be passed on."""
        if index == self.index:
            tests = [test for task in result.tasks for test in task.tests]
            wrong = [test for test in tests if test.verdict is not Verdict.PASSED]
            self._unfair = {test.name: result.notice or test.verdict.value for test in wrong}
            self.done = True
        else:
            self._held.append((index, result))
        if self.done:
            held, self._held = self._held, []
            for number, each in held:
                self._finished(number, self._fair(each))

    def _fair(self, result: SubmissionResult) -> SubmissionResult:
        tasks = [replace(task, tests=tuple(map(self._judge, task.tests))) for task in result.tasks]
        return replace(result, tasks=tuple(tasks))

    def _judge(self, test: TestResult) -> TestResult:
        known = (Verdict.PASSED, Verdict.NOT_JUDGED)  # whose message says why
        if test.verdict in known or test.name not in self._unfair:
            return test
        why = f"the reference does not pass here either ({self._unfair[test.name]})"
        return replace(test, verdict=Verdict.NOT_JUDGED, message=why, misconception="")


def own_seed(project: Project) -> str:
    """Return the secret of this course folder from which hidden inputs are drawn; made once."""
    path = project.state("grading-seed")
    if not path.is_file():
        write_atomically(path, secrets.token_hex(16))
    return path.read_text("utf-8").strip()


@dataclass(frozen=True)
class Gathered:
    """The submissions of a class, read."""

    submissions: list[Submission]
    entries: tuple[Entry, ...] = ()
    absent: tuple[Person, ...] = ()


def gather(
    project: Project,
    chapter: Chapter,
    folder: Path | None,
    packages: tuple[str, ...] = (),
    roster: Roster | None = None,
) -> Gathered:
    """Read every submission; raises UserError when there is nothing to grade."""
    found = []
    for name in packages:
        project.module(name, chapter.stem)
        found.append(read_package(project.root / name, chapter.stem, name))
    gathered = Gathered(found)
    if folder is not None:
        with open_class(folder, roster) as there:
            found += [read(entry, chapter.stem) for entry in there.entries]
            gathered = Gathered(found, there.entries, there.absent)
    names = [submission.student for submission in found]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two submissions are named {name!r}; rename one")
    if not found:
        raise UserError("nothing to grade: give a folder of submissions or --package NAME")
    return gathered


@dataclass(frozen=True)
class _Basis:
    """What all submissions of a run are graded by."""

    project: Project
    chapter: Chapter
    reference: Path | None
    plan: Plan
    seed: str

    def key(self) -> Key:
        """Return what every result of the run depends on."""
        stem = self.chapter.stem
        parts = self.project.suite_files(stem) + self.project.misconception_files(stem)
        tests = [*sorted(parts), self.reference]
        return run_key(tests, asdict(self.chapter), self.seed, self.plan.to_json())


def _basis(project: Project, chapter: Chapter, options: Options) -> _Basis:
    path = project.root / REFERENCE / f"{chapter.stem}.py"
    reference = path if path.is_file() else None
    # import what students will import
    models = [reference] if reference else project.suite_files(chapter.stem)
    plan = sandbox.plan_for(models, confined=options.confined, user=options.user)
    return _Basis(project, chapter, reference, plan, options.seed or own_seed(project))


class _Records:
    """What is known of each submission: stored, and written as a page for the student."""

    def __init__(
        self, chapter: Chapter, submissions: list[Submission], options: Options, common: Key
    ) -> None:
        self._chapter, self._out = chapter, options.out
        self._whose = [each.whose for each in submissions]
        self._store = Store(options.out / "results", chapter)
        for left in options.out.rglob(".*.part"):  # by a run that was killed
            left.unlink(missing_ok=True)
        self._keys = [common | {"submission": each.digest} for each in submissions]
        self._before = [self._store.load(each.student) for each in submissions]
        self._results: dict[int, SubmissionResult] = {}
        for index, (kept, key) in enumerate(zip(self._before, self._keys, strict=True)):
            again = options.regrade or (kept and kept.result.provisional)
            if kept and kept.key == key and not again:
                self._results[index] = replace(kept.result, of=self._whose[index])
        self.todo = [index for index in range(len(submissions)) if index not in self._results]

    def add(self, index: int, result: SubmissionResult) -> None:
        """Keep a result, and write its page."""
        self._results[index] = result = replace(result, of=self._whose[index])
        self._store.save(self._keys[index], result)
        _write_feedback(self._out, self._chapter, result)

    def outcome(self) -> Outcome:
        """Write the pages of those whose work has not changed; return what was found of all."""
        for index in set(self._results).difference(self.todo):
            _write_feedback(self._out, self._chapter, self._results[index])
        ordered = tuple(self._results[index] for index in range(len(self._keys)))
        changes = _changes(self._before, self._keys, ordered)
        found = Outcome(self._chapter, ordered, len(self.todo), changes, keys=tuple(self._keys))
        agenda = page(self._chapter, found.mistakes, len(ordered))
        write_atomically(self._out / AGENDA, agenda, durable=False)
        return found


def grade(
    project: Project,
    chapter: Chapter,
    folder: Path | None,
    options: Options,
    watcher: Watcher,
) -> Outcome:
    """Grade a class; what has been graded before and has not changed is not graded again."""
    gathered = gather(project, chapter, folder, options.packages, options.roster)
    submissions = gathered.submissions
    basis = _basis(project, chapter, options)
    records = _Records(chapter, submissions, options, basis.key())
    watcher.begin(len(submissions), len(submissions) - len(records.todo))
    if records.todo:
        trial = sandbox.Trial(basis.plan, max(1, min(options.jobs, len(records.todo))))
        try:
            _grade_new(basis, submissions, records, trial, watcher)
        finally:
            trial.close()
    found = records.outcome()
    pages = {each.student: feedback.page(chapter, each) for each in found.results}
    uploads = write_uploads(options.out / CLASS, gathered.entries, pages)
    return replace(found, absent=gathered.absent, uploads=uploads)


def _grade_new(
    basis: _Basis,
    submissions: list[Submission],
    records: _Records,
    trial: sandbox.Trial,
    watcher: Watcher,
) -> None:
    """Grade the submissions that are still to do, and before them the reference."""
    project, stem = basis.project, basis.chapter.stem

    def finished(index: int, result: SubmissionResult) -> None:
        records.add(index, result)
        watcher.finished(result)

    def work(suite: Suite) -> None:
        suite.require_tasks_of(basis.chapter)
        suite.seed = basis.seed
        trial.finish()  # the servers have started while the suite was collected
        proof = Proof(len(submissions), finished)
        order, everyone = list(records.todo), list(submissions)
        if basis.reference:
            everyone.append(read_package(basis.reference.parent, stem, REFERENCE))
            order.insert(0, proof.index)
        else:
            proof.done = True
        mistakes = _misconceptions(project.misconceptions(stem))
        course = Course(basis.chapter, basis.reference, mistakes, basis.plan)
        WorkerPool(suite, course, everyone, trial.servers).run(order, proof.finished, watcher.tick)

    path = project.suite(stem)
    try:
        with_suite(path, project.root, work)
    except SuiteError as error:
        raise UserError(f"{path.name}: {error}") from error


def _misconceptions(path: Path | None) -> tuple[Misconception, ...]:
    try:
        return load_misconceptions(path) if path else ()
    except SuiteError as error:
        raise UserError(str(error)) from error


def _write_feedback(out: Path, chapter: Chapter, result: SubmissionResult) -> None:
    name = file_name(result.student)
    for suffix, render in ((".md", feedback.markdown), (".html", feedback.page)):
        write_atomically(out / f"{name}{suffix}", render(chapter, result), durable=False)


def _changes(
    before: list[Kept | None],
    keys: list[Key],
    results: tuple[SubmissionResult, ...],
) -> tuple[Change, ...]:
    """List the students whose score is another one than last time, and why."""
    found = []
    for kept, key, result in zip(before, keys, results, strict=True):
        scores = {each.task.id: each.score for each in result.tasks}
        if kept is None or (kept.score == result.score and kept.scores == scores):
            continue
        both = {**kept.scores, **scores}
        tasks = [task for task in both if kept.scores.get(task) != scores.get(task)]
        reasons = [why for part, why in REASONS.items() if kept.key.get(part) != key[part]]
        if not reasons:
            reasons = ["not the same as before: an unsteady test or submission"]
        text = f"{' and '.join(reasons)}; tasks {', '.join(tasks)}"
        found.append(Change(result.student, kept.score, result.score, text))
    return tuple(found)
