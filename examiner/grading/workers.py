"""Grades a class: worker processes, each with a candidate server of its own.

Leaves out what becomes of one submission (examiner.py) and the look of the results (terminal.py,
feedback.py).
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import psutil

from examiner.candidate.confinement import mapped_memory
from examiner.candidate.one_thread import compute_in_one_thread
from examiner.candidate.server import GC_THRESHOLDS, ServerPlan
from examiner.catalogue import Chapter
from examiner.ending import end_with_parent
from examiner.errors import UserError
from examiner.grading.candidates import FIRST, Candidates
from examiner.grading.clock import IDLE, IMPORTING, READING, Clock
from examiner.grading.examiner import Examiner, Skip
from examiner.grading.stored import Packed, StoredExamples
from examiner.grading.submissions import Submission
from examiner.judge.bounds import Bounds
from examiner.judge.diagnosis import Diagnosis
from examiner.judge.kept import Kept
from examiner.judge.mistakes import Misconception
from examiner.judge.runs import Terms
from examiner.judge.session import Refusal
from examiner.judge.suite import Suite, SuiteTest
from examiner.results import SubmissionResult, Verdict
from examiner.sandbox.servers import CandidateServer, ServerError

MAX_DEATHS = 5  # of workers in the same test, until the test is left out
MAX_STUCK = 3  # tests of a submission in which a worker got stuck, until all are left out
MAX_ALL_DEATHS = 20  # of workers in all tests of a submission, until all are left out
MAX_EARLY_DEATHS = 20  # of workers before they begin, one after the other, until we give up
GARBAGE = 128 << 20  # bytes that a submission may leave behind until they are looked for
KEPT, RUN, BOTH = "kept", "run", "both"
_fork = multiprocessing.get_context("fork") if sys.platform != "win32" else None

_UNREADABLE = Refusal(Verdict.CRASHED, "your file could not be read: the grader dies of it")

Finished = Callable[[int, SubmissionResult], None]


class Feed(Protocol):
    """Submissions that arrive while others are graded."""

    def fileno(self) -> int:
        """Return the file that can be read when there is news."""

    def take(self) -> Sequence[tuple[int, Submission]] | None:
        """Return what has arrived, with a number each; None when nothing more will."""


@dataclass(frozen=True)
class Course:
    """What all submissions are graded by."""

    chapter: Chapter
    reference: Path | None
    misconceptions: tuple[Misconception, ...]
    plan: ServerPlan
    terms: Terms  # the worker adds its bounds
    basis: bytes = b""  # a hash of all that decides a grade besides the submission
    programs: Packed = field(default_factory=dict)  # small ones, stored with what is right
    judging: str = KEPT  # whether tests are run that have heard the same answers before
    settling: bool = False  # the reference is asked whether tests are right: they are believed


@dataclass
class _Task:
    """A submission on its way, with the tests that must be left out because workers died."""

    index: int
    skip: dict[int, Refusal] = field(default_factory=dict)
    deaths: dict[int, int] = field(default_factory=dict)
    stuck: int = 0  # deaths of workers that hung
    submission: Submission | None = None  # None: to be read when it is its turn


@dataclass
class _Worker:
    process: Any
    pipe: Any
    task: _Task | None = None

    def computed(self) -> float:
        """Return the seconds of processor time that the process has used."""
        with contextlib.suppress(psutil.Error):
            return float(sum(psutil.Process(self.process.pid).cpu_times()[:2]))
        return 0.0


def _without_garbage(had: int) -> int:
    """Free what a submission has left in cycles, if that is much; return the bytes mapped now.

    subtle: answers may be large and few. Python would look for them after millions of objects, and
    the next submission's tests would find no memory.
    """
    now = mapped_memory()
    if now - had < GARBAGE:
        return min(had, now)
    gc.collect()
    return mapped_memory()


class WorkerPool:
    """Hands submissions to workers; a worker that dies or hangs is replaced."""

    def __init__(
        self,
        suite: Suite,
        course: Course,
        submissions: Sequence[Submission],
        servers: Sequence[CandidateServer],
    ) -> None:
        self._suite, self._course, self._submissions = suite, course, submissions
        self._servers = list(servers)  # one per worker; a worker's successor starts its own
        self._jobs = len(servers)
        self._clocks = [Clock() for _ in range(self._jobs)]  # of each worker
        self._workers: list[_Worker] = []
        self._early_deaths = 0

    def run(
        self,
        order: Sequence[int],
        finished: Finished,
        tick: Callable[[], None],
        skip: Mapping[int, Skip] | None = None,
    ) -> None:
        """Grade the submissions of these numbers; `tick` is called a few times per second.

        `order` may grow while it is worked through. `skip` says, by submission, which tests are
        left out.
        """
        self._settle_down()
        waiting: deque[_Task] = deque()
        taken = left = 0
        try:
            while left or taken < len(order):
                new = [_Task(index, dict((skip or {}).get(index, {}))) for index in order[taken:]]
                waiting += new
                taken, left = taken + len(new), left + len(new)
                self._hire(min(self._jobs, left))
                self._give_work(waiting)
                left -= self._turn(waiting, finished)
                tick()
        finally:
            self._dismiss()

    def serve(self, feed: Feed, finished: Finished, tick: Callable[[], None]) -> None:
        """Grade what a feed brings for as long as it brings something, each when it arrives."""
        self._settle_down()
        waiting: deque[_Task] = deque()
        left, open_ = 0, True
        try:
            self._hire(self._jobs)
            while left or open_:
                if open_:
                    new = feed.take()
                    open_ = new is not None
                    waiting += [_Task(index, submission=each) for index, each in new or ()]
                    left += len(new or ())
                    self._give_work(waiting)
                left -= self._turn(waiting, finished, [feed] if open_ else [])
                tick()
        finally:
            self._dismiss()

    def _turn(self, waiting: deque[_Task], finished: Finished, also: Sequence[Any] = ()) -> int:
        """Wait a moment for results, hand out work, tell what is finished; return how much was."""
        done = [(self._close(slot), result) for slot, result in self._listen(waiting, also)]
        self._give_work(waiting)  # before what takes time: storing, writing, drawing
        for index, result in done:
            finished(index, result)
        return len(done)

    def _settle_down(self) -> None:
        gc.collect()
        gc.freeze()  # the workers need not look at what was there before them
        gc.set_threshold(*GC_THRESHOLDS)

    def _dismiss(self) -> None:
        for worker in self._workers:
            worker.process.kill()
            worker.process.join()
        self._workers.clear()

    def _close(self, slot: int) -> int:
        task, self._workers[slot].task = self._workers[slot].task, None
        assert task is not None
        self._early_deaths = 0
        return task.index

    def _give_work(self, waiting: deque[_Task]) -> None:
        for worker in self._workers:
            if worker.task is None and waiting:
                worker.task = task = waiting.popleft()
                task.submission = task.submission or self._submissions[task.index]
                with contextlib.suppress(OSError):  # it has just died: _listen sees to it
                    worker.pipe.send((task.submission, task.skip))

    def _listen(
        self, waiting: deque[_Task], also: Sequence[Any]
    ) -> list[tuple[int, SubmissionResult]]:
        """Collect results; put the submissions of dead and stuck workers back in the queue.

        Returns at once, too, where something is to be read from what is named `also`.
        """
        pipes: dict[Any, int] = {worker.pipe: slot for slot, worker in enumerate(self._workers)}
        found: list[tuple[int, SubmissionResult]] = []
        ready = multiprocessing.connection.wait([*pipes, *also], timeout=0.2)
        for slot in [pipes[pipe] for pipe in ready if pipe in pipes]:
            try:
                found.append((slot, self._workers[slot].pipe.recv()))
            except (EOFError, OSError):
                fault = Refusal(Verdict.NOT_JUDGED, "the grader died in this test")
                self._replace(slot, waiting, fault, stuck=False)
        answered = {slot for slot, _ in found}  # in the last moment, perhaps
        for slot in set(pipes.values()) - answered:
            if self._is_stuck(slot):
                text = "your code's answers kept the test busy until its time was up"
                refusal = Refusal(Verdict.TIMEOUT, text)
                if self._clocks[slot].trusted:
                    text = "the grader got stuck when it ran this test on the course's own code"
                    refusal = Refusal(Verdict.NOT_JUDGED, text)
                self._replace(slot, waiting, refusal, stuck=True)
        return found

    def _is_stuck(self, slot: int) -> bool:
        worker = self._workers[slot]
        return worker.task is not None and self._clocks[slot].is_overdue(worker.computed)

    def _replace(self, slot: int, waiting: deque[_Task], refusal: Refusal, *, stuck: bool) -> None:
        """Hire a new worker; the test that the old one was in is left out if it is to blame."""
        worker = self._workers[slot]
        worker.process.kill()
        worker.process.join()
        self._servers[slot].kill()
        number = self._clocks[slot].number
        task = worker.task
        if number == IDLE:  # it died before it began: no submission is to blame
            self._early_deaths += 1
            if self._early_deaths > MAX_EARLY_DEATHS:
                raise UserError("the grader's workers die as soon as they start: is memory short?")
        elif task is not None:
            task.deaths[number] = task.deaths.get(number, 0) + 1
            task.stuck += stuck
            if number == READING:
                refusal = _UNREADABLE
            most = 1 if self._course.settling else MAX_DEATHS  # settling asks again by itself
            if stuck or task.deaths[number] >= most:
                task.skip[number] = refusal
            if task.stuck >= MAX_STUCK or sum(task.deaths.values()) >= MAX_ALL_DEATHS:
                everything = (IMPORTING, *range(len(self._suite.tests)))
                task.skip = dict.fromkeys(everything, refusal)
        if task is not None:
            waiting.appendleft(task)
        self._workers[slot] = self._hired(slot, [])

    def _hire(self, jobs: int) -> None:
        """Have so many workers: those that are missing begin."""
        for slot in range(len(self._workers), jobs):  # if one cannot, those before it are dismissed
            self._workers.append(self._hired(slot, [self._servers[slot]]))

    def _hired(self, slot: int, servers: list[CandidateServer]) -> _Worker:
        assert _fork is not None
        self._clocks[slot].idle()
        try:
            ours, theirs = _fork.Pipe()
            with theirs:
                process = _fork.Process(
                    target=self._work, args=(theirs, slot, os.getpid(), servers)
                )
                process.start()
        except OSError as error:
            raise UserError(
                f"no worker can be started: {error.strerror}; what was graded before is kept"
            ) from None
        return _Worker(process, ours)

    # ------------------------------------------------------------------ in the worker

    def _work(self, pipe: Any, slot: int, parent: int, servers: list[CandidateServer]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
        end_with_parent()
        if os.getppid() != parent:
            return
        compute_in_one_thread()  # a fork might hang in its parent's threads, too
        # what the suite and the mistakes that are tried warn of is expected
        warnings.simplefilter("ignore")
        clock = self._clocks[slot]
        examiner = self._examiner(clock, servers)
        try:
            with contextlib.suppress(ServerError):  # then the first submission will say so
                examiner.candidates.prepare(FIRST)
            had = mapped_memory()
            while True:
                submission, skip = pipe.recv()
                pipe.send(self._judge(examiner, submission, skip))
                clock.idle()
                had = _without_garbage(had)
        except EOFError:
            pass
        finally:
            examiner.candidates.close()

    def _examiner(self, clock: Clock, servers: list[CandidateServer]) -> Examiner:
        course, suite = self._course, self._suite
        stem, terms = course.chapter.stem, replace(course.terms, bound=Bounds())

        def trusted_code(test: SuiteTest) -> None:
            clock.begin(test.number, test.mark.seconds, trusted=True)

        def open_server(order: int) -> CandidateServer:
            if order == FIRST and servers:
                return servers.pop()
            return CandidateServer(replace(course.plan, hash_seed=order))

        diagnosis = Diagnosis(
            suite,
            terms,
            stem,
            course.reference,
            trusted_code,
            believing=course.settling,
        )
        kept = None
        if course.judging != RUN and not course.settling:
            kept = Kept(course.basis, comparing=course.judging == BOTH)
        candidates = Candidates(suite, stem, open_server, kept)
        examples = None
        if course.reference is not None and not course.settling:
            examples = StoredExamples(
                suite, stem, course.reference, course.misconceptions, course.programs
            )
        return Examiner(course.chapter, suite, terms, diagnosis, examples, candidates, clock.begin)

    def _judge(self, examiner: Examiner, submission: Submission, skip: Skip) -> SubmissionResult:
        try:
            return examiner.judge(submission, skip)
        except ServerError as error:
            fault = replace(submission, problem=str(error), verdict=Verdict.NOT_JUDGED)
            return examiner.judge(fault, {})
