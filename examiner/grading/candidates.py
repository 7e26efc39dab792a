"""The processes that hold submissions: starts one, has a module imported in it, says how it died.

Leaves out what is asked of them (examiner.py) and what they are locked in (sandbox/).
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable

from examiner.boundary.channel import Channel, ClosedError, SlowError
from examiner.boundary.conversation import NO_ANSWER, Conversation
from examiner.boundary.deadline import Deadline, Rest
from examiner.boundary.errors import Stop, WireError
from examiner.candidate.confinement import EXIT_MEMORY
from examiner.grading.submissions import Submission
from examiner.judge.kept import Kept
from examiner.judge.lending import Lender
from examiner.judge.runs import OverdueError
from examiner.judge.session import Refusal, Session, imported
from examiner.judge.suite import Suite
from examiner.results import Verdict
from examiner.sandbox.servers import CandidateServer, ServerError

FIRST, SECOND = 0, 1  # Python's hash seeds: the orders that sets have; each has its own server
IMPORT_SECONDS = 60.0  # a module may be slow to import; its tests have their own time


class Candidates:
    """Starts candidates for a worker: one lives at a time, in one of two orders of sets."""

    def __init__(
        self,
        suite: Suite,
        stem: str,
        open_server: Callable[[int], CandidateServer],
        kept: Kept | None = None,
    ) -> None:
        self._suite, self._stem, self._open_server = suite, stem, open_server
        self._kept = kept  # what tests made of the answers of earlier submissions
        self._servers: dict[int, CandidateServer] = {}  # by order
        self._order = FIRST  # of the server whose candidate lives
        self._channel: Channel | None = None  # to that candidate
        self._held: Submission | None = None  # by the last candidates
        self._rest = Rest()  # of that submission

    def prepare(self, order: int) -> None:
        """Start a server before its first candidate is needed; raises ServerError."""
        if order not in self._servers:
            self._servers[order] = self._open_server(order)

    def open(
        self, submission: Submission, lender: Lender | None = None, order: int = FIRST
    ) -> Session | Refusal:
        """Import a submission in a new candidate, with lent parts in their places."""
        if submission is not self._held:
            self._held, self._rest = submission, Rest()
        channel = self._start(order)
        source = submission.source
        talk = Conversation(self._asker(channel), channel.meter, self._rest, source.library_names)
        request = "import", self._stem, submission.data
        return imported(self._suite, talk, source, request, IMPORT_SECONDS, lender, self._kept)

    def hang_up(self) -> None:
        """End the candidate that lives, if one does."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
            if self._order in self._servers:
                with contextlib.suppress(ServerError):  # then the next start will say so
                    self._servers[self._order].dismiss()

    def close(self) -> None:
        """End the candidate and the servers."""
        self.hang_up()
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def _start(self, order: int) -> Channel:
        self.hang_up()
        self._order = order
        for attempt in range(2):
            try:
                self.prepare(order)
                self._channel = self._servers[order].start()
                return self._channel
            except ServerError:
                if order in self._servers:
                    self._servers.pop(order).close()
                if attempt:
                    raise
        raise AssertionError

    def _asker(self, channel: Channel) -> Callable[..., bytes]:
        def ask(
            number: int, test: int, released: list[int], body: bytes, deadline: Deadline
        ) -> bytes:
            try:
                return channel.ask(number, test, released, body, deadline)
            except (SlowError, OverdueError):  # after either, the answer may still come: hang up
                raise Stop(Verdict.TIMEOUT, deadline.why) from None
            except WireError:
                raise Stop(Verdict.CRASHED, NO_ANSWER) from None
            except ClosedError:
                raise self._death() from None

        return ask

    def _death(self) -> Stop:
        """Say how a candidate ended that closed its channel."""
        ending = self._servers[self._order].bury()
        code = ending.get("exit", 0)
        if ending.get("killed"):
            return Stop(Verdict.CRASHED, "your code closed what it did not open")
        if code in (EXIT_MEMORY, -signal.SIGKILL):
            return Stop(Verdict.MEMORY, "used more memory than a test may")
        if code == -signal.SIGXCPU:
            return Stop(Verdict.TIMEOUT, "used more computing time than a submission may")
        if code < 0:
            name = signal.strsignal(-code) or f"signal {-code}"
            return Stop(Verdict.CRASHED, f"the process of your code died ({name})")
        return Stop(Verdict.CRASHED, "your code ended the program", f" (exit {code})")
