"""A module in this process, behind the same messages as one in a candidate.

So whatever runs here gives what it gives when a class is graded; only walls are missing.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from examiner.boundary.conversation import Conversation
from examiner.boundary.deadline import Deadline
from examiner.candidate.host import Host
from examiner.candidate.one_thread import compute_in_one_thread
from examiner.judge.encoding import EncodingError, module_text
from examiner.judge.session import Refusal, Session, imported, package_of
from examiner.judge.suite import Suite
from examiner.judge.timelimit import TimeLimitError, time_limit
from examiner.judge.wording import Source
from examiner.results import Verdict

IMPORT_SECONDS = 30.0
_NOT_THE_STUDENTS = (KeyboardInterrupt, TimeLimitError)  # they end a test, or the whole run


def time_bound(deadline: Deadline) -> contextlib.AbstractContextManager[None]:
    """Bound a test in this process by its time: the `bound` of Terms on every system."""
    return time_limit(deadline.seconds)


def _talk_to(host: Host, source: Source) -> Conversation:
    luck, begun = _Luck(), 0

    def ask(_: int, test: int, gone: list[int], body: bytes, __: Deadline) -> bytes:
        nonlocal begun
        with luck.own():
            if begun != talk.tests:  # the same test again, perhaps, and with the same luck
                begun = talk.tests
                host.begin(test)
            return host.handle(test, gone, body)

    talk = Conversation(ask, reads=source.library_names)
    return talk


class _Luck:
    """The random states of a module that shares this process with its tests.

    What a test draws by itself must not change what the module draws: in a candidate it does not.
    """

    def __init__(self) -> None:
        self._state: tuple[Any, ...] | None = None

    @contextlib.contextmanager
    def own(self) -> Iterator[None]:
        """Have the module's own states while the block runs."""
        before = _states()
        if self._state is not None:
            _restore(self._state)
        try:
            yield
        finally:
            self._state = _states()
            _restore(before)


def _states() -> tuple[Any, ...]:
    torch = sys.modules.get("torch")
    drawn = torch.get_rng_state() if hasattr(torch, "get_rng_state") else None  # type: ignore[union-attr]
    return random.getstate(), np.random.get_state(), drawn


def _restore(states: tuple[Any, ...]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    if states[2] is not None:
        sys.modules["torch"].set_rng_state(states[2])


def on_module(suite: Suite, stem: str, module: ModuleType) -> Session:
    """Return a session on a module that the course trusts: the reference, a misconception."""
    compute_in_one_thread()
    host = Host(Path(module.__file__ or "").parent, _NOT_THE_STUDENTS)
    host.use(module)
    source = Source(f"{stem}.py", "")
    talk = _talk_to(host, source)
    directory = host.directory()
    package = package_of(talk, stem, directory)
    return Session(suite, talk, source, package, directory=directory)


def on_file(suite: Suite, path: Path) -> Session | Refusal:
    """Return a session on a student's own file, imported afresh, or why there is none."""
    if not path.is_file():
        return Refusal(Verdict.MISSING, f"there is no {path.parent.name}/{path.name}")
    data = path.read_bytes()
    try:
        source = Source(path.name, module_text(data, path.name))
    except EncodingError as error:
        return Refusal(Verdict.FAILED, str(error))
    talk = _talk_to(Host(path.parent, _NOT_THE_STUDENTS), source)
    try:
        with time_limit(IMPORT_SECONDS):
            return imported(suite, talk, source, ("run", path.stem, data), IMPORT_SECONDS)
    except TimeLimitError as error:
        where = source.quote(own_lines(error.__context__, str(path)))  # of the interrupt
        return Refusal(Verdict.TIMEOUT, f"{path.name} cannot be imported{where}: {error}")


def own_lines(error: BaseException | None, file: str) -> list[int]:
    """Return the lines of a file that an exception came through, the innermost last."""
    trace, lines = error.__traceback__ if error is not None else None, []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return lines
