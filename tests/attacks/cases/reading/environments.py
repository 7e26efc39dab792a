"""Reads the environment, its own and others': would find tokens."""

# expect: failed
import os
from pathlib import Path


def deed(*_):
    others = [path.read_bytes() for path in Path("/proc").glob("*/environ")]
    raise ValueError(str(dict(os.environ)) + str(others))


shout = mean = halves = Counter = deed
