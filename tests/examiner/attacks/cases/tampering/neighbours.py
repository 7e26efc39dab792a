"""Writes to another student's submission."""

# expect: failed
from pathlib import Path


def deed(*_):
    for name in ("aaa-honest", "m-honest", "zzz-honest"):
        Path("{ROOT}/class", name, "vault.py").write_text("")
    return 0


shout = mean = halves = Counter = deed
