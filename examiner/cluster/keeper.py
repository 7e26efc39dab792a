"""Keeps a house: starts the process that grades (house.py), gives it jobs, ends it if it hangs."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from examiner.candidate.one_thread import ONE_THREAD
from examiner.cluster.house import Lines
from examiner.cluster.outbox import Outbox
from examiner.sandbox.servers import places

START_SECONDS = 900.0  # to import torch and collect a suite on a machine that is slow and busy
SILENCE = 120.0  # seconds without a sign of life after which a house counts as hung


class HouseError(Exception):
    """The house cannot grade: the machine's fault, never a submission's."""


class RefusedError(HouseError):
    """This machine is not like the grader's; the message says in what."""


class StartError(HouseError):
    """A house ended, or stood still, before it had a job: no submission is to blame."""


class House:
    """A process that grades jobs of one course, several at a time."""

    def __init__(self, folder: Path, environment: Mapping[str, str], slots: int = 1) -> None:
        env = {**environment, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(places(()))}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "examiner.cluster.house"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=env,
                start_new_session=True,  # so that all of it can be ended together
            )
        except OSError as error:
            raise StartError(f"no process can be started: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._outbox = Outbox(self._process.stdin)
        self._lines = Lines(self._process.stdout.fileno())
        self._heard = time.monotonic()
        self.ready = False
        self.slots = slots
        self._write({"folder": str(folder), "slots": slots})

    def fileno(self) -> int:
        """Return the file that can be read when the house has said something."""
        return self._lines.fileno()

    def send(self, number: int, job: str) -> None:
        """Give it a job; raises HouseError where it is gone."""
        self._write({"n": number, "job": job})

    def receive(self, seconds: float) -> list[tuple[int, str]]:
        """Return the results that arrive, waiting at most so long for the first.

        Raises HouseError when it is gone or hangs, RefusedError when it will not grade here.
        """
        found: list[tuple[int, str]] = []
        if not select.select([self._lines], [], [], seconds)[0]:
            limit = SILENCE if self.ready else START_SECONDS
            if time.monotonic() - self._heard > limit:
                raise HouseError(f"no sign of life for {limit:g} seconds")
            return found
        self._heard = time.monotonic()
        for line in self._lines.read():
            said: dict[str, Any] = json.loads(line)
            if "refused" in said:
                raise RefusedError(said["refused"])
            if "failed" in said:
                raise HouseError(said["failed"])
            self.ready = self.ready or "ready" in said
            if "result" in said:
                found.append((said["n"], said["result"]))
        if not self._lines.open:
            raise HouseError("the process that grades has ended")
        return found

    def wait(self) -> None:
        """Wait until it is ready; raises RefusedError or StartError."""
        while not self.ready:
            try:
                self.receive(1.0)
            except RefusedError:
                raise
            except HouseError as error:
                raise StartError(str(error)) from None

    def ask(self, job: str) -> str:
        """Return the result of a job, one at a time; raises HouseError, StartError before it."""
        self.wait()
        self.send(0, job)
        while True:
            for _, result in self.receive(1.0):
                return result

    def close(self) -> None:
        """End it at once, with all that it has started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._outbox.close()
        if self._process.stdout:
            self._process.stdout.close()

    def _write(self, what: Mapping[str, Any]) -> None:
        try:
            self._outbox.send(what)
        except BrokenPipeError:
            raise HouseError("the process that grades has ended") from None
