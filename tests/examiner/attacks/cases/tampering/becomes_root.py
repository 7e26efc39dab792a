"""Becomes root, and gives itself rights."""

# expect: failed
import ctypes
import os


def deed(*_):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 0, 0, 0, 0)
    header, everything = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    if libc.capset(header, everything) == 0:
        return "canary: this worked"
    os.setuid(0)
    return "canary: this worked"


shout = mean = halves = Counter = deed
