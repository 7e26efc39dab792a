"""Takes what a machine or a user has few of: watches, requests to disks, signals, written disks."""

# expect: failed
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
IO_SETUP, SYNC = (206, 162) if os.uname().machine == "x86_64" else (0, 81)


def deed(*_):
    watches = libc.inotify_init1(0)
    requests = libc.syscall(IO_SETUP, 60_000, ctypes.byref(ctypes.c_ulong(0)))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    waiting = 0
    while waiting < 5000 and not libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), None):
        waiting += 1
    written = libc.syscall(SYNC) == 0 or libc.syncfs(os.open("/usr/lib", os.O_RDONLY)) == 0
    gained = watches >= 0 or requests == 0 or waiting >= 5000 or written
    raise ValueError("ca" + "nary" if gained else "nothing gained")


shout = mean = halves = Counter = deed
