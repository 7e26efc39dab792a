"""Gives itself the lowest priority: on a busy machine its endless loop would take hours."""

# expect: failed
import ctypes
import os


def deed(*_):
    libc = ctypes.CDLL(None)
    idle, batch, nobody = 5, 3, ctypes.byref(ctypes.c_int(0))
    gained = [
        not libc.setpriority(0, 0, 19),
        not libc.sched_setscheduler(0, idle, nobody),
        not libc.sched_setscheduler(0, batch, nobody),
        not libc.syscall(314 if os.uname().machine == "x86_64" else 274, 0, bytes(56), 0),
    ]
    raise ValueError("ca" + "nary" if any(gained) else "nothing gained")


shout = mean = halves = Counter = deed
