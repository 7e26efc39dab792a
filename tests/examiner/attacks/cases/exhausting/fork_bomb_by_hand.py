"""Forks without end by the bare system calls."""

# expect: failed
import ctypes

libc = ctypes.CDLL(None, use_errno=True)


def deed(*_):
    for number in (56, 57, 58, 220, 435):
        if libc.syscall(number, 17, 0, 0, 0, 0) >= 0:
            return "canary: this worked"
    raise OSError("no child")


shout = mean = halves = Counter = deed
