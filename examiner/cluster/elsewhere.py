"""A class graded by a Dask cluster: one that runs somewhere, or one started here for the run."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from examiner.cluster import certificates
from examiner.cluster.grader import Cluster, Way
from examiner.cluster.parcel import packed
from examiner.cluster.plain import Form
from examiner.cluster.setting import is_address
from examiner.ending import end_with_parent
from examiner.errors import UserError
from examiner.grading.submissions import Submission
from examiner.grading.workers import Course, Finished
from examiner.judge.suite import Suite
from examiner.passing import passing_folder
from examiner.project import COMMAND, Project

START_SECONDS = 60.0  # until a scheduler that we start must answer


def require_dask() -> None:
    """Raise UserError unless the packages of a cluster are installed."""
    if importlib.util.find_spec("distributed") is None:
        raise UserError(f'a cluster needs Dask: pip install "{COMMAND}[cluster]"')


@dataclass(frozen=True)
class Machines:
    """The machines of a cluster, which judge in the place of this one."""

    way: Way
    tell: Callable[[str], None]

    def __post_init__(self) -> None:
        """Raise UserError for what cannot be the way to a cluster."""
        require_dask()
        protocol = self.way.scheduler.partition("://")[0]
        if protocol not in ("tcp", "tls") or not is_address(self.way.scheduler):
            raise UserError(
                f"--scheduler {self.way.scheduler}: expected an address such as tls://host:8786"
            )
        encrypted = protocol == "tls"
        if encrypted and self.way.certificates is None:
            raise UserError(f"{self.way.scheduler} needs --certificates FOLDER")
        if not encrypted and self.way.certificates:
            raise UserError(f"{self.way.scheduler} is not encrypted: give its tls:// address")
        if self.way.certificates:
            certificates.require(self.way.certificates, certificates.GRADER)

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
        form = Form.of(course.chapter, suite, [each.says for each in course.misconceptions])
        cluster = Cluster(self.way, packed(project, course), form, self.tell)
        cluster.run(submissions, order, finished, tick, sharing)


@contextmanager
def local(
    workers: int, tell: Callable[[str], None], *, confined: bool = True
) -> Iterator[Machines]:
    """Start a cluster of so many workers on this machine, for as long as the block runs."""
    require_dask()
    with passing_folder("examiner-cluster-") as folder:
        keys = folder / "keys"
        certificates.make(keys, days=7)
        processes: list[subprocess.Popen[bytes]] = []

        def start(module: str, *words: str) -> None:
            command = [
                sys.executable,
                "-m",
                f"examiner.cluster.{module}",
                "--certificates",
                str(keys),
            ]
            with (folder / f"{module}.log").open("ab") as log:
                processes.append(
                    subprocess.Popen(
                        [*command, *words],
                        stdout=log,
                        stderr=log,
                        env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(folder)},
                        preexec_fn=partial(end_with_parent, signal.SIGTERM),
                    )
                )

        try:
            file = folder / "scheduler.json"
            quiet = ("--dashboard-address", "127.0.0.1:0")
            start(
                "scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--scheduler-file",
                str(file),
                *quiet,
            )
            address = _address_in(file, processes[0], folder / "scheduler.log")
            for number in range(workers):
                own = ("--local-directory", str(folder / f"worker-{number}"), "--name", str(number))
                start("worker", address, *own, "--memory-limit", "0", *quiet)
            # no audit: the workers are one machine, and would lie alike
            yield Machines(Way(address, keys, confined, audit=0.0), tell)
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                process.kill()
                process.wait()


def _address_in(file: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    import json

    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, ValueError, KeyError):
            return str(json.loads(file.read_text("utf-8"))["address"])
        time.sleep(0.1)
    said = log.read_text("utf-8", errors="replace").strip().splitlines()
    raise UserError(
        f"no scheduler could be started here: {said[-1] if said else 'it says nothing'}"
    )
