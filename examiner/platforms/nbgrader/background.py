"""Work on a class beside the main thread: so many notebooks at once, and the modules meanwhile.

Who waits for one result waits for nobody else's. An interrupted run leaves nothing behind it.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Found = TypeVar("Found")


class EndedError(Exception):
    """The run of the class has ended: nothing begins any more."""


class Processes:
    """The programs that run for a class."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[Any]] = set()
        self._ended = False

    @contextlib.contextmanager
    def running(self, command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
        """Run a program while the block runs; raises EndedError after `end`."""
        with self._lock:
            if self._ended:
                raise EndedError
            process = subprocess.Popen(command, **options)
            self._running.add(process)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            with self._lock:
                self._running.discard(process)

    def end(self) -> None:
        """End every program; those who talk to one find it gone."""
        with self._lock:
            self._ended = True
            for process in self._running:
                process.kill()


class Background:
    """Threads that start programs and wait for them; at its end all of them are ended."""

    def __init__(self, jobs: int) -> None:
        self.processes = Processes()
        self._notebooks = ThreadPoolExecutor(jobs)
        # a single job means that one thing runs at a time
        self._modules = ThreadPoolExecutor(1) if jobs > 1 else self._notebooks

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_: object) -> None:
        self.processes.end()
        for pool in (self._notebooks, self._modules):
            pool.shutdown(cancel_futures=True)

    def modules(self, work: Callable[..., Found], *args: Any) -> Future[Found]:
        """Do what concerns all modules, beside the notebooks."""
        return self._modules.submit(work, *args, self.processes)

    def notebook(self, work: Callable[..., Found], *args: Any) -> Future[Found]:
        """Do what concerns one notebook; the first that was given begins first."""
        return self._notebooks.submit(work, *args, self.processes)
