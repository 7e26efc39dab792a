"""Aborts the process."""

# expect: crashed
import os


def deed(*_):
    os.abort()


shout = mean = halves = Counter = deed
