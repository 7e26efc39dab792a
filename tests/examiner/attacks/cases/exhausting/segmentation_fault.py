"""Reads from nowhere."""

# expect: crashed
import ctypes


def deed(*_):
    return ctypes.string_at(0)


shout = mean = halves = Counter = deed
