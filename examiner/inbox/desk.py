"""Grades what arrives in an inbox: queue, grading, results.

What is kept can be lost at no moment. A result is stored before its arrival is put away; whoever is
killed in between finds the arrival again, and grades it to the same result.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from examiner.catalogue import Chapter
from examiner.cluster.grader import charged
from examiner.cluster.keeper import House, HouseError
from examiner.cluster.plain import Form, NonsenseError, job_of
from examiner.errors import UserError
from examiner.grading.admission import Admission
from examiner.grading.feedback import Pages
from examiner.grading.same_code import KnownCode
from examiner.grading.store import Key, Store
from examiner.grading.submissions import Submission
from examiner.inbox.arrivals import Arrival, Inbox, InboxError
from examiner.inbox.counting import Counting
from examiner.results import SubmissionResult

AHEAD = 1  # jobs that wait in the house for each that it grades
MOST_DEATHS = 2  # of houses with a job in hand, until it is tried alone; then it is charged
PAUSE = 5.0  # seconds until an inbox that does not answer is asked again
FEW = 3  # houses in a row that end before they were ready, until we give up


class CannotGradeError(UserError):
    """No process that grades can be had: it would be no use to try again."""


class Told(Protocol):
    """Whoever watches the desk."""

    def say(self, line: str) -> None:
        """Take note of what a person should know."""

    def graded(self, arrival: Arrival, result: SubmissionResult) -> None:
        """Take note of a result."""


@dataclass
class _Job:
    """An arrival that is in hand."""

    arrival: Arrival
    submission: Submission
    claimed: float
    deaths: int = 0
    result: SubmissionResult | None = None  # stored already, or still to be


@dataclass(frozen=True)
class Terms:
    """By what a desk grades."""

    chapter: Chapter
    form: Form
    key: Key  # what every result depends on
    admission: Admission
    out: Path
    told: Callable[[SubmissionResult], SubmissionResult]  # a result as its student sees it
    counting: Counting = field(default_factory=Counting)  # what counts of what was judged
    second_look: str = ""  # the address that students' pages invite to


class Desk:
    """Takes from an inbox, has a house grade it, and gives back."""

    def __init__(
        self,
        inbox: Inbox,
        terms: Terms,
        open_house: Callable[[int], House],
        slots: int,
        watcher: Told,
    ) -> None:
        self._inbox, self._terms, self._open, self._slots = inbox, terms, open_house, slots
        self._watcher = watcher
        self._store = Store(terms.out / "results", terms.chapter)
        self._code = KnownCode()
        self._house: House | None = None
        self._jobs: dict[int, _Job] = {}
        self._unstored: list[_Job] = []  # judged; where they belong cannot be written just now
        self._next = 0
        self._given = 0  # how many were given back
        self._troubles: dict[str, str] = {}  # what was said, by what failed
        self._trouble_until = 0.0
        self._failed = 0

    def open(self) -> None:
        """Start the process that grades before the first arrival."""
        self._house = self._open(self._slots)

    @property
    def idle(self) -> bool:
        """Whether nothing is in hand."""
        return not self._jobs and not self._unstored

    def turn(self, seconds: float = 0.2) -> int:
        """Take what arrives, wait a moment for results, give them back; return how many were.

        Raises CannotGradeError when nothing can be graded on this machine.
        """
        before, given = self._next, self._given
        if time.monotonic() >= self._trouble_until:
            self._trying("give", self._give_back_the_rest)
            self._trying("beat", self._inbox.beat)
            self._trying("take", self._take)
        self._listen(seconds if self._next == before else 0.0)
        for line in self._said():
            self._watcher.say(line)
        return self._given - given

    def _said(self) -> list[str]:
        lines = list(self._inbox.said)
        self._inbox.said.clear()
        return lines

    def _trying(self, what: str, work: Callable[[], None]) -> None:
        """Do something with the inbox or the results; where it fails, say so once and wait."""
        try:
            work()
        except CannotGradeError:
            raise
        except UserError as error:
            if str(error) not in self._troubles.values():
                self._watcher.say(f"{error}; trying again every {PAUSE:g} s, nothing is lost")
            self._troubles[what] = str(error)
            self._trouble_until = time.monotonic() + PAUSE
        else:
            if self._troubles.pop(what, "") and not self._troubles:
                self._watcher.say("it works again")

    # ------------------------------------------------------------------ taking

    def _take(self) -> None:
        room = self._slots * (1 + AHEAD) - len(self._jobs)
        if room <= 0 or self._unstored:
            return
        for arrival in self._inbox.claim(room):
            submission = arrival.read(self._terms.chapter.stem)
            job = _Job(arrival, submission, time.time())
            again = self._terms.counting.is_judged_again(arrival)
            if not again and (known := self._known(submission) or self._code.of(submission)):
                job.result = known
                self._give_back(job)
            else:
                self._jobs[self._next] = job
                self._send(self._next)
            self._next += 1

    def _known(self, submission: Submission) -> SubmissionResult | None:
        """Return a student's last result if it is of the same work, and may stand."""
        kept = self._store.load(submission.student)
        if kept and kept.key == self._key(submission) and not kept.result.provisional:
            return replace(kept.result, of=submission.whose)
        return None

    def _key(self, submission: Submission) -> Key:
        return self._terms.key | {"submission": submission.digest}

    def _send(self, number: int) -> None:
        try:
            if self._house is None:
                self._house = self._open(self._slots)
                for each in self._jobs:
                    self._house.send(each, job_of(self._jobs[each].submission))
            else:
                self._house.send(number, job_of(self._jobs[number].submission))
        except HouseError as error:
            self._bury(error)

    # ------------------------------------------------------------------ judging

    def _listen(self, seconds: float) -> None:
        if self._house is None:
            time.sleep(seconds)
            return
        try:
            found = self._house.receive(seconds)
        except HouseError as error:
            self._bury(error)
            return
        for number, text in found:
            self._failed = 0
            if job := self._jobs.pop(number, None):
                try:
                    job.result = self._terms.form.read(text, job.submission)
                    self._code.note(job.submission, job.result)
                except NonsenseError:
                    job.result = charged(self._terms.form, job.submission)
                self._give_back(job)

    def _bury(self, error: HouseError) -> None:
        """Start anew after the process that grades has ended; what kills it twice is charged.

        Several are in hand, and one of them is to blame: each is tried alone after that.
        """
        was_ready = self._house is not None and self._house.ready
        if self._house is not None:
            self._house.close()
            self._house = None
        self._failed = 0 if was_ready else self._failed + 1
        if self._failed >= FEW:
            raise _nothing_can_be_graded(error)
        self._watcher.say(f"the process that grades has ended ({error}): starting another")
        if was_ready:
            for job in self._jobs.values():
                job.deaths += 1
        suspects = [n for n, job in self._jobs.items() if job.deaths >= MOST_DEATHS]
        for number in suspects:
            self._alone(self._jobs.pop(number))
        if self._jobs:
            self._send(next(iter(self._jobs)))

    def _alone(self, job: _Job) -> None:
        house = self._open_ready()
        try:
            job.result = self._terms.form.read(house.ask(job_of(job.submission)), job.submission)
        except (HouseError, NonsenseError):
            self._watcher.say(f"{job.submission.student}: charged, since it ended three processes")
            job.result = charged(self._terms.form, job.submission)
        finally:
            house.close()
        self._give_back(job)

    def _open_ready(self) -> House:
        """Open a house that is ready for a job; raises CannotGradeError where none gets so far."""
        for _ in range(FEW):
            with ExitStack() as unless_ready:
                try:
                    house = self._open(1)
                    unless_ready.callback(house.close)
                    house.wait()
                    unless_ready.pop_all()
                    return house
                except HouseError as error:
                    why = error
        raise _nothing_can_be_graded(why)

    # ------------------------------------------------------------------ giving back

    def _give_back(self, job: _Job) -> None:
        """Store a result, write its pages, put its arrival away; or keep it until that works."""
        self._unstored.append(job)
        self._trying("give", self._give_back_the_rest)

    def _give_back_the_rest(self) -> None:
        while self._unstored:
            job = self._unstored[0]
            assert job.result is not None
            result = replace(self._terms.admission.spare(job.result), of=job.submission.whose)
            self._store.save(self._key(job.submission), result)
            counts = self._terms.counting.settled(result, job.arrival)
            again = self._terms.counting.keep_days(counts, job.arrival)
            terms = self._terms
            written = Pages(terms.out, second_look=terms.second_look)
            pages = written.write(terms.chapter, terms.told(counts))
            self._inbox.finish(job.arrival, self._record(job, counts), pages)
            self._unstored.pop(0)
            self._given += 1
            self._watcher.graded(job.arrival, counts)
            if again:
                text = "other days in hand were used than before, and they stay as they were told"
                self._watcher.say(f"{result.student}: {', '.join(again)}: {text}")

    def _record(self, job: _Job, result: SubmissionResult) -> dict[str, Any]:
        standing = result.standing.to_json() if result.standing else {}
        return standing | {
            "ticket": job.arrival.ticket,
            "student": result.student,
            "arrived": job.arrival.arrived,
            "claimed": job.claimed,
            "graded": time.time(),
            "score": result.score,
            "max_score": result.max_score,
            "provisional": result.provisional,
            "notice": result.notice,
            "digest": job.submission.digest,
        }

    def close(self) -> None:
        """End the process that grades; what is in hand waits again."""
        if self._house is not None:
            self._house.close()
        self._inbox.close()


def _nothing_can_be_graded(error: HouseError) -> CannotGradeError:
    return CannotGradeError(f"nothing can be graded here: {error}; what has arrived waits")


__all__ = ["Desk", "InboxError", "Terms", "Told"]
