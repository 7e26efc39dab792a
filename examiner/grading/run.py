"""A whole run of `nextword grade`: reads the submissions, grades what is new, writes the feedback.

Leaves out the command line's options and what the terminal shows (cli/grade.py, terminal.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from examiner.catalogue import Chapter
from examiner.errors import UserError
from examiner.grading import admitted, feedback
from examiner.grading.admission import Admission
from examiner.grading.agenda import Met, mistakes_met, page
from examiner.grading.basis import Basis, basis_of, with_course
from examiner.grading.entries import open_class
from examiner.grading.hand_back import write_uploads
from examiner.grading.roster import Roster, Student
from examiner.grading.store import REASONS, Kept, Key, Store, write_atomically
from examiner.grading.submissions import Submission, read, read_package
from examiner.grading.workers import KEPT, Course, Finished, WorkerPool
from examiner.grading.works import Entry
from examiner.judge.suite import Suite
from examiner.project import Project
from examiner.results import AT_FAULT, Fault, SubmissionResult
from examiner.sandbox import trial as sandbox

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


class Elsewhere(Protocol):
    """Machines that judge submissions in the place of this one."""

    def judge(
        self,
        project: Project,
        course: Course,
        suite: Suite,
        submissions: Sequence[Submission],
        order: Sequence[int],
        finished: Finished,
        tick: Callable[[], None],
    ) -> None:
        """Judge the submissions of these numbers."""


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
    seed: str | None = None  # None: the course folder's own, made once
    confined: bool = True  # in the sandbox
    user: int | None = None  # whom candidates become that are not confined
    regrade: bool = False  # even what has not changed
    packages: tuple[str, ...] = ()  # of the course folder, graded as submissions
    roster: Roster | None = None
    judging: str = KEPT  # whether tests are run that have heard the same answers before
    examples: bool = True  # whether students see on which inputs their work is wrong
    elsewhere: Elsewhere | None = None  # other machines, which judge in the place of this one

    def told(self, result: SubmissionResult) -> SubmissionResult:
        """Return a result as its student sees it."""
        return result if self.examples else result.without_examples()


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
    absent: tuple[Student, ...] = ()  # of the roster: nothing was handed in
    uploads: tuple[Path, ...] = ()  # feedback as a learning platform takes it
    keys: tuple[Key, ...] = ()  # of the results: what each depends on
    faults: tuple[Fault, ...] = ()  # tests that the reference fails: nobody pays for them

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
            "faults": [fault.to_json() for fault in self.faults],
        }

    @property
    def mistakes(self) -> list[Met]:
        """What the class got wrong, by task."""
        return mistakes_met(self.chapter, self.results)


@dataclass(frozen=True)
class Gathered:
    """The submissions of a class, read."""

    submissions: list[Submission]
    entries: tuple[Entry, ...] = ()
    absent: tuple[Student, ...] = ()


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


class _Records:
    """What is known of each submission: stored, and written as a page for the student."""

    def __init__(
        self, chapter: Chapter, submissions: list[Submission], options: Options, common: Key
    ) -> None:
        self._chapter, self._out, self._told = chapter, options.out, options.told
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
        feedback.write(self._out, self._chapter, self._told(result))

    def outcome(self, faults: Sequence[Fault]) -> Outcome:
        """Write the pages of those whose work has not changed; return what was found of all."""
        for index in set(self._results).difference(self.todo):
            feedback.write(self._out, self._chapter, self._told(self._results[index]))
        ordered = tuple(self._results[index] for index in range(len(self._keys)))
        changes = _changes(self._before, self._keys, ordered)
        found = Outcome(
            self._chapter,
            ordered,
            len(self.todo),
            changes,
            keys=tuple(self._keys),
            faults=(*faults, *_met_on_the_way(ordered, faults)),
        )
        agenda = page(self._chapter, ordered, found.faults)
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
    records = _Records(chapter, submissions, options, basis.key)
    watcher.begin(len(submissions), len(submissions) - len(records.todo))

    def finished(index: int, result: SubmissionResult) -> None:
        records.add(index, result)
        watcher.finished(result)

    faults = _grade_new(basis, submissions, records.todo, options, finished, watcher.tick)
    found = records.outcome(faults)
    shown = [options.told(each) for each in found.results]
    pages = {each.student: feedback.page(chapter, each) for each in shown}
    uploads = write_uploads(options.out / CLASS, gathered.entries, pages)
    return replace(found, absent=gathered.absent, uploads=uploads)


def _basis(project: Project, chapter: Chapter, options: Options) -> Basis:
    return basis_of(
        project, chapter, confined=options.confined, user=options.user, seed=options.seed
    )


def prepare(
    project: Project,
    chapter: Chapter,
    options: Options,
    use: Callable[[Course, Suite, Admission], None],
) -> Key:
    """Settle which inputs the tests take, and call `use` with what submissions are graded by.

    Returns what every result depends on. For those who grade without a class.
    """
    basis = _basis(project, chapter, options)

    def work(suite: Suite, course: Course, admission: Admission, trial: sandbox.Trial) -> None:
        use(course, suite, admission)

    with_course(basis, max(1, options.jobs), lambda: None, work)
    return basis.key


def settle_ahead(project: Project, chapter: Chapter, options: Options) -> tuple[Fault, ...]:
    """Settle which inputs the tests take, before there are submissions; return tests at fault."""
    basis = _basis(project, chapter, options)
    return _grade_new(basis, [], [], options, lambda *_: None, lambda: None)


def _grade_new(
    basis: Basis,
    submissions: list[Submission],
    todo: Sequence[int],
    options: Options,
    finished: Finished,
    tick: Callable[[], None],
) -> tuple[Fault, ...]:
    """Grade the submissions that are still to do, on inputs that the reference passes.

    Returns the tests that it fails whatever their inputs.
    """
    settled = basis.reference is None or admitted.load(basis.project, basis.stem, basis.key)[1]
    if settled and not todo:
        return ()
    servers = 1 if options.elsewhere else options.jobs
    faults: list[Fault] = []

    def work(suite: Suite, course: Course, admission: Admission, trial: sandbox.Trial) -> None:
        faults.extend(admission.faults)

        def spared(index: int, result: SubmissionResult) -> None:
            finished(index, admission.spare(result))

        course = replace(course, judging=options.judging)
        if options.elsewhere and todo:
            options.elsewhere.judge(basis.project, course, suite, submissions, todo, spared, tick)
        else:
            WorkerPool(suite, course, submissions, trial.servers).run(todo, spared, tick)

    most = max(1, min(servers, len(todo))) if settled else max(1, servers)
    with_course(basis, most, tick, work)
    return tuple(faults)


def _met_on_the_way(results: Sequence[SubmissionResult], known: Sequence[Fault]) -> Iterator[Fault]:
    """Yield tests that the reference passed before the class was graded, and failed in it."""
    names = {fault.test for fault in known}
    for task in (task for result in results for task in result.tasks):
        for test in task.tests:
            if test.message == AT_FAULT and test.name not in names:
                names.add(test.name)
                why = "the reference failed it, twice, while the class was graded"
                yield Fault(task.task.id, test.name, "", why)


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
