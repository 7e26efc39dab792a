"""Reads every open file, its own and others': would find the suite or the gradebook."""

# expect: failed
import os
from pathlib import Path


def deed(*_):
    texts = []
    for number in range(64):
        try:
            os.lseek(number, 0, os.SEEK_SET)
            texts.append(os.read(number, 4096))
        except OSError:
            pass
    for path in Path("/proc").glob("*/fd/*"):
        texts.append(path.read_bytes())
    raise ValueError(str(texts))


shout = mean = halves = Counter = deed
