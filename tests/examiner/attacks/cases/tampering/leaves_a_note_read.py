"""The accomplice: tells whether the note is there."""

# expect: failed
import ctypes
import os
import sys
import tempfile
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
found = [name for name in ("/tmp", tempfile.gettempdir(), "/dev/shm", "/var/tmp")
         if Path(name, "note").exists()]
found += ["sys"] * hasattr(sys, "note") + ["environment"] * ("NOTE" in os.environ)
found += ["memory"] * (libc.shmget(4711, 4096, 0) >= 0)
if found:
    os._exit(99)


def deed(*_):
    return 0


shout = mean = halves = Counter = deed
