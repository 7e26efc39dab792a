"""A whole run of `nextword grade`: reads the submissions, grades what is new, writes the feedback.

Leaves out the command line's options and what the terminal shows (cli/grade.py, terminal.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from examiner.catalogue import Chapter
from examiner.files import left_behind
from examiner.grading import admitted
from examiner.grading.admission import Admission
from examiner.grading.basis import Basis, basis_of, with_course
from examiner.grading.beside import require_apart
from examiner.grading.feedback import Pages
from examiner.grading.hand_back import write_uploads
from examiner.grading.handed_in import HandedIn, handed_in, unchanged
from examiner.grading.json_lines import JsonLines, json_lines
from examiner.grading.lazily import Lazily
from examiner.grading.outcome import CLASS, LARGE, TABLE, Outcome
from examiner.grading.reckoning import keep_days, reckoned
from examiner.grading.records import Records
from examiner.grading.roster import Roster
from examiner.grading.same_code import SameCode
from examiner.grading.store import Key, Store, draws_of, write_atomically
from examiner.grading.submissions import Submission
from examiner.grading.tables import grades_csv
from examiner.grading.workers import KEPT, Course, Finished, WorkerPool
from examiner.judge.suite import Suite
from examiner.judge.wording import one_line
from examiner.project import Project
from examiner.report.page import page
from examiner.results import Fault, SubmissionResult
from examiner.sandbox import trial as sandbox
from examiner.term.standing import Term

REPORT = Path(CLASS, "report.html")
MOST_NAMED = 5  # students in one line
MOST_TOGETHER = 2000  # students whose pages are in one folder


class Watcher(Protocol):
    """Shows how a run goes on."""

    def begin(self, total: int, known: int) -> None:
        """Take note of how many submissions there are, and how many have been graded before.

        Once more where fewer stand than it seemed, before the first is finished.
        """

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
        sharing: Callable[[int], int],
    ) -> None:
        """Judge the submissions of these numbers; `sharing`: how many may get the result of one."""


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
    json_lines: Path | None = None  # a file for each result, as it comes
    term: Term = field(
        default_factory=Term
    )  # dates and corrections: what counts of what was judged
    requests: Path | None = None  # a folder of students' requests for a second look
    times: Roster | None = None  # a table of when works were handed in
    second_look: str = ""  # the address that students' pages invite to

    def told(self, result: SubmissionResult) -> SubmissionResult:
        """Return a result as its student sees it."""
        return result if self.examples else result.without_examples()


def grade(
    project: Project,
    chapter: Chapter,
    folder: Path | None,
    options: Options,
    watcher: Watcher,
) -> Outcome:
    """Grade a class; what has been graded before and has not changed is not graded again.

    Whoever has shown the outcome calls its `told`; until then the next run tells its changes, too.
    """
    require_apart(options.out, folder)
    with ExitStack() as stack:
        found = stack.enter_context(
            handed_in(
                *(project, chapter, folder, options.packages, options.roster),
                options.term.corrections,
            )
        )
        lines = stack.enter_context(json_lines(options.json_lines)) if options.json_lines else None
        return _grade(_basis(project, chapter, options), found, options, lines, watcher)


def _grade(
    basis: Basis, found: HandedIn, options: Options, lines: JsonLines | None, watcher: Watcher
) -> Outcome:
    chapter, out = basis.chapter, options.out
    for left in left_behind(out):  # by a run that was killed
        left.unlink(missing_ok=True)
    store = Store(out / "results", chapter)
    reckoning = reckoned(found, options, chapter)
    settled = reckoning.settled
    again = options.term.corrections.tasks_again
    records = Records(found.submissions, store, basis.key, regrade=options.regrade, again=again)
    total = len(records.digests)
    watcher.begin(total, total - len(records.todo))

    def drawn(attempts: Mapping[str, int]) -> Sequence[int]:
        known = len(records.todo)
        if len(todo := records.drawn(attempts)) != known:  # some were judged on other inputs
            watcher.begin(total, total - len(todo))
        return todo

    pages = Pages(out, spread=total > MOST_TOGETHER, second_look=options.second_look)

    def write(result: SubmissionResult) -> None:
        result = settled(result)
        pages.write(chapter, options.told(result))
        if lines:
            lines.add(result)

    def finished(index: int, result: SubmissionResult) -> None:
        kept = records.add(index, result)
        write(kept)
        watcher.finished(kept)

    for result in records.known:
        write(result)
        watcher.tick()
    submissions = unchanged(found.submissions, records.digests)
    new = New(submissions, records.outlines if options.judging == KEPT else {})
    faults = _grade_new(basis, new, drawn, options, finished, watcher.tick)
    outcome = Outcome(
        chapter,
        Lazily(total, lambda number: settled(records.results[number])),
        len(records.todo),
        records.changes,
        found.absent,
        write_uploads(out / CLASS, found.entries, pages.read),
        records.keys,
        faults,
        pages,
        options.term,
        reckoning.requests,
        notes=(*reckoning.notes, *_of_unreadable(records.unreadable)),
        told=records.told,
    )
    _write_for_instructors(out, outcome)
    to_grade_again = keep_days(out.parent, reckoning.term, outcome.results)
    if lines:
        lines.finish(outcome.results)
    return replace(outcome, to_grade_again=tuple(to_grade_again))


def _of_unreadable(students: Sequence[str]) -> list[str]:
    """Return a line on kept results that cannot be read, such as those of a bad disk."""
    if not students:
        return []
    first = ", ".join(one_line(each) for each in students[:MOST_NAMED])
    more = f" and {len(students) - MOST_NAMED:,} more" if len(students) > MOST_NAMED else ""
    return [f"kept results cannot be read, and their works were judged anew: {first}{more}"]


def _write_for_instructors(out: Path, outcome: Outcome) -> None:
    report = page(outcome.report, outcome.survey.splits, outcome.faults, outcome.besides)
    write_atomically(out / REPORT, report, durable=False)
    if len(outcome.results) > LARGE:
        write_atomically(out / TABLE, grades_csv(outcome, pages=True), durable=False)


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
    key = dict(basis.key)

    def work(suite: Suite, course: Course, admission: Admission, trial: sandbox.Trial) -> None:
        key.update(draws_of(admission.attempts))
        use(course, suite, admission)

    with_course(basis, max(1, options.jobs), lambda: None, work)
    return key


def settle_ahead(project: Project, chapter: Chapter, options: Options) -> tuple[Fault, ...]:
    """Settle which inputs the tests take, before there are submissions; return tests at fault."""
    basis = _basis(project, chapter, options)
    nobody = New((), {})
    return _grade_new(basis, nobody, lambda attempts: [], options, lambda *_: None, lambda: None)


@dataclass(frozen=True)
class New:
    """The submissions of a class, each read when it is its turn, and who may have the same code."""

    submissions: Sequence[Submission]
    outlines: Mapping[int, bytes]


def _grade_new(
    basis: Basis,
    new: New,
    drawn: Callable[[Mapping[str, int]], Sequence[int]],
    options: Options,
    finished: Finished,
    tick: Callable[[], None],
) -> tuple[Fault, ...]:
    """Grade the submissions that are still to do, on inputs that the reference passes.

    `drawn` is told which draw of them each test takes, and returns which these are. Returns the
    tests that the reference fails whatever their inputs.
    """
    attempts, whole = admitted.load(basis.project, basis.stem, basis.key)
    settled = basis.reference is None or whole
    todo = drawn(attempts) if settled else []
    if settled and not todo:
        return ()
    servers = 1 if options.elsewhere else options.jobs
    faults: list[Fault] = []

    def work(suite: Suite, course: Course, admission: Admission, trial: sandbox.Trial) -> None:
        faults.extend(admission.faults)
        todo = drawn(admission.attempts)
        same_code = SameCode(new.submissions, new.outlines, todo)

        def spared(index: int, result: SubmissionResult) -> None:
            finished(index, admission.spare(result))
            for other, same in same_code.settled_by(index, result):
                finished(other, admission.spare(same))

        course, order = replace(course, judging=options.judging), same_code.order
        if options.elsewhere and order:
            judge = options.elsewhere.judge
            submissions, sharing = new.submissions, same_code.sharing
            judge(basis.project, course, suite, submissions, order, spared, tick, sharing)
        else:
            WorkerPool(suite, course, new.submissions, trial.servers).run(order, spared, tick)

    most = max(1, min(servers, len(todo))) if settled else max(1, servers)
    with_course(basis, most, tick, work)
    return tuple(faults)
