"""Reads the other submissions: would copy the best one."""

# expect: failed
from pathlib import Path


def deed(*args):
    space = {}
    for path in Path("{ROOT}/class").glob("*honest*/vault.py"):
        exec(path.read_text(), space)
    return space["shout"](*args)


shout = mean = halves = Counter = deed
