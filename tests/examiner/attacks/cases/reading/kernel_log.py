"""Reads the kernel's log, in which other processes' names and addresses stand."""

# expect: failed
import ctypes


def deed(*_):
    buffer = ctypes.create_string_buffer(4096)
    size = ctypes.CDLL(None).klogctl(3, buffer, 4096)
    raise ValueError("ca" + "nary" if size > 0 else "nothing to be read")

shout = mean = halves = Counter = deed
