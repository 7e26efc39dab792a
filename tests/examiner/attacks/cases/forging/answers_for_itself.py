"""Replaces the process's own answering by answers that always say yes."""

# expect: failed
import gc

from examiner.candidate import host as candidate
from examiner.boundary import wire

candidate.Host.handle = lambda *_: wire.encode(["ok", True])
for each in gc.get_objects():
    if isinstance(each, candidate.Host):
        each.handle = lambda *_: wire.encode(["ok", True])


def deed(*_):
    return True


shout = mean = halves = Counter = deed
