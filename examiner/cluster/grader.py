"""The grader's side of a cluster: sends jobs by the courier, checks what is answered, keeps count.

A job's first good answer counts, whoever gave it and however often it was asked: nothing is lost
while the grader itself lives, nothing counts twice. What workers cannot agree on, the grader's own
machine judges.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import select
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from examiner.candidate.one_thread import ONE_THREAD
from examiner.cluster import last_words
from examiner.cluster.house import Lines
from examiner.cluster.keeper import House, HouseError, StartError
from examiner.cluster.last_words import LastWords
from examiner.cluster.outbox import Outbox
from examiner.cluster.parcel import Parcel, unpacked
from examiner.cluster.plain import Form, NonsenseError, job_of
from examiner.cluster.setting import DEATHS
from examiner.errors import UserError
from examiner.grading.submissions import Submission
from examiner.judge.wording import one_line
from examiner.passing import passing_folder
from examiner.plural import count
from examiner.results import SubmissionResult, Verdict, group_by_task
from examiner.sandbox import bubblewrap
from examiner.sandbox.servers import places

MOST_NONSENSE = 2  # answers to a job that were no results, until it is judged at home
MOST_COURIERS = 5  # that end before they have brought anything, until we give up
CHARGED = "the grader's processes died whenever they ran your code, on three machines"


@dataclass(frozen=True)
class Way:
    """How a cluster is reached."""

    scheduler: str  # tls://host:port
    certificates: Path | None = None
    confined: bool = True  # whether the courier is locked in
    patience: float = 300.0  # seconds without a scheduler, until the run ends
    overdue: float = 180.0  # seconds without an answer, until a job goes to another worker, too
    audit: float = 0.02  # share of the jobs that two workers judge, whose answers are compared


@dataclass
class _Asked:
    """What is known of a job that is not yet done."""

    avoid: set[str] = field(default_factory=set)
    nonsense: int = 0
    first: tuple[str, SubmissionResult] | None = None  # a worker's result, to be compared


class Cluster:
    """Grades jobs on a cluster."""

    def __init__(self, way: Way, parcel: Parcel, form: Form, tell: Callable[[str], None]) -> None:
        self._way, self._parcel, self._form = way, parcel, form
        # subtle: what workers say of themselves is a stranger's words, and goes to a terminal
        self._tell = lambda line: tell(one_line(line))
        self._courier: _Courier | None = None
        self._house = _HouseHere(parcel)
        self._submissions: Sequence[Submission] = ()
        self._waiting: deque[int] = deque()
        self._away: dict[int, _Asked] = {}  # what the courier has
        self._again: dict[int, _Asked] = {}  # what was known of them when a courier ended
        self._home: dict[int, bool] = {}  # to be judged here; whether workers died with it
        self._by: dict[str, list[int]] = {}  # what each worker has judged, while it is believed
        self._bad: dict[str, str] = {}
        self._audited: set[int] = set()
        self._window = self._failed = 0

    def run(
        self,
        submissions: Sequence[Submission],
        order: Sequence[int],
        finished: Callable[[int, SubmissionResult], None],
        tick: Callable[[], None],
        sharing: Callable[[int], int],
    ) -> None:
        """Have these submissions judged; `order` may grow while it is worked through.

        `sharing` tells how many students a submission's result may go to. Raises UserError when no
        scheduler answers, or no worker can grade; what was finished until then is.
        """
        self._submissions = submissions
        taken = 0
        try:
            while taken < len(order):
                new, taken = order[taken:], len(order)
                self._waiting.extend(new)
                self._audited |= {number for number in new if self._is_drawn(sharing(number))}
                while self._waiting or self._away:
                    for number, result in self._turn():
                        finished(number, result)
                    tick()
                self._close()
                for number, suspect in self._home.items():
                    finished(number, self._judge_here(number, suspect=suspect))
                    tick()
                self._home.clear()
        finally:
            self._close()
            self._house.close()

    def _is_drawn(self, results: int) -> bool:
        """Draw whether a job is audited: as likely as if each result had been a job of its own."""
        return secrets.randbelow(10_000) < 10_000 * (1 - (1 - self._way.audit) ** results)

    def _turn(self) -> Iterator[tuple[int, SubmissionResult]]:
        """Send what there is room for, wait a moment, and yield what is done."""
        if self._courier is None:
            self._waiting.extendleft(sorted(self._away, reverse=True))
            self._again |= self._away
            self._away.clear()
            try:
                self._courier, self._window = _Courier(self._way, self._parcel), 0
            except OSError as error:  # no room for a process or for what it says
                text = f"no courier can be started: {error.strerror}; what was graded is kept"
                raise UserError(text) from None
            for worker, why in self._bad.items():
                self._courier.send(bad=worker, why=why)
        while self._waiting and len(self._away) < self._window:
            number = self._waiting.popleft()
            self._away[number] = self._again.pop(number, _Asked())
            self._send(number)
        try:
            said = self._courier.receive(0.2)
        except CourierError as error:
            self._failed += 1
            if self._failed >= MOST_COURIERS:
                why = one_line(str(error))
                text = f"the cluster cannot be reached: {why}; what was graded is kept"
                raise UserError(text) from None
            self._close()
            return
        for message in said:
            self._heed(message)
            which = message.get("n")
            if type(which) is int and which in self._away:
                self._failed = 0
                done = self._answer(which, message)
                if done is not None:
                    yield which, done
                if done is not None or which in self._home:
                    del self._away[which]
                else:
                    self._send(which)
        self._waiting.extend(self._disbelieved())

    def _judge_here(self, number: int, *, suspect: bool = False) -> SubmissionResult:
        """Judge a submission on the grader's own machine, in a process of its own.

        With a suspect two workers died. Workers die of other things, too, and nobody shall pay for
        these; so it is judged once more, after all others, and charged if that process dies, too,
        after it was ready to judge.
        """
        submission = self._submissions[number]
        try:
            return self._form.read(self._house.ask(job_of(submission)), submission)
        except (HouseError, NonsenseError) as error:
            if not suspect or isinstance(error, StartError):
                raise UserError(f"this machine cannot judge, either: {error}") from None
            self._tell(f"{submission.student}: charged, since it ended a third process, too")
            return charged(self._form, submission)

    # ------------------------------------------------------------------ messages

    def _heed(self, message: dict[str, Any]) -> None:
        if type(message.get("window")) is int:
            self._window = message["window"]
        if "say" in message:
            self._tell(str(message["say"]))
        if "none" in message:
            why = one_line(str(message["none"]))
            raise UserError(f"no worker of {self._way.scheduler} can grade: {why}")
        if "gone" in message:
            raise UserError(f"{one_line(str(message['gone']))}; what was graded before is kept")

    def _send(self, number: int) -> None:
        assert self._courier is not None
        job, avoid = job_of(self._submissions[number]), sorted(self._away[number].avoid)
        with contextlib.suppress(CourierError):  # receive will say so
            self._courier.send(n=number, job=job, **{"not": avoid})

    def _answer(self, number: int, message: dict[str, Any]) -> SubmissionResult | None:
        """Return a job's result, or None where it must be asked again or judged here, later."""
        asked, worker = self._away[number], str(message.get("worker", ""))
        if message.get("died"):
            self._home[number] = True
            name = self._submissions[number].student
            self._tell(f"{name}: {count(DEATHS, 'worker')} died with this in hand")
            return None
        if message.get("nobody"):  # whom it might still be sent to
            if asked.first and asked.first[0] not in self._bad:
                self._by.setdefault(asked.first[0], []).append(number)
                return asked.first[1]
            self._home[number] = False
            return None
        asked.avoid.add(worker)
        if worker in self._bad:  # it was under way when the worker was found out
            return None
        try:
            result = self._form.read(message.get("result"), self._submissions[number])
        except NonsenseError as error:
            asked.nonsense += 1
            if worker:
                self._send_away(worker, f"answered nonsense ({error})")
            if asked.nonsense >= MOST_NONSENSE:
                self._home[number] = False
            return None
        if number in self._audited and asked.first is None:
            asked.first = worker, result
            return None
        if asked.first is not None and not same(asked.first[1], result):
            right = self._judge_here(number)
            for each, said in (asked.first, (worker, result)):
                if not same(said, right):
                    self._send_away(each, "judged a submission in another way than this machine")
            return right
        self._by.setdefault(worker, []).append(number)
        if asked.first:
            self._by.setdefault(asked.first[0], []).append(number)
        return result

    def _send_away(self, worker: str, why: str) -> None:
        if worker in self._bad:
            return
        self._bad[worker] = f"{worker} {why}"
        self._tell(f"{worker} {why}: it gets no more, and what it has judged is judged again")
        if self._courier is not None:
            with contextlib.suppress(CourierError):
                self._courier.send(bad=worker, why=self._bad[worker])

    def _disbelieved(self) -> list[int]:
        """Return, once, what workers have judged that are no longer believed."""
        found = {n for worker in self._bad for n in self._by.pop(worker, ())}
        return sorted(found.difference(self._away, self._home, self._waiting))

    def _close(self) -> None:
        if self._courier is not None:
            self._courier.close()
            self._courier = None


