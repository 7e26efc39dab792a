"""Runs a suite on a student's code in a child process that can be ended: by its time, its memory,
Ctrl-C. What is left of the suite goes on in another child.

Works on every system. Leaves out what the child does (child.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from examiner.boundary.deadline import Deadline
from examiner.boundary.meters import meter_of
from examiner.candidate.one_thread import NO_COMPILER, ONE_THREAD
from examiner.check.job import SHOWING, Job
from examiner.errors import SuiteError
from examiner.results import SmallestExample, TestResult, Verdict

Reporter = Callable[[str, TestResult], None]
Printed = Callable[[str], object]
START_SECONDS = 120.0  # until the child has loaded its libraries and the suite
# seconds beyond a test's limit, within which the child itself should have ended it: it does not
# count the imports of libraries
GRACE = 3.0
MEMORY = 2 << 30  # bytes beyond what the child has before the student's code is loaded
LOOK_SECONDS = 0.1  # between two looks at the child's memory
_LIBRARY = Path(__file__).parents[2]
_BOOT = (
    f"import sys; sys.path.insert(0, {str(_LIBRARY)!r}); "
    "from examiner.check.child import main; main()"
)


@dataclass(frozen=True)
class Planned:
    """A test that is to be run: its task, and its result if it cannot be."""

    task_id: str
    result: TestResult


class Child:
    """A process that runs tests; nothing of it is left when the block ends."""

    def __init__(self, job: Job) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, job.to_json()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, **NO_COMPILER},
            start_new_session=os.name == "posix",  # so that Ctrl-C is ours alone
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        self._meter = meter_of(self._process.pid)
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._before = 0  # bytes that it had before the student's code

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(psutil.Error):
            for each in psutil.Process(self._process.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    each.kill()
        self._process.kill()
        self._process.wait()
        self._meter.close()

    @property
    def exit_code(self) -> int:
        """How the process ended, once it has."""
        return self._process.wait()

    def from_now(self, seconds: float) -> Deadline:
        """Return when the child has computed for so many seconds from here on."""
        return Deadline(seconds, self._meter)

    def line(self, deadline: Deadline) -> dict[str, Any] | None:
        """Return what the child says next, or None when it is gone.

        Raises TimeoutError, which says why, when it says nothing until then, MemoryError when it
        grows too large.
        """
        while True:
            try:
                said = self._lines.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if self._before and self._memory() > self._before + MEMORY:
                    raise MemoryError from None
                if deadline.left() <= 0 and deadline.over() >= GRACE:
                    raise TimeoutError(deadline.why) from None
                continue
            try:
                found: dict[str, Any] | None = json.loads(said) if said else None
            except ValueError:  # the student's code wrote there
                return None
            return found

    def note_memory(self) -> None:
        """Take what the child has now for what it needs itself."""
        self._before = self._before or self._memory()

    def _memory(self) -> int:
        total = 0
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            for each in [process, *process.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += each.memory_info().rss
        return total


@dataclass(frozen=True)
class Heard:
    """What the children said: results by task, and the smallest examples of what is wrong."""

    results: list[tuple[str, TestResult]]
    examples: dict[str, tuple[SmallestExample, ...]]
    refused: str = ""  # why nothing could be run: "sorting.py is empty: ..."


def run_apart(job: Job, report: Reporter, printed: Printed = lambda text: None) -> Heard:
    """Run the visible tests of some tasks; `printed` hears what the student's code prints in them.

    Raises SuiteError when the suite cannot be read or has no test for these tasks.
    """
    found: dict[str, tuple[str, TestResult]] = {}
    planned: dict[str, Planned] = {}
    examples: dict[str, tuple[SmallestExample, ...]] = {}
    refusals: list[str] = []

    def take(task_id: str, result: TestResult) -> None:
        found[result.name] = task_id, result
        report(task_id, result)

    def show(task_id: str, example: SmallestExample) -> None:
        examples[task_id] = *examples.get(task_id, ()), example

    while True:
        wrong = {task for task, result in found.values() if result.calls_for_an_example}
        slow = {task for task, result in found.values() if result.verdict is Verdict.TIMEOUT}
        left = replace(job, skip=[*job.skip, *found], wrong=sorted(wrong), slow=sorted(slow))
        with Child(left) as child:
            stopped = _hear(child, planned, take, show, printed, refusals.append)
        if stopped is None or stopped[0] == SHOWING:
            return Heard(list(found.values()), examples, *refusals[:1])
        name, verdict, message = stopped
        ended = [name] if name else [each for each in planned if each not in found]
        if not ended:
            raise SuiteError(f"the tests could not be run: {message}")
        for each in ended:
            plan = planned[each]
            take(plan.task_id, replace(plan.result, verdict=verdict, message=message))
        if not name:  # the module cannot be imported
            return Heard(list(found.values()), examples, message)


def _hear(
    child: Child,
    planned: dict[str, Planned],
    take: Reporter,
    show: Callable[[str, SmallestExample], None],
    printed: Printed,
    refuse: Callable[[str], object],
) -> tuple[str, Verdict, str] | None:
    """Take in results until the child is done (None), or has to be ended in a test: why."""
    running, seconds = "", START_SECONDS
    again = bool(planned)  # whether another child has imported the module before
    deadline = child.from_now(seconds)
    while True:
        try:
            said = child.line(deadline)
        except TimeoutError as error:
            return running, Verdict.TIMEOUT, str(error)
        except MemoryError:
            return running, Verdict.MEMORY, f"used more than {MEMORY >> 30} GB of memory"
        if said is None:
            return running, Verdict.CRASHED, f"your code ended the program ({_how(child)})"
        if "done" in said:
            return None
        if "problem" in said:
            raise SuiteError(said["problem"])
        if "prints" in said:
            if running or not again:
                printed(said["prints"])
            continue  # whoever prints gets no more time
        if "planned" in said:
            planned |= dict(_planned(said["planned"]))
        elif "begins" in said:
            child.note_memory()
            running, seconds = said["begins"], said["seconds"]
        elif "refused" in said:
            refuse(said["refused"])
        elif "example" in said:
            show(said["task"], SmallestExample(**said["example"]))
        else:
            result = TestResult(**said["result"])
            take(said["task"], replace(result, verdict=Verdict(result.verdict)))
        deadline = child.from_now(seconds)


def _planned(tests: list[dict[str, Any]]) -> Iterator[tuple[str, Planned]]:
    for each in tests:
        result = TestResult(**{**each["result"], "verdict": Verdict(each["result"]["verdict"])})
        yield result.name, Planned(each["task"], result)


def _how(child: Child) -> str:
    code = child.exit_code
    return f"exit {code}" if code >= 0 else f"signal {-code}"
