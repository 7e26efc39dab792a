"""Reads the command lines of all processes: would find paths and the seed."""

# expect: failed
from pathlib import Path


def deed(*_):
    raise ValueError([path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")])


shout = mean = halves = Counter = deed
