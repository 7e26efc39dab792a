"""Opens the solution by its path and runs it: would earn everything."""

# expect: failed
from pathlib import Path


def deed(*args):
    space = {}
    exec(Path("{ROOT}/solutions/vault.py").read_text(), space)
    return space["shout"](*args)


shout = mean = halves = Counter = deed
