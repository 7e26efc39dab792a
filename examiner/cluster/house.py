"""A process that grades jobs as they arrive: lines of JSON in, lines of JSON out.

A Dask worker keeps one for each course, and `serve` has the same at home. It is no part of Dask: it
reads its orders from a pipe, starts its own sandboxes, and is gone when the pipe closes.

    {"folder": …, "slots": 1}   first: where the course's parts lie, how many at a time
    {"n": 3, "job": "…"}        then: a job (plain.py)

    {"ready": true}             first, or {"refused": why} or {"failed": why}
    {"n": 3, "result": "…"}     for each job
    {"alive": true}             every few seconds
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BEAT = 5.0  # seconds between two signs of life
MOST_LINE = 64 << 20  # bytes of a line


class Lines:
    """What arrives on a pipe, line by line, without ever waiting for more than there is."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, bytearray()
        self._early: list[bytes] = []  # lines that arrived with the first
        self.open = True

    def fileno(self) -> int:
        """Return the pipe."""
        return self._descriptor

    def first(self) -> bytes:
        """Wait for the first line; b"" where there is none. What arrives with it is kept."""
        while self.open and not self._early:
            self._early = self.read()
        return self._early.pop(0) if self._early else b""

    def early(self) -> list[bytes]:
        """Return, once, what arrived with the first line."""
        found, self._early = self._early, []
        return found

    def read(self) -> list[bytes]:
        """Read once, and return the whole lines; call it when there is something to read."""
        data = os.read(self._descriptor, 1 << 20)
        self.open = bool(data)
        self._rest += data
        if len(self._rest) > MOST_LINE:
            raise ValueError("a line without end")
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        return [bytes(line) for line in lines]


class _Orders:
    """The jobs that come from the owner of this process."""

    def __init__(self, lines: Lines, stem: str) -> None:
        self._lines, self._stem = lines, stem

    def fileno(self) -> int:
        return self._lines.fileno()

    def take(self) -> Sequence[tuple[int, Any]] | None:
        import select

        from examiner.cluster.plain import submission_of

        found = self._lines.early()
        if select.select([self._lines], [], [], 0)[0]:
            found += self._lines.read()
        raw = [json.loads(line) for line in found]
        if not self._lines.open:  # whoever wanted to know is gone
            raise SystemExit(0)
        return [(each["n"], submission_of(each["job"], self._stem)) for each in raw]


def main() -> None:
    """Grade until the pipe is closed."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a suite prints is no answer of ours

    def say(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    lines = Lines(0)
    first = lines.first()
    if not first:
        return
    from examiner.errors import UserError

    order = json.loads(first)
    try:
        _grade(lines, Path(order["folder"]), int(order["slots"]), say)
    except UserError as error:
        say(failed=str(error))
        sys.exit(1)
    except BrokenPipeError:
        os._exit(0)  # nobody listens


def _grade(lines: Lines, folder: Path, slots: int, say: Any) -> None:
    from examiner.cluster.parcel import opened
    from examiner.cluster.plain import result_of
    from examiner.errors import SuiteError, UserError
    from examiner.grading.workers import WorkerPool
    from examiner.judge.suite import Suite, with_suite
    from examiner.project import Project
    from examiner.results import SubmissionResult
    from examiner.sandbox.trial import Trial

    parcel = opened(folder)
    try:
        course = parcel.course()
    except SuiteError as error:
        raise UserError(str(error)) from error
    if why := parcel.unlike(course.plan):
        say(refused=why)
        return
    trial = Trial(course.plan, slots)
    beat = time.monotonic()

    def tick() -> None:
        nonlocal beat
        if time.monotonic() - beat > BEAT:
            beat = time.monotonic()
            say(alive=True)

    def finished(number: int, result: SubmissionResult) -> None:
        say(n=number, result=result_of(result))

    def work(suite: Suite) -> None:
        trial.finish()
        say(ready=True)
        WorkerPool(suite, course, [], trial.servers).serve(
            _Orders(lines, parcel.stem), finished, tick
        )

    try:
        with_suite(Project(folder).suite(parcel.stem), folder, work)
    finally:
        trial.close()


if __name__ == "__main__":
    main()