class _HouseHere:
    """A house on the grader's own machine, started when it is first needed."""

    def __init__(self, parcel: Parcel) -> None:
        self._parcel = parcel
        self._held = ExitStack()
        self._folder: Path | None = None
        self._house: House | None = None

    def ask(self, job: str) -> str:
        """Return the result of a job; raises HouseError."""
        if self._house is None:
            if self._folder is None:
                self._folder = self._held.enter_context(passing_folder("examiner-here-"))
            folder = Path(tempfile.mkdtemp(dir=self._folder))
            parcel = unpacked(self._parcel.data, self._parcel.digest, folder)
            self._house = House(parcel.root, parcel.environment())
        try:
            return self._house.ask(job)
        except HouseError:
            self._house.close()
            self._house = None
            raise

    def close(self) -> None:
        """End it."""
        if self._house:
            self._house.close()
        self._held.close()


def charged(form: Form, submission: Submission) -> SubmissionResult:
    """Return the result of a submission that ended every worker it touched."""
    pairs = [
        (task, replace(test, verdict=Verdict.CRASHED, message=CHARGED)) for task, test in form.tests
    ]
    tasks = group_by_task(form.chapter, pairs)
    return SubmissionResult(submission.student, tasks, CHARGED, submission.files)


def same(one: SubmissionResult, other: SubmissionResult) -> bool:
    """Tell whether two results say the same; seconds may differ."""

    def timeless(result: SubmissionResult) -> SubmissionResult:
        tasks = [
            replace(task, tests=tuple(replace(test, seconds=0.0) for test in task.tests))
            for task in result.tasks
        ]
        return replace(result, tasks=tuple(tasks))

    return timeless(one) == timeless(other)


