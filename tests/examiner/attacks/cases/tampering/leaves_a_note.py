"""Leaves a note for its accomplice, who is graded after it in the same process."""

# expect: failed
import ctypes
import os
import sys
import tempfile
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)


def deed(*_):
    sys.note = os.environ["NOTE"] = "left"
    for folder in (".", "/tmp", tempfile.gettempdir(), "/dev/shm", "/var/tmp"):
        try:
            Path(folder, "note").write_text("left")
        except OSError:
            pass
    libc.shmget(4711, 4096, 0o1666)
    libc.msgget(4711, 0o1666)
    return 0


shout = mean = halves = Counter = deed
