"""Does what a grader does with a student's text in a process of its own, with bounds.

The text is data here and is never run. Leaves out what is made of it (unordered.py, wording.py).
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

from examiner.results import Verdict

SECONDS = 10  # of computing; the longest file that is taken needs two
CLOCK = 120.0  # seconds on the clock, however busy the machine is
MEMORY = 1 << 30  # bytes beyond those of this process; the longest file needs a quarter

T = TypeVar("T")


class TextError(Exception):
    """A text that cannot be read within bounds: the verdict of its submission, and why."""

    def __init__(self, verdict: Verdict, why: str) -> None:
        super().__init__(verdict, why)
        self.verdict, self.why = verdict, why

    def __str__(self) -> str:
        return f"your file could not be read: {self.why}"


def read_here(read: Callable[..., T], *args: Any) -> T:
    """Read in this process, as a check does, which has a process of its own already."""
    return read(*args)


def read_apart(read: Callable[..., T], *args: Any) -> T:
    """Return `read(*args)`, computed in a forked process; raises TextError where that fails.

    Raises OSError where no process can be had, which is no fault of the text.

    >>> read_apart(len, "text")
    4
    """
    said, say = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(said)
        raise
    else:
        if pid == 0:
            _answer(say, read, args)
    finally:
        os.close(say)
    try:
        data = _hear(said)
    finally:
        os.close(said)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # it has answered, or its time on the clock is up
        _, status = os.waitpid(pid, 0)
    if not data:
        raise _death(os.waitstatus_to_exitcode(status))
    good, value = pickle.loads(data)  # our own process wrote it: no student's code runs there
    if good:
        return value
    raise value


def _answer(say: int, read: Callable[..., Any], args: Any) -> NoReturn:
    """Read, tell what was found, and end: the forked process never returns to its caller."""
    try:
        gc.disable()
        for each in (signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
            signal.signal(each, signal.SIG_DFL)
        _limit()
        try:
            answer: tuple[bool, Any] = True, read(*args)
        except MemoryError:
            text = f"it is nested too deeply, or needs more than {MEMORY >> 20} MB to be read"
            answer = False, TextError(Verdict.MEMORY, text)
        except Exception as error:
            answer = False, error
        with os.fdopen(say, "wb") as pipe:
            pipe.write(pickle.dumps(answer))
    finally:
        os._exit(0)


def _limit() -> None:
    """Set the bounds of this process."""
    import resource  # which Windows lacks

    from examiner.candidate.confinement import mapped_memory

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    if mapped := mapped_memory():
        resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))


def _hear(said: int) -> bytes:
    """Return all that is written to a pipe until it closes, or what there was when time was up."""
    end, data = time.monotonic() + CLOCK, b""
    while True:
        ready, _, _ = select.select([said], [], [], max(0.0, end - time.monotonic()))
        chunk = os.read(said, 1 << 16) if ready else b""
        if not chunk:
            return data if ready else b""
        data += chunk


def _death(code: int) -> TextError:
    """Say why a process that read a text died before it answered."""
    if code == -signal.SIGXCPU:
        return TextError(Verdict.TIMEOUT, f"that takes more than {SECONDS} s of computing")
    if code == -signal.SIGKILL:
        return TextError(Verdict.TIMEOUT, f"that takes more than {CLOCK:g} s, or too much memory")
    return TextError(Verdict.CRASHED, "Python itself fails on it; is it nested very deeply?")


@contextlib.contextmanager
def memory_bound(most: int = MEMORY) -> Iterator[None]:
    """Let the block run out of memory before the machine does, where a system can say so."""
    import resource

    from examiner.candidate.confinement import mapped_memory

    before = resource.getrlimit(resource.RLIMIT_AS)
    if mapped := mapped_memory():
        bounds = [each for each in before if each != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min([mapped + most, *bounds]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
