"""The end of what a process says, of whom nobody else hears. Leaves out what it means."""

from __future__ import annotations

import os
import threading
from typing import IO

SECONDS = 2.0  # that a process which is ending is waited for
MOST_BYTES = 4000


class LastWords:
    """Reads all that a process says, and keeps the end of it.

    Dask says much over a long run: in a file it would fill the disk, and whoever fills a pipe that
    nobody reads stands still.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._said = pipe, b""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while data := os.read(self._pipe.fileno(), 1 << 16):
            self._said = (self._said + data)[-MOST_BYTES:]

    def last(self) -> str:
        """Return the end of what was said, waiting a moment for a process that is ending."""
        self._thread.join(SECONDS)
        return self._said.decode(errors="replace").strip()

    def close(self) -> None:
        """Close the pipe of a process that has ended; what still holds it may speak on."""
        self._thread.join(SECONDS)
        if not self._thread.is_alive():
            self._pipe.close()