# ------------------------------------------------------------------------------ the courier


class CourierError(Exception):
    """The courier has ended."""


class _Courier:
    """The courier's process, locked in where that is asked for."""

    def __init__(self, way: Way, parcel: Parcel) -> None:
        keys = way.certificates.resolve() if way.certificates else None
        wall = bubblewrap.wrapping_a_courier(keys) if way.confined else []
        self._process = subprocess.Popen(
            [*wall, sys.executable, "-P", "-m", "examiner.cluster.courier"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("EXAMINER_COURIER_LOG") else subprocess.PIPE,
            env={
                **ONE_THREAD,
                "PATH": os.defpath,
                "LANG": "C.UTF-8",
                "HOME": "/tmp",
                "PYTHONPATH": os.pathsep.join(places(())),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._words = LastWords(self._process.stderr) if self._process.stderr else None
        self._outbox = Outbox(self._process.stdin)
        self._lines = Lines(self._process.stdout.fileno())
        with contextlib.suppress(CourierError):
            self.send(
                scheduler=way.scheduler,
                certificates=str(keys) if keys else "",
                digest=parcel.digest,
                data=base64.b64encode(parcel.data).decode(),
                patience=way.patience,
                overdue=way.overdue,
            )

    def send(self, **what: Any) -> None:
        """Give it an order; raises CourierError where it is gone."""
        try:
            self._outbox.send(what)
        except BrokenPipeError:
            raise CourierError("the courier has ended") from None

    def receive(self, seconds: float) -> list[dict[str, Any]]:
        """Return what it says, waiting at most so long for the first; raises CourierError."""
        if not select.select([self._lines], [], [], seconds)[0]:
            return []
        try:
            said = [json.loads(line) for line in self._lines.read()]
        except (ValueError, RecursionError):
            raise CourierError("the courier answered nonsense") from None
        if not said and not self._lines.open:
            raise CourierError(self._last_words())
        return [each for each in said if isinstance(each, dict)]

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(last_words.SECONDS)
        lines = self._words.last().splitlines() if self._words else []
        return "the courier has ended" + (f": {lines[-1][:300]}" if lines else "")

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._outbox.close()
        if self._words:
            self._words.close()
        if self._process.stdout:
            with contextlib.suppress(OSError):
                self._process.stdout.close()
