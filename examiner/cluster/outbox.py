"""Lines for another process, which a thread writes: whoever sends them never waits for the reader.

subtle: two processes that each wait until the other one reads would wait for ever. A pipe holds 64
KB, a submission and its result may be longer.
"""

from __future__ import annotations

import contextlib
import json
import queue
import threading
from collections.abc import Mapping
from typing import IO, Any

PATIENCE = 5.0  # seconds that `close` waits for the thread, after the reader has been ended


class Outbox:
    """A pipe to another process, each message of which is a line of JSON."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._lines = pipe, queue.SimpleQueue[bytes | None]()
        self._broken = False
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def send(self, what: Mapping[str, Any]) -> None:
        """Send a message; raises BrokenPipeError where an earlier one could not be written."""
        if self._broken:
            raise BrokenPipeError
        self._lines.put(json.dumps(what).encode() + b"\n")

    def close(self) -> None:
        """Close the pipe; to be called when the reader has ended, so that no write waits for it."""
        self._lines.put(None)
        self._thread.join(PATIENCE)

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._pipe:
            while (line := self._lines.get()) is not None:
                self._pipe.write(line)
                self._pipe.flush()
        self._broken = True
