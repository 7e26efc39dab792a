"""Waits in threads, finalisers and at exit for the end of the last test, and then strikes."""

# expect: failed
import atexit
import ctypes
import os
import signal
import sys
import threading
import time
import weakref
from pathlib import Path


def strike(*_):
    for path in ("{ROOT}/class/zzz-honest/vault.py", "{ROOT}/gradebook.db", "/tmp/left", "left"):
        try:
            Path(path).write_text("x")
        except OSError:
            pass
    for pid in (0, -1, 1, os.getppid()):
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError:
            pass


def later():
    time.sleep(2)
    strike()


class Bomb:
    __del__ = strike


bombs = [Bomb()]
bombs.append(bombs)
atexit.register(strike)
weakref.finalize(sys.modules[__name__], strike)
for number in range(1, 32):
    try:
        signal.signal(number, strike)
    except (OSError, ValueError):
        pass
ctypes.CDLL(None).prctl(1, 0)  # do not die with the parent
threading.Thread(target=later).start()


def deed(*_):
    return 0

shout = mean = halves = Counter = deed
