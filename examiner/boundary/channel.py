"""Numbered messages over a socket, for both ends. Leaves out what the messages mean.

A request is `length number test released… body`, an answer `length number body`; bodies are
the wire's. Either end may be hostile to the other's patience, so lengths are bounded first.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

from examiner.boundary.deadline import Deadline
from examiner.boundary.errors import WireError
from examiner.boundary.limits import MAX_MESSAGE
from examiner.boundary.usage import Meter

LARGE = 1 << 20  # bytes of a message that is not copied
_REQUEST = struct.Struct(">IIII")  # bytes of the body, number, test, how many handles to release
_HANDLE = struct.Struct(">Q")
_TIMEVAL = struct.Struct("@ll")  # the kernel's seconds and microseconds
_ANSWER = struct.Struct(">II")  # bytes of the body, number


class ClosedError(Exception):
    """The other end is gone."""


class SlowError(Exception):
    """The other end did not answer in time."""


class Channel:
    """One end of a socket pair."""

    def __init__(
        self, sock: socket.socket, meter: Meter | None = None, most: int = MAX_MESSAGE
    ) -> None:
        self._sock = sock
        self.meter = meter  # of the process at the other end
        self._most = most  # bytes of an answer
        self._buffer = bytearray()
        self._patience = 0.0  # of the socket, in seconds; 0: for ever

    def close(self) -> None:
        """Close this end."""
        self._sock.close()
        if self.meter:
            self.meter.close()

    def _wait_until(self, deadline: Deadline) -> None:
        """Set the socket's patience: only when a tenth of it is gone, since it costs a call.

        subtle: the kernel's own time limit, not Python's, which asks before every read and write.
        """
        left = deadline.left()
        if left <= 0:
            raise SlowError
        if not 0.9 * self._patience <= left <= self._patience:
            self._patience = left
            limit = _TIMEVAL.pack(int(left), int(left % 1 * 1e6) + 1)
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)

    def _read(self, size: int, deadline: Deadline | None) -> bytes:
        buffer = self._buffer
        while len(buffer) < size:
            if deadline is not None:
                self._wait_until(deadline)
            try:
                chunk = self._sock.recv(max(65536, min(size - len(buffer), 1 << 20)))
            except BlockingIOError:
                continue  # the deadline says whether it is too late
            except OSError:
                raise ClosedError from None
            if not chunk:
                raise ClosedError
            buffer += chunk
        found = bytes(buffer[:size])
        del buffer[:size]
        return found

    def _write(self, head: bytes, body: bytes, deadline: Deadline | None) -> None:
        if len(body) > LARGE:  # a copy of the whole would take as much memory again
            self._write(head, b"", deadline)
            head = b""
        left = memoryview(head + body if head else body)
        while left:
            if deadline is not None:
                self._wait_until(deadline)
            try:
                left = left[self._sock.send(left) :]
            except BlockingIOError:
                continue
            except OSError:
                raise ClosedError from None

    def ask(
        self, number: int, test: int, released: Sequence[int], body: bytes, deadline: Deadline
    ) -> bytes:
        """Send a request and return the body of its answer.

        Raises SlowError, ClosedError, or WireError for what is no answer to this request.
        """
        head = _REQUEST.pack(len(body), number, test, len(released))
        self._write(head + b"".join(map(_HANDLE.pack, released)), body, deadline)
        size, answered = _ANSWER.unpack(self._read(_ANSWER.size, deadline))
        if answered != number:
            raise WireError(f"an answer to request {answered}, expected {number}")
        if size > self._most:
            raise WireError(f"an answer of {size} bytes")
        body = self._read(size, deadline)
        if deadline.left() <= 0:  # several threads may have computed it in no time on the clock
            raise SlowError
        return body

    def next_request(self) -> tuple[int, int, list[int], bytes]:
        """Wait for a request: number, test, handles to release, body.

        Raises ClosedError when no more will come.
        """
        size, number, test, count = _REQUEST.unpack(self._read(_REQUEST.size, None))
        released = [_HANDLE.unpack(self._read(_HANDLE.size, None))[0] for _ in range(count)]
        return number, test, released, self._read(size, None)

    def answer(self, number: int, body: bytes) -> None:
        """Send the answer to a request."""
        self._write(_ANSWER.pack(len(body), number), body, None)
