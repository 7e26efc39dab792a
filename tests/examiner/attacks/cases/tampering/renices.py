"""Slows everyone else down: priorities, real time, the processors that others may use."""

# expect: failed
import ctypes
import os


def deed(*_):
    libc = ctypes.CDLL(None)
    gained = [
        not libc.setpriority(0, 0, -20),  # itself before the others
        not libc.setpriority(2, 0, -1),
        any(not libc.setpriority(0, pid, 19) for pid in (2, 3, os.getppid() or 2)),
        any(not libc.sched_setaffinity(pid, 8, b"\1" + bytes(7)) for pid in (2, 3)),
        not libc.sched_setscheduler(0, 1, b"\1\0\0\0"),
        not libc.sched_setscheduler(0, 2, b"\1\0\0\0"),
    ]
    raise ValueError("ca" + "nary" if any(gained) else "nothing gained")

shout = mean = halves = Counter = deed
